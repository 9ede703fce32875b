//! Comparing and formatting strings like Go.

use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Error, Path, render},
    go::quote,
};
use serde_json::Value;

use crate::codes::POLICY_UNKNOWN_VALUE;

/// A string of a named Go type, formatted for a message.
pub(crate) fn named(value: &str, version: KubernetesVersion) -> String {
    if render::renders_json(version) {
        render::json(&Value::from(value))
    } else {
        quote(value)
    }
}

/// A list of strings of a named Go type: as JSON, or as a Go literal (`admissionregistration.OperationType`).
pub(crate) fn named_list(values: &[&str], go: &str, version: KubernetesVersion) -> String {
    let list = render::string_list(values, version);
    if render::renders_json(version) {
        list
    } else {
        list.replacen("string", go, 1)
    }
}

/// The error for a value that is not one of the supported values.
pub(crate) fn unsupported(at: Path, value: &str, supported: &[&str], version: KubernetesVersion) -> Option<Error> {
    let is_supported = supported.contains(&value);
    (!is_supported).then(|| Error::not_supported(POLICY_UNKNOWN_VALUE, at, named(value, version), supported))
}
