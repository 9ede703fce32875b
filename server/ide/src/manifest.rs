//! Which documents are ours to say something about.

use crd_analyzer_syntax::{
    paths::{self, Step, find, lookup},
    tree::{NodeId, NodeKind, Tree},
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
    match list(tree, root) {
        Some(items) => tree.items(items).map(|it| tree.resolve(it)).collect(),
        None => vec![root],
    }
}

/// The items of a document that is a list.
fn list(tree: &Tree, root: NodeId) -> Option<NodeId> {
    let kind = tree.get(root, "kind").map(|it| tree.resolve(it));
    let is_list = kind.is_some_and(|it| tree.is_scalar(it) && tree.scalar(it).ends_with("List"));
    let items = tree.get(root, "items").filter(|_| is_list)?;
    Some(tree.resolve(items))
}

/// The first of the [`objects`] of a document that a byte touches.
pub(crate) fn object_at_byte(tree: &Tree, offset: u32) -> Option<NodeId> {
    let root = tree.resolve(tree.root()?);
    let is_here = |it: &NodeId| tree.full_span(*it).touches(offset);
    let Some(items) = list(tree, root) else {
        return Some(root).filter(is_here);
    };
    // Aliases have their place elsewhere: then all items are looked at.
    if tree.has_aliases() {
        return tree.items(items).map(|it| tree.resolve(it)).find(is_here);
    }
    if !matches!(tree.kind(items), NodeKind::Sequence(_)) {
        return None;
    }
    let at = paths::at(tree, offset)?;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let item = around.into_iter().find(|it| tree.parent(*it) == Some(items))?;
    let before = tree.previous_sibling(item).filter(is_here);
    before.or(Some(item).filter(is_here))
}

/// The object that a path is in, which may be an item of a list, and the rest of the path.
pub(crate) fn object_at<'p, 't>(tree: &Tree, path: &'p [Step<'t>]) -> (Option<NodeId>, &'p [Step<'t>]) {
    let root = tree.root();
    if let [Step::Key(items), Step::Index(_), rest @ ..] = path
        && items == "items"
        && root.is_some_and(|it| is_list(tree, it))
    {
        let item = find(tree, &path[..2]).filter(crd_analyzer_syntax::paths::PathTarget::is_found);
        return (item.map(|it| tree.resolve(it.node)), rest);
    }
    (root, path)
}

/// Whether a mapping may be a list of objects, as far as its kind tells.
fn is_list(tree: &Tree, root: NodeId) -> bool {
    let kind = lookup(tree, tree.resolve(root), "kind").map(|it| tree.resolve(it.value));
    kind.is_none_or(|it| !tree.is_scalar(it) || tree.is_absent(it) || tree.scalar(it).ends_with("List"))
}
