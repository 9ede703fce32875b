//! Converts decoded JSON to CEL values, by the schema of the values (`k8s.io/apiserver/pkg/cel/common`, `UnstructuredToVal`).

use std::sync::Arc;

use crd_analyzer_cel::value::{Duration, EvalError, List, Map, Origin, RawValue, Result, Value};

use super::data::Data;
use super::list::{Items, Kind};
use super::object::Object;
use super::shape::{Shape, Type};
use super::text;
use crate::KubernetesVersion;
use crate::go::base64::{self, Alphabet};
use crate::unknown;

/// Converts `data` for expressions. A part of the value may be an error; an expression fails only if it reads that part.
pub(super) fn value_of(data: &Data, shape: &Arc<Shape>, version: KubernetesVersion) -> Result {
    typed(data, shape, false, version)
}

/// Like [`value_of`], for a resource, which has `apiVersion`, `kind` and `metadata` even if its schema omits them.
pub(super) fn resource_of(data: &Data, shape: &Arc<Shape>, version: KubernetesVersion) -> Result {
    typed(data, shape, true, version)
}

fn failed(message: String) -> Result {
    Err(EvalError::new(message))
}

fn typed(data: &Data, shape: &Arc<Shape>, is_resource: bool, version: KubernetesVersion) -> Result {
    if matches!(data, Data::Unknown { .. }) {
        unknown::touch();
        return failed("the value is not known".to_owned());
    }
    if data.is_null() {
        return if shape.nullable {
            Ok(Value::Null)
        } else {
            failed("invalid data, got null for schema with nullable=false".to_owned())
        };
    }
    if shape.int_or_string {
        return match data {
            Data::String(text) => Ok(Value::String(Arc::clone(text))),
            Data::Int(int) => Ok(Value::Int(*int)),
            _ => failed("invalid data, expected XIntOrString value to be either a string or integer".to_owned()),
        };
    }
    let unexpected = |expected: &str| failed(format!("invalid data, expected {expected}, got {}", data.go_type()));
    match shape.ty {
        Type::Object => {
            let Data::Map(map) = data else {
                return failed("invalid data, expected a map for the provided schema with type=object".to_owned());
            };
            let object = Object::new(Arc::clone(map), shape, is_resource, version);
            Ok(Value::Map(Map::foreign(Arc::new(object))))
        }
        Type::Array => {
            let Data::List(items) = data else {
                return failed("invalid data, expected an array for the provided schema with type=array".to_owned());
            };
            list(items, shape, version)
        }
        Type::String => match data {
            Data::String(text) => string(text, &shape.format),
            _ => unexpected("string"),
        },
        Type::Number => match data {
            Data::Int(int) => Ok(Value::Double(*int as f64)),
            Data::Float(float) => Ok(Value::Double(*float)),
            _ => unexpected("float"),
        },
        Type::Integer => match data {
            Data::Int(int) => Ok(Value::Int(*int)),
            _ => unexpected("int"),
        },
        Type::Boolean => match data {
            Data::Bool(flag) => Ok(Value::Bool(*flag)),
            _ => unexpected("bool"),
        },
        Type::Other if shape.preserves => Ok(Value::Raw(Arc::new(Preserved(data.clone())))),
        Type::Other => failed(format!(
            "invalid type, expected object, array, number, integer, boolean or string, or no type with \
             x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {}",
            shape.type_name
        )),
    }
}

fn list(items: &Arc<[Data]>, shape: &Arc<Shape>, version: KubernetesVersion) -> Result {
    if items.iter().any(|it| matches!(it, Data::Unknown { is_many: true })) {
        unknown::touch();
        return failed("the items are not known".to_owned());
    }
    let Some(item_shape) = &shape.items else {
        return failed("invalid array type, expected Items with a non-empty Schema".to_owned());
    };
    let kind = match &*shape.list_type {
        "map" => Kind::map(&shape.map_keys),
        "set" => Kind::Set,
        "" | "atomic" => Kind::Atomic,
        other => {
            return failed(format!(
                "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {other}"
            ));
        }
    };
    let list = Items::new(Arc::clone(items), Arc::clone(item_shape), kind, version);
    Ok(Value::List(List::foreign(Arc::new(list))))
}

fn string(value: &Arc<str>, format: &str) -> Result {
    let bad = |what: &str, why: String| failed(format!("Invalid {what} {value}: {why}"));
    match format {
        "duration" => match text::duration(value) {
            Ok(nanos) => Ok(Value::Duration(Duration(nanos))),
            Err(why) => bad("duration", why),
        },
        "date" => match text::date(value) {
            Ok(day) => Ok(Value::Timestamp(day)),
            Err(why) => bad("date formatted string", why),
        },
        "date-time" => match text::date_time(value) {
            Ok(time) => Ok(Value::Timestamp(time)),
            Err(why) => bad("date-time formatted string", why),
        },
        "byte" => match base64::decode(value, Alphabet::Url) {
            Ok(bytes) => Ok(Value::bytes(bytes)),
            Err(at) => bad(
                "byte formatted string",
                format!("illegal base64 data at input byte {at}"),
            ),
        },
        _ => Ok(Value::String(Arc::clone(value))),
    }
}

/// Data without a schema, kept because of `x-kubernetes-preserve-unknown-fields` (`unknownPreserved`).
#[derive(Debug)]
struct Preserved(Data);

impl RawValue for Preserved {
    fn equal(&self, other: &Value) -> bool {
        self.0 == raw(other)
    }

    fn to_json(&self) -> String {
        self.0.as_json().to_string()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The Go value inside a CEL value (`ref.Val.Value`).
pub(super) fn raw(value: &Value) -> Data {
    match value {
        Value::Bool(flag) => Data::Bool(*flag),
        Value::Int(int) => Data::Int(*int),
        Value::Double(double) => Data::Float(*double),
        Value::String(text) => Data::String(Arc::clone(text)),
        Value::List(list) => {
            let items = list.as_foreign().and_then(|list| list.as_any().downcast_ref::<Items>());
            items.map_or_else(
                || origin(list.origin(), value),
                |list| Data::List(Arc::clone(list.data())),
            )
        }
        Value::Map(map) => {
            let object = map.as_foreign().and_then(|map| map.as_any().downcast_ref::<Object>());
            object.map_or_else(|| origin(map.origin(), value), |map| Data::Map(Arc::clone(map.data())))
        }
        Value::Raw(raw) => {
            let preserved = raw.as_any().downcast_ref::<Preserved>();
            preserved.map_or_else(|| Data::Native(value.clone()), |it| it.0.clone())
        }
        _ => Data::Native(value.clone()),
    }
}

/// The data from which a value was converted; the value itself if an expression created it.
fn origin(data: Option<&Origin>, value: &Value) -> Data {
    let data = data.and_then(|it| it.downcast_ref::<Data>());
    data.cloned().unwrap_or_else(|| Data::Native(value.clone()))
}

/// The result of the Go method `Equal` of `a` with `b`. Each of the two values may be an error.
pub(super) fn same(a: Result, b: Result) -> Result<bool> {
    match (a?, b) {
        (a, Ok(b)) => crd_analyzer_cel::value::equal_to(&a, &b),
        (Value::List(_) | Value::Map(_), Err(error)) => Err(error),
        _ => Ok(false),
    }
}
