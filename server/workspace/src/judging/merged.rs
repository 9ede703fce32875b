//! Keys that a merge key (`<<`) repeats.

use std::collections::HashMap;

use crd_analyzer_syntax::{
    json::{Duplicate, JsonDoc, is_merge},
    tree::{Entry, NodeId, Tree},
};

/// What a merge key (`<<`) has to do with two equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Merged {
    /// Nothing: both keys are written in one mapping.
    No,
    /// The first key is merged, and the second one is written after the merge key.
    Before,
    /// The second key is merged after the first one is written.
    After,
    /// The second key is merged after the first one is written, and has the same value.
    Same,
    /// Both keys are merged.
    Twice,
}

/// The maximum number of mappings to search from one to another.
const MOST_MERGES: usize = 64;

/// The merge keys of a document. Each pair of mappings is searched once.
pub(crate) struct MergeKeys<'t> {
    tree: &'t Tree,
    /// The first merge key of a mapping that leads to another mapping.
    known: HashMap<(NodeId, NodeId), Option<NodeId>>,
}

impl<'t> MergeKeys<'t> {
    pub(crate) fn of(tree: &'t Tree) -> Self {
        Self {
            tree,
            known: HashMap::new(),
        }
    }

    /// What a merge key has to do with two equal keys.
    pub(crate) fn between(&mut self, duplicate: &Duplicate) -> Merged {
        let parent = |it| self.tree.parent(it);
        let (Some(first), Some(second)) = (parent(duplicate.first), parent(duplicate.second)) else {
            return Merged::No;
        };
        if first == second {
            Merged::No
        } else if self.leading(first, second).is_some_and(|it| it > duplicate.first) {
            self.after(duplicate)
        } else if self.leading(second, first).is_some_and(|it| it < duplicate.second) {
            Merged::Before
        } else {
            Merged::Twice
        }
    }

    /// What it means that the second key is merged after the first one.
    fn after(&self, duplicate: &Duplicate) -> Merged {
        let value = |key| self.tree.entry_of(key).map(|it| self.tree.resolve(it.value));
        let text = |key| {
            value(key)
                .filter(|it| self.tree.is_scalar(*it))
                .map(|it| self.tree.source(it))
        };
        let (first, second) = (text(duplicate.first), text(duplicate.second));
        if first.is_some() && first == second {
            Merged::Same
        } else {
            Merged::After
        }
    }

    /// The first merge key of a mapping that leads to another mapping.
    fn leading(&mut self, from: NodeId, to: NodeId) -> Option<NodeId> {
        let tree = self.tree;
        let find = || {
            merge_keys(tree, from)
                .find(|it| leads(tree, it.value, to))
                .map(|it| it.key)
        };
        *self.known.entry((from, to)).or_insert_with(find)
    }
}

fn merge_keys(tree: &Tree, mapping: NodeId) -> impl Iterator<Item = Entry> {
    tree.entries(mapping).filter(|it| is_merge(tree, it.key))
}

/// Whether the value of a merge key is a mapping, or contains or merges it.
fn leads(tree: &Tree, value: NodeId, to: NodeId) -> bool {
    let mut found = vec![tree.resolve(value)];
    let mut next = 0;
    while let Some(&merged) = found.get(next).filter(|_| next < MOST_MERGES) {
        next += 1;
        if merged == to {
            return true;
        }
        let inside = merge_keys(tree, merged).map(|it| it.value).chain(tree.items(merged));
        let inside = inside.map(|it| tree.resolve(it)).take(MOST_MERGES);
        let new: Vec<NodeId> = inside.filter(|it| !found.contains(it)).collect();
        found.extend(new);
    }
    false
}

impl Merged {
    /// Whether all readers of YAML find the same value.
    fn is_clear(self) -> bool {
        matches!(self, Self::Before | Self::Same)
    }
}

/// Whether a document has a key that replaces a merged one.
pub(crate) fn has_overrides(tree: &Tree, json: &JsonDoc<'_>) -> bool {
    let mut merge_keys = MergeKeys::of(tree);
    let mut duplicates = json.duplicates().iter();
    duplicates.any(|it| merge_keys.between(it).is_clear())
}

/// Removes the keys that replace merged ones, or repeat their values, from the list of duplicate keys. Only an API server that gets YAML rejects them.
/// Clients such as kubectl and Flux read YAML, and send the later key as JSON.
pub(crate) fn forget_overrides(tree: &Tree, json: &mut JsonDoc<'_>) {
    let mut merge_keys = MergeKeys::of(tree);
    json.retain_duplicates(|it| !merge_keys.between(it).is_clear());
}
