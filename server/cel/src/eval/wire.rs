//! Decodes the message in a `google.protobuf.Any` from protobuf's binary format (`anypb.Any.UnmarshalNew`). Of the message types
//! linked into an API server, it supports those that an expression can name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::message::quoted;
use crate::stack;
use crate::value::{Map, Value};

/// The maximum nesting depth of messages.
const MAX_DEPTH: u32 = 10_000;

/// The maximum number of nested `google.protobuf.Any`. Each one is copied, as in the API server.
const MAX_NESTED_ANY: usize = 100;

/// The type of a message field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Float,
    Double,
    String,
    Bytes,
    /// `google.protobuf.NullValue`, which has a single value.
    Null,
    /// `google.protobuf.ListValue`
    List,
    /// `google.protobuf.Struct`
    Struct,
    /// A repeated `google.protobuf.Value`.
    Values,
    /// A repeated entry, with a name and a `google.protobuf.Value`.
    Entries,
}

type Field = (u64, &'static str, Kind);

const VALUE: &[Field] = &[
    (1, "null_value", Kind::Null),
    (2, "number_value", Kind::Double),
    (3, "string_value", Kind::String),
    (4, "bool_value", Kind::Bool),
    (5, "struct_value", Kind::Struct),
    (6, "list_value", Kind::List),
];
const LIST: &[Field] = &[(1, "values", Kind::Values)];
const STRUCT: &[Field] = &[(1, "fields", Kind::Entries)];
const ANY: &[Field] = &[(1, "type_url", Kind::String), (2, "value", Kind::Bytes)];
const TIME: &[Field] = &[(1, "seconds", Kind::Int64), (2, "nanos", Kind::Int32)];

/// The fields of a message.
fn fields_of(type_name: &str) -> Option<&'static [Field]> {
    Some(match type_name.strip_prefix("google.protobuf.")? {
        "BoolValue" => &[(1, "value", Kind::Bool)],
        "BytesValue" => &[(1, "value", Kind::Bytes)],
        "StringValue" => &[(1, "value", Kind::String)],
        "DoubleValue" => &[(1, "value", Kind::Double)],
        "FloatValue" => &[(1, "value", Kind::Float)],
        "Int64Value" => &[(1, "value", Kind::Int64)],
        "Int32Value" => &[(1, "value", Kind::Int32)],
        "UInt64Value" => &[(1, "value", Kind::Uint64)],
        "UInt32Value" => &[(1, "value", Kind::Uint32)],
        "Duration" | "Timestamp" => TIME,
        "ListValue" => LIST,
        "Struct" => STRUCT,
        "Value" => VALUE,
        "Any" => ANY,
        "Empty" => &[],
        _ => return None,
    })
}

/// Fields with their values, sorted by when they were last set.
pub(super) type Fields = Vec<(Arc<str>, Value)>;

/// A `google.protobuf.Any`.
#[derive(Clone, Default)]
pub(super) struct Any {
    /// The type URL. The name of the message follows the last slash.
    pub(super) type_url: Option<Arc<str>>,
    /// The encoded message.
    pub(super) value: Option<Arc<[u8]>>,
}

impl Any {
    /// The name and fields of the message; `None` if the type of the message is unknown or the message cannot be decoded.
    pub(super) fn message(&self) -> Option<(&str, Fields)> {
        let name = self.type_url.as_ref()?.rsplit('/').next()?;
        let fields = read(self.value.as_deref().unwrap_or_default(), fields_of(name)?, 0)?;
        Some((name, fields))
    }

    /// The nested `google.protobuf.Any`, if the message is itself an `Any`.
    fn inner(&self) -> Option<Self> {
        let (name, fields) = self.message()?;
        if name != "google.protobuf.Any" {
            return None;
        }
        let mut inner = Self::default();
        for (_, value) in fields {
            match value {
                Value::String(url) => inner.type_url = Some(url),
                Value::Bytes(bytes) => inner.value = Some(bytes),
                _ => {}
            }
        }
        Some(inner)
    }

    /// The innermost `google.protobuf.Any`, and the type URLs of the others around it.
    pub(super) fn innermost(self) -> (Vec<Arc<str>>, Self) {
        let mut around = Vec::new();
        let mut at = self;
        while around.len() < MAX_NESTED_ANY
            && let Some(inner) = at.inner()
        {
            around.extend(at.type_url);
            at = inner;
        }
        (around, at)
    }
}

impl fmt::Display for Any {
    /// Prints the message. The value is omitted if it is another `google.protobuf.Any`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.type_url.as_deref().filter(|it| !it.is_empty());
        let value = self.value.as_deref().filter(|it| !it.is_empty());
        if let Some(url) = url {
            write!(f, "type_url:{}", quoted(url.as_bytes()))?;
        }
        if url.is_some() && value.is_some() {
            f.write_str(" ")?;
        }
        match value {
            Some(value) => write!(f, "value:{}", quoted(value)),
            None => Ok(()),
        }
    }
}

