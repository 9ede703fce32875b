//! Formats values as text: as JSON on one line, or as YAML in its usual style.

use std::fmt::Write as _;

use crd_analyzer_syntax::is_plain_text;
use serde_json::Value;

/// A value on one line, as JSON with escapes that YAML understands. YAML treats more characters as line breaks than JSON.
pub(crate) fn json(value: &Value) -> String {
    let text = value.to_string();
    if text.bytes().all(|it| (0x20..0x7F).contains(&it)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if matches!(char, ' '..='~') {
            out.push(char);
        } else {
            // The string may contain any character. YAML does not support surrogates, so escape the whole code.
            let code = u32::from(char);
            let _ = if code > 0xFFFF {
                write!(out, "\\U{code:08X}")
            } else {
                write!(out, "\\u{code:04x}")
            };
        }
    }
    out
}

/// A value as YAML in block style, indented by the given number of spaces, with a line break at the end. A scalar is on one line.
pub(crate) fn block(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    write_block(value, indent, &mut out);
    out
}

/// The entries of a resource, a cause or a test, in the order in which people usually write them.
fn ordered(object: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    const RESOURCE: [&str; 4] = ["apiVersion", "kind", "metadata", "spec"];
    const CAUSE: [&str; 3] = ["type", "field", "detail"];
    const TEST: [&str; 4] = ["name", "create", "update", "updateStatus"];
    let mut entries: Vec<_> = object.iter().collect();
    let has = |name: &str| object.contains_key(name);
    let first: &[&str] = if has("apiVersion") && has("kind") {
        &RESOURCE
    } else if has("type") && has("field") {
        &CAUSE
    } else if has("name") && TEST[1..].iter().any(|it| has(it)) {
        &TEST
    } else {
        &[]
    };
    entries.sort_by_key(|(name, _)| first.iter().position(|it| it == name).unwrap_or(first.len()));
    entries
}

fn write_block(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in ordered(object) {
                out.push_str(&pad);
                entry(key, value, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&pad);
                out.push_str("- ");
                match item {
                    Value::Object(object) if !object.is_empty() => {
                        for (n, (key, value)) in ordered(object).into_iter().enumerate() {
                            if n > 0 {
                                out.push_str(&pad);
                                out.push_str("  ");
                            }
                            entry(key, value, indent + 2, out);
                        }
                    }
                    Value::Array(inner) if !inner.is_empty() => {
                        out.push_str(&json(item));
                        out.push('\n');
                    }
                    scalar_item => {
                        out.push_str(&scalar(scalar_item));
                        out.push('\n');
                    }
                }
            }
        }
        other => {
            out.push_str(&pad);
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

fn entry(key: &str, value: &Value, indent: usize, out: &mut String) {
    out.push_str(&scalar(&Value::String(key.to_owned())));
    out.push(':');
    match value {
        Value::Object(object) if !object.is_empty() => {
            out.push('\n');
            write_block(value, indent + 2, out);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            write_block(value, indent + 2, out);
        }
        Value::String(text) if text.contains('\n') && is_literal(text) => {
            out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
            out.push_str(&indented(text, indent + 2));
        }
        other => {
            out.push(' ');
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

/// Whether a string can be written as a literal block scalar.
pub(crate) fn is_literal(text: &str) -> bool {
    let is_printable = |it: char| it == '\n' || (' '..='~').contains(&it) || (it.is_alphanumeric() && !it.is_control());
    let has_content = !text.starts_with([' ', '\n']) && !text.is_empty();
    has_content && !text.ends_with("\n\n") && text.chars().all(is_printable)
}

/// A text after indenting each line by the given number of spaces.
pub(crate) fn indented(text: &str, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let lines = text.lines().map(|it| {
        if it.is_empty() {
            "\n".to_owned()
        } else {
            format!("{pad}{it}\n")
        }
    });
    lines.collect()
}

/// A scalar or an empty collection, on one line.
pub(crate) fn scalar(value: &Value) -> String {
    let Value::String(text) = value else {
        return json(value);
    };
    let is_printable = text.chars().all(|it| matches!(it, ' '..='~'));
    if is_printable && is_plain(text) {
        text.clone()
    } else if is_printable && text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        json(value)
    }
}

fn is_plain(text: &str) -> bool {
    // These words are strings in JSON, but other YAML parsers read them as other types.
    const WORDS: [&str; 7] = ["y", "n", "yes", "no", "on", "off", "null"];
    let starts =
        text.starts_with(|it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '/' | '<' | '(' | '.' | '$'));
    let ends = !text.ends_with([' ', ':']);
    let inside =
        !text.contains(": ") && !text.contains(" #") && !text.contains(['{', '}', '[', ']', ',', '"', '\'', '`']);
    starts && ends && inside && is_plain_text(text) && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let value = json!({
            "kind": "A", "apiVersion": "b/v1", "status": {}, "spec": {
                "words": ["plain", "yes", "1", "1.0", "a: b", "a #b", "it's", "\"", "", " x", "x:", "-", "- x", "~", "null", "é\u{85}\u{2028}\u{1F600}", "a\nb", "<nil>", "=", "<<"],
                "list": [{"a": 1, "b": {"c": [1]}}, [], [[1], 2], {}], "x y": 1.5, "n": null, "on": true,
            },
        });
        let text = block(&value, 2);
        assert_eq!(crate::reader::read_object(&text), Ok(value.clone()), "{text}");
        assert_eq!(crate::reader::read_object(&json(&value)), Ok(value));
        assert!(text.starts_with("  apiVersion: b/v1\n  kind: A\n  spec:\n"), "{text}");
        assert!(text.contains("      - plain\n      - \"yes\"\n"), "{text}");
    }
}
