//! The objects in a document for which crd-analyzer offers editor features.

use std::borrow::Cow;

use crd_analyzer_syntax::{
    paths::{self, PathTarget, Step, find_from, lookup},
    tree::{NodeId, NodeKind, Tree},
};
use crd_analyzer_workspace::wrappers;

/// Whether a document is a Kubernetes object, judging by its first keys. Other YAML files belong to other language servers.
pub(crate) fn is_manifest(tree: &Tree) -> bool {
    tree.root()
        .is_some_and(|root| ["apiVersion", "kind"].iter().all(|it| tree.get(root, it).is_some()))
}

/// The objects of a document: the document itself, or the objects inside it if clients such as kubectl split it, as they do with lists.
pub fn objects(tree: &Tree) -> Vec<NodeId> {
    let Some(root) = tree.root().map(|it| tree.resolve(it)) else {
        return Vec::new();
    };
    let Some(row) = wrapper(tree, root) else {
        return vec![root];
    };
    let value = (tree, root);
    let inside = wrappers::inside(&value);
    let is_opened = row.is_opened && wrappers::is_begun(&value);
    let own = (!is_opened).then_some(root);
    let inside = inside.iter().filter(|it| !it.is_opened()).map(|it| it.value.1);
    own.into_iter().chain(inside).collect()
}

/// The table row of an object that contains other objects, such as a list. An object without a kind may still become a list.
fn wrapper(tree: &Tree, object: NodeId) -> Option<&'static wrappers::Row> {
    let text = |key: &str| -> Option<Cow<'_, str>> {
        let value = tree.resolve(lookup(tree, object, key)?.value);
        (tree.is_scalar(value) && !tree.is_absent(value)).then(|| tree.scalar(value))
    };
    wrappers::of_begun(text("apiVersion").as_deref(), text("kind").as_deref())
}

/// The innermost of the [`objects`] that contains an offset. If one ends where the next starts, the first.
pub(crate) fn object_at_byte(tree: &Tree, offset: u32) -> Option<NodeId> {
    let root = tree.resolve(tree.root()?);
    let is_here = |it: &NodeId| tree.full_span(*it).touches(offset);
    if wrapper(tree, root).is_none() {
        return Some(root).filter(is_here);
    }
    // An object that an alias refers to is elsewhere in the text, so search all objects.
    if tree.has_aliases() {
        let found = objects(tree).into_iter().filter(is_here);
        return found.min_by_key(|it| tree.full_span(*it).range().len());
    }
    let at = paths::at(tree, offset)?;
    let object = object_at(tree, &at.path).0?;
    let is_item = |it: &NodeId| matches!(tree.parent(*it).map(|it| tree.kind(it)), Some(NodeKind::Sequence(_)));
    let before = Some(object).filter(is_item).and_then(|it| tree.previous_sibling(it));
    before.filter(is_here).or(Some(object).filter(is_here))
}

/// The innermost object that contains a path, and the rest of the path.
pub(crate) fn object_at<'p, 't>(tree: &Tree, path: &'p [Step<'t>]) -> (Option<NodeId>, &'p [Step<'t>]) {
    let (mut object, mut rest) = (tree.root(), path);
    for _ in 0..wrappers::MAX_DEPTH {
        let Some(node) = object.map(|it| tree.resolve(it)) else {
            break;
        };
        let row = wrapper(tree, node);
        let Some(steps) = row.and_then(|it| it.steps_inside(rest)) else {
            break;
        };
        let (way, after) = rest.split_at(steps);
        let found = Some(find_from(tree, node, way)).filter(PathTarget::is_found);
        object = found.map(|it| tree.resolve(it.node));
        rest = after;
    }
    (object, rest)
}
