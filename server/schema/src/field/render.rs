//! Rendering of values in the message of a [`field::Error`](super::Error).
//!
//! The source is `field.Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`. Up to 1.33 compound values
//! are Go literals (`%#v`); since 1.34 they are JSON.

use std::fmt::Write as _;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::{Map, Number, Value};

use crate::go::{json_float, plain_float, quote};

/// The first Kubernetes version that renders values other than strings, numbers and booleans as JSON.
const JSON_SINCE: KubernetesVersion = KubernetesVersion::minor(34);

/// Whether values other than strings, numbers and booleans are rendered as JSON instead of Go literals.
pub fn renders_json(version: KubernetesVersion) -> bool {
    version >= JSON_SINCE
}

/// Formats `value` for an error message (`field.Error.ErrorBody`).
pub fn bad_value(value: &Value, version: KubernetesVersion) -> String {
    match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => go_number(number),
        Value::String(text) => quote(text),
        // Up to 1.33 the API server replaces nil by the string "null", so this value has quotes.
        Value::Null if !renders_json(version) => "\"null\"".to_owned(),
        Value::Array(_) | Value::Object(_) if !renders_json(version) => go_literal(value),
        Value::Null | Value::Array(_) | Value::Object(_) => json(value),
    }
}

/// Formats a list of strings like `%#v` of a `[]string` (up to 1.33) or as JSON (since 1.34).
pub fn string_list<S: AsRef<str>>(items: &[S], version: KubernetesVersion) -> String {
    if renders_json(version) {
        json(&Value::Array(
            items.iter().map(|item| Value::from(item.as_ref())).collect(),
        ))
    } else {
        go_string_list(items)
    }
}

/// Formats a list of strings like `%#v` of a non-nil `[]string`.
pub fn go_string_list<S: AsRef<str>>(items: &[S]) -> String {
    let mut out = "[]string{".to_owned();
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        out.push_str(&quote(item.as_ref()));
    }
    out.push('}');
    out
}

/// Formats `value` like Go's `encoding/json`: sorted keys, no blanks, and `<`, `>`, `&` escaped.
pub fn json(value: &Value) -> String {
    let mut out = String::new();
    push_json(&mut out, value);
    out
}

/// Formats the fields of a struct like Go's `encoding/json`: in the order of their declaration.
pub fn json_struct<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> String {
    let mut out = "{".to_owned();
    for (n, (name, value)) in fields.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        push_json_string(&mut out, name);
        out.push(':');
        push_json(&mut out, &value);
    }
    out.push('}');
    out
}

/// Formats `value` like Go's `%#v` of the decoded JSON.
pub fn go_literal(value: &Value) -> String {
    let mut out = String::new();
    push_literal(&mut out, value);
    out
}

/// Formats `number` like Go's `%v` of an `int64` or a `float64`.
pub fn go_number(number: &Number) -> String {
    match number.as_i64() {
        Some(int) => int.to_string(),
        None => plain_float(number.as_f64().unwrap_or_default()),
    }
}

/// Formats `value` like Go's `%v` of the decoded JSON.
pub fn go_value(value: &Value) -> String {
    let mut out = String::new();
    push_value(&mut out, value, go_number);
    out
}

/// Formats `value` like Go's `%v` of a value that `encoding/json` decoded, where every number is a `float64`.
pub fn go_value_of_floats(value: &Value) -> String {
    let mut out = String::new();
    push_value(&mut out, value, |it| plain_float(it.as_f64().unwrap_or_default()));
    out
}

/// The Go type (`%T`) of the decoded JSON.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn push_value(out: &mut String, value: &Value, number: fn(&Number) -> String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(it) => out.push_str(&number(it)),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                push_value(out, item, number);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push_str("map[");
            for (n, (key, item)) in sorted(map).into_iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                push_value(out, item, number);
            }
            out.push(']');
        }
    }
}

fn json_number(number: &Number) -> String {
    match number.as_i64() {
        Some(int) => int.to_string(),
        None => json_float(number.as_f64().unwrap_or_default()),
    }
}

/// The entries of a map, sorted by the bytes of their keys, as Go prints and encodes maps.
fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

fn push_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&json_number(number)),
        Value::String(text) => push_json_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                push_json(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (n, (key, item)) in sorted(map).into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                push_json_string(out, key);
                out.push(':');
                push_json(out, item);
            }
            out.push('}');
        }
    }
}

/// Appends a string like `encoding/json` with its default HTML escaping.
fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn push_literal(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("interface {}(nil)"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&go_number(number)),
        Value::String(text) => out.push_str(&quote(text)),
        Value::Array(items) => {
            out.push_str("[]interface {}{");
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                push_literal(out, item);
            }
            out.push('}');
        }
        Value::Object(map) => {
            out.push_str("map[string]interface {}{");
            for (n, (key, item)) in sorted(map).into_iter().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                out.push_str(&quote(key));
                out.push(':');
                push_literal(out, item);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: &Value, literal: &str, json: &str) {
        assert_eq!(bad_value(value, KubernetesVersion::minor(33)), literal);
        assert_eq!(bad_value(value, KubernetesVersion::minor(34)), json);
    }

    #[test]
    fn prints_values_and_types_as_go_does() {
        let value = json!({"b": [null, "x y", 1.5], "a": {}});
        assert_eq!(go_value(&value), "map[a:map[] b:[<nil> x y 1.5]]");
        let types: Vec<&str> = value["b"].as_array().into_iter().flatten().map(go_type).collect();
        assert_eq!(types, ["<nil>", "string", "float64"]);
        assert_eq!(go_type(&value), "map[string]interface {}");
    }

    #[test]
    fn renders_values_as_the_messages_of_each_minor_do() {
        check(
            &json!("a\"\u{e9}\u{200b}\n<"),
            "\"a\\\"\u{e9}\\u200b\\n<\"",
            "\"a\\\"\u{e9}\\u200b\\n<\"",
        );
        check(&json!(3), "3", "3");
        check(&json!(1.5), "1.5", "1.5");
        check(&json!(true), "true", "true");
        check(&Value::Null, "\"null\"", "null");
        check(
            &json!({"b": [null, "<x>"], "a": 2.0}),
            r#"map[string]interface {}{"a":2, "b":[]interface {}{interface {}(nil), "<x>"}}"#,
            r#"{"a":2,"b":[null,"\u003cx\u003e"]}"#,
        );
    }
}
