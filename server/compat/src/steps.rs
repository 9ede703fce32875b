//! The path from the root of a schema to one of its nodes.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::structural::lookup;
use serde_json::Value;

/// One step down in a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A step to a property.
    Property(String),
    /// A step to the items of a list.
    Items,
    /// A step to the values of a map.
    Values,
}

/// The child of a node.
pub(crate) fn below<'s>(schema: &'s JsonSchemaProps, step: &Step) -> Option<&'s JsonSchemaProps> {
    match step {
        Step::Property(name) => lookup(&schema.properties, name),
        Step::Items => schema.items.as_ref()?.schema.as_deref(),
        Step::Values => schema.additional_properties.as_ref()?.schema.as_deref(),
    }
}

/// Like [`below`], but returns a mutable reference.
pub(crate) fn below_mut<'s>(schema: &'s mut JsonSchemaProps, step: &Step) -> Option<&'s mut JsonSchemaProps> {
    match step {
        Step::Property(name) => schema
            .properties
            .iter_mut()
            .find(|it| it.0 == *name)
            .map(|it| &mut it.1),
        Step::Items => schema.items.as_mut()?.schema.as_deref_mut(),
        Step::Values => schema.additional_properties.as_mut()?.schema.as_deref_mut(),
    }
}

/// The value after a step. For the steps to all items or all values, this is the first one.
pub(crate) fn child<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match step {
        Step::Property(name) => value.get(name),
        Step::Items => value.as_array()?.first(),
        Step::Values => value.as_object()?.values().next(),
    }
}

/// All children of a node.
pub(crate) fn nodes_below(schema: &JsonSchemaProps) -> impl Iterator<Item = &JsonSchemaProps> {
    let items = schema.items.as_ref().and_then(|it| it.schema.as_deref());
    let values = schema
        .additional_properties
        .as_ref()
        .and_then(|it| it.schema.as_deref());
    let properties = schema.properties.iter().map(|it| &it.1);
    items.into_iter().chain(values).chain(properties)
}

/// The node at the end of a path.
pub(crate) fn at<'s>(schema: &'s JsonSchemaProps, steps: &[Step]) -> Option<&'s JsonSchemaProps> {
    steps.iter().try_fold(schema, below)
}

/// All nodes that apply to the values at the end of a path: the node itself, and the `allOf` clauses along the path.
pub(crate) fn all_at<'s>(schema: &'s JsonSchemaProps, steps: &[Step]) -> Vec<&'s JsonSchemaProps> {
    let mut nodes = with_all_of(schema);
    for step in steps {
        let below = nodes.into_iter().filter_map(|it| below(it, step));
        nodes = below.flat_map(with_all_of).collect();
    }
    nodes
}

fn with_all_of(schema: &JsonSchemaProps) -> Vec<&JsonSchemaProps> {
    let mut nodes = vec![schema];
    nodes.extend(schema.all_of.iter().flat_map(with_all_of));
    nodes
}

/// The total number of properties of the nodes on a path.
pub(crate) fn width(schema: &JsonSchemaProps, steps: &[Step]) -> usize {
    let mut width = schema.properties.len();
    let mut at = schema;
    for next in steps.iter().map_while(|step| {
        at = below(at, step)?;
        Some(at)
    }) {
        width += next.properties.len();
    }
    width
}

/// The path of the node in the CRD document.
pub(crate) fn path_of(schema: &Path, steps: &[Step]) -> Path {
    steps.iter().fold(schema.clone(), |path, step| match step {
        Step::Property(name) => path.child("properties").key(name),
        Step::Items => path.child("items"),
        Step::Values => path.child("additionalProperties"),
    })
}

/// The steps from the root of a schema to the node of a path in it, and the rest of the path: the keyword of the node.
pub(crate) fn of_path<'p>(root: &Path, path: &'p Path) -> Option<(Vec<Step>, &'p [Segment])> {
    let mut rest = path.segments().strip_prefix(root.segments())?;
    let mut found = Vec::new();
    loop {
        match rest {
            [Segment::Field(field), Segment::Key(name), after @ ..] if field == "properties" => {
                found.push(Step::Property(name.clone()));
                rest = after;
            }
            [Segment::Field(field), after @ ..] if field == "items" => {
                found.push(Step::Items);
                rest = after;
            }
            [Segment::Field(field), after @ ..] if field == "additionalProperties" => {
                found.push(Step::Values);
                rest = after;
            }
            _ => return Some((found, rest)),
        }
    }
}

/// Whether a field path in an object is the path of a node's value, or of a value inside or around it.
pub(crate) fn meets(place: &Path, steps: &[Step]) -> bool {
    let pairs = place.segments().iter().zip(steps);
    pairs.into_iter().all(|(segment, step)| match (segment, step) {
        (Segment::Field(name) | Segment::Key(name), Step::Property(property)) => name == property,
        (Segment::Field(_) | Segment::Key(_), Step::Values) => true,
        (Segment::Index(_) | Segment::Key(_), Step::Items) => true,
        _ => false,
    })
}