/// The encoded value after the number of a field.
#[derive(Clone, Copy)]
enum Written<'b> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'b [u8]),
    /// A group. Groups are obsolete, and none of the supported messages has one.
    Group,
}

/// The remaining bytes of a message.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for at in 0..10 {
            let byte = self.take(1)?[0];
            if at == 9 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn tag(&mut self) -> Option<(u64, u64)> {
        let tag = self.varint()?;
        let number = tag >> 3;
        (1..1 << 29).contains(&number).then_some((number, tag & 7))
    }

    /// Reads the next field.
    fn field(&mut self) -> Option<(u64, Written<'b>)> {
        let (number, wire) = self.tag()?;
        let written = match wire {
            3 => {
                self.skip_group(number)?;
                Written::Group
            }
            _ => self.scalar(wire)?,
        };
        Some((number, written))
    }

    fn scalar(&mut self, wire: u64) -> Option<Written<'b>> {
        Some(match wire {
            0 => Written::Varint(self.varint()?),
            1 => Written::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Written::Bytes(self.take(length)?)
            }
            5 => Written::Fixed32(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        })
    }

    fn skip_group(&mut self, number: u64) -> Option<()> {
        let mut open = vec![number];
        while let Some(innermost) = open.last() {
            match self.tag()? {
                (number, 3) if open.len() < MAX_DEPTH as usize => open.push(number),
                (number, 4) if number == *innermost => {
                    open.pop();
                }
                (_, wire) => {
                    self.scalar(wire)?;
                }
            }
        }
        Some(())
    }
}

fn text(bytes: &[u8]) -> Option<Arc<str>> {
    std::str::from_utf8(bytes).ok().map(Into::into)
}

/// Reads the fields of a message. The field that was set last comes last. Repeated fields accumulate; for others, the last value applies.
fn read(bytes: &[u8], fields: &[Field], depth: u32) -> Option<Fields> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut reader = Reader(bytes);
    let mut found: Fields = Vec::new();
    let mut values = Vec::new();
    let mut entries = BTreeMap::new();
    while !reader.0.is_empty() {
        let (number, written) = reader.field()?;
        let Some((_, name, kind)) = fields.iter().find(|field| field.0 == number) else {
            continue;
        };
        let value = match (kind, written) {
            (Kind::Bool, Written::Varint(it)) => Value::Bool(it != 0),
            (Kind::Int32, Written::Varint(it)) => Value::Int((it as i32).into()),
            (Kind::Int64, Written::Varint(it)) => Value::Int(it as i64),
            (Kind::Uint32, Written::Varint(it)) => Value::Uint((it as u32).into()),
            (Kind::Uint64, Written::Varint(it)) => Value::Uint(it),
            (Kind::Null, Written::Varint(_)) => Value::Int(0),
            (Kind::Double, Written::Fixed64(it)) => Value::Double(f64::from_bits(it)),
            (Kind::Float, Written::Fixed32(it)) => Value::Double(f32::from_bits(it).into()),
            (Kind::String, Written::Bytes(it)) => Value::String(text(it)?),
            (Kind::Bytes, Written::Bytes(it)) => Value::bytes(it),
            (Kind::List | Kind::Struct, Written::Bytes(it)) => {
                let fields = if *kind == Kind::List { LIST } else { STRUCT };
                // A `ListValue` or a `Struct` has exactly one field, and `read` always returns that field.
                stack::grow(|| read(it, fields, depth + 1))?.pop()?.1
            }
            (Kind::Values, Written::Bytes(it)) => {
                values.push(json(it, depth + 1)?);
                continue;
            }
            (Kind::Entries, Written::Bytes(it)) => {
                let (key, value) = entry(it, depth + 1)?;
                entries.insert(key, value);
                continue;
            }
            // A field with a different wire type is not a field of this message.
            _ => continue,
        };
        found.retain(|(other, _)| **other != **name);
        found.push(((*name).into(), value));
    }
    match fields {
        [(_, name, Kind::Values)] => found.push(((*name).into(), Value::list(values))),
        [(_, name, Kind::Entries)] => found.push(((*name).into(), Value::Map(Map::of_names(entries)))),
        _ => {}
    }
    Some(found)
}

/// Decodes a `google.protobuf.Value`: the field that was set last.
fn json(bytes: &[u8], depth: u32) -> Option<Value> {
    let last = stack::grow(|| read(bytes, VALUE, depth))?.pop();
    Some(match last {
        None => Value::Null,
        Some((name, _)) if &*name == "null_value" => Value::Null,
        Some((_, value)) => value,
    })
}

/// Decodes an entry of a `google.protobuf.Struct`.
fn entry(bytes: &[u8], depth: u32) -> Option<(Arc<str>, Value)> {
    let mut reader = Reader(bytes);
    let (mut key, mut value) = (Arc::from(""), Value::Null);
    while !reader.0.is_empty() {
        match reader.field()? {
            (1, Written::Bytes(it)) => key = text(it)?,
            (2, Written::Bytes(it)) => value = json(it, depth)?,
            _ => {}
        }
    }
    Some((key, value))
}
