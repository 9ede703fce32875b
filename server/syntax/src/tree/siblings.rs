//! The positions of nodes among the children of their parents.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use super::{NodeId, Tree};

/// The positions of all nodes among their siblings. They are computed when so many siblings have been walked that the computation is worthwhile.
/// Therefore the time for many lookups is proportional to their number plus the size of the tree, and a few lookups cost no more than a walk.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    walked: AtomicUsize,
    positions: OnceLock<Box<[u32]>>,
}

impl Clone for Siblings {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The positions are a cache, so they do not affect whether two trees are equal.
impl PartialEq for Siblings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Siblings {}

impl Tree {
    /// The index of the node among its parent's children. In a mapping, keys have even numbers and values have odd numbers. 0 for the root.
    pub fn position(&self, node: NodeId) -> usize {
        if let Some(positions) = self.siblings.positions.get() {
            return positions[node.0 as usize] as usize;
        }
        let Some(parent) = self.parent(node) else {
            return 0;
        };
        let position = self.children(parent).take_while(|it| *it != node).count();
        let walked = self.siblings.walked.fetch_add(position, Ordering::Relaxed);
        if walked > self.nodes.len() {
            self.siblings.positions.get_or_init(|| self.positions());
        }
        position
    }

    /// The previous child of the same parent.
    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        // The preceding node is the parent of the node, or the last node in the subtree of the previous sibling.
        let last = NodeId(node.0 - 1);
        if last == parent {
            return None;
        }
        let mut around = std::iter::once(last).chain(self.ancestors(last));
        around.find(|it| self.parent(*it) == Some(parent))
    }

    /// The next child of the same parent.
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        let next = self.end(node);
        (next < self.end(parent)).then_some(NodeId(next))
    }

    /// Resets the positions after the nodes changed.
    pub(crate) fn forget_siblings(&mut self) {
        self.siblings = Siblings::default();
    }

    fn positions(&self) -> Box<[u32]> {
        let mut positions = vec![0; self.nodes.len()];
        // For each node, the number of children that were visited so far.
        let mut passed = vec![0; self.nodes.len()];
        for node in self.nodes() {
            if let Some(parent) = self.parent(node) {
                positions[node.0 as usize] = passed[parent.0 as usize];
                passed[parent.0 as usize] += 1;
            }
        }
        positions.into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{edit::read, tree::Span};

    #[test]
    fn positions_are_those_of_a_walk() {
        let text: Arc<str> = "a: [1, {b: 2}, [[]]]\n? [x, y]\n: z\nc:\n  d: &e\n    f: *e\n<<: {g: }\n".into();
        let tree = read(&text, Span::new(0, text.len() as u32)).tree;
        let walked = |node: NodeId| {
            let parent = tree.parent(node)?;
            tree.children(parent).position(|it| it == node)
        };
        // This tests lookups both before and after the positions are computed.
        for _ in 0..3 {
            for node in tree.nodes() {
                assert_eq!(tree.position(node), walked(node).unwrap_or(0), "{node:?}");
                let siblings = || tree.parent(node).into_iter().flat_map(|it| tree.children(it));
                let before = siblings().take_while(|it| *it != node).last();
                let after = siblings().skip_while(|it| *it != node).nth(1);
                assert_eq!(
                    (tree.previous_sibling(node), tree.next_sibling(node)),
                    (before, after),
                    "{node:?}"
                );
            }
        }
        assert!(tree.siblings.positions.get().is_some());
    }
}
