//! The internal types as Go's `encoding/json` prints them: the names of Go's struct fields, every field, in order.

use std::fmt::Write as _;

use crd_analyzer_schema::{
    EmptyKeywords, JsonSchemaProps, SchemaMap, SchemaOrArray, SchemaOrBool, SchemaOrStringArray, ValidationRule, go,
};
use serde_json::Value;

use crate::types::{ColumnDefinition, SelectableField, Subresources, Validation, Version};

/// Bytes after which a rendered value is cut. A whole schema prints a hundredfold of what its author wrote, and nobody
/// reads it to the end.
const LIMIT: usize = 4096;

/// Writes JSON, and stops writing at the limit.
#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// Whether the next element of an array or object needs a comma before it.
    comma: bool,
}

impl Writer {
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

    fn raw(&mut self, text: &str) {
        if !self.full() {
            self.out.push_str(text);
        }
        self.comma = true;
    }

    fn open(&mut self, bracket: &str) {
        self.raw(bracket);
        self.comma = false;
    }

    fn element(&mut self) {
        if self.comma {
            self.raw(",");
        }
    }

    fn key(&mut self, name: &str) {
        self.element();
        self.string(name);
        self.raw(":");
    }

    fn list<T>(&mut self, items: Option<&[T]>, mut item: impl FnMut(&mut Self, &T)) {
        let Some(items) = items else {
            return self.raw("null");
        };
        self.open("[");
        for it in items {
            if self.full() {
                break;
            }
            self.element();
            item(self, it);
        }
        self.raw("]");
    }

    fn map<T>(&mut self, entries: Option<&[(String, T)]>, mut value: impl FnMut(&mut Self, &T)) {
        let Some(entries) = entries else {
            return self.raw("null");
        };
        self.open("{");
        for (key, it) in entries {
            if self.full() {
                break;
            }
            self.key(key);
            value(self, it);
        }
        self.raw("}");
    }

