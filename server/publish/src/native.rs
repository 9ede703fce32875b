//! Adds the fields that exist in every object and every embedded object (`addTypeMetaProperties` and `addEmbeddedProperties`).

use serde_json::{Map, Value, json};

use crate::{Keywords, OpenApi, reference};

pub(crate) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

// The API server also publishes these descriptions.
const METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const EMBEDDED_API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";

/// Adds `apiVersion`, `kind` and `metadata` of the object itself.
pub(super) fn add_object_fields(schema: &mut Keywords, edition: OpenApi) {
    add_fields(schema, edition, API_VERSION, KIND);
}

/// Adds `apiVersion`, `kind` and `metadata` to the schemas of embedded objects, and makes `apiVersion` and `kind` required.
pub(super) fn add_embedded_fields(schema: &mut Keywords, edition: OpenApi) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|it| below(it, edition));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(value) = schema.get_mut(key) {
            below(value, edition);
        }
    }
    // In v2, if a schema lists any fields, kubectl rejects all other fields.
    if edition == OpenApi::V2 && is_set(schema, "x-kubernetes-preserve-unknown-fields") {
        return;
    }
    if is_set(schema, "x-kubernetes-embedded-resource") {
        add_fields(schema, edition, EMBEDDED_API_VERSION, EMBEDDED_KIND);
        let required = schema.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(required) = required {
            for name in ["kind", "apiVersion"] {
                if !required.iter().any(|it| it == name) {
                    required.push(json!(name));
                }
            }
        }
    }
}

fn below(value: &mut Value, edition: OpenApi) {
    if let Value::Object(schema) = value {
        add_embedded_fields(schema, edition);
    }
}

fn is_set(schema: &Keywords, extension: &str) -> bool {
    schema.get(extension) == Some(&Value::Bool(true))
}

fn add_fields(schema: &mut Keywords, edition: OpenApi, api_version: &str, kind: &str) {
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        let text = |description: &str| json!({"type": "string", "description": description});
        properties.insert("apiVersion".to_owned(), text(api_version));
        properties.insert("kind".to_owned(), text(kind));
        properties.insert("metadata".to_owned(), reference(OBJECT_META, edition, METADATA));
    }
}
