//! Decodes schemas (`JSONSchemaProps` of v1, `types_jsonschema.go` and `marshal.go`).

use crd_analyzer_schema::{
    EmptyKeywords, ExternalDocumentation, JsonSchemaProps, SchemaMap, SchemaOrArray, SchemaOrBool, SchemaOrStringArray,
    ValidationRule,
};
use crd_analyzer_syntax::json::{Json, JsonValue};

use super::leaf::any;
use super::state::{Cause, DecodeFailure, Decoder, Stop};

impl<'j> Decoder<'j> {
    /// Decodes a schema.
    pub(super) fn schema(&mut self, json: &'j Json<'j>, out: &mut JsonSchemaProps) -> Result<(), Stop> {
        self.enter_schema(json)?;
        self.structure(json, "JSONSchemaProps", "v1.JSONSchemaProps", |d, key, value| {
            d.keyword(key, value, out)
        })?;
        self.leave_schema();
        Ok(())
    }

    /// Decodes a pointer to a schema.
    fn optional_schema(&mut self, json: &'j Json<'j>) -> Result<Option<Box<JsonSchemaProps>>, Stop> {
        if matches!(json.value, JsonValue::Null) {
            return Ok(None);
        }
        let mut schema = Box::<JsonSchemaProps>::default();
        self.schema(json, &mut schema)?;
        Ok(Some(schema))
    }

