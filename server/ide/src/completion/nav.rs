//! Navigation in the trees of CRDs.

use std::borrow::Cow;

use crd_analyzer_apiextensions::api;
use crd_analyzer_syntax::{
    paths::{Step, find, lookup},
    tree::{NodeId, NodeKind, Tree},
};

use crd_analyzer_workspace::kinds;

use crate::manifest::object_at;

/// The value of a key of a mapping, through aliases and merges.
pub(super) fn child(tree: &Tree, mapping: NodeId, key: &str) -> Option<NodeId> {
    lookup(tree, tree.resolve(mapping), key).map(|it| tree.resolve(it.value))
}

/// The string value of a key of a mapping.
pub(super) fn text<'t>(tree: &'t Tree, mapping: NodeId, key: &str) -> Option<Cow<'t, str>> {
    let value = child(tree, mapping, key)?;
    (tree.is_scalar(value) && !tree.is_absent(value)).then(|| tree.scalar(value))
}

pub(super) fn is_true(tree: &Tree, mapping: NodeId, key: &str) -> bool {
    text(tree, mapping, key).as_deref() == Some("true")
}

/// Whether the fields of the object that contains a path are known: it is a CRD, or its kind is in the table.
pub(super) fn has_fields(tree: &Tree, path: &[Step<'_>]) -> bool {
    let Some(object) = object_at(tree, path).0 else {
        return false;
    };
    let (api_version, kind) = (text(tree, object, "apiVersion"), text(tree, object, "kind"));
    kinds::written_as(api_version.as_deref(), kind.as_deref()).is_some()
}

/// Whether an API type is a schema.
pub(super) fn is_schema(ty: &api::FieldType) -> bool {
    match ty {
        api::FieldType::Object(it) => it.name == api::SCHEMA.name,
        api::FieldType::SchemaOrBool | api::FieldType::SchemaOrList | api::FieldType::SchemaOrNames => true,
        _ => false,
    }
}

/// The entries of a mapping: the key as text, and the node of the value.
pub(super) fn entries(tree: &Tree, mapping: NodeId) -> impl Iterator<Item = (Cow<'_, str>, NodeId)> {
    let entries = tree.entries(tree.resolve(mapping));
    entries
        .filter(|it| tree.is_scalar(it.key))
        .map(|it| (tree.scalar(it.key), tree.resolve(it.value)))
}

/// The values of a list of scalars.
pub(super) fn texts(tree: &Tree, list: NodeId) -> impl Iterator<Item = Cow<'_, str>> {
    let items = tree.items(tree.resolve(list)).map(|it| tree.resolve(it));
    items
        .filter(|it| tree.is_scalar(*it) && !tree.is_absent(*it))
        .map(|it| tree.scalar(it))
}

pub(super) fn is_mapping(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.kind(node), NodeKind::Mapping(_))
}

/// The node at a path; `None` if the path does not exist.
pub(super) fn node_at(tree: &Tree, path: &[Step<'_>]) -> Option<NodeId> {
    let place = find(tree, path)?;
    place.is_found().then(|| tree.resolve(place.node))
}

/// The path without its steps through `anyOf` and similar keywords. It leads to the schema that declares the same value.
pub(super) fn without_junctors<'p>(path: &[Step<'p>]) -> Vec<Step<'p>> {
    #[derive(PartialEq)]
    enum In {
        Definition,
        Schema,
        Names,
        Junctor,
        Other,
    }
    let mut state = In::Definition;
    let mut found = Vec::with_capacity(path.len());
    for step in path {
        let key = match step {
            Step::Key(key) => Some(&**key),
            Step::Index(_) => None,
        };
        state = match (state, key) {
            (In::Definition, Some("openAPIV3Schema")) | (In::Names, _) => In::Schema,
            (In::Definition, _) => In::Definition,
            (In::Junctor, None) => {
                state = In::Schema;
                continue;
            }
            (In::Schema, Some("anyOf" | "oneOf" | "allOf")) => {
                state = In::Junctor;
                continue;
            }
            (In::Schema, Some("not")) => {
                state = In::Schema;
                continue;
            }
            (In::Schema, Some("properties" | "patternProperties" | "definitions" | "dependencies")) => In::Names,
            (In::Schema, Some("items" | "additionalProperties" | "additionalItems") | None) => In::Schema,
            _ => In::Other,
        };
        found.push(step.clone());
    }
    found
}
