//! Texts as Go code compares and prints them.

use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Error, Path, render},
    go::quote,
};
use serde_json::Value;

use crate::codes::POLICY_UNKNOWN_VALUE;

/// A text whose Go type is a string with a name, in a message.
pub(crate) fn named(value: &str, version: KubernetesVersion) -> String {
    if render::renders_json(version) {
        render::json(&Value::from(value))
    } else {
        quote(value)
    }
}

/// A list of such texts: as JSON, or as a literal of their type (`admissionregistration.OperationType`).
pub(crate) fn named_list(values: &[&str], go: &str, version: KubernetesVersion) -> String {
    let list = render::string_list(values, version);
    if render::renders_json(version) {
        list
    } else {
        list.replacen("string", go, 1)
    }
}

/// The error about a value that is none of those that are supported.
pub(crate) fn unsupported(at: Path, value: &str, supported: &[&str], version: KubernetesVersion) -> Option<Error> {
    let is_supported = supported.contains(&value);
    (!is_supported).then(|| Error::not_supported(POLICY_UNKNOWN_VALUE, at, named(value, version), supported))
}
