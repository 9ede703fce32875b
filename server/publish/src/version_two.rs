//! Removes the parts of a schema that OpenAPI v2 cannot express or kubectl cannot read (`ToStructuralOpenAPIV2` of `pkg/controller/openapi/v2`, and
//! `PruneDefaults` of kube-openapi).

use std::collections::HashSet;

use crd_analyzer_schema::JsonSchemaProps;
use serde_json::Value;

use crate::Keywords;

/// Drops `allOf`, `anyOf`, `oneOf` and `not`, and the structure of values that may be null or may have unknown fields.
pub(super) fn reduce(schema: &mut JsonSchemaProps) {
    if let Some(rare) = schema.rare.get_mut() {
        rare.all_of.clear();
        rare.one_of.clear();
        rare.any_of.clear();
        rare.not = None;
    }
    // A nullable value has no type, and without a type kubectl fails on `items` and `properties`.
    let preserves = schema.x_preserve_unknown_fields == Some(true);
    let is_nullable = std::mem::take(&mut schema.nullable);
    if is_nullable {
        schema.r#type.clear();
    }
    if is_nullable || preserves {
        schema.items = None;
        schema.properties.clear();
    }
    let has_items = schema.items.as_ref().is_some_and(|it| it.schema.is_some());
    if (!has_items && schema.r#type == "array") || (preserves && schema.r#type == "object") {
        schema.r#type.clear();
    }
    let properties = schema.properties.iter();
    let nullable: HashSet<&str> = properties.filter(|it| it.1.nullable).map(|it| it.0.as_str()).collect();
    schema.required.retain(|name| !nullable.contains(name.as_str()));
    let additional = schema.additional_properties.as_mut().and_then(|it| it.schema.as_mut());
    if additional.as_ref().is_some_and(|it| it.nullable) {
        schema.required.clear();
    }
    let items = schema.items.as_mut().and_then(|it| it.schema.as_mut());
    items.into_iter().chain(additional).for_each(|it| reduce(it));
    schema.properties.iter_mut().for_each(|(_, it)| reduce(it));
}

/// Drops defaults, because kubectl reads all CRDs as one document, and a default could differ from a built-in default.
pub(super) fn prune_defaults(schema: &mut Keywords) {
    schema.remove("default");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(below);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(value) = schema.get_mut(key) {
            below(value);
        }
    }
}

fn below(value: &mut Value) {
    if let Value::Object(schema) = value {
        prune_defaults(schema);
    }
}
