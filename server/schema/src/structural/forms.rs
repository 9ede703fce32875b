//! Schemas derived from structural ones: for publishing and for other validators of the API server
//! (`unfold.go`, `skeleton.go`, `kubeopenapi.go` and `visitor.go` of the package).

use super::blank::KEEPS_DOCUMENTATION_SINCE;
use super::{KubernetesVersion, Structural};
use crate::json_schema::{JsonSchemaProps, RareKeywords};

impl Structural<'_> {
    /// The schema after a round trip through the API server's structural form (`ToKubeOpenAPI`). It lacks `externalDocs` and `example` before 1.36,
    /// and always lacks `additionalProperties` inside `allOf`, `anyOf`, `oneOf` and `not`.
    pub fn to_json_schema(self, version: KubernetesVersion) -> JsonSchemaProps {
        let mut schema = self.props().clone();
        keep_structural(&mut schema, version, false);
        schema
    }

    /// Whether some value is valid under exactly one of this schema and [`to_json_schema`](Self::to_json_schema).
    pub fn is_lossy(self) -> bool {
        has_additional_in_junctors(self.props(), false)
    }

    /// Like [`to_json_schema`](Self::to_json_schema), without `nullable` (`StripNullable`).
    pub fn without_nullable(self, version: KubernetesVersion) -> JsonSchemaProps {
        let mut schema = self.to_json_schema(version);
        visit(&mut schema, &mut |schema| schema.nullable = false);
        schema
    }

    /// Like [`to_json_schema`](Self::to_json_schema), without the keywords that validate values (`StripValueValidations`).
    pub fn without_value_validations(self, version: KubernetesVersion) -> JsonSchemaProps {
        let mut schema = self.to_json_schema(version);
        visit(&mut schema, &mut strip_value_validations);
        schema
    }
}

/// Changes a schema and its subschemas from the root down (`Visitor`), except those in `allOf`, `anyOf`, `oneOf` and `not`.
pub(super) fn visit(schema: &mut JsonSchemaProps, change: &mut dyn FnMut(&mut JsonSchemaProps)) {
    change(schema);
    let items = schema.items.as_mut().and_then(|items| items.schema.as_mut());
    let additional = schema
        .additional_properties
        .as_mut()
        .and_then(|additional| additional.schema.as_mut());
    for below in items.into_iter().chain(additional) {
        visit(below, change);
    }
    for (_, property) in &mut schema.properties {
        visit(property, change);
    }
}

fn has_additional_in_junctors(schema: &JsonSchemaProps, in_junctor: bool) -> bool {
    let additional = schema.additional_properties.as_ref();
    if in_junctor && additional.is_some() {
        return true;
    }
    let items = schema.items.as_ref().and_then(|items| items.schema.as_ref());
    let additional = additional.and_then(|additional| additional.schema.as_ref());
    let mut clauses = schema
        .all_of
        .iter()
        .chain(&schema.any_of)
        .chain(&schema.one_of)
        .chain(schema.not.as_deref());
    items
        .into_iter()
        .chain(additional)
        .any(|below| has_additional_in_junctors(below, in_junctor))
        || schema
            .properties
            .iter()
            .any(|(_, property)| has_additional_in_junctors(property, in_junctor))
        || clauses.any(|clause| has_additional_in_junctors(clause, true))
}

fn keep_structural(schema: &mut JsonSchemaProps, version: KubernetesVersion, in_junctor: bool) {
    if in_junctor {
        schema.additional_properties = None;
    }
    let items = schema.items.as_mut().and_then(|items| items.schema.as_mut());
    let additional = schema
        .additional_properties
        .as_mut()
        .and_then(|additional| additional.schema.as_mut());
    for below in items.into_iter().chain(additional) {
        keep_structural(below, version, in_junctor);
    }
    for (_, property) in &mut schema.properties {
        keep_structural(property, version, in_junctor);
    }
    let Some(rare) = schema.rare.get_mut() else {
        return;
    };
    if version < KEEPS_DOCUMENTATION_SINCE {
        rare.external_docs = None;
        rare.example = None;
    }
    let clauses = rare.all_of.iter_mut().chain(&mut rare.any_of).chain(&mut rare.one_of);
    for clause in clauses.chain(rare.not.as_deref_mut()) {
        keep_structural(clause, version, true);
    }
}

/// Drops the keywords of `ValueValidation`.
fn strip_value_validations(schema: &mut JsonSchemaProps) {
    let mut whole = std::mem::take(schema);
    *schema = JsonSchemaProps {
        description: whole.description,
        r#type: whole.r#type,
        nullable: whole.nullable,
        default: whole.default,
        items: whole.items,
        properties: whole.properties,
        additional_properties: whole.additional_properties,
        x_preserve_unknown_fields: whole.x_preserve_unknown_fields,
        x_embedded_resource: whole.x_embedded_resource,
        x_int_or_string: whole.x_int_or_string,
        x_validations: whole.x_validations,
        empty: whole.empty,
        ..JsonSchemaProps::default()
    };
    if let Some(rare) = whole.rare.get_mut().map(std::mem::take) {
        schema.rare = RareKeywords {
            title: rare.title,
            external_docs: rare.external_docs,
            example: rare.example,
            x_list_map_keys: rare.x_list_map_keys,
            x_list_type: rare.x_list_type,
            x_map_type: rare.x_map_type,
            ..RareKeywords::default()
        }
        .into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::schema;

    const NEWEST: KubernetesVersion = KubernetesVersion::NEWEST;

    #[test]
    fn keeps_what_the_structural_form_holds() {
        let whole = schema(&json!({
            "type": "object", "nullable": true, "example": 1, "minProperties": 1, "additionalProperties": {"nullable": true},
            "not": {"additionalProperties": false, "required": ["a"]},
        }));
        let structural = Structural::assume(&whole);
        assert_eq!(
            structural.to_json_schema(KubernetesVersion::minor(35)),
            schema(&json!({
                "type": "object", "nullable": true, "minProperties": 1, "additionalProperties": {"nullable": true},
                "not": {"required": ["a"]},
            }))
        );
        assert_eq!(
            structural.without_nullable(NEWEST),
            schema(&json!({
                "type": "object", "example": 1, "minProperties": 1, "additionalProperties": {}, "not": {"required": ["a"]},
            }))
        );
        assert_eq!(
            structural.without_value_validations(NEWEST),
            schema(&json!({
                "type": "object", "nullable": true, "example": 1, "additionalProperties": {"nullable": true},
            }))
        );
    }
}
