//! Writes a schema as JSON (`ToKubeOpenAPI` of `pkg/apiserver/schema`, and the JSON tags of `spec.Schema` in kube-openapi).

use crd_analyzer_schema::{JsonSchemaProps, RareKeywords, SchemaMap, ValidationRule};
use serde_json::{Map, Value, json};

use crate::Keywords;

/// A schema that contains only a type.
pub(super) fn typed(name: &str) -> Keywords {
    Map::from_iter([("type".to_owned(), json!(name))])
}

/// The keywords of a structural schema. Empty, false and zero values are left out, as with Go's `omitempty`.
pub(super) fn of(schema: &JsonSchemaProps) -> Keywords {
    let mut out = Writer::default();
    out.text("description", &schema.description);
    out.text("type", &schema.r#type);
    out.flag("nullable", schema.nullable);
    out.text("format", &schema.format);
    out.some("default", schema.default.clone().filter(|it| !it.is_null()));
    out.list("required", schema.required.iter().map(|it| json!(it)));
    if let Some(items) = schema.items.as_ref().and_then(|it| it.schema.as_deref()) {
        out.put("items", nested(items));
    }
    out.schemas("properties", &schema.properties);
    if let Some(additional) = &schema.additional_properties {
        let value = additional
            .schema
            .as_deref()
            .map_or(Value::Bool(additional.allows), nested);
        out.put("additionalProperties", value);
    }
    out.extensions(schema);
    if let Some(rare) = schema.rare.get() {
        out.rare(rare);
    }
    out.0
}

/// The keywords that describe a value without restricting it, without nested schemas.
pub(super) fn explaining(schema: &JsonSchemaProps) -> Keywords {
    let mut out = Writer::default();
    out.text("description", &schema.description);
    out.some("default", schema.default.clone().filter(|it| !it.is_null()));
    out.extensions(schema);
    if let Some(rare) = schema.rare.get() {
        out.text("title", &rare.title);
        out.list_extensions(rare);
    }
    out.0
}

fn nested(schema: &JsonSchemaProps) -> Value {
    Value::Object(of(schema))
}

/// An entry of `x-kubernetes-validations` (`ValidationRule` of `apiextensions.k8s.io/v1`).
fn rule(rule: &ValidationRule) -> Value {
    let mut out = Writer::default();
    out.put("rule", json!(rule.rule));
    out.text("message", &rule.message);
    out.text("messageExpression", &rule.message_expression);
    out.some("reason", rule.reason.clone().map(Value::String));
    out.text("fieldPath", &rule.field_path);
    out.some("optionalOldSelf", rule.optional_old_self.map(Value::Bool));
    Value::Object(out.0)
}

#[derive(Default)]
struct Writer(Keywords);

impl Writer {
    fn put(&mut self, key: &str, value: Value) {
        self.0.insert(key.to_owned(), value);
    }

    fn some(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.put(key, json!(text));
        }
    }

    fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            self.put(key, Value::Bool(true));
        }
    }

    fn list(&mut self, key: &str, values: impl ExactSizeIterator<Item = Value>) {
        if values.len() > 0 {
            self.put(key, values.collect());
        }
    }

    fn schemas(&mut self, key: &str, schemas: &SchemaMap) {
        if !schemas.is_empty() {
            let schemas = schemas.iter().map(|(name, schema)| (name.clone(), nested(schema)));
            self.put(key, Value::Object(schemas.collect()));
        }
    }

    fn rare(&mut self, rare: &RareKeywords) {
        self.text("title", &rare.title);
        self.some("maximum", rare.maximum.map(Value::from));
        self.flag("exclusiveMaximum", rare.exclusive_maximum);
        self.some("minimum", rare.minimum.map(Value::from));
        self.flag("exclusiveMinimum", rare.exclusive_minimum);
        self.some("maxLength", rare.max_length.map(Value::from));
        self.some("minLength", rare.min_length.map(Value::from));
        self.text("pattern", &rare.pattern);
        self.some("maxItems", rare.max_items.map(Value::from));
        self.some("minItems", rare.min_items.map(Value::from));
        self.flag("uniqueItems", rare.unique_items);
        self.some("multipleOf", rare.multiple_of.map(Value::from));
        self.list("enum", rare.r#enum.iter().cloned());
        self.some("maxProperties", rare.max_properties.map(Value::from));
        self.some("minProperties", rare.min_properties.map(Value::from));
        self.list("allOf", rare.all_of.iter().map(nested));
        self.list("oneOf", rare.one_of.iter().map(nested));
        self.list("anyOf", rare.any_of.iter().map(nested));
        self.some("not", rare.not.as_deref().map(nested));
        if let Some(docs) = &rare.external_docs {
            let mut out = Self::default();
            out.text("description", &docs.description);
            out.text("url", &docs.url);
            self.put("externalDocs", Value::Object(out.0));
        }
        self.some("example", rare.example.clone().filter(|it| !it.is_null()));
        self.list_extensions(rare);
    }

    fn extensions(&mut self, schema: &JsonSchemaProps) {
        self.flag(
            "x-kubernetes-preserve-unknown-fields",
            schema.x_preserve_unknown_fields == Some(true),
        );
        self.flag("x-kubernetes-embedded-resource", schema.x_embedded_resource);
        self.flag("x-kubernetes-int-or-string", schema.x_int_or_string);
        self.list("x-kubernetes-validations", schema.x_validations.iter().map(rule));
    }

    fn list_extensions(&mut self, rare: &RareKeywords) {
        self.list(
            "x-kubernetes-list-map-keys",
            rare.x_list_map_keys.iter().map(|it| json!(it)),
        );
        self.some("x-kubernetes-list-type", rare.x_list_type.clone().map(Value::String));
        self.some("x-kubernetes-map-type", rare.x_map_type.clone().map(Value::String));
    }
}
