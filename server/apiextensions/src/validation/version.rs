//! One version of a CRD (`validateCustomResourceDefinitionVersion`).

use std::ops::Range;

use crd_analyzer_schema::field::{Cause, Error, Path};
use crd_analyzer_schema::go::is_print;

use super::CrdErrors;
use super::options::{Options, SchemaQuestion};
use super::printer_columns::validate_columns;
use super::root_schema::validate_schema;
use super::selectable_fields::validate_version_selectable_fields;
use super::subresources::validate_subresources;
use crate::codes;
use crate::types::Version;

/// The maximum length of a deprecation warning, in bytes.
const MAX_WARNING: usize = 256;

/// Checks the fields of the version at `path`.
pub(super) fn validate_version(
    version: &Version,
    question: SchemaQuestion,
    options: &Options<'_>,
    path: &Path,
    findings: &mut CrdErrors,
) {
    validate_deprecation_warning(version, options, path, &mut findings.errors);
    validate_schema(
        version.schema.as_ref(),
        question,
        options,
        &path.child("schema"),
        findings,
    );
    let errors = &mut findings.errors;
    let subresources_path = path.child("subresources");
    validate_subresources(
        version.subresources.as_ref(),
        &subresources_path,
        options.render(),
        errors,
    );
    if let Some(columns) = &version.additional_printer_columns {
        validate_columns(columns, &path.child("additionalPrinterColumns"), errors);
    }
    validate_version_selectable_fields(version, options, path, findings);
}

fn validate_deprecation_warning(version: &Version, options: &Options<'_>, path: &Path, errors: &mut Vec<Error>) {
    let Some(warning) = version.deprecation_warning.as_deref() else {
        return;
    };
    for (detail, at, cause) in deprecation_warning_errors(version.deprecated, warning) {
        let bad_value = options.render().string_pointer(Some(warning));
        let path = path.child("deprecationWarning");
        let error = Error::invalid(codes::INVALID_DEPRECATION_WARNING, path, bad_value, detail).because(cause);
        errors.push(match at {
            Some(at) => error.within(at),
            None => error,
        });
    }
}

/// The API server's message, the byte range in the warning, and the cause.
pub(super) type WarningError = (String, Option<Range<usize>>, Cause);

/// The errors in a deprecation warning (`validateDeprecationWarning`).
pub(super) fn deprecation_warning_errors(is_deprecated: bool, warning: &str) -> Vec<WarningError> {
    if !is_deprecated {
        let detail = "can only be set for deprecated versions".to_owned();
        return vec![(detail, None, Cause::Without("deprecated"))];
    }
    let mut errors = Vec::new();
    if warning.len() > MAX_WARNING {
        let detail = format!("must be <= {MAX_WARNING} characters long");
        errors.push((detail, None, Cause::Count(MAX_WARNING as i64)));
    }
    if warning.is_empty() {
        errors.push(("must not be an empty string".to_owned(), None, Cause::Empty));
    }
    if let Some((i, c)) = warning.char_indices().find(|&(_, c)| !is_print(c)) {
        let detail =
            format!("must only contain printable UTF-8 characters; non-printable character found at index {i}");
        errors.push((detail, Some(i..i + c.len_utf8()), Cause::Unprintable));
    }
    errors
}
