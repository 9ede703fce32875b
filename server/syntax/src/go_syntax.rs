//! Values in Go syntax (`fmt`'s `%#v`). Some of go-yaml's messages quote values in this syntax.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::json::value::{KeyKind, ScalarValue, binary, is_merge, scalar_value};
use crate::tree::{NodeId, NodeKind, Tree};

/// The maximum length of the output. It is limited because a message can quote the whole document, even many times through aliases.
const MAX_LEN: usize = 1 << 16;

/// The maximum depth of nesting in the output.
const MAX_DEPTH: usize = 200;

/// Writes the value that go-yaml decodes from a node. At the top level, `nil` has no type.
pub(crate) fn write(tree: &Tree, node: NodeId) -> String {
    let mut out = String::new();
    let node = tree.resolve(node);
    if tree.is_scalar(node) && matches!(scalar_value(tree, node), Ok(ScalarValue::Null)) {
        out.push_str("<nil>");
    } else {
        write_node(tree, node, MAX_DEPTH, &mut out);
    }
    out
}

fn write_node(tree: &Tree, node: NodeId, depth: usize, out: &mut String) {
    let node = tree.resolve(node);
    if out.len() > MAX_LEN || depth == 0 {
        return;
    }
    match tree.kind(node) {
        NodeKind::Mapping(_) => {
            let mut entries = Vec::new();
            collect(tree, node, depth, &mut entries);
            sort(&mut entries);
            out.push_str("map[interface {}]interface {}{");
            for (at, key) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_scalar(tree, key.node, &key.value, out);
                out.push(':');
                write_node(tree, key.entry_value, depth - 1, out);
            }
            out.push('}');
        }
        NodeKind::Sequence(_) => {
            out.push_str("[]interface {}{");
            for (at, item) in tree.items(node).enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_node(tree, item, depth - 1, out);
            }
            out.push('}');
        }
        NodeKind::Scalar(_) => {
            if let Ok(value) = scalar_value(tree, node) {
                write_scalar(tree, node, &value, out);
            }
        }
        NodeKind::Alias | NodeKind::Error => {}
    }
}

/// A key's node and value, and the node of the entry's value.
struct Pair<'t> {
    node: NodeId,
    value: ScalarValue<'t>,
    entry_value: NodeId,
}

/// Collects the entries of a mapping after merges, each key once.
fn collect<'t>(tree: &'t Tree, node: NodeId, depth: usize, entries: &mut Vec<Pair<'t>>) {
    for entry in tree.entries(tree.resolve(node)) {
        if is_merge(tree, entry.key) {
            let merged = tree.resolve(entry.value);
            match tree.kind(merged) {
                NodeKind::Sequence(_) if depth > 0 => {
                    let items: Vec<NodeId> = tree.items(merged).collect();
                    for item in items.into_iter().rev() {
                        collect(tree, item, depth - 1, entries);
                    }
                }
                _ if depth > 0 => collect(tree, merged, depth - 1, entries),
                _ => {}
            }
        } else if let Ok(value) = scalar_value(tree, tree.resolve(entry.key)) {
            entries.push(Pair {
                node: tree.resolve(entry.key),
                value,
                entry_value: entry.value,
            });
        }
        if entries.len() > MAX_LEN {
            return;
        }
    }
}

/// Sorts by key like `internal/fmtsort`, and keeps the last of several equal keys.
fn sort(entries: &mut Vec<Pair<'_>>) {
    entries.sort_by(|left, right| left.value.go_order(&right.value));
    entries.reverse();
    entries.dedup_by(|left, right| left.value.is_same_key(&right.value));
    entries.reverse();
}

fn write_scalar(tree: &Tree, node: NodeId, value: &ScalarValue<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match value {
        ScalarValue::Null => write!(out, "interface {{}}(nil)"),
        ScalarValue::Bool(value) => write!(out, "{value}"),
        ScalarValue::Int(value) => write!(out, "{value}"),
        ScalarValue::Uint(value) => write!(out, "{value:#x}"),
        ScalarValue::Float(value) => write!(out, "{}", float_g(*value, false)),
        ScalarValue::Text(value) => {
            quote_node(tree, node, value, out);
            Ok(())
        }
    };
}

/// Formats a single key, as in `key "a" already set in map`.
pub(crate) fn key(tree: &Tree, node: NodeId, kind: &KeyKind, text: &str) -> String {
    let mut out = String::new();
    match kind {
        KeyKind::Text => quote_node(tree, tree.resolve(node), text, &mut out),
        KeyKind::Null => out.push_str("<nil>"),
        KeyKind::Bool | KeyKind::Int => out.push_str(text),
        KeyKind::Uint(value) => {
            let _ = write!(out, "{value:#x}");
        }
        KeyKind::Float(value) => out.push_str(&float_g(f64::from_bits(*value), false)),
    }
    out
}

/// What Go's `strconv.FormatFloat(value, 'g', -1, 64)` prints, or with 32 bits of precision if `single`.
pub fn float_g(value: f64, single: bool) -> String {
    let exponential = if single {
        format!("{:e}", value as f32)
    } else {
        format!("{value:e}")
    };
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let Some((digits, exponent)) = exponential.split_once('e') else {
        return if value < 0.0 {
            "-Inf".to_owned()
        } else {
            "+Inf".to_owned()
        };
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // In this mode, Go's shortest format uses a precision of 6.
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    } else if single {
        format!("{}", value as f32)
    } else {
        format!("{value}")
    }
}

/// `strconv.Quote` of a scalar's text. A `!!binary` scalar may contain bytes that are not characters.
fn quote_node(tree: &Tree, node: NodeId, text: &str, out: &mut String) {
    out.push('"');
    match binary(tree, node) {
        Some(bytes) => {
            for chunk in bytes.utf8_chunks() {
                quote(chunk.valid(), out);
                for byte in chunk.invalid() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
        }
        None => quote(text, out),
    }
    out.push('"');
}

fn quote(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0B' => out.push_str("\\v"),
            _ if is_print(char) => out.push(char),
            _ => {
                let code = u32::from(char);
                let _ = match code {
                    0..0x20 | 0x7F => write!(out, "\\x{code:02x}"),
                    0..0x1_0000 => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
}

/// `strconv.IsPrint`. Rust's standard library contains the same set, namely the characters that it does not escape (each is tested after another
/// character, so that combining marks are tested separately).
fn is_print(char: char) -> bool {
    if char.is_ascii() {
        return matches!(char, ' '..='~');
    }
    let mut text = String::from("a");
    text.push(char);
    let printed: Cow<'_, str> = text.escape_debug().collect();
    printed == text
}
