//! Converts values to keys of Go maps. The API server distinguishes keys by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{EvalError, Opaque, Result, Value};

/// A key of a map that an expression created. Two keys are equal if Go considers them equal in a map lookup.
///
/// Lists, maps and other values that the API server stores as pointers are only equal to themselves. A key of such a value is only valid while the
/// value exists.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`, by its bits
    Double(u64),
    /// `string`
    String(Arc<str>),
    /// A time: seconds, nanoseconds and zone.
    Time(i64, u32, i64),
    /// A value stored as a pointer, by its address.
    Pointer(usize),
    /// A key that is not equal to any other key, not even to another key of the same value.
    Unlike(u64),
    /// Any other value, by its type and string form.
    Other(String, String),
}

impl Key {
    /// Creates a key that is not equal to any other key.
    fn unlike_all() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Unlike(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The key of a value. For values that Go cannot hash, the error is the API server's crash.
    pub fn of(value: &Value) -> Result<Self> {
        let unhashable = |go_type: &str| {
            let message = format!("internal error: runtime error: hash of unhashable type {go_type}");
            Err(EvalError::fatal(message))
        };
        Ok(match value {
            Value::Bool(b) => Self::Bool(*b),
            Value::Int(i) => Self::Int(*i),
            Value::Uint(u) => Self::Uint(*u),
            Value::Double(d) if d.is_nan() => Self::unlike_all(),
            Value::Double(d) => Self::Double(if *d == 0.0 { 0 } else { d.to_bits() }),
            Value::String(s) => Self::String(s.clone()),
            Value::Timestamp(time) => Self::Time(time.seconds, time.nanos, time.go_zone()),
            Value::List(list) => Self::Pointer(list.address()),
            Value::Map(map) => Self::Pointer(map.address()),
            Value::Optional(Some(of)) => Self::Pointer(Arc::as_ptr(of) as usize),
            Value::Raw(raw) => Self::Pointer(Arc::as_ptr(raw).cast::<()>() as usize),
            Value::Opaque(Opaque::Quantity(quantity)) => Self::Pointer(Arc::as_ptr(quantity) as usize),
            Value::Opaque(Opaque::Url(url)) => Self::Pointer(Arc::as_ptr(url) as usize),
            Value::Opaque(Opaque::FormatPointer(format)) => Self::Pointer(std::ptr::from_ref(*format) as usize),
            Value::Opaque(Opaque::Entry(entry)) => Self::Pointer(Arc::as_ptr(entry) as usize),
            Value::Opaque(Opaque::Empty) => Self::unlike_all(),
            Value::Bytes(_) | Value::Opaque(Opaque::Semver(_) | Opaque::Format(_)) => {
                return unhashable(value.go_type());
            }
            Value::Null
            | Value::Duration(_)
            | Value::Optional(None)
            | Value::Type(_)
            | Value::Opaque(Opaque::Ip(_) | Opaque::Cidr(_)) => Self::Other(value.type_name(), value.to_string()),
        })
    }
}
