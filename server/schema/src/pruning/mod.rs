//! Pruning: dropping unknown fields (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning`).

use serde_json::Value;

use crate::structural::{Structural, UnknownFields};

#[cfg(test)]
mod tests;

/// The fields of every resource, which pruning keeps.
const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops the fields of `value` that `schema` does not specify (`Prune`).
///
/// At the root of a resource (`is_resource_root`), and in embedded resources, `apiVersion`, `kind` and `metadata` stay
/// as they are. Without a schema, all fields are unknown.
pub fn prune(value: &mut Value, schema: Option<Structural<'_>>, is_resource_root: bool) {
    run(value, schema, is_resource_root, UnknownFields::ignored());
}

/// Like [`prune`], but returns the paths of the dropped fields, sorted: `spec.ports[0].nme` (`PruneWithOptions`).
///
/// Fields below a dropped field are not listed, nor are `apiVersion`, `kind` and `metadata` if they are dropped at the
/// root.
pub fn prune_and_track(value: &mut Value, schema: Option<Structural<'_>>, is_resource_root: bool) -> Vec<String> {
    run(value, schema, is_resource_root, UnknownFields::tracked())
}

fn run(
    value: &mut Value,
    schema: Option<Structural<'_>>,
    is_resource_root: bool,
    mut unknown: UnknownFields,
) -> Vec<String> {
    let node = if is_resource_root {
        Some(Node {
            schema: schema.unwrap_or_else(Structural::empty),
            is_resource: true,
        })
    } else {
        schema.map(Node::of)
    };
    prune_node(value, node, &mut unknown);
    unknown.into_paths()
}

/// A schema, and whether its objects are resources. The objects of the root are always resources, whatever its schema contains.
#[derive(Clone, Copy)]
struct Node<'s> {
    schema: Structural<'s>,
    is_resource: bool,
}

impl<'s> Node<'s> {
    fn of(schema: Structural<'s>) -> Self {
        Self {
            schema,
            is_resource: schema.is_embedded_resource(),
        }
    }
}

/// The information about a field in a schema.
enum Field<'s> {
    /// A property, or a field that `additionalProperties` covers. Contains the schema of the field, if any.
    Known(Option<Node<'s>>),
    Unknown,
}

fn field<'s>(schema: Structural<'s>, name: &str) -> Field<'s> {
    if let Some(property) = schema.property(name) {
        return Field::Known(Some(Node::of(property)));
    }
    match schema.additional_properties() {
        Some(additional) => Field::Known(additional.schema().map(Node::of)),
        None => Field::Unknown,
    }
}

fn prune_node(value: &mut Value, node: Option<Node<'_>>, unknown: &mut UnknownFields) {
    if let Some(node) = node
        && node.schema.preserves_unknown_fields()
    {
        keep_unknown(value, node, unknown);
        return;
    }
    match value {
        Value::Object(fields) => {
            let Some(node) = node else {
                for name in fields.keys() {
                    unknown.record(name);
                }
                fields.clear();
                return;
            };
            fields.retain(|name, value| {
                let is_meta = META_FIELDS.contains(&name.as_str());
                if node.is_resource && is_meta {
                    return true;
                }
                if let Field::Known(node) = field(node.schema, name) {
                    let mark = unknown.enter(name);
                    prune_node(value, node, unknown);
                    unknown.leave(mark);
                    return true;
                }
                if !is_meta || !unknown.is_at_root() {
                    unknown.record(name);
                }
                false
            });
        }
        Value::Array(items) => {
            let item = node.and_then(|node| node.schema.items()).map(Node::of);
            for (n, value) in items.iter_mut().enumerate() {
                let mark = unknown.enter_index(n);
                prune_node(value, item, unknown);
                unknown.leave(mark);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Keeps unknown fields because of `x-kubernetes-preserve-unknown-fields`, and prunes the known ones (`skipPrune`).
fn keep_unknown(value: &mut Value, node: Node<'_>, unknown: &mut UnknownFields) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if node.is_resource && META_FIELDS.contains(&name.as_str()) {
                    continue;
                }
                if let Field::Known(node) = field(node.schema, name) {
                    let mark = unknown.enter(name);
                    prune_node(value, node, unknown);
                    unknown.leave(mark);
                }
            }
        }
        Value::Array(items) => {
            let Some(item) = node.schema.items().map(Node::of) else {
                return;
            };
            for (n, value) in items.iter_mut().enumerate() {
                let mark = unknown.enter_index(n);
                keep_unknown(value, item, unknown);
                unknown.leave(mark);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
