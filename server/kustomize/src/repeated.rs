//! Keys that are written twice in one mapping. kustomize reads them, and fails when it prints the object (`yaml: mapping key "a" already defined`), so
//! that an object which a patch deletes may have them. It does not read two merge keys in one mapping.

use crd_analyzer_syntax::{
    json::JsonDoc,
    tree::{NodeId, Tree},
};

/// The keys of a document that kustomize does not accept.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Repeated {
    /// The first key that repeats a key of its mapping.
    pub(crate) key: Option<NodeId>,
    /// The first merge key that is the second one of its mapping.
    pub(crate) merge: Option<NodeId>,
}

impl Repeated {
    pub(crate) fn of(tree: &Tree, json: &JsonDoc<'_>) -> Self {
        // A key that overrides a merged key belongs to another mapping than that key.
        let mut twice = json.duplicates().iter();
        let twice = twice.find(|it| tree.parent(it.first) == tree.parent(it.second));
        let is_merge = |it: &NodeId| tree.source(*it) == "<<";
        let second = |mapping: NodeId| tree.entries(mapping).map(|it| it.key).filter(is_merge).nth(1);
        // A merge key needs an alias.
        let mut mappings = tree.nodes().filter(|_| tree.has_aliases());
        Self {
            key: twice.map(|it| it.second),
            merge: mappings.find_map(second),
        }
    }
}
