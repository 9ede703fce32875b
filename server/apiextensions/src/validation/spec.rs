//! `spec` of a CRD (`validateCustomResourceDefinitionSpec`, `validateCustomResourceDefinitionSpecUpdate`).

use std::collections::HashSet;

use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::metadata::names;

use super::conversion::validate_conversion;
use super::names::validate_names;
use super::options::{Options, SchemaQuestion};
use super::preserve_unknown_fields::{preserved_with_conversion, preserved_with_defaults};
use super::printer_columns::validate_columns;
use super::report::{invalid_string, validate_enum_string};
use super::root_schema::validate_schema;
use super::selectable_fields::validate_shared_selectable_fields;
use super::subresources::{has_status, validate_subresources, versions_with_status};
use super::traverse::{has_default, has_extension, has_schema_with, schemas_of};
use super::version::validate_version;
use super::version_fields::{
    has_identical_columns, has_identical_schemas, has_identical_subresources, has_per_version_columns,
    has_per_version_schemas, has_per_version_subresources,
};
use super::{CrdErrors, immutable_error};
use crate::codes;
use crate::types::{Spec, Validation};

/// Checks `spec` on create.
pub(super) fn validate_spec(spec: &Spec, options: &Options<'_>, path: &Path, findings: &mut CrdErrors) {
    let errors = &mut findings.errors;
    validate_group(&spec.group, path, errors);
    let scopes = ["Cluster", "Namespaced"];
    validate_enum_string(
        codes::UNKNOWN_SCOPE,
        &spec.scope,
        &scopes,
        || path.child("scope"),
        errors,
    );
    validate_schemas_are_there(spec, options, path, errors);

    let preserves_unknown_fields = spec.preserve_unknown_fields.unwrap_or(true);
    // Defaults, pruning and extensions require structural schemas, even in an update that otherwise does not require them.
    let mut require_structural_schema =
        options.require_structural_schema || !spec.preserve_unknown_fields.unwrap_or_default();
    if (preserves_unknown_fields || !require_structural_schema) && schemas_of(spec).any(has_default) {
        require_structural_schema = true;
        if preserves_unknown_fields {
            errors.push(preserved_with_defaults(path));
        }
    }
    require_structural_schema = require_structural_schema || has_schema_with(spec, has_extension);

    let versions_path = path.child("versions");
    let versions_with_status = versions_with_status(spec);
    let mut names = HashSet::new();
    for (i, version) in spec.versions.iter().enumerate() {
        let path = versions_path.index(i);
        names.insert(version.name.as_str());
        validate_version_name(&version.name, || path.child("name"), &mut findings.errors);
        let question = SchemaQuestion {
            has_status: versions_with_status[i],
            require_structural_schema,
            suppress_expression_cost: options.suppresses_expression_cost(&version.name),
        };
        validate_version(version, question, options, &path, findings);
    }

    let errors = &mut findings.errors;
    validate_shared_and_single(spec, path, errors);
    validate_versions_together(spec, names.len(), options, path, errors);
    validate_version_field(spec, path, errors);

    let names_path = path.child("names");
    let required_names = [
        ("plural", &spec.names.plural),
        ("singular", &spec.names.singular),
        ("kind", &spec.names.kind),
        ("listKind", &spec.names.list_kind),
    ];
    for (field, name) in required_names {
        if name.is_empty() {
            errors.push(Error::required(
                codes::MISSING_RESOURCE_NAME,
                names_path.child(field),
                "",
            ));
        }
    }
    validate_names(&spec.names, &names_path, errors);

    let any_status =
        has_status(spec.subresources.as_ref()) || spec.versions.iter().any(|it| has_status(it.subresources.as_ref()));
    let question = SchemaQuestion {
        has_status: any_status,
        require_structural_schema,
        suppress_expression_cost: options.suppresses_expression_cost(&spec.version),
    };
    validate_schema(
        spec.validation.as_ref(),
        question,
        options,
        &path.child("validation"),
        findings,
    );

    let errors = &mut findings.errors;
    let subresources_path = path.child("subresources");
    validate_subresources(spec.subresources.as_ref(), &subresources_path, options.render(), errors);
    if let Some(columns) = &spec.additional_printer_columns {
        validate_columns(columns, &path.child("additionalPrinterColumns"), errors);
    }
    validate_shared_selectable_fields(spec, options, path, findings);

    let errors = &mut findings.errors;
    if preserves_unknown_fields && let Some(conversion) = spec.conversion.as_ref().filter(|it| it.strategy != "None") {
        let strategy = options.render().named_string(&conversion.strategy);
        errors.push(preserved_with_conversion(path, strategy));
    }
    validate_conversion(spec.conversion.as_ref(), &path.child("conversion"), options, errors);
}

/// Checks `spec` on an update of `old`.
pub(super) fn validate_spec_update(
    spec: &Spec,
    old: &Spec,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    validate_spec(spec, options, path, findings);
    let render = options.render();
    let names = path.child("names");
    if options.require_immutable_names {
        let scope = || (path.child("scope"), render.named_string(&spec.scope));
        findings.errors.extend(immutable_error(&spec.scope, &old.scope, scope));
        let kind = || (names.child("kind"), quote(&spec.names.kind));
        findings
            .errors
            .extend(immutable_error(&spec.names.kind, &old.names.kind, kind));
    }
    let group = || (path.child("group"), quote(&spec.group));
    findings.errors.extend(immutable_error(&spec.group, &old.group, group));
    let plural = || (names.child("plural"), quote(&spec.names.plural));
    findings
        .errors
        .extend(immutable_error(&spec.names.plural, &old.names.plural, plural));
}

