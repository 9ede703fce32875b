//! Decides whether the types of a kind have other fields than its CRD in the repository.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::sources::manifest::Manifest;

/// The result of generating the complete CRD for a kind that already has a CRD.
#[derive(Default)]
pub(in crate::sources) struct Newer {
    /// The CRD to check instead of the CRD in the repository with the current markers.
    pub(in crate::sources) manifest: Option<Manifest>,
    /// Whether the manifest was generated completely, and is not an update of the CRD in the repository.
    pub(in crate::sources) is_whole: bool,
    /// Whether the types may have other fields than the CRD. If so, the generated CRD may be used after a change of markers.
    pub(in crate::sources) may_be: bool,
    /// Whether some of the types are not on this machine.
    pub(in crate::sources) is_in_part: bool,
}

/// A property whose schema depends on an option of controller-gen.
const METADATA: &str = "metadata";

/// The keyword that lists the rules.
const RULES: &str = "x-kubernetes-validations";

/// Whether the generated CRD differs from a CRD in the repository only because somebody has changed the types. This is so if it equals `put` except
/// for descriptions, for fields that are new or removed, and for rules of markers such as `ExactlyOneOf`, which `put` does not update. Otherwise a script has changed the CRD, and the generated one is not what the project
/// applies to the cluster.
pub(super) fn is_newer(put: &Value, whole: &Value) -> bool {
    match (put, whole) {
        (Value::Object(put), Value::Object(whole)) => {
            let keys: BTreeSet<&String> = put.keys().chain(whole.keys()).collect();
            keys.into_iter().all(|key| match (put.get(key), whole.get(key)) {
                _ if matches!(
                    key.as_str(),
                    "description" | "annotations" | "labels" | "required" | "status"
                ) =>
                {
                    true
                }
                (Some(Value::Object(put)), Some(Value::Object(whole))) if key == "properties" => {
                    let mut fields = put.iter().filter(|it| it.0 != METADATA);
                    fields.all(|(name, it)| whole.get(name).is_none_or(|other| is_newer(it, other)))
                }
                (put, whole) if key == RULES => others(put).eq(others(whole)),
                (Some(put), Some(whole)) => is_newer(put, whole),
                (Some(one), None) | (None, Some(one)) => {
                    matches!(
                        key.as_str(),
                        "creationTimestamp" | "conversion" | "preserveUnknownFields"
                    ) || one.is_null()
                        || key == "properties"
                }
                (None, None) => true,
            })
        }
        (Value::Array(put), Value::Array(whole)) => {
            put.len() == whole.len() && put.iter().zip(whole).all(|(put, whole)| is_newer(put, whole))
        }
        (put, whole) => put == whole || put.as_f64().is_some() && put.as_f64() == whole.as_f64(),
    }
}

/// The message of a rule that a marker such as `ExactlyOneOf` makes. Its expression is different in some releases of controller-gen.
fn one_of(rule: &Value) -> Option<&str> {
    let message = rule.get("message")?.as_str()?;
    ["at most", "exactly", "at least"]
        .iter()
        .any(|it| {
            let rest = message
                .strip_prefix(it)
                .and_then(|it| it.strip_prefix(" one of the fields in ["));
            rest.is_some_and(|it| it.ends_with("] may be set") || it.ends_with("] must be set"))
        })
        .then_some(message)
}

fn rules(all: Option<&Value>) -> impl Iterator<Item = &Value> {
    all.and_then(Value::as_array).into_iter().flatten()
}

/// The rules that no marker such as `ExactlyOneOf` makes.
fn others(all: Option<&Value>) -> impl Iterator<Item = &Value> {
    rules(all).filter(|it| one_of(it).is_none())
}

/// Whether some properties, or fields in markers such as `ExactlyOneOf`, are only in the types or only in the CRD.
pub(super) fn has_other_fields(put: &Value, whole: &Value) -> bool {
    match (put, whole) {
        (Value::Object(put), Value::Object(whole)) => {
            let keys: BTreeSet<&String> = put.keys().chain(whole.keys()).collect();
            let mut keys = keys
                .into_iter()
                .filter(|it| !matches!(it.as_str(), "description" | "metadata"));
            keys.any(|key| match (put.get(key), whole.get(key)) {
                (Some(Value::Object(put)), Some(Value::Object(whole))) if key == "properties" => {
                    let is_other = |it: &String| !(put.contains_key(it) && whole.contains_key(it));
                    let mut below = put.iter().filter(|it| it.0 != METADATA);
                    put.keys().chain(whole.keys()).any(is_other)
                        || below.any(|(name, it)| whole.get(name).is_some_and(|other| has_other_fields(it, other)))
                }
                (put, whole) if key == RULES => {
                    let of = |all| rules(all).filter_map(one_of).collect::<BTreeSet<&str>>();
                    of(put) != of(whole)
                }
                (Some(put), Some(whole)) => has_other_fields(put, whole),
                _ => key == "properties",
            })
        }
        (Value::Array(put), Value::Array(whole)) => {
            put.iter().zip(whole).any(|(put, whole)| has_other_fields(put, whole))
        }
        _ => false,
    }
}
