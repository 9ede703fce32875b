//! Values without fields: strings, booleans, numbers, bytes, times, and any JSON.

use crd_analyzer_schema::{
    depth,
    go::{
        self,
        base64::{self, Alphabet},
    },
};
use crd_analyzer_syntax::json::{Json, JsonValue};
use serde_json::{Map, Number, Value};

use super::state::{Cause, DecodeFailure, Decoder, Stop};
use crate::types::Time;

impl<'j> Decoder<'j> {
    /// Decodes a Go string; null leaves the string unchanged.
    pub(super) fn string(&mut self, json: &Json<'_>, out: &mut String) {
        self.named_string(json, out, "string");
    }

    /// Decodes a named Go string type.
    pub(super) fn named_string(&mut self, json: &Json<'_>, out: &mut String, full_name: &'static str) {
        match &json.value {
            JsonValue::String(text) => text.as_ref().clone_into(out),
            JsonValue::Null => {}
            _ => self.wrong_type(json, full_name),
        }
    }

    /// Decodes a pointer to a Go string; null becomes nil.
    pub(super) fn optional_string(&mut self, json: &Json<'_>, out: &mut Option<String>, full_name: &'static str) {
        *out = (!matches!(json.value, JsonValue::Null)).then(|| {
            let mut text = String::new();
            self.named_string(json, &mut text, full_name);
            text
        });
    }

    /// Decodes a Go boolean; null leaves the boolean unchanged.
    pub(super) fn boolean(&mut self, json: &Json<'_>, out: &mut bool) {
        match json.value {
            JsonValue::Bool(value) => *out = value,
            JsonValue::Null => {}
            _ => self.wrong_type(json, "bool"),
        }
    }

    /// Decodes a pointer to a Go boolean; null becomes nil.
    pub(super) fn optional_boolean(&mut self, json: &Json<'_>, out: &mut Option<bool>) {
        *out = (!matches!(json.value, JsonValue::Null)).then(|| {
            let mut value = false;
            self.boolean(json, &mut value);
            value
        });
    }

    /// Decodes a signed Go integer type; null leaves the integer unchanged.
    pub(super) fn integer<T: TryFrom<i64>>(&mut self, json: &Json<'_>, out: &mut T, full_name: &'static str) {
        let digits = match json.value {
            JsonValue::Int(value) => match T::try_from(value) {
                Ok(value) => {
                    *out = value;
                    return;
                }
                Err(_) => value.to_string(),
            },
            JsonValue::Uint(value) => value.to_string(),
            JsonValue::Float(value) => go::json_float(value),
            JsonValue::Null => return,
            _ => return self.wrong_type(json, full_name),
        };
        self.wrong_value(json, format!("number {digits}"), full_name);
    }

    /// Decodes a pointer to a signed Go integer type; null becomes nil.
    pub(super) fn optional_integer<T: TryFrom<i64> + Default>(
        &mut self,
        json: &Json<'_>,
        out: &mut Option<T>,
        full_name: &'static str,
    ) {
        *out = (!matches!(json.value, JsonValue::Null)).then(|| {
            let mut value = T::default();
            self.integer(json, &mut value, full_name);
            value
        });
    }

    /// Decodes a pointer to a Go `float64`; null becomes nil.
    pub(super) fn optional_float(&mut self, json: &Json<'_>, out: &mut Option<f64>) {
        *out = match json.value {
            JsonValue::Int(value) => Some(value as f64),
            JsonValue::Uint(value) => Some(value as f64),
            JsonValue::Float(value) => Some(value),
            JsonValue::Null => None,
            _ => {
                self.wrong_type(json, "float64");
                None
            }
        };
    }

    /// Decodes a slice of strings.
    pub(super) fn strings(&mut self, json: &'j Json<'j>) -> Result<Option<Vec<String>>, Stop> {
        self.list(json, "[]string", |d, item, out| {
            d.string(item, out);
            Ok(())
        })
    }

    /// Decodes a map from strings to strings.
    pub(super) fn string_map(&mut self, json: &'j Json<'j>) -> Result<Option<Vec<(String, String)>>, Stop> {
        self.map(json, "map[string]string", |d, item, out| {
            d.string(item, out);
            Ok(())
        })
    }

    /// Decodes a slice of bytes, written as base64 in a string or as a list of numbers.
    pub(super) fn bytes(&mut self, json: &'j Json<'j>) -> Result<Vec<u8>, Stop> {
        match &json.value {
            JsonValue::String(text) => match base64::decode(text, Alphabet::Standard) {
                Ok(bytes) => return Ok(bytes),
                Err(offset) => {
                    let cause = Cause::Text(format!("illegal base64 data at input byte {offset}"));
                    self.save(Box::new(DecodeFailure { cause, node: json.node }));
                }
            },
            JsonValue::Array(_) => {
                let bytes = self.list(json, "[]uint8", |d, item, out: &mut u8| {
                    d.integer(item, out, "uint8");
                    Ok(())
                })?;
                return Ok(bytes.unwrap_or_default());
            }
            JsonValue::Null => {}
            _ => self.wrong_type(json, "[]uint8"),
        }
        Ok(Vec::new())
    }

    /// Decodes a time (`metav1.Time`). This Go type has its own `UnmarshalJSON`.
    pub(super) fn time(&mut self, json: &Json<'_>) -> Result<Option<Time>, Stop> {
        match &json.value {
            JsonValue::Null => Ok(None),
            JsonValue::String(text) => match go::read_rfc3339(text) {
                Ok(time) => Ok(time),
                Err(error) => Err(Box::new(DecodeFailure {
                    cause: Cause::Text(error),
                    node: json.node,
                })),
            },
            _ => self.on_its_own(|d| {
                d.wrong_type(json, "string");
                Ok(None)
            }),
        }
    }
}

/// Any JSON in the API server's representation. Numbers that fit `i64` become `i64`, all others `f64`.
///
/// Fails if values nest deeper than [`depth::limit`].
pub(super) fn any(json: &Json<'_>) -> Result<Value, Stop> {
    any_at(json, depth::limit())
}

fn any_at(json: &Json<'_>, room: usize) -> Result<Value, Stop> {
    if room == 0 {
        return Err(Box::new(DecodeFailure {
            cause: Cause::TooDeep,
            node: json.node,
        }));
    }
    Ok(match &json.value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(value) => Value::Bool(*value),
        JsonValue::Int(value) => Value::from(*value),
        JsonValue::Uint(value) => float(*value as f64),
        JsonValue::Float(value) => float(*value),
        JsonValue::String(text) => Value::String(text.clone().into_owned()),
        JsonValue::Array(items) => {
            // This is a loop, because iterator adapters would need several stack frames per level.
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                list.push(any_at(item, room - 1)?);
            }
            Value::Array(list)
        }

        JsonValue::Object(members) => {
            let mut map = Map::new();
            for member in members {
                map.insert(member.key.clone().into_owned(), any_at(&member.value, room - 1)?);
            }
            Value::Object(map)
        }
    })
}

/// Converts a number from JSON, which is always finite.
fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
