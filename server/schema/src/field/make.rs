//! Constructors of errors, like the functions of `k8s.io/apimachinery/pkg/util/validation/field`. The wording depends on the Kubernetes version.

use crd_analyzer_cel::KubernetesVersion;

use super::{Cause, Error, ErrorType, Path};
use crate::go::quote;

impl Error {
    /// A required value is missing (`field.Required`).
    pub fn required(code: &'static str, path: Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Required, code, path, "", detail)
    }

    /// A value is malformed (`field.Invalid`); `bad_value` is already rendered.
    pub fn invalid(code: &'static str, path: Path, bad_value: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, code, path, bad_value, detail)
    }

    /// A value is not allowed here (`field.Forbidden`).
    pub fn forbidden(code: &'static str, path: Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Forbidden, code, path, "", detail)
    }

    /// A value occurs twice (`field.Duplicate`); `bad_value` is already rendered.
    pub fn duplicate(code: &'static str, path: Path, bad_value: impl Into<String>) -> Self {
        Self::new(ErrorType::Duplicate, code, path, bad_value, "")
    }

    /// A value is not one of `supported` (`field.NotSupported`); `bad_value` is already rendered.
    pub fn not_supported(code: &'static str, path: Path, bad_value: impl Into<String>, supported: &[&str]) -> Self {
        let detail = if supported.is_empty() {
            String::new()
        } else {
            let quoted: Vec<String> = supported.iter().map(|value| quote(value)).collect();
            format!("supported values: {}", quoted.join(", "))
        };
        let allowed = supported.iter().map(|it| (*it).to_owned()).collect();
        Self::new(ErrorType::NotSupported, code, path, bad_value, detail).because(Cause::Allowed(allowed))
    }

    /// A value is longer than `max` bytes (`field.TooLong`).
    pub fn too_long(code: &'static str, path: Path, max: usize, version: KubernetesVersion) -> Self {
        let detail = if version < KubernetesVersion::minor(32) {
            format!("must have at most {max} bytes")
        } else if max == 1 && version >= KubernetesVersion::minor(34) {
            "may not be more than 1 byte".to_owned()
        } else {
            format!("may not be more than {max} bytes")
        };
        Self::new(ErrorType::TooLong, code, path, "", detail).because(Cause::Count(max as i64))
    }

    /// There are `actual` values, but at most `max` are allowed (`field.TooMany`).
    pub fn too_many(code: &'static str, path: Path, actual: usize, max: usize, version: KubernetesVersion) -> Self {
        let items = if max == 1 && version >= KubernetesVersion::minor(34) {
            "item"
        } else {
            "items"
        };
        let detail = format!("must have at most {max} {items}");
        Self::new(ErrorType::TooMany, code, path, actual.to_string(), detail).because(Cause::Count(max as i64))
    }

    /// The message without the path (`field.Error.ErrorBody`).
    pub fn body(&self) -> String {
        let mut body = self.kind.words().to_owned();
        if !self.bad_value.is_empty() {
            body.push_str(": ");
            body.push_str(&self.bad_value);
        }
        if !self.detail.is_empty() {
            body.push_str(": ");
            body.push_str(&self.detail);
        }
        body
    }
}

impl std::fmt::Display for Error {
    /// Formats like `field.Error.Error`: the path and the message.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}
