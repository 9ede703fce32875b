//! How a value is written into the message of a [`field::Error`](super::Error).
//!
//! The source is `field.Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`. Up to 1.33 compound values
//! are Go literals (`%#v`); since 1.34 they are JSON.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crd_analyzer_cel::KubernetesVersion;
use regex::Regex;
use serde_json::{Map, Number, Value};

/// Since this minor, the values that are neither strings, numbers nor booleans are rendered as JSON.
const JSON_SINCE: KubernetesVersion = KubernetesVersion::minor(34);

/// Whether values that are neither strings, numbers nor booleans are rendered as JSON, not as Go literals.
pub fn renders_json(version: KubernetesVersion) -> bool {
    version >= JSON_SINCE
}

/// `value` as the message of an error shows it (`field.Error.ErrorBody`).
pub fn bad_value(value: &Value, version: KubernetesVersion) -> String {
    match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => go_number(number),
        Value::String(text) => quote(text),
        // Up to 1.33 a nil value was replaced by the string "null", and a string is quoted.
        Value::Null if !renders_json(version) => "\"null\"".to_owned(),
        Value::Array(_) | Value::Object(_) if !renders_json(version) => go_literal(value),
        Value::Null | Value::Array(_) | Value::Object(_) => json(value),
    }
}

/// `text` as `strconv.Quote` writes it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// A list of strings as `%#v` writes a `[]string` (up to 1.33) or as JSON (since).
pub fn string_list<S: AsRef<str>>(items: &[S], version: KubernetesVersion) -> String {
    if renders_json(version) {
        json(&Value::Array(
            items.iter().map(|item| Value::from(item.as_ref())).collect(),
        ))
    } else {
        go_string_list(items)
    }
}

/// A list of strings as `%#v` writes a `[]string` that is not nil.
pub fn go_string_list<S: AsRef<str>>(items: &[S]) -> String {
    let mut out = "[]string{".to_owned();
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        push_quoted(&mut out, item.as_ref());
    }
    out.push('}');
    out
}

/// `value` as Go's `encoding/json` writes it: sorted keys, `<`, `>`, `&` escaped, no blanks.
pub fn json(value: &Value) -> String {
    let mut out = String::new();
    push_json(&mut out, value);
    out
}

/// `value` as Go's `%#v` writes what JSON decodes to.
pub fn go_literal(value: &Value) -> String {
    let mut out = String::new();
    push_literal(&mut out, value);
    out
}

/// `number` as Go's `%v` writes an `int64` or a `float64`.
pub fn go_number(number: &Number) -> String {
    match number.as_i64() {
        Some(int) => int.to_string(),
        None => go_float(number.as_f64().unwrap_or_default()),
    }
}

/// `value` as Go's `%v` writes a `float64`: the shortest digits that read back, with an exponent below 1e-4 and from
/// 1e6 up (`strconv.AppendFloat` with `'g'` and precision -1).
pub fn go_float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let shortest = format!("{value:e}");
    let (digits, exponent) = split_exponent(&shortest);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
    format!("{value}")
}

/// The digits and the exponent of a number as `{:e}` writes it.
fn split_exponent(text: &str) -> (&str, i32) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (digits, exponent.parse().unwrap_or_default())
}

fn push_json_number(out: &mut String, number: &Number) {
    if let Some(int) = number.as_i64() {
        let _ = write!(out, "{int}");
        return;
    }
    let value = number.as_f64().unwrap_or_default();
    if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) {
        let shortest = format!("{value:e}");
        let (digits, exponent) = split_exponent(&shortest);
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{digits}e{sign}{}", exponent.unsigned_abs());
    } else {
        let _ = write!(out, "{value}");
    }
}

/// The entries of a map in the order of their keys' bytes, which is how Go prints and encodes maps.
fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

fn push_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => push_json_number(out, number),
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

/// A string as `encoding/json` writes it with HTML escaping, its default.
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
        Value::String(text) => push_quoted(out, text),
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
                push_quoted(out, key);
                out.push(':');
                push_literal(out, item);
            }
            out.push('}');
        }
    }
}

/// What `strconv.IsPrint` accepts beyond ASCII.
static PRINTABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]").expect("the class is a valid pattern"));

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            _ if PRINTABLE.is_match(c.encode_utf8(&mut [0; 4])) => out.push(c),
            '\u{80}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            _ => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
    out.push('"');
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

    #[test]
    fn switches_to_exponents_where_go_does() {
        for (value, v, in_json) in [
            (1e20, "1e+20", "100000000000000000000"),
            (1e21, "1e+21", "1e+21"),
            (1_234_567.0, "1.234567e+06", "1234567"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (-2.5e-9, "-2.5e-09", "-2.5e-9"),
        ] {
            assert_eq!(json(&json!(value)), in_json);
            assert_eq!(go_float(value), v);
        }
    }
}
