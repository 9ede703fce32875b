//! Where nodes stand among the children of their parent.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use super::{NodeId, Tree};

/// The positions of all nodes among their siblings, counted once somebody has walked over so many that it pays. So many questions together take
/// time that grows with the tree and their number, and few take no longer than a walk.
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

/// What is known of a tree does not tell it from others.
impl PartialEq for Siblings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Siblings {}

impl Tree {
    /// How many children of the node's parent stand before it: of a mapping keys have even numbers, and values odd ones. 0 for the root.
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

    /// The child of the same parent before this one.
    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        // What lies before it is its parent, or the last in the subtree of the sibling.
        let last = NodeId(node.0 - 1);
        if last == parent {
            return None;
        }
        let mut around = std::iter::once(last).chain(self.ancestors(last));
        around.find(|it| self.parent(*it) == Some(parent))
    }

    /// The child of the same parent after this one.
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        let next = self.end(node);
        (next < self.end(parent)).then_some(NodeId(next))
    }

    /// Forgets the positions, because the nodes are others now.
    pub(crate) fn forget_siblings(&mut self) {
        self.siblings = Siblings::default();
    }

    fn positions(&self) -> Box<[u32]> {
        let mut positions = vec![0; self.nodes.len()];
        // How many children of each node have been passed.
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
        // Before they are counted, and after.
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
