//! Decodes metadata from JSON, with the types of the API server's decoder (`k8s.io/apimachinery/pkg/util/json`, `sigs.k8s.io/json`).

use std::fmt::{self, Write as _};

use serde_json::{Map, Value};

use super::{ManagedFieldsEntry, ObjectMeta, OwnerReference};
use crate::field::{Path, Segment};
use crate::go::read_rfc3339;
use crate::type_mismatch::{TypeMismatch, described};

/// The maximum number of errors that strict decoding reports.
const MAX_STRICT_ERRORS: usize = 100;

/// The reason why metadata cannot be decoded. Displays as the API server's message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MetadataError {
    /// A value does not have the type of its field. The path of the value starts at the metadata.
    Type(Box<(TypeMismatch, Path)>),
    /// Any other problem, as the API server's message.
    Text(String),
}

impl fmt::Display for MetadataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(found) => found.0.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Decoded metadata, and its unknown fields.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decoded {
    /// The metadata.
    pub meta: ObjectMeta,
    /// Dotted paths of the unknown fields, relative to the metadata.
    pub unknown: Vec<String>,
}

impl ObjectMeta {
    /// Decodes metadata. The error has the API server's message (`UnmarshalStrict`, whose strict errors are the unknown fields).
    pub fn decode(value: &Value) -> Result<Decoded, MetadataError> {
        let mut decoder = Decoder {
            fields: Vec::new(),
            structure: "",
            path: String::new(),
            saved: None,
            at: Path::root(),
            unknown: Vec::new(),
        };
        let mut meta = Self::default();
        decoder.metadata(value, &mut meta)?;
        match decoder.saved {
            Some(found) => Err(MetadataError::Type(Box::new(found))),
            None => Ok(Decoded {
                meta,
                unknown: decoder.unknown,
            }),
        }
    }

    /// Decodes all valid fields and drops the others (`GetObjectMetaWithOptions` with `DropMalformedFields`).
    pub fn decode_leniently(fields: &Map<String, Value>) -> Decoded {
        let sound: Map<String, Value> = fields
            .iter()
            .filter(|(name, value)| {
                let alone = Map::from_iter([((*name).clone(), (*value).clone())]);
                Self::decode(&Value::Object(alone)).is_ok()
            })
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self::decode(&Value::Object(sound)).unwrap_or_default()
    }
}

/// The state of a decoder (`decodeState`). The decoder saves the first type mismatch and continues. A malformed time ends the decoding, and is
/// reported instead of the type mismatch.
struct Decoder {
    /// The names of the surrounding struct fields.
    fields: Vec<&'static str>,
    /// The name of the innermost Go struct.
    structure: &'static str,
    /// The path for reports of unknown fields.
    path: String,
    saved: Option<(TypeMismatch, Path)>,
    /// The path for error locations.
    at: Path,
    unknown: Vec<String>,
}

impl Decoder {
    fn wrong_type(&self, value: &Value, into: &str) -> TypeMismatch {
        let value = match value {
            Value::Number(number) if into == "int64" => {
                format!("number {}", crate::field::render::json(&Value::Number(number.clone())))
            }
            other => described(other).to_owned(),
        };
        TypeMismatch {
            value,
            into: into.to_owned().into(),
            structure: self.structure,
            field: if self.structure.is_empty() {
                String::new()
            } else {
                self.fields.join(".")
            },
            key: match self.at.segments().last() {
                Some(Segment::Key(key)) => Some(key.as_str().into()),
                _ => None,
            },
        }
    }

    fn save_wrong_type(&mut self, value: &Value, into: &str) {
        if self.saved.is_none() {
            self.saved = Some((self.wrong_type(value, into), self.at.clone()));
        }
    }

