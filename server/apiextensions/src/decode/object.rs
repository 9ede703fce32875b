//! Decodes objects to JSON, using a table of their fields.

use std::borrow::Cow;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::json::{Json, JsonValue};
use serde_json::{Map, Value};

use super::head::{self, not_registered};
use super::leaf::any;
use super::state::{Cause, DecodeFailure, Decoder, Stop, StrictError, kind_of};
use super::{Refused, refused};
use crate::api::{FieldType, Struct};
use crate::kind::{Kind, Version};
use crate::types::ObjectMeta;

/// Structs of meta/v1. Their package is `v1` in any version of the object.
const OF_META: [&str; 3] = ["LabelSelector", "LabelSelectorRequirement", "Condition"];

/// An object with the fields of its table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DecodedObject {
    /// `metadata`
    pub metadata: ObjectMeta,
    /// All other fields in the table, except fields that are `null`. In lists and maps, `null` becomes the zero value.
    pub object: Map<String, Value>,
    /// The errors of strict field validation, in the API server's order, at most a hundred.
    pub strict: Vec<StrictError>,
}

/// Decodes an object of a kind in one of its versions. `code` is the diagnostic code for decoding errors.
///
/// The table determines the Go types in messages: structs and [`Field::go`](crate::api::Field::go) are in the package of the version, unless they
/// include another package (`v1.ScopeType`).
///
/// # Errors
/// The API server's error if it cannot decode the object.
pub fn decode_object(
    json: &Json<'_>,
    (kind, of): (&Kind, &'static Version),
    version: KubernetesVersion,
    code: &'static str,
) -> Result<DecodedObject, Refused> {
    let fail = |failure, actual| refused(failure, actual, kind.name, code);
    let (written, nodes) = head::interpret(json).map_err(|it| fail(*it, None))?;
    let actual = head::with_defaults(written, kind, of);
    if actual.kind != kind.name || actual.api_version() != of.api_version {
        let cause = Cause::Text(not_registered(&actual.api_version(), &actual.kind, version));
        let node = nodes.api_version.or(nodes.kind).unwrap_or(json.node);
        return Err(fail(DecodeFailure { cause, node }, Some(&actual)));
    }
    let mut decoder = Decoder::new(version, false);
    let table = Table { package: of.name };
    let mut decoded = DecodedObject::default();
    let end = match of.fields {
        FieldType::Object(structure) => table.root(&mut decoder, json, structure, &mut decoded),
        _ => Ok(()),
    };
    let found = decoder.finish(end);
    match found.failure {
        Some(failure) => Err(fail(*failure, Some(&actual))),
        None => Ok(DecodedObject {
            strict: found.strict,
            ..decoded
        }),
    }
}

/// The names of a table's Go types.
#[derive(Clone, Copy)]
struct Table {
    /// The Go package of the object's version.
    package: &'static str,
}

impl Table {
    fn root<'j>(
        self,
        decoder: &mut Decoder<'j>,
        json: &'j Json<'j>,
        of: &'static Struct,
        out: &mut DecodedObject,
    ) -> Result<(), Stop> {
        let DecodedObject { metadata, object, .. } = out;
        decoder.structure(json, of.name, "", |decoder, key, value| match key {
            // These keys were already read to find the type of the object.
            "apiVersion" | "kind" => Ok(true),
            "metadata" => decoder.metadata(value, metadata).map(|()| true),
            _ => self.field((decoder, key, value), of, object),
        })
    }

    /// Decodes the value of a key into a struct; `false` if the struct has no such field.
    fn field<'j>(
        self,
        (decoder, key, value): (&mut Decoder<'j>, &'j str, &'j Json<'j>),
        of: &'static Struct,
        out: &mut Map<String, Value>,
    ) -> Result<bool, Stop> {
        let Some(field) = of.field(key).filter(|it| it.is_in(decoder.version())) else {
            return Ok(false);
        };
        let found = decoder.embedded(field.embedded, |it| self.value(it, value, &field.ty, field.go))?;
        if let Some(found) = found {
            out.insert(key.to_owned(), found);
        }
        Ok(true)
    }

    /// Decodes a value of a type; `None` for `null`, and for a wrong type, which is recorded. `go` is the Go type of strings.
    fn value<'j>(
        self,
        decoder: &mut Decoder<'j>,
        json: &'j Json<'j>,
        ty: &'static FieldType,
        go: &'static str,
    ) -> Result<Option<Value>, Stop> {
        let wrong = |decoder: &mut Decoder<'j>| {
            decoder.wrong_for(json, kind_of(&json.value).to_owned(), self.go_type(ty, go));
            Ok(None)
        };
        Ok(match (ty, &json.value) {
            (FieldType::Time, _) => decoder.time(json)?.map(Value::String),
            (_, JsonValue::Null) => None,
            (FieldType::String | FieldType::Cel, JsonValue::String(text)) => Some(Value::String(text.to_string())),
            (FieldType::Boolean, JsonValue::Bool(value)) => Some(Value::Bool(*value)),
            (FieldType::Integer, JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_)) => {
                let mut number = 0_i64;
                decoder.integer(json, &mut number, "int64");
                Some(number.into())
            }
            (FieldType::Object(of), JsonValue::Object(_)) => {
                let mut out = Map::new();
                decoder.structure(json, of.name, "", |decoder, key, value| {
                    self.field((decoder, key, value), of, &mut out)
                })?;
                Some(Value::Object(out))
            }
            (FieldType::List(of), JsonValue::Array(_)) => {
                let items = decoder.list(json, "", |decoder, item, out: &mut Value| {
                    *out = self.value(decoder, item, of, go)?.unwrap_or_else(|| zero(of));
                    Ok(())
                })?;
                items.map(Value::Array)
            }
            (FieldType::Map(of), JsonValue::Object(_)) => {
                let entries = decoder.map(json, "", |decoder, item, out: &mut Value| {
                    *out = self.value(decoder, item, of, go)?.unwrap_or_else(|| zero(of));
                    Ok(())
                })?;
                entries.map(|it| Value::Object(it.into_iter().collect()))
            }
            (FieldType::Any, _) => Some(any(json)?),
            _ => return wrong(decoder),
        })
    }

    /// The name of a Go type in messages.
    fn go_type(self, ty: &FieldType, go: &'static str) -> Cow<'static, str> {
        let of_package = |name: &str| {
            if name.contains('.') {
                name.to_owned()
            } else if OF_META.contains(&name) {
                format!("v1.{name}")
            } else {
                format!("{}.{name}", self.package)
            }
        };
        match ty {
            FieldType::String | FieldType::Cel if go.is_empty() => "string".into(),
            FieldType::String | FieldType::Cel => of_package(go).into(),
            FieldType::Boolean => "bool".into(),
            FieldType::Integer => "int64".into(),
            FieldType::Object(of) => of_package(of.name).into(),
            FieldType::List(of) => format!("[]{}", self.go_type(of, go)).into(),
            FieldType::Map(of) => format!("map[string]{}", self.go_type(of, go)).into(),
            // The other types have their own decoding or accept anything.
            _ => "".into(),
        }
    }
}

/// The zero value, which replaces `null` in a list or map.
fn zero(of: &FieldType) -> Value {
    match of {
        FieldType::String | FieldType::Cel => "".into(),
        FieldType::Boolean => false.into(),
        FieldType::Integer => 0.into(),
        FieldType::Object(_) => Map::new().into(),
        _ => Value::Null,
    }
}
