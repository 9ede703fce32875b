//! List elements as keys of Go maps, which identify the elements of sets and maps.

use std::sync::atomic::{AtomicU64, Ordering};

use crd_analyzer_cel::value::{EvalError, Result, Value};

use super::data::Data;
use super::list::not_scalar;
use super::value::raw;
use crate::KubernetesVersion;
use crate::field::render;

/// The first Kubernetes version that quotes keys of more than three parts.
const QUOTES_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Float(u64),
    String(String),
    Other(String),
    Parts(Vec<Key>),
    Unlike(u64),
}

impl Key {
    /// Returns a key that differs from all other keys: for pointers, and for times whose zone is not shared.
    pub(super) fn unlike_all() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Unlike(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The key for data. The result is an error for values that Go cannot hash.
pub(super) fn element_key(data: &Data) -> Result<Key> {
    let unhashable = || {
        let message = format!(
            "internal error: runtime error: hash of unhashable type {}",
            data.go_type()
        );
        Err(EvalError::fatal(message))
    };
    Ok(match data {
        Data::Null => Key::Null,
        Data::Bool(flag) => Key::Bool(*flag),
        Data::Int(int) => Key::Int(*int),
        Data::Float(float) => Key::Float(if *float == 0.0 { 0 } else { float.to_bits() }),
        Data::String(text) => Key::String(text.to_string()),
        Data::List(_) | Data::Map(_) | Data::Native(Value::Bytes(_) | Value::List(_) | Value::Map(_)) => {
            return unhashable();
        }
        Data::Error => Key::unlike_all(),
        Data::Unknown { .. } => {
            crate::unknown::touch();
            Key::unlike_all()
        }
        Data::Native(value) => native(value),
    })
}

fn native(value: &Value) -> Key {
    match value {
        // Go shares one zone object for each of the common whole hours, and creates a new one for every other time.
        Value::Timestamp(time) if time.offset % 3600 != 0 || !(-12..=14).contains(&(time.offset / 3600)) => {
            Key::unlike_all()
        }
        Value::Optional(_) | Value::Opaque(_) | Value::Raw(_) => Key::unlike_all(),
        value => Key::Other(format!("{}:{value}", value.type_name())),
    }
}

/// The key of a value in a set (`setElementKey`).
pub(super) fn value_key(element: Result) -> Result<Key> {
    let Ok(element) = element else {
        return Ok(Key::unlike_all());
    };
    match element {
        Value::List(_) | Value::Map(_) => Err(not_scalar()),
        Value::Bytes(_) => Ok(Key::Other(format!("bytes:{element}"))),
        element => element_key(&raw(&element)),
    }
}

/// The key of data in a list of type `map` (`toMapKey`).
pub(super) fn map_key(data: &Data, keys: &[String], version: KubernetesVersion) -> Result<Key> {
    let Some(map) = data.as_map() else {
        return Ok(Key::unlike_all());
    };
    let parts = keys.iter().map(|key| map.get(key.as_str()).unwrap_or(&Data::Null));
    if keys.len() > 3 {
        let text = parts.map(|part| {
            let part = part.as_json();
            match part {
                serde_json::Value::Null if version < QUOTES_SINCE => "<nil>".to_owned(),
                serde_json::Value::String(text) if version < QUOTES_SINCE => text,
                part => render::go_literal(&part),
            }
        });
        return Ok(Key::Other(text.collect::<Vec<_>>().join(" ")));
    }
    let parts: Result<Vec<_>> = parts.map(element_key).collect();
    Ok(Key::Parts(parts?))
}

/// The key of a value in a list of type `map` (`refValMapKey`).
pub(super) fn value_map_key(element: Result, keys: &[String]) -> Key {
    let Ok(Value::Map(map)) = element else {
        return Key::Parts(keys.iter().map(|_| Key::Null).collect());
    };
    let part = |key: &String| match map.find(&Value::from(key.as_str())) {
        Ok(Some(Value::Null)) => Key::Other("null".to_owned()),
        Ok(Some(value)) => {
            let data = raw(&value);
            element_key(&data).unwrap_or_else(|_| Key::Other(format!("{}:{value}", data.go_type())))
        }
        Ok(None) | Err(_) => Key::Null,
    };
    Key::Parts(keys.iter().map(part).collect())
}
