//! The run-time values of CEL (`cel-go` `common/types`).
//!
//! Objects and lists from outside the expression are read lazily: the crate that owns them implements [`ListValue`] and [`MapValue`].

mod compare;
mod error;
mod format;
mod key;
mod list;
mod map;
mod number;
mod opaque;
mod show;
mod time;

use std::fmt;
use std::sync::Arc;

use crate::KubernetesVersion;

pub use compare::{compare, equal, equal_to};
pub use error::{ErrorKind, EvalError};
pub(crate) use format::base64;
pub use key::Key;
pub use list::{List, ListValue, Origin};
pub(crate) use map::ENTRY_BYTES;
pub use map::{Map, MapValue};
pub use number::{double_to_int, double_to_uint};
pub(crate) use number::{exact_int, exact_uint};
pub(crate) use opaque::network;
pub use opaque::{Format, Opaque, Quantity, Semver};
pub use show::shown;
pub use time::{Duration, Timestamp};

use crate::types::{OPTIONAL, Type};

/// A value or an evaluation error.
pub type Result<T = Value> = std::result::Result<T, EvalError>;

/// A value. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(Arc<str>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// `google.protobuf.Duration`
    Duration(Duration),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `list`
    List(List),
    /// `map`, and objects, which are maps at run time
    Map(Map),
    /// `optional_type`
    Optional(Option<Arc<Value>>),
    /// A type as a value.
    Type(Type),
    /// A value of a library's own type.
    Opaque(Opaque),
    /// A value without a CEL type. It can only be compared.
    Raw(Arc<dyn RawValue>),
}

/// A value whose schema does not specify a type (`x-kubernetes-preserve-unknown-fields` without `type`).
pub trait RawValue: fmt::Debug + Send + Sync {
    /// Whether the value equals another value.
    fn equal(&self, other: &Value) -> bool;

    /// The value as JSON.
    fn to_json(&self) -> String;

    /// The value as `Any`, for callers that know its concrete type.
    fn as_any(&self) -> &dyn std::any::Any;
}

#[derive(Debug)]
struct Failure(EvalError);

impl RawValue for Failure {
    fn equal(&self, _: &Value) -> bool {
        false
    }

    fn to_json(&self) -> String {
        "null".to_owned()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// Bytes.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// A list of values.
    pub fn list(values: Vec<Self>) -> Self {
        Self::List(List::new(values))
    }

    /// An optional with a value.
    pub fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// An error inside an optional or a container. It is treated as a value until an expression reads it.
    pub fn failure(error: EvalError) -> Self {
        Self::Raw(Arc::new(Failure(error)))
    }

    /// The value, or the error inside the value ([`Self::failure`]).
    pub fn or_failure(self) -> Result {
        match &self {
            Self::Raw(raw) => match raw.as_any().downcast_ref::<Failure>() {
                Some(failure) => Err(failure.0.clone()),
                None => Ok(self),
            },
            _ => Ok(self),
        }
    }

    /// The optional without a value.
    pub const NONE: Self = Self::Optional(None);

    /// The type of the value. Elements have the type `dyn`.
    pub fn type_of(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::String(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Duration(_) => Type::Duration,
            Self::Timestamp(_) => Type::Timestamp,
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Optional(_) => Type::opaque(OPTIONAL, vec![Type::Dyn]),
            Self::Type(_) => Type::Type(None),
            Self::Opaque(opaque) => opaque.type_of(),
            Self::Raw(raw) if raw.as_any().is::<Failure>() => Type::Error,
            Self::Raw(_) => Type::Struct("unknown".into()),
        }
    }

    /// Whether the type of the value has an order (`<`).
    pub fn is_comparable(&self) -> bool {
        matches!(
            self,
            Self::Bool(_)
                | Self::Int(_)
                | Self::Uint(_)
                | Self::Double(_)
                | Self::String(_)
                | Self::Bytes(_)
                | Self::Duration(_)
                | Self::Timestamp(_)
        )
    }

    /// The name of the type.
    pub fn type_name(&self) -> String {
        self.type_of().type_name().into_owned()
    }

    /// The type in the API server's detailed form, with the parameters of lists and maps (since 1.37 also of optionals).
    pub(crate) fn printed_type(&self, version: KubernetesVersion) -> String {
        match self {
            Self::List(_) => "list(dyn)".to_owned(),
            Self::Map(_) => "map(dyn, dyn)".to_owned(),
            Self::Optional(_) if version.number() >= 37 => "optional_type(dyn)".to_owned(),
            _ => self.type_name(),
        }
    }

    /// The name of the value's Go type in the API server, for messages about crashes.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "types.Null",
            Self::Bool(_) => "types.Bool",
            Self::Int(_) => "types.Int",
            Self::Uint(_) => "types.Uint",
            Self::Double(_) => "types.Double",
            Self::String(_) => "types.String",
            Self::Bytes(_) => "types.Bytes",
            Self::Duration(_) => "types.Duration",
            Self::Timestamp(_) => "types.Timestamp",
            Self::Type(_) => "*types.Type",
            Self::List(list) => list.go_type(),
            Self::Map(map) => map.go_type(),
            Self::Optional(_) => "*types.Optional",
            Self::Opaque(opaque) => opaque.go_type(),
            Self::Raw(_) => "*common.unknownPreserved",
        }
    }

    /// The size of a string (in characters), of bytes, or of a list or map; otherwise `None`.
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            Self::String(s) => s.chars().count(),
            Self::Bytes(b) => b.len(),
            Self::List(l) => l.len(),
            Self::Map(m) => m.len(),
            Self::Opaque(o) => return o.size(),
            _ => return None,
        })
    }

    /// The size of a string or bytes value in bytes; 0 for other types.
    pub(crate) fn text_bytes(&self) -> u64 {
        match self {
            Self::String(s) => s.len() as u64,
            Self::Bytes(b) => b.len() as u64,
            _ => 0,
        }
    }

    /// Whether the value is the value of an unset field: false, 0 or empty.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(b) => !b,
            Self::Int(i) => *i == 0,
            Self::Uint(u) => *u == 0,
            Self::Double(d) => *d == 0.0,
            Self::String(s) => s.is_empty(),
            Self::Bytes(b) => b.is_empty(),
            Self::Duration(d) => d.0 == 0,
            Self::Timestamp(t) => t.is_zero(),
            Self::List(l) => l.is_zero(),
            Self::Map(m) => m.is_zero(),
            Self::Opaque(opaque) => matches!(opaque, Opaque::Empty),
            Self::Optional(_) | Self::Type(_) | Self::Raw(_) => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<crate::ast::Literal> for Value {
    fn from(literal: crate::ast::Literal) -> Self {
        use crate::ast::Literal;
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(b) => Self::Bool(b),
            Literal::Int(i) => Self::Int(i),
            Literal::Uint(u) => Self::Uint(u),
            Literal::Double(d) => Self::Double(d),
            Literal::String(s) => Self::String(s),
            Literal::Bytes(b) => Self::Bytes(b),
        }
    }
}
