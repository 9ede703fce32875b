//! Selectable fields (`ValidateCustomResourceSelectableFields`).

use std::collections::HashSet;

use crd_analyzer_schema::field::{Cause, Error, ErrorType, Path, Segment};
use crd_analyzer_schema::field_path::{self, FieldPathError};
use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use super::CrdErrors;
use super::limits::MAX_SELECTABLE_FIELDS;
use super::options::Options;
use super::report::invalid_string;
use crate::codes;
use crate::types::{SelectableField, Spec, Version};

/// Checks the selectable fields that all versions share; `path` is the path of `spec`.
pub(super) fn validate_shared_selectable_fields(
    spec: &Spec,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    let fields = spec.selectable_fields.as_deref().unwrap_or_default();
    if fields.is_empty() {
        return;
    }
    let Some(validation) = &spec.validation else {
        let detail = if options.version >= KubernetesVersion::minor(34) {
            "may only be set when validations.schema is included"
        } else {
            "selectableFields may only be set when validations.schema is included"
        };
        let path = path.child("selectableFields");
        let code = codes::SELECTABLE_FIELD_WITHOUT_SCHEMA;
        findings.errors.push(invalid_string(code, path, "", detail));
        return;
    };
    validate_fields(
        fields,
        validation.open_api_v3_schema.as_ref(),
        "",
        options,
        path,
        findings,
    );
}

/// Checks the selectable fields of the version at `path`.
pub(super) fn validate_version_selectable_fields(
    version: &Version,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    let fields = version.selectable_fields.as_deref().unwrap_or_default();
    if fields.is_empty() {
        return;
    }
    let Some(schema) = version.schema.as_ref().and_then(|it| it.open_api_v3_schema.as_ref()) else {
        let detail = if options.version >= KubernetesVersion::minor(34) {
            "may only be set when `version.schema.openAPIV3Schema` is not included"
        } else {
            "selectableFields may only be set when version.schema.openAPIV3Schema is not included"
        };
        let path = path.child("selectableFields");
        let code = codes::SELECTABLE_FIELD_WITHOUT_SCHEMA;
        findings.errors.push(invalid_string(code, path, "", detail));
        return;
    };
    validate_fields(fields, Some(schema), &version.name, options, path, findings);
}

fn validate_fields(
    fields: &[SelectableField],
    schema: Option<&JsonSchemaProps>,
    version: &str,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    let schema = match schema.map(Structural::new).transpose() {
        Ok(schema) => schema,
        Err(error) => {
            let path = path.child("schema.openAPIV3Schema");
            findings
                .errors
                .push(invalid_string(codes::NOT_STRUCTURAL, path, "", error.to_string()));
            // The API server continues as if the version had no schema.
            None
        }
    };
    let path = path.child("selectableFields");
    let mut unique = HashSet::new();
    for (i, field) in fields.iter().enumerate() {
        if let Err(crash) = validate_field(field, schema, &mut unique, || path.index(i), &mut findings.errors) {
            findings.crash(crash);
        }
    }
    if unique.len() > MAX_SELECTABLE_FIELDS && !options.allow_too_many_selectable_fields.contains(version) {
        let detail = format!("must have at most {MAX_SELECTABLE_FIELDS} items");
        findings.errors.push(Error::new(
            ErrorType::TooMany,
            codes::TOO_MANY_SELECTABLE_FIELDS,
            path,
            unique.len().to_string(),
            detail,
        ));
    }
}

/// Checks one field. Returns an error if the API server crashes.
fn validate_field(
    field: &SelectableField,
    schema: Option<Structural<'_>>,
    unique: &mut HashSet<String>,
    path: impl Fn() -> Path,
    errors: &mut Vec<Error>,
) -> Result<(), Error> {
    let json_path = field.json_path.as_str();
    let path = || path().child("jsonPath");
    if json_path.is_empty() {
        let error = Error::required(codes::INVALID_SELECTABLE_FIELD, path(), "");
        errors.push(error.because(Cause::Empty));
        return Ok(());
    }
    let crash = |inner| {
        let detail = "the API server crashes when it looks up this path, because the version has no schema";
        let error = Error::new(ErrorType::Internal, codes::SERVER_PANIC, path(), "", detail);
        match inner {
            Some(inner) => error.within(inner),
            None => error,
        }
    };
    let (found_path, found) = match field_path::resolve(json_path, schema, false) {
        Ok(found) => found,
        Err(FieldPathError::Crash(at)) => return Err(crash(Some(at))),
        Err(FieldPathError::Invalid(problem, at)) => {
            let detail = format!("is an invalid path: {problem}");
            let error = invalid_string(codes::INVALID_SELECTABLE_FIELD, path(), json_path, detail);
            let cause = problem.cause(&json_path[at.clone()]);
            errors.push(error.because(cause).within(at));
            return Ok(());
        }
    };
    let Some(root) = found_path.segments().first() else {
        return Err(crash(None));
    };
    if *root == Segment::Field("metadata".to_owned()) {
        let detail = "must not point to fields in metadata";
        let error = invalid_string(codes::INVALID_SELECTABLE_FIELD, path(), json_path, detail);
        errors.push(error.because(Cause::InMetadata));
    }
    if !found.is_some_and(|it| matches!(it.r#type(), "string" | "boolean" | "integer")) {
        let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                      formats are allowed.";
        let error = invalid_string(codes::INVALID_SELECTABLE_FIELD, path(), json_path, detail);
        errors.push(error.because(Cause::WrongKind));
    }
    if !unique.insert(found_path.to_string()) {
        errors.push(Error::new(
            ErrorType::Duplicate,
            codes::DUPLICATE_SELECTABLE_FIELD,
            path(),
            quote(json_path),
            "",
        ));
    }
    Ok(())
}
