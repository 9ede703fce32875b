//! A short way to make the commonest error.

use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::go::quote;

/// `field.Invalid` of a string.
pub(super) fn invalid_string(code: &'static str, path: Path, value: &str, detail: impl Into<String>) -> Error {
    Error::invalid(code, path, quote(value), detail)
}
