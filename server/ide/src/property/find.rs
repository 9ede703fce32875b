//! Finds the property whose name is at a position.

use crd_analyzer_schema::{KubernetesVersion, rules::SchemaStep};
use crd_analyzer_syntax::{
    paths::{self, Side},
    tree::{NodeId, Span, Tree},
};

use super::{
    Target,
    json_path::{self, Part},
    uses::{name_in_path, names_of},
};
use crate::{
    cel::{Meaning, RULES, cel_at},
    file::Document,
    schema,
};

/// The property whose name is at an offset of a CRD, and the span of the name.
pub fn target_at(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<(Target, Span)> {
    let tree = document.tree;
    if !document.kind().declares {
        return None;
    }
    if let Some(at) = cel_at(document, offset, version) {
        let token = at.expression.token_at(at.byte)?;
        let Meaning::Field { steps: Some(steps), .. } = at.expression.meaning(token)? else {
            return None;
        };
        let (_, above) = schema::steps_to(tree, at.expression.place.rule?.schema)?;
        let mut all = above;
        all.extend(steps);
        return Some((target(all)?, at.expression.token_span(token)));
    }
    let at = paths::at(tree, offset)?;
    if !tree.is_scalar(at.node) || at.in_scalar.is_none() {
        return None;
    }
    if at.side == Side::Key {
        let map = tree.parent(at.node)?;
        let value = tree.entry_of(at.node)?.value;
        if !schema::is_map_of_schemas(tree, map) || !schema::is_schema_node(tree, value) {
            return None;
        }
        let steps = schema::location(tree, value)?;
        return Some((target(steps)?, inner(tree, at.node)));
    }
    let list = tree.parent(at.node)?;
    if let Some(entry) = tree.entry_of(list).filter(|it| it.value == list) {
        let owner = tree.parent(list)?;
        let object = match &*tree.scalar(entry.key) {
            "required" => schema::location(tree, owner),
            "x-kubernetes-list-map-keys" => schema::location(tree, owner).map(|mut it| {
                it.push(SchemaStep::Items);
                it
            }),
            _ => None,
        };
        if let Some(object) = object.filter(|_| schema::is_schema_node(tree, owner)) {
            let name = tree.scalar(at.node).into_owned();
            return Some((Target { object, name }, inner(tree, at.node)));
        }
    }
    in_path(document, at.node, at.in_scalar?)
}

/// The span of a scalar without quotes.
fn inner(tree: &Tree, scalar: NodeId) -> Span {
    tree.source_map(scalar).span(0..tree.scalar(scalar).len())
}

fn target(mut steps: Vec<SchemaStep>) -> Option<Target> {
    match steps.pop()? {
        SchemaStep::Property(name) => Some(Target { object: steps, name }),
        SchemaStep::Items | SchemaStep::Values => None,
    }
}

/// The property whose name is at a byte of a path.
fn in_path(document: &Document<'_>, scalar: NodeId, byte: usize) -> Option<(Target, Span)> {
    let tree = document.tree;
    let entry = tree.entry_of(scalar).filter(|it| it.value == scalar)?;
    let key = tree.scalar(entry.key);
    let (root, base) = if key == "fieldPath" {
        let list = tree.parent(tree.parent(scalar)?)?;
        let keyword = tree.entry_of(list).filter(|it| it.value == list)?;
        if tree.scalar(keyword.key) != RULES {
            return None;
        }
        schema::steps_to(tree, tree.parent(list)?)?
    } else {
        let version = schema::versions(document)
            .into_iter()
            .find(|it| tree.is_in(scalar, it.item))?;
        let is_path = names_of(tree, &version).iter().any(|it| it.scalar == scalar);
        (version.schema.filter(|_| is_path)?, Vec::new())
    };
    let text = tree.scalar(scalar);
    let parts: Vec<Part> = json_path::read(&text);
    let (steps, bytes) = name_in_path(tree, root, base, &parts, byte)?;
    Some((target(steps)?, tree.source_map(scalar).span(bytes)))
}
