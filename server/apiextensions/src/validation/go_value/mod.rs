//! Formats internal types in the two ways that occur in Go's messages: as JSON with the names of Go's struct fields (`encoding/json`), or in Go
//! syntax (`%#v`), where a pointer inside a value is a memory address.

mod types;

use std::fmt::Write as _;

use crd_analyzer_schema::go;
use serde_json::Value;

/// The length at which a rendered value is truncated, in bytes. A rendered schema is a hundred times longer than the schema in the CRD.
const LIMIT: usize = 4096;

/// A placeholder for memory addresses, which differ in every run of an API server.
const ADDRESS: &str = "0xc000000000";

/// The syntax of a formatted value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Syntax {
    /// The format of `json.Marshal`.
    Json,
    /// The format of the verb `%#v`.
    Go,
}

/// Formats a value up to the limit.
pub(super) struct Writer {
    syntax: Syntax,
    out: String,
    /// Whether the next element of an array or object needs a comma before it.
    comma: bool,
}

impl Writer {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            out: String::new(),
            comma: false,
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.out.len() > LIMIT {
            self.out.truncate(self.out.floor_char_boundary(LIMIT));
            self.out.push('…');
        }
        self.out
    }

    fn full(&self) -> bool {
        self.out.len() > LIMIT
    }

    fn is_json(&self) -> bool {
        self.syntax == Syntax::Json
    }

    fn raw(&mut self, text: &str) {
        if !self.full() {
            self.out.push_str(text);
        }
        self.comma = true;
    }

    /// Opens a struct, list or map of a Go type.
    fn open(&mut self, go_type: &str, bracket: &str) {
        if self.is_json() {
            self.raw(bracket);
        } else {
            self.raw(go_type);
            self.raw("{");
        }
        self.comma = false;
    }

    fn close(&mut self, bracket: &str) {
        self.raw(if self.is_json() { bracket } else { "}" });
    }

    fn structure(&mut self, go_type: &str, fields: impl FnOnce(&mut Self)) {
        self.open(go_type, "{");
        fields(self);
        self.close("}");
    }

    fn element(&mut self) {
        if self.comma {
            self.raw(if self.is_json() { "," } else { ", " });
        }
    }

    /// Writes the name of a struct field.
    fn field(&mut self, name: &str) {
        self.element();
        if self.is_json() {
            self.string(name);
        } else {
            self.raw(name);
        }
        self.raw(":");
    }

    fn nil(&mut self, go_type: &str) {
        if self.is_json() {
            self.raw("null");
        } else {
            self.raw(go_type);
            self.raw("(nil)");
        }
    }

    fn list<T>(&mut self, go_type: &str, items: Option<&[T]>, mut item: impl FnMut(&mut Self, &T)) {
        let Some(items) = items else {
            return self.nil(go_type);
        };
        self.open(go_type, "[");
        for it in items {
            if self.full() {
                break;
            }
            self.element();
            item(self, it);
        }
        self.close("]");
    }

    fn map<T>(&mut self, go_type: &str, entries: Option<&[(String, T)]>, mut value: impl FnMut(&mut Self, &T)) {
        let Some(entries) = entries else {
            return self.nil(go_type);
        };
        self.open(go_type, "{");
        for (key, it) in entries {
            if self.full() {
                break;
            }
            self.element();
            self.string(key);
            self.raw(":");
            value(self, it);
        }
        self.close("}");
    }

    /// Writes a pointer to a Go type.
    fn pointer<T>(&mut self, go_type: &str, value: Option<T>, some: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) if self.is_json() => some(self, value),
            None if self.is_json() => self.raw("null"),
            value => {
                let address = if value.is_some() { ADDRESS } else { "nil" };
                self.raw(&format!("(*{go_type})({address})"));
            }
        }
    }

    /// Writes a string: quoted like Go, or with the escapes of `json.Marshal` (which are safe for HTML).
    pub(super) fn string(&mut self, value: &str) {
        if self.full() {
            return;
        }
        let value = &value[..value.floor_char_boundary(LIMIT)];
        self.comma = true;
        if !self.is_json() {
            self.out.push_str(&go::quote(value));
            return;
        }
        self.out.push('"');
        for c in value.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.out, "\\u{:04x}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    pub(super) fn strings(&mut self, value: Option<&[String]>) {
        self.list("[]string", value, |out, it| out.string(it));
    }

    /// Writes bytes: in base64 as JSON, or one by one in Go syntax.
    pub(super) fn bytes(&mut self, value: &[u8]) {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        if !self.is_json() {
            return self.list("[]byte", Some(value), |out, byte| out.raw(&format!("{byte:#x}")));
        }
        let mut text = String::new();
        for chunk in value.chunks(3).take(LIMIT) {
            let group = chunk.iter().fold(0, |group, &byte| group << 8 | usize::from(byte)) << (8 * (3 - chunk.len()));
            for i in 0..4 {
                let digit = ALPHABET[group >> (18 - 6 * i) & 63] as char;
                text.push(if i <= chunk.len() { digit } else { '=' });
            }
        }
        self.string(&text);
    }

    fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    fn int(&mut self, value: i64) {
        self.raw(&value.to_string());
    }

    fn float(&mut self, value: f64) {
        let text = if self.is_json() {
            go::json_float(value)
        } else {
            go::plain_float(value)
        };
        self.raw(&text);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.nil("interface {}"),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => self.int(int),
                None => self.float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list("[]interface {}", Some(items.as_slice()), Self::value),
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(key, _)| key.as_str());
                self.open("map[string]interface {}", "{");
                for (key, it) in members {
                    if self.full() {
                        break;
                    }
                    self.element();
                    self.string(key);
                    self.raw(":");
                    self.value(it);
                }
                self.close("}");
            }
        }
    }
}