    fn option<T>(&mut self, value: Option<T>, some: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => some(self, value),
            None => self.raw("null"),
        }
    }

    /// A string, with the escapes of `json.Marshal` (which makes JSON safe for HTML).
    pub(super) fn string(&mut self, value: &str) {
        if self.full() {
            return;
        }
        self.out.push('"');
        for c in value[..value.floor_char_boundary(LIMIT)].chars() {
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
        self.comma = true;
    }

    pub(super) fn strings(&mut self, value: Option<&[String]>) {
        self.list(value, |out, it| out.string(it));
    }

    /// Bytes, in base64.
    pub(super) fn bytes(&mut self, value: &[u8]) {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
        self.raw(&go::json_float(value));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => self.int(int),
                None => self.float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list(Some(items.as_slice()), Self::value),
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(key, _)| key.as_str());
                self.open("{");
                for (key, it) in members {
                    if self.full() {
                        break;
                    }
                    self.key(key);
                    self.value(it);
                }
                self.raw("}");
            }
        }
    }

    /// A `ValidationRule`.
    pub(super) fn rule(&mut self, rule: &ValidationRule) {
        self.open("{");
        self.string_field("Rule", &rule.rule);
        self.string_field("Message", &rule.message);
        self.string_field("MessageExpression", &rule.message_expression);
        self.key("Reason");
        self.option(rule.reason.as_deref(), Self::string);
        self.string_field("FieldPath", &rule.field_path);
        self.key("OptionalOldSelf");
        self.option(rule.optional_old_self, Self::bool);
        self.raw("}");
    }

    fn string_field(&mut self, name: &str, value: &str) {
        self.key(name);
        self.string(value);
    }

    fn bool_field(&mut self, name: &str, value: bool) {
        self.key(name);
        self.bool(value);
    }

    fn float_field(&mut self, name: &str, value: Option<f64>) {
        self.key(name);
        self.option(value, Self::float);
    }

    fn int_field(&mut self, name: &str, value: Option<i64>) {
        self.key(name);
        self.option(value, Self::int);
    }

    fn value_field(&mut self, name: &str, value: Option<&Value>) {
        self.key(name);
        self.option(value, Self::value);
    }

    fn schemas_field(&mut self, name: &str, schemas: &[JsonSchemaProps], is_empty: bool) {
        self.key(name);
        self.list(present(schemas, is_empty), Self::schema);
    }

    fn schema_map_field(&mut self, name: &str, schemas: &SchemaMap, is_empty: bool) {
        self.key(name);
        self.map(present(schemas, is_empty), Self::schema);
    }

    fn schema_or_bool_field(&mut self, name: &str, value: Option<&SchemaOrBool>) {
        self.key(name);
        self.option(value, |out, it| {
            out.open("{");
            out.bool_field("Allows", it.allows);
            out.key("Schema");
            out.option(it.schema.as_deref(), Self::schema);
            out.raw("}");
        });
    }

    /// A `JSONSchemaPropsOrArray`.
    pub(super) fn schema_or_array(&mut self, items: &SchemaOrArray) {
        self.open("{");
        self.key("Schema");
        self.option(items.schema.as_deref(), Self::schema);
        // The author wrote a list exactly if there is no single schema.
        self.schemas_field("JSONSchemas", &items.json_schemas, items.schema.is_none());
        self.raw("}");
    }

    fn schema_or_strings(&mut self, value: &SchemaOrStringArray) {
        self.open("{");
        self.key("Schema");
        self.option(value.schema.as_deref(), Self::schema);
        self.key("Property");
        self.strings(present(&value.property, value.schema.is_none()));
        self.raw("}");
    }

    /// A `JSONSchemaProps`.
    pub(super) fn schema(&mut self, schema: &JsonSchemaProps) {
        if self.full() {
            return;
        }
        let empty = |keyword| schema.empty.contains(keyword);
        self.open("{");
        self.string_field("ID", &schema.id);
        self.string_field("Schema", &schema.schema);
        self.key("Ref");
        self.option(schema.r#ref.as_deref(), Self::string);
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
        self.key("Enum");
        self.list(present(&schema.r#enum, empty(EmptyKeywords::ENUM)), Self::value);
        self.int_field("MaxProperties", schema.max_properties);
        self.int_field("MinProperties", schema.min_properties);
        self.key("Required");
        self.strings(present(&schema.required, empty(EmptyKeywords::REQUIRED)));
        self.key("Items");
        self.option(schema.items.as_deref(), Self::schema_or_array);
        self.schemas_field("AllOf", &schema.all_of, empty(EmptyKeywords::ALL_OF));
        self.schemas_field("OneOf", &schema.one_of, empty(EmptyKeywords::ONE_OF));
        self.schemas_field("AnyOf", &schema.any_of, empty(EmptyKeywords::ANY_OF));
        self.key("Not");
        self.option(schema.not.as_deref(), Self::schema);
        self.schema_map_field("Properties", &schema.properties, empty(EmptyKeywords::PROPERTIES));
        self.schema_or_bool_field("AdditionalProperties", schema.additional_properties.as_deref());
        let is_empty = empty(EmptyKeywords::PATTERN_PROPERTIES);
        self.schema_map_field("PatternProperties", &schema.pattern_properties, is_empty);
        self.key("Dependencies");
        let dependencies = present(&schema.dependencies, empty(EmptyKeywords::DEPENDENCIES));
        self.map(dependencies, Self::schema_or_strings);
        self.schema_or_bool_field("AdditionalItems", schema.additional_items.as_deref());
        self.schema_map_field("Definitions", &schema.definitions, empty(EmptyKeywords::DEFINITIONS));
        self.key("ExternalDocs");
        self.option(schema.external_docs.as_ref(), |out, it| {
            out.open("{");
            out.string_field("Description", &it.description);
            out.string_field("URL", &it.url);
            out.raw("}");
        });
        self.value_field("Example", schema.example.as_ref());
        self.key("XPreserveUnknownFields");
        self.option(schema.x_preserve_unknown_fields, Self::bool);
        self.bool_field("XEmbeddedResource", schema.x_embedded_resource);
        self.bool_field("XIntOrString", schema.x_int_or_string);
        self.key("XListMapKeys");
        self.strings(present(&schema.x_list_map_keys, empty(EmptyKeywords::LIST_MAP_KEYS)));
        self.key("XListType");
        self.option(schema.x_list_type.as_deref(), Self::string);
        self.key("XMapType");
        self.option(schema.x_map_type.as_deref(), Self::string);
        self.key("XValidations");
        let rules = present(&schema.x_validations, empty(EmptyKeywords::VALIDATIONS));
        self.list(rules, Self::rule);
        self.raw("}");
    }

    /// A `[]CustomResourceDefinitionVersion`.
    pub(super) fn versions(&mut self, versions: &[Version]) {
        self.list(Some(versions), |out, it| {
            out.open("{");
            out.string_field("Name", &it.name);
            out.bool_field("Served", it.served);
            out.bool_field("Storage", it.storage);
            out.bool_field("Deprecated", it.deprecated);
            out.key("DeprecationWarning");
            out.option(it.deprecation_warning.as_deref(), Self::string);
            out.key("Schema");
            out.option(it.schema.as_ref(), Self::validation);
            out.key("Subresources");
            out.option(it.subresources.as_ref(), Self::subresources);
            out.key("AdditionalPrinterColumns");
            out.list(it.additional_printer_columns.as_deref(), Self::column);
            out.key("SelectableFields");
            out.list(it.selectable_fields.as_deref(), Self::selectable_field);
            out.raw("}");
        });
    }

    fn validation(&mut self, validation: &Validation) {
        self.open("{");
        self.key("OpenAPIV3Schema");
        self.option(validation.open_api_v3_schema.as_ref(), Self::schema);
        self.raw("}");
    }

    fn subresources(&mut self, subresources: &Subresources) {
        self.open("{");
        self.key("Status");
        self.option(subresources.status, |out, ()| out.raw("{}"));
        self.key("Scale");
        self.option(subresources.scale.as_ref(), |out, it| {
            out.open("{");
            out.string_field("SpecReplicasPath", &it.spec_replicas_path);
            out.string_field("StatusReplicasPath", &it.status_replicas_path);
            out.key("LabelSelectorPath");
            out.option(it.label_selector_path.as_deref(), Self::string);
            out.raw("}");
        });
        self.raw("}");
    }

    fn column(&mut self, column: &ColumnDefinition) {
        self.open("{");
        self.string_field("Name", &column.name);
        self.string_field("Type", &column.r#type);
        self.string_field("Format", &column.format);
        self.string_field("Description", &column.description);
        self.key("Priority");
        self.int(i64::from(column.priority));
        self.string_field("JSONPath", &column.json_path);
        self.raw("}");
    }

    fn selectable_field(&mut self, field: &SelectableField) {
        self.open("{");
        self.string_field("JSONPath", &field.json_path);
        self.raw("}");
    }
}

/// A list or map as Go has it: nil unless there is something in it or it was written as empty.
fn present<T>(items: &[T], is_empty: bool) -> Option<&[T]> {
    (!items.is_empty() || is_empty).then_some(items)
}
