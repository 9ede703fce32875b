//! Fails a build because of keys that are written twice.

use crd_analyzer_syntax::tree::NodeId;

use crate::{
    node::{Node, Place},
    problem::{Problem, Result},
    sources::Sources,
};

/// Fails if kustomize cannot read a document.
pub(super) fn check_merges(sources: &Sources, root: &Node) -> Result<()> {
    check(sources, root.place, sources.repeated(root.place).merge)
}

/// Fails if kustomize cannot print an object.
pub(super) fn check_keys(sources: &Sources, object: &Node) -> Result<()> {
    check(sources, object.place, sources.repeated(object.place).key)
}

fn check(sources: &Sources, of: Place, key: Option<NodeId>) -> Result<()> {
    let Some(node) = key else { return Ok(()) };
    let place = Place { node, ..of };
    let (tree, key) = sources.tree(place);
    let message = format!("the key `{}` is written twice in one object", tree.scalar(key));
    Err(Problem::fails(place, message))
}
