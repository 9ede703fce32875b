//! The CEL types of schemas (`k8s.io/apiserver/pkg/cel/common`, `SchemaDeclType`;
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model`).

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::Arc;

pub use crd_analyzer_cel::types::escape;
use crd_analyzer_cel::types::{DeclField, DeclType, Type};
use serde_json::Value;

use crate::KubernetesVersion;
use crate::structural::{AdditionalProperties, Structural};

/// The largest request that an API server accepts, in bytes (`MaxRequestSizeBytes`). It is the size limit of every value without a limit of its own.
pub const MAX_REQUEST_SIZE: i64 = 3 * 1024 * 1024;

/// The maximum length of a duration or time in JSON.
const MAX_TIME_SIZE: i64 = 32;
/// The length of a date in JSON.
const DATE_SIZE: i64 = 12;
/// The longest `metadata.name` that an API server accepts. Since 1.37, cost estimates use this length too.
const MAX_NAME_LENGTH: i64 = 253;

/// The CEL type of a schema's values, or `None` if expressions cannot see them.
///
/// If `is_resource_root` is set, the schema describes a custom or embedded resource, where `apiVersion`, `kind` and `metadata` always exist.
pub fn decl_type(schema: Structural<'_>, is_resource_root: bool, version: KubernetesVersion) -> Option<Arc<DeclType>> {
    Types::new(version).of(schema, is_resource_root, 0)
}

/// The type of an object's property, or `None` if expressions cannot access the property. `ty` is the type of the schema's values.
pub fn property_type<'t>(schema: Structural<'_>, ty: &'t DeclType, name: &str) -> Option<&'t Arc<DeclType>> {
    if schema.has_no_properties() {
        return None;
    }
    Some(&ty.field(&escape(name)?)?.ty)
}

/// The type of a list's items. `ty` is the type of the schema's values.
pub fn items_type<'t>(schema: Structural<'_>, ty: &'t DeclType) -> Option<&'t Arc<DeclType>> {
    schema.items().and_then(|_| ty.element())
}

/// The type of a map's values. `ty` is the type of the schema's values.
pub fn values_type<'t>(schema: Structural<'_>, ty: &'t DeclType) -> Option<&'t Arc<DeclType>> {
    let values = schema.additional_properties().and_then(AdditionalProperties::schema);
    values.and_then(|_| ty.element())
}

/// The maximum number of comma-separated values of this type in one request (`maxCardinality`).
pub fn max_cardinality(ty: &DeclType) -> u64 {
    (MAX_REQUEST_SIZE / ty.min_serialized_size.saturating_add(1).max(1)) as u64
}

/// The maximum depth of a schema with CEL types. An API server cannot decode a CRD with deeper nesting.
const MAX_DEPTH: usize = 10_000;

struct Types {
    version: KubernetesVersion,
    /// These most common types are created only once.
    bool: OnceCell<Arc<DeclType>>,
    int: OnceCell<Arc<DeclType>>,
    double: OnceCell<Arc<DeclType>>,
    /// The type of a string of any length.
    string: OnceCell<Arc<DeclType>>,
    int_or_string: OnceCell<Arc<DeclType>>,
}

impl Types {
    fn new(version: KubernetesVersion) -> Self {
        Self {
            version,
            bool: OnceCell::new(),
            int: OnceCell::new(),
            double: OnceCell::new(),
            string: OnceCell::new(),
            int_or_string: OnceCell::new(),
        }
    }

    fn of(&self, schema: Structural<'_>, is_resource_root: bool, depth: usize) -> Option<Arc<DeclType>> {
        if depth > MAX_DEPTH {
            return None;
        }
        if schema.is_int_or_string() {
            let max_length = schema.props().max_length.filter(|_| self.version.number() >= 34);
            let of_bytes = |bytes| {
                let mut ty = DeclType::simple(Type::Dyn, 1);
                ty.max_elements = bytes;
                Arc::new(ty)
            };
            return Some(match max_length {
                Some(length) => of_bytes(bytes_of_length(length)),
                None => made_once(&self.int_or_string, || of_bytes(MAX_REQUEST_SIZE - 2)),
            });
        }
        match schema.r#type() {
            // `WithTypeAndObjectMeta` adds the metadata of a resource and does not copy `items`, whatever the type of the schema is.
            "array" if is_resource_root && !has_metadata(schema) => None,
            "array" => {
                let items = schema.items()?;
                let element = self.of(items, items.is_embedded_resource(), depth + 1)?;
                let max_items = schema.props().max_items.map(zero_if_negative);
                let max_items = max_items
                    .unwrap_or_else(|| (MAX_REQUEST_SIZE - 2) / (element.min_serialized_size.saturating_add(1)));
                Some(Arc::new(DeclType::list(element, max_items)))
            }
            "object" => {
                if let Some(AdditionalProperties::Schema(values)) = schema.additional_properties() {
                    let value = self.of(values, values.is_embedded_resource(), depth + 1)?;
                    let max_properties = schema.props().max_properties.map(zero_if_negative);
                    // The constant counts two bytes for the key, two for its quotes, and one each for the colon and the comma.
                    let max_properties = max_properties
                        .unwrap_or_else(|| (MAX_REQUEST_SIZE - 2) / (value.min_serialized_size.saturating_add(6)));
                    return Some(Arc::new(DeclType::map(value, max_properties)));
                }
                Some(Arc::new(self.object(schema, is_resource_root, depth)))
            }
            "string" => Some(self.string(schema)),
            "boolean" => Some(made_once(&self.bool, || Arc::new(DeclType::bool()))),
            "number" => Some(made_once(&self.double, || Arc::new(DeclType::double()))),
            "integer" => Some(made_once(&self.int, || Arc::new(DeclType::int()))),
            _ => None,
        }
    }

    /// The type of a string of any length.
    fn any_string(&self) -> Arc<DeclType> {
        made_once(&self.string, || Arc::new(DeclType::string(MAX_REQUEST_SIZE - 2)))
    }

    fn string(&self, schema: Structural<'_>) -> Arc<DeclType> {
        let props = schema.props();
        // Few strings have a format, an `enum` or a length limit.
        if props.format.is_empty() && props.rare.get().is_none() {
            return self.any_string();
        }
        Arc::new(string_type(schema))
    }

    fn object(&self, schema: Structural<'_>, is_resource_root: bool, depth: usize) -> DeclType {
        let mut required: Vec<&str> = schema.props().required.iter().map(String::as_str).collect();
        required.sort_unstable();
        let mut object = Object {
            fields: Vec::with_capacity(schema.properties().len()),
            size: 2,
            required,
        };
        let with_metadata = is_resource_root && !has_metadata(schema);
        for (name, property) in schema.properties() {
            if with_metadata && matches!(name, "apiVersion" | "kind" | "metadata") {
                continue;
            }
            if let Some(ty) = self.of(property, property.is_embedded_resource(), depth + 1) {
                object.add(name, ty, property.default_value().is_some());
            }
        }
        if with_metadata {
            object.add("apiVersion", self.any_string(), false);
            object.add("kind", self.any_string(), false);
            object.add("metadata", Arc::new(self.metadata(schema)), false);
        }
        DeclType::object(object.fields, object.size)
    }

    /// The type of the metadata that every resource has.
    fn metadata(&self, schema: Structural<'_>) -> DeclType {
        let metadata = schema.property("metadata");
        let name_type = |name, cap: i64| {
            if self.version.number() < 37 {
                return self.any_string();
            }
            let own = metadata.and_then(|metadata| metadata.property(name)?.props().max_length);
            Arc::new(DeclType::string(bytes_of_length(own.map_or(cap, |own| own.min(cap)))))
        };
        let fields = [("name", MAX_NAME_LENGTH), ("generateName", MAX_NAME_LENGTH - 1)].map(|(name, cap)| DeclField {
            name: name.into(),
            ty: name_type(name, cap),
            required: false,
        });
        DeclType::object(fields.into(), 2)
    }
}

fn made_once(known: &OnceCell<Arc<DeclType>>, make: impl FnOnce() -> Arc<DeclType>) -> Arc<DeclType> {
    Arc::clone(known.get_or_init(make))
}

struct Object<'s> {
    fields: Vec<DeclField>,
    /// The minimum size in JSON, in bytes.
    size: i64,
    /// The names of the required properties, sorted.
    required: Vec<&'s str>,
}

impl Object<'_> {
    fn add(&mut self, name: &str, ty: Arc<DeclType>, has_default: bool) {
        let required = self.required.binary_search(&name).is_ok();
        if required && !has_default {
            // The constant counts the two quotes, the colon and the comma.
            self.size = self.size.saturating_add(name.len() as i64 + ty.min_serialized_size + 4);
        }
        if let Some(escaped) = escape(name) {
            self.fields.push(DeclField {
                name: escaped.into(),
                ty,
                required,
            });
        }
    }
}

/// Whether the schema already describes `kind`, `apiVersion` and `metadata` as `WithTypeAndObjectMeta` would add them.
fn has_metadata(schema: Structural<'_>) -> bool {
    let has = |schema: Structural<'_>, name, ty| schema.property(name).is_some_and(|property| property.r#type() == ty);
    has(schema, "kind", "string")
        && has(schema, "apiVersion", "string")
        && has(schema, "metadata", "object")
        && schema
            .property("metadata")
            .is_some_and(|metadata| has(metadata, "name", "string") && has(metadata, "generateName", "string"))
}

fn string_type(schema: Structural<'_>) -> DeclType {
    let props = schema.props();
    let sized = |ty, min_size, max_elements| DeclType {
        max_elements,
        ..DeclType::simple(ty, min_size)
    };
    match props.format.as_str() {
        "byte" => sized(
            Type::Bytes,
            2,
            props.max_length.map_or(MAX_REQUEST_SIZE - 2, zero_if_negative),
        ),
        "duration" => sized(Type::Duration, 3, MAX_TIME_SIZE),
        "date" => sized(Type::Timestamp, DATE_SIZE, DATE_SIZE),
        "date-time" => sized(Type::Timestamp, 21, MAX_TIME_SIZE),
        _ => DeclType::string(match (props.max_length, props.r#enum.as_slice()) {
            (Some(max_length), _) => bytes_of_length(max_length),
            (None, values @ [_, ..]) => values
                .iter()
                .filter_map(Value::as_str)
                .map(|text| text.len() as i64)
                .max()
                .unwrap_or(0),
            _ => MAX_REQUEST_SIZE - 2,
        }),
    }
}

/// The maximum number of bytes in a string of `length` characters.
fn bytes_of_length(length: i64) -> i64 {
    zero_if_negative(length).wrapping_mul(4)
}

fn zero_if_negative(value: i64) -> i64 {
    value.max(0)
}
