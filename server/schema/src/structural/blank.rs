//! Checks whether a schema contains only its type, or only its type and restrictions on names. The API server implements these checks by comparing
//! whole values.

use serde_json::Value;

use super::KubernetesVersion;
use crate::json_schema::{EmptyKeywords, JsonSchemaProps, RareKeywords};

/// The first Kubernetes version whose structural schemas keep `externalDocs` and `example`, so that they affect comparisons.
pub(super) const KEEPS_DOCUMENTATION_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// Lists that the API server's structural form keeps even if they are empty. An empty list therefore differs from an absent one.
const KEPT_WHEN_EMPTY: [EmptyKeywords; 3] = [
    EmptyKeywords::REQUIRED,
    EmptyKeywords::LIST_MAP_KEYS,
    EmptyKeywords::VALIDATIONS,
];

/// Whether a schema in `allOf`, `anyOf`, `oneOf` or `not` equals a schema that contains only a type.
pub(super) fn says_only_its_type(schema: &JsonSchemaProps, version: KubernetesVersion) -> bool {
    let additional = schema.additional_properties.as_deref();
    // Since 1.31 the nested form drops `additionalProperties: false`.
    let has_additional =
        additional.is_some_and(|it| it.schema.is_some() || it.allows || version < KubernetesVersion::minor(31));
    !has_additional
        && schema.properties.is_empty()
        && !schema.empty.contains(EmptyKeywords::PROPERTIES)
        && matches!(schema.default, None | Some(Value::Null))
        && restricts_nothing_else(schema, version)
}

/// Whether the schema of `metadata` at the root equals an empty one, apart from its type, its default, and the properties
/// that may be restricted (`validateStructuralMetadataInvariants`).
pub(super) fn restricts_only_names(metadata: &JsonSchemaProps, version: KubernetesVersion) -> bool {
    let only_names = match metadata.properties.as_slice() {
        [] => true,
        [(name, _)] => name == "name" || name == "generateName",
        [(first, _), (second, _)] => first == "generateName" && second == "name",
        _ => false,
    };
    only_names && metadata.additional_properties.is_none() && restricts_nothing_else(metadata, version)
}

/// Whether all keywords are absent except `type`, `default`, `properties` and `additionalProperties`, which the callers check.
fn restricts_nothing_else(schema: &JsonSchemaProps, version: KubernetesVersion) -> bool {
    let JsonSchemaProps {
        // The callers check these keywords.
        r#type: _,
        default: _,
        properties: _,
        additional_properties: _,
        description,
        nullable,
        format,
        required,
        items,
        x_preserve_unknown_fields,
        x_embedded_resource,
        x_int_or_string,
        x_validations,
        empty,
        rare,
    } = schema;
    let RareKeywords {
        // A schema with one of these keywords has no structural form.
        id: _,
        schema: _,
        r#ref: _,
        pattern_properties: _,
        dependencies: _,
        additional_items: _,
        definitions: _,
        title,
        maximum,
        exclusive_maximum,
        minimum,
        exclusive_minimum,
        max_length,
        min_length,
        pattern,
        max_items,
        min_items,
        unique_items,
        multiple_of,
        r#enum,
        max_properties,
        min_properties,
        all_of,
        one_of,
        any_of,
        not,
        external_docs,
        example,
        x_list_map_keys,
        x_list_type,
        x_map_type,
    } = &**rare;
    let documented = version >= KEEPS_DOCUMENTATION_SINCE
        && (external_docs.is_some() || !matches!(example, None | Some(Value::Null)));
    let texts = [description, format, title, pattern];
    let flags = [
        *nullable,
        *exclusive_maximum,
        *exclusive_minimum,
        *unique_items,
        *x_embedded_resource,
        *x_int_or_string,
        *x_preserve_unknown_fields == Some(true),
    ];
    let floats = [maximum, minimum, multiple_of];
    let integers = [
        max_length,
        min_length,
        max_items,
        min_items,
        max_properties,
        min_properties,
    ];
    let strings = [x_list_type, x_map_type];
    !documented
        && texts.iter().all(|it| it.is_empty())
        && !flags.contains(&true)
        && floats.iter().all(|it| it.is_none())
        && integers.iter().all(|it| it.is_none())
        && strings.iter().all(|it| it.is_none())
        && r#enum.is_empty()
        && required.is_empty()
        && x_list_map_keys.is_empty()
        && x_validations.is_empty()
        && all_of.is_empty()
        && one_of.is_empty()
        && any_of.is_empty()
        && not.is_none()
        && items.as_ref().is_none_or(|items| items.schema.is_none())
        && !KEPT_WHEN_EMPTY.iter().any(|&keyword| empty.contains(keyword))
}
