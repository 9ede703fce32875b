//! Errors of a stored CRD that an update may keep (the functions that fill `validationOptions`).

use std::collections::{HashMap, HashSet};

use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use super::ca_bundle::ca_bundle_error;
use super::compiler::CelCompiler;
use super::conversion::has_valid_review_version_or_none;
use super::limits::MAX_SELECTABLE_FIELDS;
use super::list_map::list_map_errors;
use super::list_set::granular_set_items;
use super::options::Options;
use super::preexisting::Preexisting;
use super::structural::{has_unpruned_defaults, structural_errors};
use super::traverse::{any_schema, has_default, has_schema_with, has_unknown_type, schemas_of};
use super::version_fields::{SchemasByName, has_per_version_schemas};
use crate::types::{CustomResourceDefinition, Spec};

/// The options of an update (`ValidateCustomResourceDefinitionUpdate`).
pub(super) fn update_options<'a>(
    new: &'a CustomResourceDefinition,
    old: &'a CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&'a CelCompiler>,
) -> Options<'a> {
    let spec = &old.spec;
    Options {
        version,
        compiler,
        require_recognized_conversion_review_version: spec
            .conversion
            .as_ref()
            .is_none_or(has_valid_review_version_or_none),
        require_immutable_names: old.is_condition_true("Established"),
        require_open_api_schema: all_versions_have_schemas(spec),
        require_valid_property_type: !has_schema_with(spec, has_unknown_type),
        require_structural_schema: !schemas_of(spec).any(|schema| is_not_structural(schema, version)),
        require_pruned_defaults: !schemas_of(spec)
            .any(|schema| has_default(schema) && has_unpruned_defaults(schema, version)),
        require_atomic_set_type: !has_schema_with(spec, |it| granular_set_items(it).is_some()),
        require_map_list_keys_map_set_validation: !has_schema_with(spec, |it| list_map_errors(it).next().is_some()),
        preexisting: preexisting_expressions(spec, version),
        versions_with_unchanged_schemas: versions_with_unchanged_schemas(new, old),
        allow_invalid_ca_bundle: version < KubernetesVersion::minor(31) || allows_invalid_ca_bundle(old),
        allow_too_many_selectable_fields: too_many_selectable_fields_allowed(new, old, version),
    }
}

fn all_versions_have_schemas(spec: &Spec) -> bool {
    let has_schema =
        |it: &Option<crate::types::Validation>| it.as_ref().is_some_and(|it| it.open_api_v3_schema.is_some());
    has_schema(&spec.validation) || spec.versions.iter().all(|it| has_schema(&it.schema))
}

fn is_not_structural(schema: &JsonSchemaProps, version: KubernetesVersion) -> bool {
    match Structural::new(schema) {
        Ok(structural) => !structural_errors(structural, &crd_analyzer_schema::field::Path::root(), version).is_empty(),
        Err(_) => true,
    }
}

/// `findPreexistingExpressions`
fn preexisting_expressions(spec: &Spec, version: KubernetesVersion) -> Preexisting<'_> {
    // By mistake, an API server of 1.30 collects the rule instead of the message expression.
    let keeps_rule = version < KubernetesVersion::minor(31);
    let mut found = Preexisting::default();
    for schema in schemas_of(spec) {
        any_schema(schema, &mut |it| {
            for rule in &it.x_validations {
                found.rules.insert(&rule.rule);
                if !rule.message_expression.is_empty() {
                    let expression = if keeps_rule {
                        &rule.rule
                    } else {
                        &rule.message_expression
                    };
                    found.message_expressions.insert(expression);
                }
            }
            false
        });
    }
    found
}

/// `findVersionsWithUnchangedSchemas`
fn versions_with_unchanged_schemas<'a>(
    new: &'a CustomResourceDefinition,
    old: &CustomResourceDefinition,
) -> HashSet<&'a str> {
    let shared = !has_per_version_schemas(&new.spec.versions) && !has_per_version_schemas(&old.spec.versions);
    if shared {
        // All versions share one schema, so one comparison is enough.
        if new.spec.validation != old.spec.validation {
            return HashSet::new();
        }
        return new.spec.versions.iter().map(|it| it.name.as_str()).collect();
    }
    let (new_schemas, old_schemas) = (SchemasByName::new(&new.spec), SchemasByName::new(&old.spec));
    let names = new.spec.versions.iter().map(|it| it.name.as_str());
    let unchanged = names.filter(|name| {
        let pair = (new_schemas.get(name), old_schemas.get(name));
        matches!(pair, (Some(new), Some(old)) if new == old)
    });
    unchanged.collect()
}

/// Whether the CA bundle may be invalid. It may if the old bundle was already invalid, or if the CRD is not yet established (`allowInvalidCABundle`).
fn allows_invalid_ca_bundle(old: &CustomResourceDefinition) -> bool {
    if !old.is_condition_true("Established") {
        return true;
    }
    let config = old
        .spec
        .conversion
        .as_ref()
        .and_then(|it| it.webhook_client_config.as_ref());
    let bundle = config.map(|it| it.ca_bundle.as_slice()).unwrap_or_default();
    !bundle.is_empty() && ca_bundle_error(bundle).is_some()
}

/// `findTooManySelectableFieldsAllowed`
fn too_many_selectable_fields_allowed<'a>(
    new: &'a CustomResourceDefinition,
    old: &CustomResourceDefinition,
    version: KubernetesVersion,
) -> HashSet<&'a str> {
    let mut allowed = HashSet::new();
    if version < KubernetesVersion::minor(35) {
        return allowed;
    }
    let is_too_many = |it: &Option<Vec<_>>| it.as_ref().is_some_and(|it| it.len() > MAX_SELECTABLE_FIELDS);
    let old_fields = &old.spec.selectable_fields;
    if is_too_many(old_fields) && new.spec.selectable_fields == *old_fields {
        allowed.insert("");
    }
    // If several old versions have the same name, the last version applies.
    let old: HashMap<&str, _> = old
        .spec
        .versions
        .iter()
        .map(|it| (it.name.as_str(), &it.selectable_fields))
        .collect();
    for it in &new.spec.versions {
        let old = old.get(it.name.as_str());
        if old.is_some_and(|old| is_too_many(old) && it.selectable_fields == **old) {
            allowed.insert(it.name.as_str());
        }
    }
    allowed
}
