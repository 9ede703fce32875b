//! Which documents are ours to say something about.

use crd_analyzer_syntax::{
    paths::{Step, find, lookup},
    tree::{NodeId, Tree},
};

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

/// The object that a path is in, which may be an item of a list, and the rest of the path.
pub(crate) fn object_at<'p, 't>(tree: &Tree, path: &'p [Step<'t>]) -> (Option<NodeId>, &'p [Step<'t>]) {
    let root = tree.root();
    if let [Step::Key(items), Step::Index(_), rest @ ..] = path
        && items == "items"
        && root.is_some_and(|it| is_list(tree, it))
    {
        let item = find(tree, &path[..2]).filter(crd_analyzer_syntax::paths::Place::is_found);
        return (item.map(|it| tree.resolve(it.node)), rest);
    }
    (root, path)
}

/// Whether a mapping may be a list of objects, as far as its kind tells.
fn is_list(tree: &Tree, root: NodeId) -> bool {
    let kind = lookup(tree, tree.resolve(root), "kind").map(|it| tree.resolve(it.value));
    kind.is_none_or(|it| !tree.is_scalar(it) || tree.is_absent(it) || tree.scalar(it).ends_with("List"))
}