    /// Decodes a struct. The function `field` decodes a field, or says that the struct has no such field.
    fn structure<T>(
        &mut self,
        value: &Value,
        (name, into): (&'static str, &str),
        out: &mut T,
        field: fn(&mut Self, &str, &Value, &mut T) -> Field,
    ) -> Result<(), MetadataError> {
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Null => return Ok(()),
            _ => {
                self.save_wrong_type(value, into);
                return Ok(());
            }
        };
        let around = self.structure;
        for (key, value) in fields {
            let length = self.path.len();
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(key);
            self.structure = name;
            let known = field(self, key, value, out);
            self.structure = around;
            if matches!(known, Field::Unknown) && self.unknown.len() < MAX_STRICT_ERRORS {
                self.unknown.push(self.path.clone());
            }
            self.path.truncate(length);
            if let Field::Known(Err(error)) = known {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Decodes the field `name` with `decode`.
    fn field(&mut self, name: &'static str, decode: impl FnOnce(&mut Self) -> Result<(), MetadataError>) -> Field {
        self.fields.push(name);
        self.at.push(Segment::Field(name.to_owned()));
        let result = decode(self);
        self.at.pop();
        self.fields.pop();
        Field::Known(result)
    }

    fn metadata(&mut self, value: &Value, out: &mut ObjectMeta) -> Result<(), MetadataError> {
        self.structure(
            value,
            ("ObjectMeta", "v1.ObjectMeta"),
            out,
            |d, key, value, out| match key {
                "name" => d.field("name", |d| d.text(value, "string", &mut out.name)),
                "generateName" => d.field("generateName", |d| d.text(value, "string", &mut out.generate_name)),
                "namespace" => d.field("namespace", |d| d.text(value, "string", &mut out.namespace)),
                "selfLink" => d.field("selfLink", |d| d.text(value, "string", &mut out.self_link)),
                "uid" => d.field("uid", |d| d.text(value, "types.UID", &mut out.uid)),
                "resourceVersion" => d.field("resourceVersion", |d| {
                    d.text(value, "string", &mut out.resource_version)
                }),
                "generation" => d.field("generation", |d| {
                    if let Some(generation) = d.integer(value) {
                        out.generation = generation;
                    }
                    Ok(())
                }),
                "creationTimestamp" => d.field("creationTimestamp", |d| d.time(value, &mut out.creation_timestamp)),
                "deletionTimestamp" => d.field("deletionTimestamp", |d| d.time(value, &mut out.deletion_timestamp)),
                "deletionGracePeriodSeconds" => d.field("deletionGracePeriodSeconds", |d| {
                    out.deletion_grace_period_seconds = d.integer(value);
                    Ok(())
                }),
                "labels" => d.field("labels", |d| d.texts(value, &mut out.labels)),
                "annotations" => d.field("annotations", |d| d.texts(value, &mut out.annotations)),
                "ownerReferences" => d.field("ownerReferences", |d| {
                    d.list(
                        value,
                        "[]v1.OwnerReference",
                        &mut out.owner_references,
                        Self::owner_reference,
                    )
                }),
                "finalizers" => d.field("finalizers", |d| {
                    d.list(value, "[]string", &mut out.finalizers, |d, value, out| {
                        d.text(value, "string", out)
                    })
                }),
                "managedFields" => d.field("managedFields", |d| {
                    d.list(
                        value,
                        "[]v1.ManagedFieldsEntry",
                        &mut out.managed_fields,
                        Self::managed_fields_entry,
                    )
                }),
                _ => Field::Unknown,
            },
        )
    }

    fn owner_reference(&mut self, value: &Value, out: &mut OwnerReference) -> Result<(), MetadataError> {
        self.structure(
            value,
            ("OwnerReference", "v1.OwnerReference"),
            out,
            |d, key, value, out| match key {
                "apiVersion" => d.field("apiVersion", |d| d.text(value, "string", &mut out.api_version)),
                "kind" => d.field("kind", |d| d.text(value, "string", &mut out.kind)),
                "name" => d.field("name", |d| d.text(value, "string", &mut out.name)),
                "uid" => d.field("uid", |d| d.text(value, "types.UID", &mut out.uid)),
                "controller" => d.field("controller", |d| d.flag(value, &mut out.controller)),
                "blockOwnerDeletion" => d.field("blockOwnerDeletion", |d| d.flag(value, &mut out.block_owner_deletion)),
                _ => Field::Unknown,
            },
        )
    }

    fn managed_fields_entry(&mut self, value: &Value, out: &mut ManagedFieldsEntry) -> Result<(), MetadataError> {
        self.structure(
            value,
            ("ManagedFieldsEntry", "v1.ManagedFieldsEntry"),
            out,
            |d, key, value, out| match key {
                "manager" => d.field("manager", |d| d.text(value, "string", &mut out.manager)),
                "operation" => d.field("operation", |d| {
                    d.text(value, "v1.ManagedFieldsOperationType", &mut out.operation)
                }),
                "apiVersion" => d.field("apiVersion", |d| d.text(value, "string", &mut out.api_version)),
                "time" => d.field("time", |d| d.time(value, &mut out.time)),
                "fieldsType" => d.field("fieldsType", |d| d.text(value, "string", &mut out.fields_type)),
                "fieldsV1" => d.field("fieldsV1", |_| {
                    out.fields_v1 = (!value.is_null()).then(|| value.clone());
                    Ok(())
                }),
                "subresource" => d.field("subresource", |d| d.text(value, "string", &mut out.subresource)),
                _ => Field::Unknown,
            },
        )
    }

    #[expect(clippy::unnecessary_wraps, reason = "one of the functions that decode a field")]
    fn text(&mut self, value: &Value, into: &str, out: &mut String) -> Result<(), MetadataError> {
        match value {
            Value::String(text) => out.clone_from(text),
            Value::Null => {}
            _ => self.save_wrong_type(value, into),
        }
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "one of the functions that decode a field")]
    fn flag(&mut self, value: &Value, out: &mut Option<bool>) -> Result<(), MetadataError> {
        match value {
            Value::Bool(flag) => *out = Some(*flag),
            Value::Null => {}
            _ => self.save_wrong_type(value, "bool"),
        }
        Ok(())
    }

    /// Decodes an integer. `1.0` becomes 1, because the API server's decoder passes the number on as a string.
    fn integer(&mut self, value: &Value) -> Option<i64> {
        let integer = match value {
            Value::Null => return None,
            Value::Number(number) => number
                .as_i64()
                .or_else(|| crate::field::render::json(value).parse().ok()),
            _ => None,
        };
        if integer.is_none() {
            self.save_wrong_type(value, "int64");
        }
        integer
    }

    fn time(&mut self, value: &Value, out: &mut Option<String>) -> Result<(), MetadataError> {
        *out = match value {
            Value::Null => None,
            Value::String(text) => read_rfc3339(text).map_err(MetadataError::Text)?,
            _ => {
                let found = (self.wrong_type(value, "string"), self.at.clone());
                return Err(MetadataError::Type(Box::new(found)));
            }
        };
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "one of the functions that decode a field")]
    fn texts(&mut self, value: &Value, out: &mut Vec<(String, String)>) -> Result<(), MetadataError> {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(text) => out.push((key.clone(), text.clone())),
                        Value::Null => out.push((key.clone(), String::new())),
                        _ => {
                            self.at.push(Segment::Key(key.clone()));
                            self.save_wrong_type(value, "string");
                            self.at.pop();
                        }
                    }
                }
            }
            Value::Null => {}
            _ => self.save_wrong_type(value, "map[string]string"),
        }
        Ok(())
    }

    fn list<T: Default>(
        &mut self,
        value: &Value,
        into: &str,
        out: &mut Vec<T>,
        item: impl Fn(&mut Self, &Value, &mut T) -> Result<(), MetadataError>,
    ) -> Result<(), MetadataError> {
        match value {
            Value::Array(items) => {
                for (n, value) in items.iter().enumerate() {
                    let length = self.path.len();
                    let _ = write!(self.path, "[{n}]");
                    let mut element = T::default();
                    self.at.push(Segment::Index(n));
                    let result = item(self, value, &mut element);
                    self.at.pop();
                    self.path.truncate(length);
                    result?;
                    out.push(element);
                }
            }
            Value::Null => {}
            _ => self.save_wrong_type(value, into),
        }
        Ok(())
    }
}

/// Whether a struct has a field, and the result of decoding it.
enum Field {
    Known(Result<(), MetadataError>),
    Unknown,
}