fn validate_group(group: &str, path: &Path, errors: &mut Vec<Error>) {
    let path = || path.child("group");
    if group.is_empty() {
        errors.push(Error::required(codes::MISSING_GROUP, path(), ""));
        return;
    }
    let wrong = names::dns1123_subdomain(group);
    if !wrong.is_empty() {
        errors.push(invalid_string(codes::INVALID_GROUP, path(), group, wrong.join(",")));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.push(invalid_string(codes::INVALID_GROUP, path(), group, detail));
    }
}

fn validate_schemas_are_there(spec: &Spec, options: &Options<'_>, path: &Path, errors: &mut Vec<Error>) {
    let has_schema = |it: Option<&Validation>| it.is_some_and(|it| it.open_api_v3_schema.is_some());
    if has_schema(spec.validation.as_ref()) {
        return;
    }
    let prunes = !spec.preserve_unknown_fields.unwrap_or_default();
    if !options.require_open_api_schema && !prunes {
        return;
    }
    let detail = if !options.require_open_api_schema {
        "because otherwise all fields are pruned"
    } else if options.version >= crd_analyzer_schema::KubernetesVersion::minor(34) {
        ""
    } else {
        "schemas are required"
    };
    for (i, version) in spec.versions.iter().enumerate() {
        let counts = options.require_open_api_schema || version.served;
        if counts && !has_schema(version.schema.as_ref()) {
            let path = path.child("versions").index(i).child("schema").child("openAPIV3Schema");
            errors.push(Error::required(codes::MISSING_SCHEMA, path, detail));
        }
    }
}

fn validate_version_name(name: &str, path: impl FnOnce() -> Path, errors: &mut Vec<Error>) {
    let wrong = names::dns1035_label(name);
    if !wrong.is_empty() {
        errors.push(invalid_string(
            codes::INVALID_VERSION_NAME,
            path(),
            name,
            wrong.join(","),
        ));
    }
}

fn validate_shared_and_single(spec: &Spec, path: &Path, errors: &mut Vec<Error>) {
    let versions = &spec.versions;
    let columns = spec.additional_printer_columns.as_deref().unwrap_or_default();
    let both = [
        (
            spec.validation.is_some() && has_per_version_schemas(versions),
            "validation",
            "top-level and per-version schemas are mutually exclusive",
        ),
        (
            spec.subresources.is_some() && has_per_version_subresources(versions),
            "subresources",
            "top-level and per-version subresources are mutually exclusive",
        ),
        (
            !columns.is_empty() && has_per_version_columns(versions),
            "additionalPrinterColumns",
            "top-level and per-version additionalPrinterColumns are mutually exclusive",
        ),
    ];
    for (is_both, field, detail) in both {
        if is_both {
            errors.push(Error::forbidden(
                codes::SHARED_AND_PER_VERSION,
                path.child(field),
                detail,
            ));
        }
    }
}

fn validate_versions_together(
    spec: &Spec,
    distinct_names: usize,
    options: &Options<'_>,
    path: &Path,
    errors: &mut Vec<Error>,
) {
    let versions = &spec.versions;
    let wrong = [
        (
            codes::IDENTICAL_PER_VERSION,
            has_identical_schemas(versions),
            "per-version schemas may not all be set to identical values (top-level validation should be used instead)",
        ),
        (
            codes::IDENTICAL_PER_VERSION,
            has_identical_subresources(versions),
            "per-version subresources may not all be set to identical values (top-level subresources should be used \
             instead)",
        ),
        (
            codes::IDENTICAL_PER_VERSION,
            has_identical_columns(versions),
            "per-version additionalPrinterColumns may not all be set to identical values (top-level \
             additionalPrinterColumns should be used instead)",
        ),
        (
            codes::DUPLICATE_VERSION_NAME,
            distinct_names < versions.len(),
            "must contain unique version names",
        ),
        (
            codes::STORAGE_VERSION_COUNT,
            versions.iter().filter(|it| it.storage).count() != 1,
            "must have exactly one version marked as storage version",
        ),
    ];
    for (code, is_wrong, detail) in wrong {
        if is_wrong {
            let bad_value = options.render().versions(spec);
            errors.push(Error::invalid(code, path.child("versions"), bad_value, detail));
        }
    }
}

fn validate_version_field(spec: &Spec, path: &Path, errors: &mut Vec<Error>) {
    if spec.version.is_empty() {
        return;
    }
    validate_version_name(&spec.version, || path.child("version"), errors);
    if spec.versions.first().is_some_and(|first| first.name != spec.version) {
        let detail = "must match the first version in spec.versions";
        errors.push(invalid_string(
            codes::VERSION_MISMATCH,
            path.child("version"),
            &spec.version,
            detail,
        ));
    }
}
