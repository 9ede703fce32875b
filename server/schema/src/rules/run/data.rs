//! Values in the API server's representation: decoded JSON, and values that expressions create.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::value::{List, Map, Value as Cel};
use serde_json::Value;

use crate::unknown::{self, Known};

/// The approximate size of an expression's value in memory with its entry in a list or map, in bytes.
const BYTES_A_VALUE: u64 = 64;

/// Decoded JSON (`interface{}` of Go) that is cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(Arc<str>),
    List(Arc<[Data]>),
    Map(Arc<Entries>),
    /// A value that JSON cannot represent, created by an expression.
    Native(Cel),
    /// An error instead of a value.
    Error,
    /// An unknown value, or any number of unknown items.
    Unknown {
        is_many: bool,
    },
}

/// The entries of a map.
#[derive(Debug)]
pub(super) struct Entries {
    shown: BTreeMap<Arc<str>, Data>,
    /// Whether the map may contain more entries.
    pub(super) has_more: bool,
}

impl Deref for Entries {
    type Target = BTreeMap<Arc<str>, Data>;

    fn deref(&self) -> &Self::Target {
        &self.shown
    }
}

impl Data {
    /// A value that is fully known.
    pub(super) fn of_known(value: &Value) -> Self {
        Self::new(value, Known::ALL)
    }

    pub(super) fn new(value: &Value, known: Known<'_>) -> Self {
        if known.is_nothing() {
            return Self::Unknown {
                is_many: known.is_items(),
            };
        }
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Self::String(text.as_str().into()),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                Self::List(items.map(|(n, item)| Self::new(item, known.item(n))).collect())
            }
            Value::Object(map) => {
                let entries = map.iter();
                let entries = entries.map(|(key, value)| (key.as_str().into(), Self::new(value, known.field(key))));
                Self::Map(Arc::new(Entries {
                    shown: entries.collect(),
                    has_more: known.has_more(),
                }))
            }
        }
    }

    pub(super) fn as_json(&self) -> Value {
        match self {
            Self::Null | Self::Native(_) | Self::Error | Self::Unknown { .. } => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(int) => Value::from(*int),
            Self::Float(float) => Value::from(*float),
            Self::String(text) => Value::from(&**text),
            Self::List(items) => items.iter().map(Self::as_json).collect(),
            Self::Map(map) => Value::Object(map.iter().map(|(key, it)| (key.to_string(), it.as_json())).collect()),
        }
    }

    /// The CEL value without a schema (`types.NativeToValue`).
    pub(super) fn as_plain_value(&self) -> Cel {
        // An expression may convert the same data many times.
        if budget::bytes(BYTES_A_VALUE).is_err() {
            return Cel::Null;
        }
        match self {
            Self::Unknown { .. } => {
                unknown::touch();
                Cel::Null
            }
            Self::Null | Self::Error => Cel::Null,
            Self::Bool(flag) => Cel::Bool(*flag),
            Self::Int(int) => Cel::Int(*int),
            Self::Float(float) => Cel::Double(*float),
            Self::String(text) => Cel::String(Arc::clone(text)),
            Self::List(items) => {
                let values = items.iter().map(Self::as_plain_value).collect();
                Cel::List(List::plain(values, Arc::new(self.clone())))
            }
            Self::Map(map) => {
                if map.has_more {
                    unknown::touch();
                }
                let entries = map.iter().map(|(key, it)| (Arc::clone(key), it.as_plain_value()));
                Cel::Map(Map::plain(entries, Arc::new(self.clone())))
            }
            Self::Native(value) => value.clone(),
        }
    }

    /// Whether the whole value is known.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::Unknown { .. } => false,
            Self::List(items) => items.iter().all(Self::is_known),
            Self::Map(map) => !map.has_more && map.values().all(Self::is_known),
            _ => true,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(super) fn as_map(&self) -> Option<&Entries> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The name of the Go type (`%T`).
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Float(_) => "float64",
            Self::String(_) => "string",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
            Self::Error | Self::Unknown { .. } => "*errors.errorString",
            Self::Native(value) => match value {
                Cel::Null => "structpb.NullValue",
                Cel::Uint(_) => "uint64",
                Cel::Bytes(_) => "[]uint8",
                Cel::Duration(_) => "time.Duration",
                Cel::Timestamp(_) => "time.Time",
                Cel::List(_) => "[]ref.Val",
                Cel::Map(_) => "map[ref.Val]ref.Val",
                _ => "interface {}",
            },
        }
    }
}

impl PartialEq for Data {
    /// `reflect.DeepEqual`: an integer never equals a float.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                if a.has_more || b.has_more {
                    unknown::touch();
                }
                a.shown == b.shown
            }
            (Self::Native(a), Self::Native(b)) => {
                a.type_of() == b.type_of() && matches!(crd_analyzer_cel::value::equal(a, b), Ok(true))
            }
            (Self::Unknown { .. }, _) | (_, Self::Unknown { .. }) => {
                unknown::touch();
                false
            }
            _ => false,
        }
    }
}
