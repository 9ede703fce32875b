//! Follows many paths in one tree.

use std::{borrow::Cow, cell::RefCell, collections::HashMap};

use super::{PathTarget, Step, is_merge, lookup, start};
use crate::tree::{Entry, NodeId, NodeKind, Tree};

/// The number of lookups in a collection that walk over its children. Later lookups use an index.
const WALKS: u32 = 4;

/// Follows paths in one tree. The total time grows with the number of paths plus the size of the tree, not with their product.
#[derive(Debug)]
pub struct Finder<'t> {
    tree: &'t Tree,
    asked: RefCell<HashMap<NodeId, CollectionLookup<'t>>>,
}

/// The way to look up children in a collection.
#[derive(Debug)]
enum CollectionLookup<'t> {
    /// The collection has no index yet. Contains the number of lookups so far.
    Times(u32),
    /// A mapping without merge keys. Contains the last entry of each key.
    Mapping(HashMap<Cow<'t, str>, Entry>),
    /// A mapping with merge keys.
    Merging,
    Sequence(Vec<NodeId>),
}

impl<'t> Finder<'t> {
    /// Creates a finder without any index.
    pub fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            asked: RefCell::default(),
        }
    }

    /// Like [`find_from`](super::find_from).
    pub fn find_from(&self, node: NodeId, path: &[Step<'_>]) -> PathTarget {
        let mut place = start(self.tree, node);
        for (at, step) in path.iter().enumerate() {
            let Some((node, key)) = self.child(self.tree.resolve(place.node), step) else {
                place.missing = path.len() - at;
                break;
            };
            place = PathTarget { node, key, missing: 0 };
        }
        place
    }

    /// Like [`lookup`].
    pub fn lookup(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        if !matches!(self.tree.kind(mapping), NodeKind::Mapping(_)) {
            return None;
        }
        let mut asked = self.asked.borrow_mut();
        let known = asked.entry(mapping).or_insert(CollectionLookup::Times(0));
        match known {
            CollectionLookup::Mapping(entries) => entries.get(key).copied(),
            CollectionLookup::Times(times) if *times >= WALKS => {
                *known = self.index(mapping);
                match known {
                    CollectionLookup::Mapping(entries) => entries.get(key).copied(),
                    _ => lookup(self.tree, mapping, key),
                }
            }
            CollectionLookup::Times(times) => {
                *times += 1;
                lookup(self.tree, mapping, key)
            }
            CollectionLookup::Merging | CollectionLookup::Sequence(_) => lookup(self.tree, mapping, key),
        }
    }

    fn index(&self, mapping: NodeId) -> CollectionLookup<'t> {
        let tree = self.tree;
        let scalars = || tree.entries(mapping).filter(|it| tree.is_scalar(it.key));
        if scalars().any(|it| is_merge(tree, it.key)) {
            return CollectionLookup::Merging;
        }
        CollectionLookup::Mapping(scalars().map(|it| (tree.scalar(it.key), it)).collect())
    }

    fn child(&self, collection: NodeId, step: &Step<'_>) -> Option<(NodeId, Option<NodeId>)> {
        match step {
            Step::Key(key) => self.lookup(collection, key).map(|it| (it.value, Some(it.key))),
            Step::Index(index) => self.item(collection, *index).map(|it| (it, None)),
        }
    }

    fn item(&self, sequence: NodeId, index: usize) -> Option<NodeId> {
        if !matches!(self.tree.kind(sequence), NodeKind::Sequence(_)) {
            return None;
        }
        let mut asked = self.asked.borrow_mut();
        let known = asked.entry(sequence).or_insert(CollectionLookup::Times(0));
        match known {
            CollectionLookup::Sequence(items) => items.get(index).copied(),
            CollectionLookup::Times(times) if *times >= WALKS => {
                let items: Vec<_> = self.tree.items(sequence).collect();
                let found = items.get(index).copied();
                *known = CollectionLookup::Sequence(items);
                found
            }
            CollectionLookup::Times(times) => {
                *times += 1;
                self.tree.items(sequence).nth(index)
            }
            CollectionLookup::Mapping(_) | CollectionLookup::Merging => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::Arc};

    use super::*;
    use crate::{edit::read, paths::find_from, tree::Span};

    fn tree(text: &str) -> Tree {
        let text: Arc<str> = text.into();
        read(&text, Span::new(0, text.len() as u32)).tree
    }

    #[test]
    fn finds_what_a_walk_finds() {
        let tree =
            tree("a: &a {x: 1, x: 2, y: [1, 2, {z: 3}]}\nb: {<<: *a, y: 4}\nc: *a\nd: [*a, 1]\n? [k]\n: 1\n'e': 2\n");
        let finder = Finder::new(&tree);
        let root = tree.root().expect("a root");
        let keys = ["a", "b", "c", "d", "e", "x", "y", "z"].map(Step::key);
        let steps: Vec<_> = keys.into_iter().chain([0, 1, 2, 3].map(Step::Index)).collect();
        for first in &steps {
            for second in &steps {
                for third in &steps {
                    let path = [first.clone(), second.clone(), third.clone()];
                    assert_eq!(finder.find_from(root, &path), find_from(&tree, root, &path), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn many_paths_take_no_longer_than_their_number() {
        // If the time were quadratic, the test would take minutes.
        let count = 50_000;
        let mut text = String::from("list:\n");
        text.push_str(&"- 1\n".repeat(count));
        text.push_str("map:\n");
        for n in 0..count {
            writeln!(text, "  k{n}: 1").expect("a string takes text");
        }
        let tree = tree(&text);
        let finder = Finder::new(&tree);
        let root = tree.root().expect("a root");
        for n in 0..count {
            let key = Step::key(format!("k{n}"));
            assert!(finder.find_from(root, &[Step::key("map"), key]).is_found());
            assert!(finder.find_from(root, &[Step::key("list"), Step::Index(n)]).is_found());
        }
    }
}
