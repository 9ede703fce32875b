//! The work of searching for the fixes of a problem.

use std::collections::HashMap;

use crd_analyzer_syntax::tree::{NodeId, NodeKind, Tree};

use crate::file::Document;

/// How often a search looks for an entry of each mapping around a problem, such as `kind`. To find one, it compares the keys of all entries.
const TIMES: u64 = 8;

/// How many items of a list a search skips with one unit of work.
const ITEMS_PER_WORK: u64 = 8;

/// The work of looking up entries, by document and collection.
#[derive(Default)]
pub(super) struct Lookups(HashMap<(usize, NodeId), u64>);

impl Lookups {
    /// The units of work of a search for fixes of a problem at an offset, which looks up entries of the collections around it.
    pub(super) fn at(&mut self, document: &Document<'_>, offset: u32) -> u64 {
        let tree = document.tree;
        let Some(innermost) = tree.last_from(offset) else {
            return 1;
        };
        let around = std::iter::once(innermost).chain(tree.ancestors(innermost));
        let lookups = around.map(|it| *self.0.entry((document.index, it)).or_insert_with(|| lookup(tree, it)));
        // An object of a list may be an alias, so all nodes are searched for the object at the offset.
        let aliased = if tree.has_aliases() { tree.len() as u64 } else { 0 };
        lookups.sum::<u64>() + aliased
    }
}

/// The units of work of looking up entries of a collection.
fn lookup(tree: &Tree, collection: NodeId) -> u64 {
    let children = tree.children(collection).count() as u64;
    1 + match tree.kind(collection) {
        NodeKind::Mapping(_) => TIMES * children,
        _ => children / ITEMS_PER_WORK,
    }
}
