//! The rules of real CRDs with their schemas, and mutations of these schemas.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use crd_analyzer_cel::types::DeclType;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::cel_types::decl_type;
use crd_analyzer_schema::structural::Structural;
use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::{ours, pick, schemas};

/// A real schema and one of its rules.
pub(super) struct RealRule {
    /// The schema without rules and descriptions.
    pub(super) schema: Value,
    /// Whether the schema is the root of a resource.
    pub(super) root: bool,
    /// The rule as in the CRD.
    pub(super) rule: Value,
}

/// The maximum size of a schema. It is limited because the API server compiles the types again for each request.
const MAX_SCHEMA: usize = 20_000;

/// The rules of the CRDs in these files.
pub(super) fn real_rules(corpus: &Path, files: &[String]) -> Vec<RealRule> {
    let mut rules = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(corpus.join(file)) else {
            continue;
        };
        if !text.contains("x-kubernetes-validations") {
            continue;
        }
        let text: Arc<str> = text.into();
        for document in crd_analyzer_syntax::split::split(&text).documents {
            let Ok(tree) = crd_analyzer_syntax::split::read_document(&text, document, &[]) else {
                continue;
            };
            let Ok(json) = crd_analyzer_syntax::json::read_json(&tree) else {
                continue;
            };
            let Some(definition) = json.root().map(crd_analyzer_syntax::json::Json::to_value) else {
                continue;
            };
            let versions = definition["spec"]["versions"].as_array();
            for version in versions.into_iter().flatten() {
                collect(&version["schema"]["openAPIV3Schema"], true, &mut rules);
            }
        }
    }
    rules
}

fn collect(schema: &Value, root: bool, rules: &mut Vec<RealRule>) {
    let written = schema["x-kubernetes-validations"].as_array();
    if let Some(written) = written {
        let bare = without_prose(schema);
        if bare.to_string().len() <= MAX_SCHEMA {
            rules.extend(written.iter().map(|rule| RealRule {
                schema: bare.clone(),
                root,
                rule: rule.clone(),
            }));
        }
    }
    for (_, property) in schema["properties"].as_object().into_iter().flatten() {
        collect(property, false, rules);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            collect(&schema[keyword], false, rules);
        }
    }
}

fn without_prose(schema: &Value) -> Value {
    let Some(keywords) = schema.as_object() else {
        return schema.clone();
    };
    let mut bare = Map::new();
    for (keyword, value) in keywords {
        let value = match keyword.as_str() {
            "description" | "title" | "example" | "externalDocs" | "default" | "x-kubernetes-validations" => continue,
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, property)| (name.clone(), without_prose(property)))
                .collect::<Map<_, _>>()
                .into(),
            "items" | "additionalProperties" | "not" => without_prose(value),
            "allOf" | "anyOf" | "oneOf" => value.as_array().into_iter().flatten().map(without_prose).collect(),
            _ => value.clone(),
        };
        bare.insert(keyword.clone(), value);
    }
    bare.into()
}

/// Changes one to three parts of a schema: types, bounds, formats, or the existence of keywords.
pub(super) fn mutate(rng: &mut Rng, schema: &mut Value) {
    for _ in 0..=rng.usize(..3) {
        let mut places = Vec::new();
        ours::nodes(schema, &mut String::new(), &mut places);
        let place = &places[rng.usize(..places.len())];
        if let Some(node) = schema.pointer_mut(place) {
            change(rng, node, place.is_empty());
        }
    }
}

fn change(rng: &mut Rng, node: &mut Value, is_root: bool) {
    let Some(keywords) = node.as_object_mut() else { return };
    match rng.u8(..14) {
        0..4 => {
            let bound = pick(
                rng,
                &[
                    "maxLength",
                    "maxItems",
                    "maxProperties",
                    "minLength",
                    "maximum",
                    "minItems",
                ],
            );
            if rng.u8(..3) == 0 {
                keywords.remove(bound);
            } else {
                keywords.insert(bound.to_owned(), json!([0, 1, 2, 10, 100, 5000][rng.usize(..6)]));
            }
        }
        4 if !is_root => *node = schemas::schema(rng, 2),
        5 => {
            keywords.insert("nullable".to_owned(), rng.bool().into());
        }
        6 => {
            keywords.insert("format".to_owned(), schemas::format(rng).into());
        }
        7 if !is_root && keywords.get("properties").is_none() && keywords.get("items").is_none() => {
            let ty = pick(rng, &["string", "integer", "number", "boolean"]);
            keywords.insert("type".to_owned(), ty.into());
        }
        8 => {
            if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
                let names: Vec<String> = properties.keys().cloned().collect();
                if !names.is_empty() {
                    properties.remove(&names[rng.usize(..names.len())]);
                }
            }
        }
        9 => {
            if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert(schemas::name(rng).to_owned(), schemas::schema(rng, 1));
            }
        }
        10 => {
            keywords.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        }
        11 if keywords.get("type").is_some_and(|it| it == "array") => {
            let ty = pick(rng, &["set", "atomic", "map"]);
            keywords.insert("x-kubernetes-list-type".to_owned(), ty.into());
            if ty == "map" && keywords.get("x-kubernetes-list-map-keys").is_none() {
                keywords.insert("x-kubernetes-list-map-keys".to_owned(), json!(["name"]));
            }
        }
        12 => {
            keywords.remove("enum");
            keywords.remove("required");
        }
        _ if !is_root => {
            let array = json!({"type": "array", "items": node.take()});
            *node = if rng.bool() {
                array
            } else {
                json!({"type": "object", "additionalProperties": array["items"]})
            };
        }
        _ => {}
    }
}

/// The type of a schema in rules. Returns an error if the schema is invalid or has no type.
pub(super) fn types_of(schema: &Value, root: bool, version: KubernetesVersion) -> anyhow::Result<Arc<DeclType>> {
    let props = ours::schema_of(schema, version)?;
    decl_type(Structural::assume(&props), root, version).context("the schema has no CEL type")
}
