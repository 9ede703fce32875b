//! Searches in all nodes of a schema (`SchemaHas` and its predicates).

use crd_analyzer_schema::{JsonSchemaProps, SchemaOrBool};

use crate::types::Spec;

/// The types that a schema may have, sorted (`openapiV3Types`).
pub const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The shared schema and the schemas of individual versions, if they exist.
pub(super) fn schemas_of(spec: &Spec) -> impl Iterator<Item = &JsonSchemaProps> {
    let shared = spec.validation.iter();
    let single = spec.versions.iter().filter_map(|it| it.schema.as_ref());
    shared.chain(single).filter_map(|it| it.open_api_v3_schema.as_ref())
}

/// Whether the predicate holds for any node in the schemas of the CRD.
pub(super) fn has_schema_with(spec: &Spec, mut question: impl FnMut(&JsonSchemaProps) -> bool) -> bool {
    schemas_of(spec).any(|schema| any_schema(schema, &mut question))
}

/// Whether the predicate holds for the schema or for one of its subschemas, in any keyword.
pub(super) fn any_schema<'s>(
    schema: &'s JsonSchemaProps,
    question: &mut impl FnMut(&'s JsonSchemaProps) -> bool,
) -> bool {
    let inner = |it: &'s Option<Box<SchemaOrBool>>| it.as_deref().and_then(|it| it.schema.as_deref());
    if question(schema) {
        return true;
    }
    if let Some(items) = schema.items.as_deref() {
        let mut schemas = items.schema.as_deref().into_iter().chain(&items.json_schemas);
        if schemas.any(|it| any_schema(it, question)) {
            return true;
        }
    }
    let lists = schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of);
    let single = schema.not.as_deref().into_iter();
    let named = |map: &'s crd_analyzer_schema::SchemaMap| map.iter().map(|(_, it)| it);
    let mut schemas = lists
        .chain(single)
        .chain(named(&schema.properties))
        .chain(inner(&schema.additional_properties))
        .chain(named(&schema.pattern_properties))
        .chain(inner(&schema.additional_items))
        .chain(named(&schema.definitions))
        .chain(schema.dependencies.iter().filter_map(|(_, it)| it.schema.as_deref()));
    schemas.any(|it| any_schema(it, question))
}

/// Whether the schema or a subschema has a default (`schemaHasDefaults`).
pub(super) fn has_default(schema: &JsonSchemaProps) -> bool {
    any_schema(schema, &mut |it| it.default.is_some())
}

/// Whether the schema itself has a type that does not exist (`SchemaHasInvalidTypes`).
pub(super) fn has_unknown_type(schema: &JsonSchemaProps) -> bool {
    !schema.r#type.is_empty() && !TYPES.contains(&schema.r#type.as_str())
}

/// Whether the schema itself uses a keyword that only structural schemas may have (`schemaHasKubernetesExtensions`).
pub(super) fn has_extension(schema: &JsonSchemaProps) -> bool {
    schema.x_embedded_resource
        || schema.x_preserve_unknown_fields.is_some()
        || schema.x_int_or_string
        || !schema.x_list_map_keys.is_empty()
        || schema.x_list_type.is_some()
        || !schema.x_validations.is_empty()
}

/// Whether the schema itself has validation rules.
pub(super) fn has_own_rules(schema: &JsonSchemaProps) -> bool {
    !schema.x_validations.is_empty()
}
