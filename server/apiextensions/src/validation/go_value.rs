//! The internal types as Go prints them, in either of the two ways that messages had: as JSON with the names of Go's
//! struct fields (`encoding/json`), or in Go syntax (`%#v`), in which a pointer inside a value is a memory address.

use std::fmt::Write as _;

use crd_analyzer_schema::{
    EmptyKeywords, JsonSchemaProps, SchemaMap, SchemaOrArray, SchemaOrBool, SchemaOrStringArray, ValidationRule, go,
};
use serde_json::Value;

use crate::types::{ColumnDefinition, SelectableField, Spec, Subresources, Validation};

/// Bytes after which a rendered value is cut. A whole schema prints a hundredfold of what its author wrote, and nobody
/// reads it to the end.
const LIMIT: usize = 4096;

/// What stands for the address of something, which no two runs of a server share.
const ADDRESS: &str = "0xc000000000";

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Syntax {
    /// As `json.Marshal` writes it.
    Json,
    /// As the verb `%#v` writes it.
    Go,
}

/// Writes a value, and stops writing at the limit.
pub(super) struct Writer {
    syntax: Syntax,
    out: String,
    /// Whether the next element of an array or object needs a comma before it.
    comma: bool,
}

impl Writer {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            out: String::new(),
            comma: false,
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.out.len() > LIMIT {
            self.out.truncate(self.out.floor_char_boundary(LIMIT));
            self.out.push('…');
        }
        self.out
    }

    fn full(&self) -> bool {
        self.out.len() > LIMIT
    }

    fn is_json(&self) -> bool {
        self.syntax == Syntax::Json
    }

    fn raw(&mut self, text: &str) {
        if !self.full() {
            self.out.push_str(text);
        }
        self.comma = true;
    }

    /// Opens a struct, list or map of a Go type.
    fn open(&mut self, go_type: &str, bracket: &str) {
        if self.is_json() {
            self.raw(bracket);
        } else {
            self.raw(go_type);
            self.raw("{");
        }
        self.comma = false;
    }

    fn close(&mut self, bracket: &str) {
        self.raw(if self.is_json() { bracket } else { "}" });
    }

    fn structure(&mut self, go_type: &str, fields: impl FnOnce(&mut Self)) {
        self.open(go_type, "{");
        fields(self);
        self.close("}");
    }

    fn element(&mut self) {
        if self.comma {
            self.raw(if self.is_json() { "," } else { ", " });
        }
    }

    /// The name of a struct's field.
    fn field(&mut self, name: &str) {
        self.element();
        if self.is_json() {
            self.string(name);
        } else {
            self.raw(name);
        }
        self.raw(":");
    }

    fn nil(&mut self, go_type: &str) {
        if self.is_json() {
            self.raw("null");
        } else {
            self.raw(go_type);
            self.raw("(nil)");
        }
    }

    fn list<T>(&mut self, go_type: &str, items: Option<&[T]>, mut item: impl FnMut(&mut Self, &T)) {
        let Some(items) = items else {
            return self.nil(go_type);
        };
        self.open(go_type, "[");
        for it in items {
            if self.full() {
                break;
            }
            self.element();
            item(self, it);
        }
        self.close("]");
    }

    fn map<T>(&mut self, go_type: &str, entries: Option<&[(String, T)]>, mut value: impl FnMut(&mut Self, &T)) {
        let Some(entries) = entries else {
            return self.nil(go_type);
        };
        self.open(go_type, "{");
        for (key, it) in entries {
            if self.full() {
                break;
            }
            self.element();
            self.string(key);
            self.raw(":");
            value(self, it);
        }
        self.close("}");
    }

    /// A pointer to a Go type.
    fn pointer<T>(&mut self, go_type: &str, value: Option<T>, some: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) if self.is_json() => some(self, value),
            None if self.is_json() => self.raw("null"),
            value => {
                let address = if value.is_some() { ADDRESS } else { "nil" };
                self.raw(&format!("(*{go_type})({address})"));
            }
        }
    }

    /// A string: quoted as Go does, or with the escapes of `json.Marshal` (which makes JSON safe for HTML).
    pub(super) fn string(&mut self, value: &str) {
        if self.full() {
            return;
        }
        let value = &value[..value.floor_char_boundary(LIMIT)];
        self.comma = true;
        if !self.is_json() {
            self.out.push_str(&go::quote(value));
            return;
        }
        self.out.push('"');
        for c in value.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.out, "\\u{:04x}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    pub(super) fn strings(&mut self, value: Option<&[String]>) {
        self.list("[]string", value, |out, it| out.string(it));
    }

    /// Bytes: in base64, or one by one.
    pub(super) fn bytes(&mut self, value: &[u8]) {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        if !self.is_json() {
            return self.list("[]byte", Some(value), |out, byte| out.raw(&format!("{byte:#x}")));
        }
        let mut text = String::new();
        for chunk in value.chunks(3).take(LIMIT) {
            let group = chunk.iter().fold(0, |group, &byte| group << 8 | usize::from(byte)) << (8 * (3 - chunk.len()));
            for i in 0..4 {
                let digit = ALPHABET[group >> (18 - 6 * i) & 63] as char;
                text.push(if i <= chunk.len() { digit } else { '=' });
            }
        }
        self.string(&text);
    }

    fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    fn int(&mut self, value: i64) {
        self.raw(&value.to_string());
    }

    fn float(&mut self, value: f64) {
        let text = if self.is_json() {
            go::json_float(value)
        } else {
            go::plain_float(value)
        };
        self.raw(&text);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.nil("interface {}"),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => self.int(int),
                None => self.float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list("[]interface {}", Some(items.as_slice()), Self::value),
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(key, _)| key.as_str());
                self.open("map[string]interface {}", "{");
                for (key, it) in members {
                    if self.full() {
                        break;
                    }
                    self.element();
                    self.string(key);
                    self.raw(":");
                    self.value(it);
                }
                self.close("}");
            }
        }
    }

    /// A `ValidationRule`.
    pub(super) fn rule(&mut self, rule: &ValidationRule) {
        self.structure("apiextensions.ValidationRule", |out| {
            out.string_field("Rule", &rule.rule);
            out.string_field("Message", &rule.message);
            out.string_field("MessageExpression", &rule.message_expression);
            out.field("Reason");
            out.pointer(
                "apiextensions.FieldValueErrorReason",
                rule.reason.as_deref(),
                Self::string,
            );
            out.string_field("FieldPath", &rule.field_path);
            out.bool_pointer_field("OptionalOldSelf", rule.optional_old_self);
        });
    }

    fn string_field(&mut self, name: &str, value: &str) {
        self.field(name);
        self.string(value);
    }

    fn bool_field(&mut self, name: &str, value: bool) {
        self.field(name);
        self.bool(value);
    }

    fn string_pointer_field(&mut self, name: &str, value: Option<&str>) {
        self.field(name);
        self.pointer("string", value, Self::string);
    }

    fn bool_pointer_field(&mut self, name: &str, value: Option<bool>) {
        self.field(name);
        self.pointer("bool", value, Self::bool);
    }

    fn float_field(&mut self, name: &str, value: Option<f64>) {
        self.field(name);
        self.pointer("float64", value, Self::float);
    }

    fn int_field(&mut self, name: &str, value: Option<i64>) {
        self.field(name);
        self.pointer("int64", value, Self::int);
    }

    fn value_field(&mut self, name: &str, value: Option<&Value>) {
        self.field(name);
        self.pointer("apiextensions.JSON", value, Self::value);
    }

    fn strings_field(&mut self, name: &str, value: &[String], is_empty: bool) {
        self.field(name);
        self.strings(present(value, is_empty));
    }

    fn schema_pointer_field(&mut self, name: &str, schema: Option<&JsonSchemaProps>) {
        self.field(name);
        self.pointer("apiextensions.JSONSchemaProps", schema, Self::schema);
    }

    fn schemas_field(&mut self, name: &str, schemas: &[JsonSchemaProps], is_empty: bool) {
        self.field(name);
        let schemas = present(schemas, is_empty);
        self.list("[]apiextensions.JSONSchemaProps", schemas, Self::schema);
    }

    fn schema_map_field(&mut self, name: &str, go_type: &str, schemas: &SchemaMap, is_empty: bool) {
        self.field(name);
        self.map(go_type, present(schemas, is_empty), Self::schema);
    }

    fn schema_or_bool_field(&mut self, name: &str, value: Option<&SchemaOrBool>) {
        let go_type = "apiextensions.JSONSchemaPropsOrBool";
        self.field(name);
        self.pointer(go_type, value, |out, it| {
            out.structure(go_type, |out| {
                out.bool_field("Allows", it.allows);
                out.schema_pointer_field("Schema", it.schema.as_deref());
            });
        });
    }

    /// A `JSONSchemaPropsOrArray`.
    pub(super) fn schema_or_array(&mut self, items: &SchemaOrArray) {
        self.structure("apiextensions.JSONSchemaPropsOrArray", |out| {
            out.schema_pointer_field("Schema", items.schema.as_deref());
            // The author wrote a list exactly if there is no single schema.
            out.schemas_field("JSONSchemas", &items.json_schemas, items.schema.is_none());
        });
    }

    fn schema_or_strings(&mut self, value: &SchemaOrStringArray) {
        self.structure("apiextensions.JSONSchemaPropsOrStringArray", |out| {
            out.schema_pointer_field("Schema", value.schema.as_deref());
            out.strings_field("Property", &value.property, value.schema.is_none());
        });
    }

    /// A `JSONSchemaProps`.
    pub(super) fn schema(&mut self, schema: &JsonSchemaProps) {
        if self.full() {
            return;
        }
        self.structure("apiextensions.JSONSchemaProps", |out| out.schema_fields(schema));
    }

    fn schema_fields(&mut self, schema: &JsonSchemaProps) {
        let empty = |keyword| schema.empty.contains(keyword);
        let schemas = "map[string]apiextensions.JSONSchemaProps";
        self.string_field("ID", &schema.id);
        self.string_field("Schema", &schema.schema);
        self.string_pointer_field("Ref", schema.r#ref.as_deref());
        self.string_field("Description", &schema.description);
        self.string_field("Type", &schema.r#type);
        self.bool_field("Nullable", schema.nullable);
        self.string_field("Format", &schema.format);
        self.string_field("Title", &schema.title);
        self.value_field("Default", schema.default.as_ref());
        self.float_field("Maximum", schema.maximum);
        self.bool_field("ExclusiveMaximum", schema.exclusive_maximum);
        self.float_field("Minimum", schema.minimum);
        self.bool_field("ExclusiveMinimum", schema.exclusive_minimum);
        self.int_field("MaxLength", schema.max_length);
        self.int_field("MinLength", schema.min_length);
        self.string_field("Pattern", &schema.pattern);
        self.int_field("MaxItems", schema.max_items);
        self.int_field("MinItems", schema.min_items);
        self.bool_field("UniqueItems", schema.unique_items);
        self.float_field("MultipleOf", schema.multiple_of);
        self.field("Enum");
        let values = present(&schema.r#enum, empty(EmptyKeywords::ENUM));
        self.list("[]apiextensions.JSON", values, Self::value);
        self.int_field("MaxProperties", schema.max_properties);
        self.int_field("MinProperties", schema.min_properties);
        self.strings_field("Required", &schema.required, empty(EmptyKeywords::REQUIRED));
        self.field("Items");
        let items = schema.items.as_deref();
        self.pointer("apiextensions.JSONSchemaPropsOrArray", items, Self::schema_or_array);
        self.schemas_field("AllOf", &schema.all_of, empty(EmptyKeywords::ALL_OF));
        self.schemas_field("OneOf", &schema.one_of, empty(EmptyKeywords::ONE_OF));
        self.schemas_field("AnyOf", &schema.any_of, empty(EmptyKeywords::ANY_OF));
        self.schema_pointer_field("Not", schema.not.as_deref());
        let is_empty = empty(EmptyKeywords::PROPERTIES);
        self.schema_map_field("Properties", schemas, &schema.properties, is_empty);
        self.schema_or_bool_field("AdditionalProperties", schema.additional_properties.as_deref());
        let is_empty = empty(EmptyKeywords::PATTERN_PROPERTIES);
        self.schema_map_field("PatternProperties", schemas, &schema.pattern_properties, is_empty);
        self.field("Dependencies");
        let dependencies = present(&schema.dependencies, empty(EmptyKeywords::DEPENDENCIES));
        self.map(
            "apiextensions.JSONSchemaDependencies",
            dependencies,
            Self::schema_or_strings,
        );
        self.schema_or_bool_field("AdditionalItems", schema.additional_items.as_deref());
        let is_empty = empty(EmptyKeywords::DEFINITIONS);
        let go_type = "apiextensions.JSONSchemaDefinitions";
        self.schema_map_field("Definitions", go_type, &schema.definitions, is_empty);
        self.field("ExternalDocs");
        let go_type = "apiextensions.ExternalDocumentation";
        self.pointer(go_type, schema.external_docs.as_ref(), |out, it| {
            out.structure(go_type, |out| {
                out.string_field("Description", &it.description);
                out.string_field("URL", &it.url);
            });
        });
        self.value_field("Example", schema.example.as_ref());
        self.bool_pointer_field("XPreserveUnknownFields", schema.x_preserve_unknown_fields);
        self.bool_field("XEmbeddedResource", schema.x_embedded_resource);
        self.bool_field("XIntOrString", schema.x_int_or_string);
        let is_empty = empty(EmptyKeywords::LIST_MAP_KEYS);
        self.strings_field("XListMapKeys", &schema.x_list_map_keys, is_empty);
        self.string_pointer_field("XListType", schema.x_list_type.as_deref());
        self.string_pointer_field("XMapType", schema.x_map_type.as_deref());
        self.field("XValidations");
        let rules = present(&schema.x_validations, empty(EmptyKeywords::VALIDATIONS));
        self.list("apiextensions.ValidationRules", rules, Self::rule);
    }

    /// A `[]CustomResourceDefinitionVersion`.
    pub(super) fn versions(&mut self, spec: &Spec) {
        let versions = present(&spec.versions, spec.has_empty_versions);
        self.list(
            "[]apiextensions.CustomResourceDefinitionVersion",
            versions,
            |out, it| {
                out.structure("apiextensions.CustomResourceDefinitionVersion", |out| {
                    out.string_field("Name", &it.name);
                    out.bool_field("Served", it.served);
                    out.bool_field("Storage", it.storage);
                    out.bool_field("Deprecated", it.deprecated);
                    out.string_pointer_field("DeprecationWarning", it.deprecation_warning.as_deref());
                    out.field("Schema");
                    out.pointer(
                        "apiextensions.CustomResourceValidation",
                        it.schema.as_ref(),
                        Self::validation,
                    );
                    out.field("Subresources");
                    let subresources = it.subresources.as_ref();
                    out.pointer(
                        "apiextensions.CustomResourceSubresources",
                        subresources,
                        Self::subresources,
                    );
                    out.field("AdditionalPrinterColumns");
                    let columns = it.additional_printer_columns.as_deref();
                    out.list("[]apiextensions.CustomResourceColumnDefinition", columns, Self::column);
                    out.field("SelectableFields");
                    let fields = it.selectable_fields.as_deref();
                    out.list("[]apiextensions.SelectableField", fields, Self::selectable_field);
                });
            },
        );
    }

    fn validation(&mut self, validation: &Validation) {
        self.structure("apiextensions.CustomResourceValidation", |out| {
            out.schema_pointer_field("OpenAPIV3Schema", validation.open_api_v3_schema.as_ref());
        });
    }

    fn subresources(&mut self, subresources: &Subresources) {
        let scale_type = "apiextensions.CustomResourceSubresourceScale";
        self.structure("apiextensions.CustomResourceSubresources", |out| {
            out.field("Status");
            let status_type = "apiextensions.CustomResourceSubresourceStatus";
            out.pointer(status_type, subresources.status, |out, ()| {
                out.structure(status_type, |_| {});
            });
            out.field("Scale");
            out.pointer(scale_type, subresources.scale.as_ref(), |out, it| {
                out.structure(scale_type, |out| {
                    out.string_field("SpecReplicasPath", &it.spec_replicas_path);
                    out.string_field("StatusReplicasPath", &it.status_replicas_path);
                    out.string_pointer_field("LabelSelectorPath", it.label_selector_path.as_deref());
                });
            });
        });
    }

    fn column(&mut self, column: &ColumnDefinition) {
        self.structure("apiextensions.CustomResourceColumnDefinition", |out| {
            out.string_field("Name", &column.name);
            out.string_field("Type", &column.r#type);
            out.string_field("Format", &column.format);
            out.string_field("Description", &column.description);
            out.field("Priority");
            out.int(i64::from(column.priority));
            out.string_field("JSONPath", &column.json_path);
        });
    }

    fn selectable_field(&mut self, field: &SelectableField) {
        self.structure("apiextensions.SelectableField", |out| {
            out.string_field("JSONPath", &field.json_path);
        });
    }
}

/// A list or map as Go has it: nil unless there is something in it or it was written as empty.
fn present<T>(items: &[T], is_empty: bool) -> Option<&[T]> {
    (!items.is_empty() || is_empty).then_some(items)
}
