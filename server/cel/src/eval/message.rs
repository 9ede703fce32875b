//! Literals of the protobuf messages that every environment declares (`cel-go` `types.Registry.NewValue`). All but one of these messages represent
//! values that CEL also has without them: the fields are stored as protobuf would store them, and converted back to a CEL value.

use std::sync::Arc;

use super::wire::Any;
use crate::KubernetesVersion;
use crate::value::{Duration, EvalError, Map, Opaque, Result, Timestamp, Value};

/// The largest integer that the JSON mapping keeps as a number.
const MAX_JSON_INT: u64 = (1 << 53) - 1;
/// A limit for seconds. It leaves room for adding any time zone offset.
const MAX_SECONDS: i64 = 1 << 55;

/// The value of a message literal with these fields.
pub(super) fn make(type_name: &str, fields: &[(Arc<str>, Value)], version: KubernetesVersion) -> Result {
    let field = |name: &str| {
        fields
            .iter()
            .rev()
            .find(|(field, _)| &**field == name)
            .map(|(_, value)| value)
    };
    let message = Message { type_name, version };
    let value = field("value");
    match type_name.strip_prefix("google.protobuf.").unwrap_or_default() {
        "BoolValue" => match value {
            None => Ok(Value::Bool(false)),
            Some(Value::Bool(value)) => Ok(Value::Bool(*value)),
            Some(other) => Err(message.mismatch("value", other, "bool")),
        },
        "BytesValue" => match value {
            None => Ok(Value::bytes([])),
            Some(Value::Bytes(value)) => Ok(Value::Bytes(Arc::clone(value))),
            Some(other) => Err(message.mismatch("value", other, "[]uint8")),
        },
        "StringValue" => match value {
            None => Ok(Value::string("")),
            Some(Value::String(value)) => Ok(Value::String(Arc::clone(value))),
            Some(other) => Err(message.mismatch("value", other, "string")),
        },
        "DoubleValue" => Ok(Value::Double(message.double("value", value, "float64")?)),
        "FloatValue" => Ok(Value::Double(f64::from(
            message.double("value", value, "float32")? as f32
        ))),
        "Int64Value" => Ok(Value::Int(message.int("value", value, "int64")?)),
        "Int32Value" => Ok(Value::Int(message.int("value", value, "int32")?)),
        "UInt64Value" => Ok(Value::Uint(message.uint(value, "uint64")?)),
        "UInt32Value" => Ok(Value::Uint(message.uint(value, "uint32")?)),
        "Duration" => {
            let seconds = message.int("seconds", field("seconds"), "int64")?;
            let nanos = message.int("nanos", field("nanos"), "int32")?;
            let total = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            let nearest = if total < 0 { i64::MIN } else { i64::MAX };
            Ok(Value::Duration(Duration(i64::try_from(total).unwrap_or(nearest))))
        }
        "Timestamp" => {
            let seconds = message.int("seconds", field("seconds"), "int64")?;
            let nanos = message.int("nanos", field("nanos"), "int32")?;
            let seconds = seconds.clamp(-MAX_SECONDS, MAX_SECONDS) + nanos.div_euclid(1_000_000_000);
            Ok(Value::Timestamp(Timestamp::utc(
                seconds,
                nanos.rem_euclid(1_000_000_000) as u32,
            )))
        }
        "ListValue" => message.list("values", field("values")),
        "Struct" => message.map("fields", field("fields")),
        "Value" => message.any_json(fields),
        "Any" => {
            let type_url = field("type_url")
                .map(|value| message.text("type_url", value))
                .transpose()?;
            let value = match value {
                None => None,
                Some(Value::Bytes(bytes)) => Some(Arc::clone(bytes)),
                Some(other) => return Err(message.mismatch("value", other, "[]uint8")),
            };
            unpacked(Any { type_url, value }, version)
        }
        "Struct.FieldsEntry" => {
            let key = field("key").map_or_else(|| Ok("".into()), |value| message.text("key", value))?;
            let value = value
                .map(|value| message.json(value).map_err(|why| message.failed("value", &why)))
                .transpose()?;
            Ok(Value::Opaque(Opaque::Entry(Arc::new((key, value)))))
        }
        "Empty" => Ok(Value::Opaque(Opaque::Empty)),
        _ => Err(EvalError::new(format!("unknown type '{type_name}'"))),
    }
}

