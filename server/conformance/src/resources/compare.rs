//! Compares two answers about a resource.

use std::fmt::Write as _;

use crd_analyzer_fixtures::answers::{self, Scope};
use serde_json::Value;

/// The differences between the oracle's answer and ours, one per line; empty if they are the same.
pub(super) fn differences(oracle: &Value, ours: Option<&Value>) -> Vec<String> {
    let scope = Scope {
        without_cel: false,
        bad_values: true,
    };
    let mut theirs = oracle.clone();
    let mut shortened = ours.map(shorten);
    for answer in [Some(&mut theirs), shortened.as_mut()].into_iter().flatten() {
        join_go_literals(answer);
        one_refusal(answer);
    }
    let mut found = answers::differences(Some(&theirs), shortened.as_ref(), scope);
    if let (Some(theirs), Some(ours)) = (oracle.get("object"), ours.map(|it| &it["object"])) {
        let mut place = String::new();
        let (theirs, ours) = (without_null_timestamp(theirs), without_null_timestamp(ours));
        if !is_same(&theirs, &ours, &mut place) {
            found.push(format!("object: another value at {place}"));
        }
    }
    found
}

/// Joins Go literals with the detail of an error, because the oracle cannot separate them in a message.
fn join_go_literals(answer: &mut Value) {
    for error in answer["errors"].as_array_mut().into_iter().flatten() {
        let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        let whole = format!("{}{}", part("bad_value"), part("detail"));
        if !part("field").starts_with("metadata") || !["string{", "OwnerReference{"].iter().any(|it| whole.contains(it))
        {
            continue;
        }
        let text = whole
            .rsplit(['}', '…'])
            .next()
            .unwrap_or_default()
            .trim_start_matches(": ")
            .to_owned();
        error["detail"] = Value::String(text);
        error["bad_value"] = Value::String(String::new());
    }
}

/// Shortens the error about fields or embedded resources that cannot be decoded, because the API server only reports a random one of them.
fn one_refusal(answer: &mut Value) {
    let text = answer["decode_error"].as_str().unwrap_or_default();
    let short = one_refusal_of(text);
    if short.len() < text.len() {
        answer["decode_error"] = Value::String(short.to_owned());
    }
}

/// The part of a decoding error that does not depend on the field or embedded resource that was decoded first.
pub(crate) fn one_refusal_of(text: &str) -> &str {
    match text.find(": Invalid value: ") {
        Some(at) => &text[..text[..at].find("cannot be handled as").unwrap_or(at)],
        None => text,
    }
}

/// Shortens long values like the oracle.
fn shorten(answer: &Value) -> Value {
    const MOST: usize = 200;
    let mut answer = answer.clone();
    for error in answer["errors"].as_array_mut().into_iter().flatten() {
        let text = error["bad_value"].as_str().unwrap_or_default();
        if text.len() > MOST {
            let end = text.floor_char_boundary(MOST);
            error["bad_value"] = Value::String(format!("{}…", &text[..end]));
        }
    }
    answer
}

fn without_null_timestamp(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && metadata.get("creationTimestamp").is_some_and(Value::is_null)
    {
        metadata.remove("creationTimestamp");
    }
    object
}

/// Compares two values. Numbers are compared by value, because the oracle prints `1.0` as `1`.
pub(crate) fn is_same(a: &Value, b: &Value, place: &mut String) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().all(|name| {
                let length = place.len();
                place.push('.');
                place.push_str(name);
                let is_same_field = matches!((a.get(name), b.get(name)), (Some(a), Some(b)) if is_same(a, b, place));
                if is_same_field {
                    place.truncate(length);
                }
                is_same_field
            })
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).enumerate().all(|(n, (a, b))| {
                    let length = place.len();
                    let _ = write!(place, "[{n}]");
                    let is_same_item = is_same(a, b, place);
                    if is_same_item {
                        place.truncate(length);
                    }
                    is_same_item
                })
        }
        (Value::Number(a), Value::Number(b)) => {
            // The JSON parser that reads the answers does not round exactly.
            let (x, y) = (a.as_f64().unwrap_or_default(), b.as_f64().unwrap_or_default());
            a == b || (x - y).abs() <= x.abs() * f64::EPSILON
        }
        _ => a == b,
    }
}
