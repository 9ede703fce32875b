//! Shared helpers for the tests of this crate: schemas written as JSON, and the conformance tables if available.

use serde_json::Value;

use crate::json_schema::{
    EmptyKeywords, ExternalDocumentation, JsonSchemaProps, SchemaMap, SchemaOrArray, SchemaOrBool, ValidationRule,
};

/// The schema of a v1 CRD, read from `json`. Panics on unknown keywords, since a typo would weaken a test.
pub(crate) fn schema(json: &Value) -> JsonSchemaProps {
    let mut props = JsonSchemaProps::default();
    for (keyword, value) in json.as_object().expect("a schema is an object") {
        set_keyword(&mut props, keyword, value);
    }
    props
}

fn set_keyword(props: &mut JsonSchemaProps, keyword: &str, value: &Value) {
    let text = || value.as_str().expect("a string").to_owned();
    let flag = || value.as_bool().expect("a boolean");
    let texts = || -> Vec<String> {
        value
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| it.as_str().expect("a string").to_owned())
            .collect()
    };
    let schemas = || -> Vec<JsonSchemaProps> { value.as_array().expect("a list").iter().map(schema).collect() };
    let map = || -> SchemaMap {
        value
            .as_object()
            .expect("an object")
            .iter()
            .map(|(name, it)| (name.clone(), schema(it)))
            .collect()
    };
    let is_empty =
        value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(serde_json::Map::is_empty);
    let mut note_empty = |keyword| {
        if is_empty {
            props.empty.insert(keyword);
        }
    };
    match keyword {
        "id" => props.id = text(),
        "$schema" => props.schema = text(),
        "$ref" => props.r#ref = Some(text()),
        "description" => props.description = text(),
        "type" => props.r#type = text(),
        "nullable" => props.nullable = flag(),
        "format" => props.format = text(),
        "title" => props.title = text(),
        "default" => props.default = Some(value.clone()),
        "maximum" => props.maximum = value.as_f64(),
        "exclusiveMaximum" => props.exclusive_maximum = flag(),
        "minimum" => props.minimum = value.as_f64(),
        "exclusiveMinimum" => props.exclusive_minimum = flag(),
        "maxLength" => props.max_length = value.as_i64(),
        "minLength" => props.min_length = value.as_i64(),
        "pattern" => props.pattern = text(),
        "maxItems" => props.max_items = value.as_i64(),
        "minItems" => props.min_items = value.as_i64(),
        "uniqueItems" => props.unique_items = flag(),
        "multipleOf" => props.multiple_of = value.as_f64(),
        "enum" => props.r#enum = value.as_array().expect("a list").clone(),
        "maxProperties" => props.max_properties = value.as_i64(),
        "minProperties" => props.min_properties = value.as_i64(),
        "required" => {
            note_empty(EmptyKeywords::REQUIRED);
            props.required = texts();
        }
        "items" => {
            props.items = Some(Box::new(match value {
                Value::Array(items) => SchemaOrArray {
                    schema: None,
                    json_schemas: items.iter().map(schema).collect(),
                },
                _ => SchemaOrArray {
                    schema: Some(Box::new(schema(value))),
                    json_schemas: Vec::new(),
                },
            }));
        }
        "allOf" => props.all_of = schemas(),
        "oneOf" => props.one_of = schemas(),
        "anyOf" => props.any_of = schemas(),
        "not" => props.not = Some(Box::new(schema(value))),
        "properties" => {
            note_empty(EmptyKeywords::PROPERTIES);
            props.properties = map();
        }
        "additionalProperties" => {
            props.additional_properties = Some(Box::new(match value {
                Value::Bool(allows) => SchemaOrBool {
                    allows: *allows,
                    schema: None,
                },
                _ => SchemaOrBool {
                    allows: true,
                    schema: Some(Box::new(schema(value))),
                },
            }));
        }
        "patternProperties" => props.pattern_properties = map(),
        "definitions" => props.definitions = map(),
        "externalDocs" => {
            let part = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            props.external_docs = Some(ExternalDocumentation {
                description: part("description"),
                url: part("url"),
            });
        }
        "example" => props.example = Some(value.clone()),
        "x-kubernetes-preserve-unknown-fields" => props.x_preserve_unknown_fields = Some(flag()),
        "x-kubernetes-embedded-resource" => props.x_embedded_resource = flag(),
        "x-kubernetes-int-or-string" => props.x_int_or_string = flag(),
        "x-kubernetes-list-map-keys" => {
            note_empty(EmptyKeywords::LIST_MAP_KEYS);
            props.x_list_map_keys = texts();
        }
        "x-kubernetes-list-type" => props.x_list_type = Some(text()),
        "x-kubernetes-map-type" => props.x_map_type = Some(text()),
        "x-kubernetes-validations" => {
            note_empty(EmptyKeywords::VALIDATIONS);
            props.x_validations = value.as_array().expect("a list").iter().map(rule).collect();
        }
        _ => panic!("{keyword} is not a keyword that tests can write"),
    }
}

fn rule(json: &Value) -> ValidationRule {
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    ValidationRule {
        rule: text("rule"),
        message: text("message"),
        message_expression: text("messageExpression"),
        reason: json["reason"].as_str().map(str::to_owned),
        field_path: text("fieldPath"),
        optional_old_self: json["optionalOldSelf"].as_bool(),
    }
}