/// The value inside a `google.protobuf.Any`.
fn unpacked(any: Any, version: KubernetesVersion) -> Result {
    let (around, innermost) = any.innermost();
    let unpacked = innermost
        .message()
        .filter(|(name, _)| *name != "google.protobuf.Any")
        .and_then(|(name, fields)| make(name, &fields, version).ok());
    unpacked.ok_or_else(|| {
        let opened: String = around.iter().flat_map(|url| ["[", &**url, "]:{"]).collect();
        let closed = "}".repeat(around.len());
        EvalError::new(format!(
            "unsupported conversion to ref.Val: (*dynamicpb.Message){opened}{innermost}{closed}"
        ))
    })
}

struct Message<'m> {
    type_name: &'m str,
    version: KubernetesVersion,
}

impl Message<'_> {
    fn failed(&self, field: &str, why: &str) -> EvalError {
        let name = self.type_name;
        EvalError::new(format!(
            "field type conversion error for {name}.{field} value type: {why}"
        ))
    }

    fn mismatch(&self, field: &str, value: &Value, go_type: &str) -> EvalError {
        self.failed(field, &cannot_be(value, go_type))
    }

    fn int(&self, field: &str, value: Option<&Value>, go_type: &str) -> Result<i64> {
        match value {
            None => Ok(0),
            Some(Value::Int(int)) if go_type == "int64" || i32::try_from(*int).is_ok() => Ok(*int),
            Some(Value::Int(_)) => Err(self.failed(field, "integer overflow")),
            Some(other) => Err(self.mismatch(field, other, go_type)),
        }
    }

    fn uint(&self, value: Option<&Value>, go_type: &str) -> Result<u64> {
        match value {
            None => Ok(0),
            Some(Value::Uint(uint)) if go_type == "uint64" || u32::try_from(*uint).is_ok() => Ok(*uint),
            Some(Value::Uint(_)) => Err(self.failed("value", "unsigned integer overflow")),
            Some(other) => Err(self.mismatch("value", other, go_type)),
        }
    }

    fn double(&self, field: &str, value: Option<&Value>, go_type: &str) -> Result<f64> {
        match value {
            None => Ok(0.0),
            Some(Value::Double(double)) => Ok(*double),
            Some(other) => Err(self.mismatch(field, other, go_type)),
        }
    }

    fn text(&self, field: &str, value: &Value) -> Result<Arc<str>> {
        match value {
            Value::String(text) => Ok(Arc::clone(text)),
            other => Err(self.mismatch(field, other, "string")),
        }
    }

    fn list(&self, field: &str, value: Option<&Value>) -> Result {
        match value {
            None => Ok(Value::list(Vec::new())),
            Some(Value::List(list)) => {
                let items = list
                    .iter()
                    .map(|item| self.json(&item?).map_err(|why| self.failed(field, &why)));
                Ok(Value::list(items.collect::<Result<_>>()?))
            }
            Some(other) => Err(self.unsupported(field, other)),
        }
    }

    fn map(&self, field: &str, value: Option<&Value>) -> Result {
        match value {
            None => Ok(Value::Map(Map::of_names([]))),
            Some(Value::Map(map)) => Ok(Value::Map(self.json_map(map).map_err(|why| self.failed(field, &why))?)),
            Some(other) => Err(self.unsupported(field, other)),
        }
    }

    fn unsupported(&self, field: &str, value: &Value) -> EvalError {
        let ty = value.type_name();
        EvalError::new(format!("unsupported field type for {}.{field}: {ty}", self.type_name))
    }

    /// `google.protobuf.Value`: the field that was set last is used.
    fn any_json(&self, fields: &[(Arc<str>, Value)]) -> Result {
        let Some((field, value)) = fields.last() else {
            return Ok(Value::Null);
        };
        match (&**field, value) {
            ("null_value", value) => self.int(field, Some(value), "int32").map(|_| Value::Null),
            ("number_value", value) => self.double(field, Some(value), "float64").map(Value::Double),
            ("string_value", Value::String(_)) | ("bool_value", Value::Bool(_)) => Ok(value.clone()),
            ("string_value", other) => Err(self.mismatch(field, other, "string")),
            ("bool_value", other) => Err(self.mismatch(field, other, "bool")),
            ("struct_value", Value::Map(map)) if map.as_foreign().is_some() => {
                Err(self.failed(field, &self.cannot_read("map", "*structpb.Struct")))
            }
            ("list_value", Value::List(list)) if list.is_data() => {
                Err(self.failed(field, &self.cannot_read("list", "*structpb.ListValue")))
            }
            ("struct_value", Value::Map(_)) | ("list_value", Value::List(_)) => {
                self.json(value).map_err(|why| self.failed(field, &why))
            }
            ("struct_value", other) => Err(self.mismatch(field, other, "*structpb.Struct")),
            (_, other) => Err(self.mismatch(field, other, "*structpb.ListValue")),
        }
    }

    /// The error for a list or map from outside the expression, which protobuf cannot convert.
    fn cannot_read(&self, what: &str, go_type: &str) -> String {
        let element = if self.version < KubernetesVersion::minor(34) {
            ""
        } else {
            "dyn"
        };
        let elements = if what == "map" {
            format!("{element}, {element}")
        } else {
            element.to_owned()
        };
        format!("type conversion error from '{what}({elements})' to '{go_type}'")
    }

    /// The value after a round trip through protobuf's JSON: numbers become doubles, or strings if a double is not precise enough.
    fn json(&self, value: &Value) -> std::result::Result<Value, String> {
        crate::stack::grow(|| self.json_of(value))
    }

    fn json_of(&self, value: &Value) -> std::result::Result<Value, String> {
        let number = |magnitude: u64, double: f64, text: String| {
            if magnitude <= MAX_JSON_INT {
                Value::Double(double)
            } else {
                Value::from(text)
            }
        };
        Ok(match value {
            Value::Null | Value::Bool(_) | Value::Double(_) | Value::String(_) => value.clone(),
            Value::Int(int) => number(int.unsigned_abs(), *int as f64, int.to_string()),
            Value::Uint(uint) => number(*uint, *uint as f64, uint.to_string()),
            Value::Bytes(bytes) => Value::from(crate::value::base64(bytes)),
            Value::Duration(duration) => Value::from(duration.to_cel_string()),
            Value::Timestamp(time) => Value::from(time.to_cel_string()),
            Value::List(list) if list.is_data() => return Err(self.cannot_read("list", "*structpb.Value")),
            Value::Map(map) if map.as_foreign().is_some() => return Err(self.cannot_read("map", "*structpb.Value")),
            Value::List(list) => {
                let items = list
                    .iter()
                    .map(|item| self.json(&item.map_err(|error| error.to_string())?));
                Value::list(items.collect::<std::result::Result<_, _>>()?)
            }
            Value::Map(map) => Value::Map(self.json_map(map)?),
            Value::Optional(Some(inner)) => self.json(inner)?,
            other => return Err(cannot_be(other, "*structpb.Value")),
        })
    }

    fn json_map(&self, map: &Map) -> std::result::Result<Map, String> {
        let mut entries = Vec::new();
        for key in map.keys() {
            let value = map.at(&key).map_err(|error| error.to_string())?;
            let Value::String(name) = key else {
                return Err(cannot_be(&key, "string"));
            };
            entries.push((name, self.json(&value)?));
        }
        Ok(Map::of_names(entries))
    }
}

