//! Writes JSON like Go's `encoding/json`, without blanks and with HTML characters escaped. This is the output of `YAMLToJSON`.

use super::value::{ScalarValue, binary, scalar_value};
use super::{Json, JsonDoc, JsonValue, Member};
use crate::tree::{NodeId, Tree};

/// The part of a collection that has not been written yet.
enum Rest<'d, 't> {
    Items(std::slice::Iter<'d, Json<'t>>, bool),
    Members(std::slice::Iter<'d, Member<'t>>, bool),
}

impl JsonDoc<'_> {
    /// The JSON text, byte for byte as `YAMLToJSON` returns it. `tree` must be the tree from which this value was converted.
    pub fn write(&self, tree: &Tree) -> String {
        let mut out = String::with_capacity(tree.document_span().range().len());
        match self.root() {
            Some(root) => write(tree, root, &mut out),
            None => out.push_str("null"),
        }
        out
    }

    /// The length in bytes of the text that [`write`](Self::write) returns; `None` as soon as it exceeds `most`.
    pub fn written_len(&self, tree: &Tree, most: usize) -> Option<usize> {
        let mut out = Length { bytes: 0, most };
        match self.root() {
            Some(root) => write(tree, root, &mut out),
            None => out.push_str("null"),
        }
        (!out.is_full()).then_some(out.bytes)
    }
}

/// The target of the text, which either stores it or only measures it.
trait Sink {
    fn push_str(&mut self, text: &str);

    /// Adds a text and escapes it where necessary.
    fn push_escaped(&mut self, text: &str);

    /// Whether the target needs no more text.
    fn is_full(&self) -> bool {
        false
    }
}

impl Sink for String {
    fn push_str(&mut self, text: &str) {
        self.push_str(text);
    }

    fn push_escaped(&mut self, text: &str) {
        write_escaped(text, self);
    }
}

/// Counts bytes up to a limit.
struct Length {
    bytes: usize,
    most: usize,
}

impl Sink for Length {
    fn push_str(&mut self, text: &str) {
        self.bytes += text.len();
    }

    fn push_escaped(&mut self, text: &str) {
        // This loop is for short strings, because most strings in a CRD are names and types.
        let (mut more, mut is_separator_possible) = (0, false);
        for &byte in text.as_bytes() {
            more += usize::from(MORE[usize::from(byte)]);
            is_separator_possible |= byte == 0xE2;
        }
        if is_separator_possible {
            write_escaped(text, self);
        } else {
            self.bytes += text.len() + more;
        }
    }

    fn is_full(&self) -> bool {
        self.bytes > self.most
    }
}

/// For each byte, the number of bytes by which its escape is longer than the byte itself.
const MORE: [u8; 256] = {
    let mut more = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        more[byte] = match byte as u8 {
            b'"' | b'\\' | 0x08 | 0x0C | b'\n' | b'\r' | b'\t' => 1,
            0..0x20 | b'<' | b'>' | b'&' => 5,
            _ => 0,
        };
        byte += 1;
    }
    more
};

fn write(tree: &Tree, root: &Json<'_>, out: &mut impl Sink) {
    let mut open = Vec::new();
    open.extend(begin(tree, root, out));
    while let Some(rest) = open.last_mut() {
        if out.is_full() {
            return;
        }
        let next = match rest {
            Rest::Items(items, first) => {
                let Some(item) = items.next() else {
                    out.push_str("]");
                    open.pop();
                    continue;
                };
                separate(first, out);
                item
            }
            Rest::Members(members, first) => {
                let Some(member) = members.next() else {
                    out.push_str("}");
                    open.pop();
                    continue;
                };
                separate(first, out);
                write_scalar(tree, member.key_node, &member.key, out);
                out.push_str(":");
                &member.value
            }
        };
        open.extend(begin(tree, next, out));
    }
}

fn separate(first: &mut bool, out: &mut impl Sink) {
    if !std::mem::take(first) {
        out.push_str(",");
    }
}

/// Writes a value or, for a collection, only its start.
fn begin<'d, 't>(tree: &Tree, json: &'d Json<'t>, out: &mut impl Sink) -> Option<Rest<'d, 't>> {
    match &json.value {
        JsonValue::Null => out.push_str("null"),
        JsonValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => write_number(tree, json, out),
        JsonValue::String(text) => write_scalar(tree, json.node, text, out),
        JsonValue::Array(items) => {
            out.push_str("[");
            return Some(Rest::Items(items.iter(), true));
        }
        JsonValue::Object(members) => {
            out.push_str("{");
            return Some(Rest::Members(members.iter(), true));
        }
    }
    None
}

/// Writes a number from its source, because the decoded value has lost the sign of zero.
fn write_number(tree: &Tree, json: &Json<'_>, out: &mut impl Sink) {
    match scalar_value(tree, json.node) {
        Ok(ScalarValue::Int(value)) => out.push_str(&value.to_string()),
        Ok(ScalarValue::Uint(value)) => out.push_str(&value.to_string()),
        Ok(ScalarValue::Float(value)) => out.push_str(&float(value)),
        _ => {}
    }
}

/// A float as Go's encoder writes it.
fn float(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Writes a string. Bytes of a `!!binary` that are not UTF-8 are escaped, but a literal U+FFFD is not.
fn write_scalar(tree: &Tree, node: NodeId, text: &str, out: &mut impl Sink) {
    out.push_str("\"");
    let node = tree.resolve(node);
    match binary(tree, node) {
        Some(bytes) => {
            for chunk in bytes.utf8_chunks() {
                write_escaped(chunk.valid(), out);
                chunk.invalid().iter().for_each(|_| out.push_str("\\ufffd"));
            }
        }
        None => out.push_escaped(text),
    }
    out.push_str("\"");
}

fn write_escaped(text: &str, out: &mut impl Sink) {
    let (mut start, mut from) = (0, 0);
    while let Some(at) = next_suspect(text.as_bytes(), from) {
        let char = text[at..].chars().next().unwrap_or_default();
        from = at + char.len_utf8();
        let escape = match char {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\x08' => "\\b",
            '\x0C' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..='\x1F' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&text[start..at]);
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
                start = from;
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[start..at]);
        out.push_str(escape);
        start = from;
    }
    out.push_str(&text[start..]);
}

/// The next byte at which a character to escape may start. Texts rarely contain such a byte, so this checks many bytes at once.
fn next_suspect(bytes: &[u8], from: usize) -> Option<usize> {
    const STRIDE: usize = 32;
    let is_suspect = |it: u8| it < b' ' || matches!(it, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xE2);
    let mut at = from;
    for stride in bytes[from..].chunks(STRIDE) {
        if stride.iter().fold(false, |any, &it| any | is_suspect(it)) {
            return stride.iter().position(|&it| is_suspect(it)).map(|it| at + it);
        }
        at += stride.len();
    }
    None
}
