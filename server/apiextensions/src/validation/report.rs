//! Helpers for the most common errors.

use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::go::quote;

/// `field.Invalid` of a string.
pub(super) fn invalid_string(code: &'static str, path: Path, value: &str, detail: impl Into<String>) -> Error {
    Error::invalid(code, path, quote(value), detail)
}

/// Checks that a required string is one of the accepted values (`validateEnumStrings`).
pub(super) fn validate_enum_string(
    code: &'static str,
    value: &str,
    accepted: &[&str],
    path: impl FnOnce() -> Path,
    errors: &mut Vec<Error>,
) {
    if value.is_empty() {
        errors.push(Error::required(code, path(), ""));
    } else if !accepted.contains(&value) {
        errors.push(Error::not_supported(code, path(), quote(value), accepted));
    }
}
