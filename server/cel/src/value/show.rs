//! Shows values to users as CEL expressions, shortened if they are long.

use std::fmt::Write as _;

use super::{Result, Value};
use crate::go::quote;

/// The maximum depth at which lists and maps are shown.
const MAX_DEPTH: usize = 6;

/// The value as a CEL expression of at most about `limit` characters. Omitted parts are replaced by an ellipsis.
pub fn shown(value: &Value, limit: usize) -> String {
    let mut out = String::new();
    show(value, limit, 0, &mut out);
    out
}

fn show(value: &Value, limit: usize, depth: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Uint(number) => {
            let _ = write!(out, "{number}u");
        }
        Value::Double(number) if number.is_finite() && number.fract() == 0.0 && number.abs() < 1e15 => {
            let _ = write!(out, "{number:.1}");
        }
        Value::String(text) => {
            let room = limit.saturating_sub(out.chars().count()).max(8);
            match text.char_indices().nth(room) {
                Some((end, _)) => {
                    let _ = write!(out, "{}…", quote(&text[..end]));
                }
                None => out.push_str(&quote(text)),
            }
        }
        Value::Bytes(bytes) => {
            out.push_str("b\"");
            for byte in bytes.iter().take(limit / 4) {
                let _ = write!(out, "{}", byte.escape_ascii());
            }
            out.push_str(if bytes.len() > limit / 4 { "…\"" } else { "\"" });
        }
        Value::Duration(duration) => {
            let _ = write!(out, "duration(\"{}\")", duration.to_cel_string());
        }
        Value::Timestamp(timestamp) => {
            let _ = write!(out, "timestamp(\"{}\")", timestamp.to_cel_string());
        }
        Value::Optional(Some(value)) => {
            out.push_str("optional.of(");
            show(value, limit, depth + 1, out);
            out.push(')');
        }
        Value::Opaque(it) => {
            let name = value.type_name();
            let name = name.rsplit('.').next().unwrap_or_default().to_lowercase();
            let _ = write!(out, "{name}({})", quote(&it.to_string()));
        }
        Value::Raw(raw) => out.push_str(&cut(raw.to_json(), limit)),
        Value::List(list) => {
            let elements = list.iter().map(|element| (None, element));
            entries(['[', ']'], elements, limit, depth, out);
        }
        Value::Map(map) => {
            let mut keys = map.keys();
            keys.sort_by_key(ToString::to_string);
            let pairs = keys.into_iter().map(|key| {
                let value = map.at(&key);
                (Some(key), value)
            });
            entries(['{', '}'], pairs, limit, depth, out);
        }
        Value::Bool(_) | Value::Int(_) | Value::Double(_) | Value::Optional(None) | Value::Type(_) => {
            let _ = write!(out, "{value}");
        }
    }
}

fn entries(
    [open, close]: [char; 2],
    all: impl Iterator<Item = (Option<Value>, Result)>,
    limit: usize,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    for (n, (key, value)) in all.enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        if depth >= MAX_DEPTH || out.chars().count() > limit {
            out.push('…');
            break;
        }
        if let Some(key) = key {
            show(&key, limit, depth + 1, out);
            out.push_str(": ");
        }
        match value {
            Ok(value) => show(&value, limit, depth + 1, out),
            Err(error) => {
                let _ = write!(out, "<error: {}>", error.message());
            }
        }
    }
    out.push(close);
}

fn cut(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    #[test]
    fn values_are_shown_as_they_are_written() {
        let check = |value: Value, expected: &str| assert_eq!(shown(&value, 20), expected);
        check(Value::Null, "null");
        check(Value::from("a\"b"), r#""a\"b""#);
        check(Value::Double(3.0), "3.0");
        check(Value::Double(0.25), "0.25");
        check(Value::Uint(3), "3u");
        check(Value::bytes([97, 0].as_slice()), r#"b"a\x00""#);
        check(Value::some(1.into()), "optional.of(1)");
        check(
            Value::list((0..100).map(Value::from).collect()),
            "[0, 1, 2, 3, 4, 5, 6, …]",
        );
        let map = Map::of_names([("b".into(), 1.into()), ("a".into(), Value::list(Vec::new()))]);
        check(Value::Map(map), r#"{"a": [], "b": 1}"#);
        check(Value::from("a".repeat(50)), &format!("\"{}\"…", "a".repeat(20)));
    }
}