/// A string or bytes as protobuf prints them.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\0'..' ' | '\u{7f}' => out.extend(format!("\\x{:02x}", u32::from(c)).chars()),
                '\u{80}'..='\u{9f}' => out.extend(format!("\\u{:04x}", u32::from(c)).chars()),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.extend(format!("\\x{byte:02x}").chars());
        }
    }
    out + "\""
}

/// The error for a value that a Go type cannot hold.
fn cannot_be(value: &Value, go_type: &str) -> String {
    match value {
        Value::Int(_) | Value::Uint(_) => {
            format!("unsupported type conversion from '{}' to {go_type}", value.type_name())
        }
        Value::String(_) => format!("unsupported native conversion from string to '{go_type}'"),
        Value::Double(_) => format!("type conversion error from Double to '{go_type}'"),
        Value::Bytes(_) => format!("type conversion error from Bytes to '{go_type}'"),
        Value::Bool(_) => format!("type conversion error from bool to '{go_type}'"),
        Value::Null => format!("type conversion error from 'null_type' to '{go_type}'"),
        Value::Duration(_) => format!("type conversion error from 'Duration' to '{go_type}'"),
        Value::Timestamp(_) => format!("type conversion error from 'Timestamp' to '{go_type}'"),
        Value::List(_) => format!("type conversion error from list to '{go_type}'"),
        Value::Map(_) => format!("type conversion error from map to '{go_type}'"),
        Value::Type(_) => "type conversion not supported for 'type'".to_owned(),
        Value::Optional(None) => "optional.none() dereference".to_owned(),
        Value::Optional(Some(inner)) => cannot_be(inner, go_type),
        Value::Raw(_) => {
            format!(
                "type conversion to '{go_type}' not supported for values preserved by x-kubernetes-preserve-unknown-fields"
            )
        }
        other => {
            let name = other.type_name();
            let name = name.rsplit('.').next().unwrap_or_default();
            let name = if name == "NamedFormat" { "Format" } else { name };
            format!("type conversion error from '{name}' to '{go_type}'")
        }
    }
}
