//! The schema of one or all versions, from its root (`validateCustomResourceDefinitionValidation`).

use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{EmptyKeywords, JsonSchemaProps};

use super::CrdErrors;
use super::cel::{CompiledSchema, total_cost_errors};
use super::options::{Options, SchemaQuestion};
use super::report::invalid_string;
use super::structural::{default_errors, structural_errors};
use super::walk::NodeWalk;
use crate::codes;
use crate::types::Validation;

/// Checks the schema at `path`, which is either `validation` or the `schema` of a version.
pub(super) fn validate_schema(
    validation: Option<&Validation>,
    question: SchemaQuestion,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    let Some(schema) = validation.and_then(|it| it.open_api_v3_schema.as_ref()) else {
        return;
    };
    let schema_path = path.child("openAPIV3Schema");
    let mut errors = Vec::new();
    if question.has_status {
        errors.extend(root_with_status_error(schema, options, path));
    }
    if schema.nullable {
        let path = path.child("openAPIV3Schema.nullable");
        errors.push(Error::forbidden(
            codes::NULLABLE_ROOT,
            path,
            "nullable cannot be true at the root",
        ));
    }

    // The API server compiles rules only if the schema is structural and has valid defaults. Otherwise the errors of
    // the rules are kept as hidden.
    let mut compiles_rules = false;
    let mut not_structural = None;
    let mut not_checked = None;
    if question.require_structural_schema {
        match Structural::new(schema) {
            Err(error) => {
                not_checked = Some(format!("not structural: {error}"));
                not_structural = Some(error.to_string());
            }
            Ok(structural) => {
                let wrong = structural_errors(structural, &schema_path, options.version);
                let is_structural = wrong.is_empty();
                let wrong_first = wrong.first().map(ToString::to_string);
                errors.extend(wrong);
                let defaults = default_errors(
                    structural,
                    &schema_path,
                    options.version,
                    options.require_pruned_defaults,
                    options.compiler.is_some(),
                );
                compiles_rules = is_structural && defaults.is_empty();
                let first_wrong = wrong_first.map(|it| format!("not structural: {it}"));
                not_checked = first_wrong.or_else(|| Some(format!("defaults: {}", defaults.first()?)));
                let sink = if is_structural {
                    &mut errors
                } else {
                    &mut findings.hidden
                };
                sink.extend(defaults);
            }
        }
    }

    let mut walk = NodeWalk::new(options, question, compiles_rules);
    walk.root(schema, &schema_path);
    errors.append(&mut walk.schema_errors);
    errors.append(&mut walk.cel_errors);
    findings.hidden.append(&mut walk.hidden);
    if !walk.compiled.is_empty() {
        findings.compiled.push(CompiledSchema {
            path: schema_path.clone(),
            not_checked,
            nodes: walk.compiled,
        });
    }
    if let Some(crash) = walk.crash {
        findings.crash(crash);
    }

    if let Some(detail) = not_structural.filter(|_| errors.is_empty()) {
        errors.push(invalid_string(codes::NOT_STRUCTURAL, schema_path.clone(), "", detail));
    }
    if compiles_rules {
        errors.extend(total_cost_errors(walk.total_cost, &schema_path));
    }
    findings.errors.append(&mut errors);
}

/// The error for a keyword that is not allowed at the root of a schema with a status subresource. The API server extracts the schema of the property
/// `status`, so other keywords at the root must not restrict `status`.
fn root_with_status_error(schema: &JsonSchemaProps, options: &Options<'_>, path: &Path) -> Option<Error> {
    let empty = |keyword| schema.empty.contains(keyword);
    // The API server checks the fields of its struct in order and stops at the first invalid one.
    let before_type = !schema.id.is_empty() || !schema.schema.is_empty() || schema.r#ref.is_some();
    if !before_type && !schema.r#type.is_empty() && schema.r#type != "object" {
        return Some(invalid_string(
            codes::KEYWORD_AT_ROOT_WITH_STATUS,
            path.child("openAPIV3Schema.type"),
            &schema.r#type,
            "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled",
        ));
    }
    let after_type = schema.nullable
        || schema.default.is_some()
        || !schema.r#enum.is_empty()
        || empty(EmptyKeywords::ENUM)
        || schema.max_properties.is_some()
        || schema.min_properties.is_some()
        || !schema.all_of.is_empty()
        || empty(EmptyKeywords::ALL_OF)
        || !schema.one_of.is_empty()
        || empty(EmptyKeywords::ONE_OF)
        || !schema.any_of.is_empty()
        || empty(EmptyKeywords::ANY_OF)
        || schema.not.is_some()
        || schema.additional_properties.is_some()
        || !schema.pattern_properties.is_empty()
        || empty(EmptyKeywords::PATTERN_PROPERTIES)
        || !schema.dependencies.is_empty()
        || empty(EmptyKeywords::DEPENDENCIES)
        || schema.additional_items.is_some()
        || !schema.definitions.is_empty()
        || empty(EmptyKeywords::DEFINITIONS)
        || schema.x_embedded_resource
        || schema.x_int_or_string
        || !schema.x_list_map_keys.is_empty()
        || empty(EmptyKeywords::LIST_MAP_KEYS)
        || schema.x_list_type.is_some()
        || schema.x_map_type.is_some();
    if !before_type && !after_type {
        return None;
    }
    Some(Error::invalid(
        codes::KEYWORD_AT_ROOT_WITH_STATUS,
        path.child("openAPIV3Schema"),
        options.render().schema(schema),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength \
         Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
         XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource \
         is enabled",
    ))
}