    fn keyword(&mut self, key: &str, json: &'j Json<'j>, out: &mut JsonSchemaProps) -> Result<bool, Stop> {
        match key {
            "type" => self.string(json, &mut out.r#type),
            "description" => self.string(json, &mut out.description),
            "properties" => {
                let map = self.schema_map(json, "map[string]v1.JSONSchemaProps")?;
                out.properties = filled(map, out, EmptyKeywords::PROPERTIES);
            }
            "items" => out.items = self.schema_or_array(json)?.map(Box::new),
            "required" => {
                let list = self.strings(json)?;
                out.required = filled(list, out, EmptyKeywords::REQUIRED);
            }
            "format" => self.string(json, &mut out.format),
            "default" => out.default = optional_any(json)?,
            "enum" => {
                let list = self.list(json, "[]v1.JSON", |_, item, value| {
                    *value = any(item)?;
                    Ok(())
                })?;
                out.r#enum = filled(list, out, EmptyKeywords::ENUM);
            }
            "nullable" => self.boolean(json, &mut out.nullable),
            "additionalProperties" => out.additional_properties = self.schema_or_bool(json)?.map(Box::new),
            "pattern" => self.string(json, &mut out.pattern),
            "maximum" => self.optional_float(json, &mut out.maximum),
            "minimum" => self.optional_float(json, &mut out.minimum),
            "exclusiveMaximum" => self.boolean(json, &mut out.exclusive_maximum),
            "exclusiveMinimum" => self.boolean(json, &mut out.exclusive_minimum),
            "maxLength" => self.optional_integer(json, &mut out.max_length, "int64"),
            "minLength" => self.optional_integer(json, &mut out.min_length, "int64"),
            "maxItems" => self.optional_integer(json, &mut out.max_items, "int64"),
            "minItems" => self.optional_integer(json, &mut out.min_items, "int64"),
            "maxProperties" => self.optional_integer(json, &mut out.max_properties, "int64"),
            "minProperties" => self.optional_integer(json, &mut out.min_properties, "int64"),
            "uniqueItems" => self.boolean(json, &mut out.unique_items),
            "multipleOf" => self.optional_float(json, &mut out.multiple_of),
            "title" => self.string(json, &mut out.title),
            "id" => self.string(json, &mut out.id),
            "$schema" => self.named_string(json, &mut out.schema, "v1.JSONSchemaURL"),
            "$ref" => self.optional_string(json, &mut out.r#ref, "string"),
            "allOf" => {
                let list = self.schema_list(json)?;
                out.all_of = filled(list, out, EmptyKeywords::ALL_OF);
            }
            "oneOf" => {
                let list = self.schema_list(json)?;
                out.one_of = filled(list, out, EmptyKeywords::ONE_OF);
            }
            "anyOf" => {
                let list = self.schema_list(json)?;
                out.any_of = filled(list, out, EmptyKeywords::ANY_OF);
            }
            "not" => out.not = self.optional_schema(json)?,
            "patternProperties" => {
                let map = self.schema_map(json, "map[string]v1.JSONSchemaProps")?;
                out.pattern_properties = filled(map, out, EmptyKeywords::PATTERN_PROPERTIES);
            }
            "dependencies" => {
                let map = self.map(json, "v1.JSONSchemaDependencies", |d, item, value| {
                    *value = d.schema_or_string_array(item)?;
                    Ok(())
                })?;
                out.dependencies = filled(map, out, EmptyKeywords::DEPENDENCIES);
            }
            "additionalItems" => out.additional_items = self.schema_or_bool(json)?.map(Box::new),
            "definitions" => {
                let map = self.schema_map(json, "v1.JSONSchemaDefinitions")?;
                out.definitions = filled(map, out, EmptyKeywords::DEFINITIONS);
            }
            "externalDocs" => out.external_docs = self.external_docs(json)?,
            "example" => out.example = optional_any(json)?,
            "x-kubernetes-preserve-unknown-fields" => {
                self.optional_boolean(json, &mut out.x_preserve_unknown_fields);
            }
            "x-kubernetes-embedded-resource" => self.boolean(json, &mut out.x_embedded_resource),
            "x-kubernetes-int-or-string" => self.boolean(json, &mut out.x_int_or_string),
            "x-kubernetes-list-map-keys" => {
                let list = self.strings(json)?;
                out.x_list_map_keys = filled(list, out, EmptyKeywords::LIST_MAP_KEYS);
            }
            "x-kubernetes-list-type" => self.optional_string(json, &mut out.x_list_type, "string"),
            "x-kubernetes-map-type" => self.optional_string(json, &mut out.x_map_type, "string"),
            "x-kubernetes-validations" => {
                let list = self.list(json, "v1.ValidationRules", Self::validation_rule)?;
                out.x_validations = filled(list, out, EmptyKeywords::VALIDATIONS);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn schema_map(&mut self, json: &'j Json<'j>, full_name: &'static str) -> Result<Option<SchemaMap>, Stop> {
        self.map(json, full_name, Self::schema)
    }

    fn schema_list(&mut self, json: &'j Json<'j>) -> Result<Option<Vec<JsonSchemaProps>>, Stop> {
        self.list(json, "[]v1.JSONSchemaProps", Self::schema)
    }

    /// Decodes `items`. Any value other than an object, a list or null counts as present but empty.
    fn schema_or_array(&mut self, json: &'j Json<'j>) -> Result<Option<SchemaOrArray>, Stop> {
        Ok(Some(match &json.value {
            JsonValue::Null => return Ok(None),
            JsonValue::Object(_) => SchemaOrArray {
                schema: self.on_its_own(|d| d.optional_schema(json))?,
                json_schemas: Vec::new(),
            },
            JsonValue::Array(_) => {
                let list = self.on_its_own(|d| d.schema_list(json))?;
                SchemaOrArray {
                    schema: None,
                    json_schemas: list.unwrap_or_default(),
                }
            }
            _ => SchemaOrArray::default(),
        }))
    }

    /// Decodes `additionalProperties` or `additionalItems`.
    fn schema_or_bool(&mut self, json: &'j Json<'j>) -> Result<Option<SchemaOrBool>, Stop> {
        match &json.value {
            JsonValue::Null => Ok(None),
            JsonValue::Bool(allows) => Ok(Some(SchemaOrBool {
                allows: *allows,
                schema: None,
            })),
            JsonValue::Object(_) => {
                let schema = self.on_its_own(|d| d.optional_schema(json))?;
                Ok(Some(SchemaOrBool { allows: true, schema }))
            }
            _ => {
                let cause = Cause::Text("boolean or JSON schema expected".to_owned());
                Err(Box::new(DecodeFailure { cause, node: json.node }))
            }
        }
    }

    /// Decodes a value of `dependencies`. Any value other than an object or a list counts as empty, even null.
    fn schema_or_string_array(&mut self, json: &'j Json<'j>) -> Result<SchemaOrStringArray, Stop> {
        Ok(match &json.value {
            JsonValue::Object(_) => SchemaOrStringArray {
                schema: self.on_its_own(|d| d.optional_schema(json))?,
                property: Vec::new(),
            },
            JsonValue::Array(_) => {
                let list = self.on_its_own(|d| d.strings(json))?;
                SchemaOrStringArray {
                    schema: None,
                    property: list.unwrap_or_default(),
                }
            }
            _ => SchemaOrStringArray::default(),
        })
    }

    fn external_docs(&mut self, json: &'j Json<'j>) -> Result<Option<ExternalDocumentation>, Stop> {
        if matches!(json.value, JsonValue::Null) {
            return Ok(None);
        }
        let mut out = ExternalDocumentation::default();
        self.structure(
            json,
            "ExternalDocumentation",
            "v1.ExternalDocumentation",
            |d, key, value| {
                match key {
                    "description" => d.string(value, &mut out.description),
                    "url" => d.string(value, &mut out.url),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )?;
        Ok(Some(out))
    }

    fn validation_rule(&mut self, json: &'j Json<'j>, out: &mut ValidationRule) -> Result<(), Stop> {
        self.structure(json, "ValidationRule", "v1.ValidationRule", |d, key, value| {
            match key {
                "rule" => d.string(value, &mut out.rule),
                "message" => d.string(value, &mut out.message),
                "messageExpression" => d.string(value, &mut out.message_expression),
                "reason" => d.optional_string(value, &mut out.reason, "v1.FieldValueErrorReason"),
                "fieldPath" => d.string(value, &mut out.field_path),
                "optionalOldSelf" => d.optional_boolean(value, &mut out.optional_old_self),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

/// Decodes a pointer to any JSON; null becomes nil.
fn optional_any(json: &Json<'_>) -> Result<Option<serde_json::Value>, Stop> {
    if matches!(json.value, JsonValue::Null) {
        Ok(None)
    } else {
        any(json).map(Some)
    }
}

/// The decoded list. Records the keyword if the list is present but empty.
fn filled<T>(read: Option<Vec<T>>, schema: &mut JsonSchemaProps, keyword: EmptyKeywords) -> Vec<T> {
    match read {
        Some(read) => {
            if read.is_empty() {
                schema.empty.insert(keyword);
            }
            read
        }
        None => Vec::new(),
    }
}
