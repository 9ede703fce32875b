//! The context of a schema node.

use crd_analyzer_schema::JsonSchemaProps;

use crate::steps::{Step, below, nodes_below};

/// Properties of a node that depend on all nodes between the root and the node.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Scope {
    /// Whether a validation rule reads the value.
    pub(crate) has_rules: bool,
    /// Whether the number or the names of existing fields matter, because of `allOf`, `anyOf`, `oneOf`, `not`, or a limit on the number of
    /// properties.
    pub(crate) counts_fields: bool,
    /// Whether unknown fields are preserved.
    pub(crate) keeps_unknown: bool,
    /// Whether the node is part of an embedded resource.
    pub(crate) is_resource: bool,
    /// Whether the node is the metadata of the object or of an embedded resource, or is inside such metadata. The API server handles these fields
    /// without a schema.
    pub(crate) is_metadata: bool,
}

impl Scope {
    pub(crate) fn of(root: &JsonSchemaProps, steps: &[Step]) -> Self {
        let mut scope = Self::default();
        let mut at = Some(root);
        for n in 0..=steps.len() {
            let Some(schema) = at else { break };
            scope.has_rules |= !schema.x_validations.is_empty();
            scope.counts_fields |= schema.min_properties.is_some()
                || schema.max_properties.is_some()
                || schema.not.is_some()
                || schema.clauses().iter().any(|it| !it.1.is_empty());
            scope.keeps_unknown |= schema.x_preserve_unknown_fields == Some(true);
            scope.is_resource |= schema.x_embedded_resource;
            scope.is_metadata |= (n == 0 || schema.x_embedded_resource) && steps.get(n).is_some_and(is_metadata);
            at = steps.get(n).and_then(|it| below(schema, it));
        }
        scope
    }
}

fn is_metadata(step: &Step) -> bool {
    matches!(step, Step::Property(name) if name == "metadata")
}

/// Whether a step from the root leads to `apiVersion` or `kind`. These fields never count as unchanged
/// (`ratchetingValueValidator.SubPropertyValidator`).
fn is_type_meta(step: &Step) -> bool {
    matches!(step, Step::Property(name) if ["apiVersion", "kind"].contains(&name.as_str()))
}

/// Whether a node or a node inside it is an embedded resource.
pub(crate) fn has_resources_below(schema: &JsonSchemaProps) -> bool {
    schema.x_embedded_resource || nodes_below(schema).any(has_resources_below)
}

/// Whether a node or a node inside it has rules.
pub(crate) fn has_rules_below(schema: &JsonSchemaProps) -> bool {
    !schema.x_validations.is_empty() || nodes_below(schema).any(has_rules_below)
}

/// Whether the API server always recognizes an unchanged value of a node (`CorrelatedObject.CachedDeepEqual`), for objects that were valid under the
/// schema `from`. The API server does not recognize preserved unknown fields, nor list items without their keys. It never recognizes the root,
/// because no schema describes all metadata.
pub(crate) fn is_seen_unchanged(from: &JsonSchemaProps, to: &JsonSchemaProps, steps: &[Step]) -> bool {
    // The validation of a status update starts at the status.
    let status = steps
        .split_first()
        .filter(|it| *it.0 == Step::Property("status".to_owned()));
    if steps.first().is_some_and(is_type_meta) || status.is_some_and(|it| it.1.first().is_some_and(is_type_meta)) {
        return false;
    }
    let (mut from, mut to) = (from, to);
    let (mut is_metadata_of, mut keeps_unknown) = (false, false);
    for (n, step) in steps.iter().enumerate() {
        is_metadata_of = is_metadata(step) && (n == 0 || from.x_embedded_resource || to.x_embedded_resource);
        // The items of a list of this type can contain preserved unknown fields.
        keeps_unknown = *step == Step::Items
            && [from, to]
                .into_iter()
                .any(|it| it.x_preserve_unknown_fields == Some(true));
        if *step == Step::Items {
            if !is_map_list(to) {
                // Lists other than map lists are compared as a whole.
                return true;
            }
            if !has_same_keys(from, to) {
                return false;
            }
        }
        match (below(from, step), below(to, step)) {
            (Some(before), Some(now)) => (from, to) = (before, now),
            _ => return false,
        }
    }
    !steps.is_empty() && !is_metadata_of && !keeps_unknown && is_comparable(from, to)
}

fn is_map_list(schema: &JsonSchemaProps) -> bool {
    schema.x_list_type.as_deref() == Some("map")
}

fn has_same_keys(from: &JsonSchemaProps, to: &JsonSchemaProps) -> bool {
    is_map_list(from) && from.x_list_map_keys == to.x_list_map_keys
}

fn is_comparable(from: &JsonSchemaProps, to: &JsonSchemaProps) -> bool {
    let keeps_unknown = |it: &JsonSchemaProps| it.x_preserve_unknown_fields == Some(true) || it.x_embedded_resource;
    if keeps_unknown(from) || keeps_unknown(to) || to.r#type.is_empty() && !to.x_int_or_string {
        return false;
    }
    if is_map_list(to) {
        let (before, now) = (below(from, &Step::Items), below(to, &Step::Items));
        return has_same_keys(from, to) && before.zip(now).is_some_and(|(before, now)| is_comparable(before, now));
    }
    if to.r#type != "object" {
        return true;
    }
    let has_values = from.additional_properties.is_some() || to.additional_properties.is_some();
    if has_values {
        let (before, now) = (below(from, &Step::Values), below(to, &Step::Values));
        return before.zip(now).is_some_and(|(before, now)| is_comparable(before, now));
    }
    to.properties.iter().all(|(name, now)| {
        // A new property does not occur in any old object.
        crd_analyzer_schema::structural::lookup(&from.properties, name).is_none_or(|before| is_comparable(before, now))
    })
}
