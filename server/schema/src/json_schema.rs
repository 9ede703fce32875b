//! The OpenAPI v3 schema of a definition, as its author wrote it.

use serde_json::Value;

/// A schema as the API has it (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions`, `JSONSchemaProps`, the internal
/// form). Absent strings are empty, absent lists are empty unless an `Option` tells absent from empty.
///
/// Maps are lists sorted by key without duplicates: that is the order in which the server's decoder sees them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JsonSchemaProps {
    /// `id`
    pub id: String,
    /// `$schema`
    pub schema: String,
    /// `$ref`
    pub r#ref: Option<String>,
    /// `description`
    pub description: String,
    /// `type`
    pub r#type: String,
    /// `nullable`
    pub nullable: bool,
    /// `format`
    pub format: String,
    /// `title`
    pub title: String,
    /// `default`; `Some(Value::Null)` is an explicit null.
    pub default: Option<Value>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`, in the unit that the server counts in (it says bytes, it counts characters).
    pub max_length: Option<i64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: String,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`; absent and empty are told apart where the server does.
    pub r#enum: Option<Vec<Value>>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `required`
    pub required: Vec<String>,
    /// `items`
    pub items: Option<Box<SchemaOrArray>>,
    /// `allOf`
    pub all_of: Vec<JsonSchemaProps>,
    /// `oneOf`
    pub one_of: Vec<JsonSchemaProps>,
    /// `anyOf`
    pub any_of: Vec<JsonSchemaProps>,
    /// `not`
    pub not: Option<Box<JsonSchemaProps>>,
    /// `properties`
    pub properties: SchemaMap,
    /// `additionalProperties`
    pub additional_properties: Option<Box<SchemaOrBool>>,
    /// `patternProperties`
    pub pattern_properties: SchemaMap,
    /// `dependencies`
    pub dependencies: Vec<(String, SchemaOrStringArray)>,
    /// `additionalItems`
    pub additional_items: Option<Box<SchemaOrBool>>,
    /// `definitions`
    pub definitions: SchemaMap,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocumentation>,
    /// `example`
    pub example: Option<Value>,
    /// `x-kubernetes-preserve-unknown-fields`
    pub x_preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`
    pub x_embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub x_int_or_string: bool,
    /// `x-kubernetes-list-map-keys`
    pub x_list_map_keys: Vec<String>,
    /// `x-kubernetes-list-type`
    pub x_list_type: Option<String>,
    /// `x-kubernetes-map-type`
    pub x_map_type: Option<String>,
    /// `x-kubernetes-validations`
    pub x_validations: Vec<ValidationRule>,
}

/// Schemas by name, sorted by name, each name once.
pub type SchemaMap = Vec<(String, JsonSchemaProps)>;

/// `items`: one schema, or (which no structural schema may have) a list of them (`JSONSchemaPropsOrArray`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrArray {
    /// The schema of every item.
    pub schema: Option<Box<JsonSchemaProps>>,
    /// One schema an item.
    pub json_schemas: Vec<JsonSchemaProps>,
}

/// `additionalProperties`: a schema, or whether anything is allowed (`JSONSchemaPropsOrBool`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrBool {
    /// False only where the author wrote `false`.
    pub allows: bool,
    /// The schema of every value.
    pub schema: Option<Box<JsonSchemaProps>>,
}

/// A value of `dependencies` (`JSONSchemaPropsOrStringArray`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrStringArray {
    /// The schema to hold when the property is there.
    pub schema: Option<Box<JsonSchemaProps>>,
    /// The properties to be there when the property is there.
    pub property: Vec<String>,
}

/// `externalDocs`
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExternalDocumentation {
    /// `description`
    pub description: String,
    /// `url`
    pub url: String,
}

/// One rule of `x-kubernetes-validations` (`ValidationRule`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ValidationRule {
    /// `rule`, a CEL expression.
    pub rule: String,
    /// `message`
    pub message: String,
    /// `messageExpression`, a CEL expression.
    pub message_expression: String,
    /// `reason`
    pub reason: Option<String>,
    /// `fieldPath`
    pub field_path: String,
    /// `optionalOldSelf`
    pub optional_old_self: Option<bool>,
}
