//! Which documents are ours to say something about.

use crd_analyzer_syntax::tree::{NodeId, Tree};

/// Whether a document is a Kubernetes object, as far as its first keys tell. Other YAML is other servers' business.
pub(crate) fn is_manifest(tree: &Tree) -> bool {
    tree.root()
        .is_some_and(|root| ["apiVersion", "kind"].iter().all(|it| tree.get(root, it).is_some()))
}

/// The objects of a document: what it is, or, if it is a list, its items.
pub fn objects(tree: &Tree) -> Vec<NodeId> {
    let Some(root) = tree.root().map(|it| tree.resolve(it)) else {
        return Vec::new();
    };
    let kind = tree.get(root, "kind").map(|it| tree.resolve(it));
    let is_list = kind.is_some_and(|it| tree.is_scalar(it) && tree.scalar(it).ends_with("List"));
    match tree.get(root, "items").filter(|_| is_list) {
        Some(items) => tree.items(tree.resolve(items)).map(|it| tree.resolve(it)).collect(),
        None => vec![root],
    }
}
