//! Formatting of the types of `pkg/apis/apiextensions`, field by field.

use crd_analyzer_schema::{
    EmptyKeywords, JsonSchemaProps, SchemaMap, SchemaOrArray, SchemaOrBool, SchemaOrStringArray, ValidationRule,
};
use serde_json::Value;

use super::Writer;
use crate::types::{ColumnDefinition, SelectableField, Spec, Subresources, Validation};

impl Writer {
    /// Writes a `ValidationRule`.
    pub(in super::super) fn rule(&mut self, rule: &ValidationRule) {
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

    /// Writes a `JSONSchemaPropsOrArray`.
    pub(in super::super) fn schema_or_array(&mut self, items: &SchemaOrArray) {
        self.structure("apiextensions.JSONSchemaPropsOrArray", |out| {
            out.schema_pointer_field("Schema", items.schema.as_deref());
            // Without a single schema, the author wrote a list, even if the list is empty.
            out.schemas_field("JSONSchemas", &items.json_schemas, items.schema.is_none());
        });
    }

    fn schema_or_strings(&mut self, value: &SchemaOrStringArray) {
        self.structure("apiextensions.JSONSchemaPropsOrStringArray", |out| {
            out.schema_pointer_field("Schema", value.schema.as_deref());
            out.strings_field("Property", &value.property, value.schema.is_none());
        });
    }

    /// Writes a `JSONSchemaProps`.
    pub(in super::super) fn schema(&mut self, schema: &JsonSchemaProps) {
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

    /// Writes a `[]CustomResourceDefinitionVersion`.
    pub(in super::super) fn versions(&mut self, spec: &Spec) {
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

/// A list or map as in Go: nil unless the list or map has elements or is present but empty.
fn present<T>(items: &[T], is_empty: bool) -> Option<&[T]> {
    (!items.is_empty() || is_empty).then_some(items)
}
