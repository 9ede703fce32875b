//! Checks for keywords that CRDs must not use, and for defaults and embedded resources in forbidden positions (`specStandardValidatorV3`).

use crd_analyzer_schema::field::{Error, Trail};
use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::{EmptyKeywords, JsonSchemaProps};

use super::traverse::{TYPES, has_unknown_type};
use crate::codes;

/// Information that a node inherits from the surrounding nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standard<'t> {
    require_valid_property_type: bool,
    forbidden_defaults: Option<ForbiddenDefaults<'t>>,
    /// Whether the node describes `metadata`, `kind` or `apiVersion` of a resource, or a part of them.
    pub(super) inside_resource_meta: bool,
    /// The topmost surrounding node inside which old and new values cannot be correlated.
    pub(super) uncorrelatable: Option<&'t Trail<'t>>,
}

/// The reason why defaults are not allowed.
#[derive(Clone, Copy, Debug)]
pub(super) enum ForbiddenDefaults<'t> {
    InTopLevel(&'t str),
    InAdditionalPropertiesOfMetadata,
}

impl<'t> Standard<'t> {
    /// The information at the root of a schema.
    pub(super) fn at_root(require_valid_property_type: bool) -> Self {
        Self {
            require_valid_property_type,
            forbidden_defaults: None,
            inside_resource_meta: false,
            uncorrelatable: None,
        }
    }

    pub(super) fn with_forbidden_defaults(self, why: ForbiddenDefaults<'t>) -> Self {
        Self {
            forbidden_defaults: Some(why),
            ..self
        }
    }

    /// Marks the values at `at` and inside it as uncorrelatable, unless they are already marked.
    pub(super) fn with_uncorrelatable(self, at: &'t Trail<'t>) -> Self {
        Self {
            uncorrelatable: self.uncorrelatable.or(Some(at)),
            ..self
        }
    }
}

/// Checks the keywords of the schema at `at`.
pub(super) fn validate_standard(
    schema: &JsonSchemaProps,
    at: &Trail<'_>,
    standard: Standard<'_>,
    errors: &mut Vec<Error>,
) {
    if standard.require_valid_property_type && has_unknown_type(schema) {
        let path = at.child("type").path();
        errors.push(Error::not_supported(
            codes::UNKNOWN_TYPE,
            path,
            quote(&schema.r#type),
            &TYPES,
        ));
    }
    if let Some(why) = standard.forbidden_defaults.filter(|_| schema.default.is_some()) {
        let detail = match why {
            ForbiddenDefaults::InTopLevel(name) => format!("must not be set in top-level {name}"),
            ForbiddenDefaults::InAdditionalPropertiesOfMetadata => {
                "must not be set inside additionalProperties applying to object metadata".to_owned()
            }
        };
        errors.push(Error::forbidden(
            codes::FORBIDDEN_DEFAULT,
            at.child("default").path(),
            detail,
        ));
    }
    let has_dependencies = !schema.dependencies.is_empty() || schema.empty.contains(EmptyKeywords::DEPENDENCIES);
    let unsupported = [
        (!schema.id.is_empty(), "id"),
        (schema.additional_items.is_some(), "additionalItems"),
        (!schema.pattern_properties.is_empty(), "patternProperties"),
        (!schema.definitions.is_empty(), "definitions"),
        (has_dependencies, "dependencies"),
        (schema.r#ref.is_some(), "$ref"),
    ];
    for (is_set, keyword) in unsupported {
        if is_set {
            let detail = format!("{keyword} is not supported");
            errors.push(Error::forbidden(
                codes::UNSUPPORTED_KEYWORD,
                at.child(keyword).path(),
                detail,
            ));
        }
    }
    if schema.r#type == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.push(Error::forbidden(codes::NULL_TYPE, at.child("type").path(), detail));
    }
    if schema.items.as_deref().is_some_and(|it| !it.json_schemas.is_empty()) {
        let detail = "items must be a schema object and not an array";
        errors.push(Error::forbidden(codes::ITEMS_LIST, at.child("items").path(), detail));
    }
    if standard.inside_resource_meta && schema.x_embedded_resource {
        let path = at.child("x-kubernetes-embedded-resource").path();
        errors.push(Error::forbidden(
            codes::RESOURCE_IN_METADATA,
            path,
            "must not be used inside of resource meta",
        ));
    }
}
