//! Validates the fields that the scale subresource reads (`ValidateScaleSpec`, `ValidateScaleStatus`).

use crd_analyzer_apiextensions::types::SubresourceScale;
use crd_analyzer_schema::field::{Cause, Error, Path, render};
use crd_analyzer_schema::go;
use crd_analyzer_schema::unknown::Known;
use serde_json::Value;

use crate::codes;

/// An error, and the field of `scale` with the path at which the error is.
type Found = (Error, &'static str);
/// An object and its known parts.
type Given<'v> = (&'v Value, Known<'v>);

/// The error in the desired number of replicas.
pub(super) fn spec(scale: &SubresourceScale, object: Given<'_>) -> Option<Found> {
    Some((replicas(&scale.spec_replicas_path, object)?, "specReplicasPath"))
}

/// The errors in the current number of replicas and in the selector.
pub(super) fn status(scale: &SubresourceScale, object: Given<'_>) -> Vec<Found> {
    let replicas = replicas(&scale.status_replicas_path, object).map(|it| (it, "statusReplicasPath"));
    let selector = scale.label_selector_path.as_deref().and_then(|path| {
        let (words, cause) = match find(path, object) {
            Ok(None | Some(Value::String(_))) => return None,
            Ok(Some(other)) => {
                let words = wrong_type(path, usize::MAX, other, "string");
                (words, Cause::Type("string".to_owned()))
            }
            Err(words) => (words, Cause::WrongKind),
        };
        let error = invalid(path, go::quote(""), words).because(cause);
        Some((error, "labelSelectorPath"))
    });
    replicas.into_iter().chain(selector).collect()
}

fn replicas(path: &str, object: Given<'_>) -> Option<Error> {
    let number = match find(path, object) {
        Ok(None) => return None,
        Ok(Some(Value::Number(number))) if number.is_i64() => number.as_i64().unwrap_or_default(),
        Ok(Some(other)) => {
            let words = wrong_type(path, usize::MAX, other, "int64");
            return Some(invalid(path, "0".to_owned(), words).because(Cause::Type("integer".to_owned())));
        }
        Err(words) => return Some(invalid(path, "0".to_owned(), words).because(Cause::WrongKind)),
    };
    if number < 0 {
        let words = "should be a non-negative integer".to_owned();
        Some(invalid(path, number.to_string(), words).because(bound(0.0)))
    } else if number > i64::from(i32::MAX) {
        let words = format!("should be less than or equal to {}", i32::MAX);
        Some(invalid(path, number.to_string(), words).because(bound(f64::from(i32::MAX))))
    } else {
        None
    }
}

fn bound(limit: f64) -> Cause {
    Cause::Bound {
        limit,
        is_exclusive: false,
    }
}

/// Creates an error. The whole path is one name, as in the API server.
fn invalid(path: &str, bad_value: String, detail: String) -> Error {
    Error::invalid(codes::INVALID_SCALE, Path::of([path]), bad_value, detail)
}

/// The value at a path (`unstructured.NestedFieldNoCopy`).
fn find<'v>(path: &str, (object, known): Given<'v>) -> Result<Option<&'v Value>, String> {
    let (mut value, mut known) = (object, known);
    for (n, name) in path.strip_prefix('.').unwrap_or(path).split('.').enumerate() {
        match value {
            Value::Null => return Ok(None),
            _ if known.is_nothing() => return Ok(None),
            Value::Object(fields) => match fields.get(name) {
                Some(below) => (value, known) = (below, known.field(name)),
                None => return Ok(None),
            },
            other => return Err(wrong_type(path, n + 1, other, "map[string]interface{}")),
        }
    }
    Ok(Some(value).filter(|_| !known.is_nothing()))
}

/// The message about a value of the wrong type at the first `fields` fields of the path.
fn wrong_type(path: &str, fields: usize, value: &Value, expected: &str) -> String {
    let names: Vec<&str> = path.strip_prefix('.').unwrap_or(path).split('.').take(fields).collect();
    format!(
        ".{} accessor error: {} is of the type {}, expected {expected}",
        names.join("."),
        render::go_value(value),
        render::go_type(value)
    )
}
