//! Random schemas, and schemas with the rules of real definitions.

use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::pick;

/// Names of properties: those that expressions write otherwise are among them, and some that they cannot write.
const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "name",
    "spec",
    "items",
    "foo",
    "bar",
    "x",
    "namespace",
    "in",
    "if",
    "a-b",
    "a.b",
    "a/b",
    "a__b",
    "_u",
    "1x",
    "metadata",
    "kind",
    "min",
    "size",
    "type",
    "self",
    "map",
    "value",
    "ümlaut",
    "status",
    "key",
    "as",
];

/// A schema of a value, nested at most `depth` times.
pub(super) fn schema(rng: &mut Rng, depth: u8) -> Value {
    let mut schema = match rng.u8(..100) {
        roll if roll < 45 || depth == 0 => scalar(rng),
        roll if roll < 50 => {
            let mut schema = json!({"x-kubernetes-int-or-string": true});
            maybe(rng, &mut schema, 40, "maxLength", &[3, 40]);
            schema
        }
        roll if roll < 66 => list(rng, depth),
        roll if roll < 78 => {
            let mut schema = json!({"type": "object", "additionalProperties": self::schema(rng, depth - 1)});
            maybe(rng, &mut schema, 50, "maxProperties", &[0, 2, 8, 64, 4000]);
            schema
        }
        roll if roll < 80 => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        roll if roll < 81 => json!({"x-kubernetes-preserve-unknown-fields": true}),
        _ => object(rng, depth),
    };
    if rng.u8(..100) < 6 {
        schema["nullable"] = true.into();
    }
    schema
}

fn maybe(rng: &mut Rng, schema: &mut Value, percent: u8, keyword: &str, values: &[i64]) {
    if rng.u8(..100) < percent {
        schema[keyword] = values[rng.usize(..values.len())].into();
    }
}

fn scalar(rng: &mut Rng) -> Value {
    let mut schema = json!({"type": pick(rng, &["string", "string", "string", "string", "integer", "integer", "number", "boolean"])});
    match schema["type"].as_str() {
        Some("string") => {
            maybe(
                rng,
                &mut schema,
                30,
                "maxLength",
                &[0, 1, 5, 10, 63, 253, 1000, 100_000],
            );
            match rng.u8(..20) {
                0..2 => schema["enum"] = json!(rng.choose_multiple(["a", "bb", "ccc", "dddd", "é"], 2)),
                2..6 => {
                    schema["format"] = pick(
                        rng,
                        &[
                            "byte",
                            "duration",
                            "date",
                            "date-time",
                            "uuid",
                            "ipv4",
                            "password",
                            "binary",
                            "unknown",
                        ],
                    )
                    .into();
                }
                6 => schema["pattern"] = "^[a-z]+$".into(),
                7 => schema["default"] = "x".into(),
                _ => {}
            }
        }
        Some("integer") => {
            maybe(rng, &mut schema, 10, "maximum", &[0, 10]);
            if rng.u8(..10) == 0 {
                schema["format"] = pick(rng, &["int32", "int64"]).into();
            }
        }
        Some("number") => maybe(rng, &mut schema, 10, "minimum", &[0, 1]),
        _ => {}
    }
    schema
}

fn list(rng: &mut Rng, depth: u8) -> Value {
    let mut schema = json!({"type": "array", "items": self::schema(rng, depth - 1)});
    maybe(rng, &mut schema, 60, "maxItems", &[0, 1, 3, 10, 64, 1000, 10_000_000]);
    match rng.u8(..10) {
        0 if schema["items"]["properties"].is_null() => schema["x-kubernetes-list-type"] = "set".into(),
        1 => schema["x-kubernetes-list-type"] = "atomic".into(),
        2..7 => {
            let names: Vec<String> = schema["items"]["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(_, it)| ["string", "integer", "boolean"].iter().any(|ty| it["type"] == *ty))
                .map(|(name, _)| name.clone())
                .collect();
            if !names.is_empty() {
                let count = 1 + rng.usize(..2);
                let keys = rng.choose_multiple(names, count);
                schema["items"]["required"] = json!(keys);
                schema["x-kubernetes-list-map-keys"] = json!(keys);
                schema["x-kubernetes-list-type"] = "map".into();
            }
        }
        _ => {}
    }
    schema
}

/// A schema of an object with properties.
pub(super) fn object(rng: &mut Rng, depth: u8) -> Value {
    let count = 1 + rng.usize(..5);
    let names = rng.choose_multiple(NAMES.iter().copied(), count);
    let mut properties: Map<String, Value> = names
        .into_iter()
        .map(|name| (name.to_owned(), self::schema(rng, depth.saturating_sub(1))))
        .collect();
    let is_embedded = rng.u8(..100) < 7;
    if is_embedded {
        without_type_and_metadata(rng, &mut properties);
    }
    let mut schema = json!({"type": "object"});
    if rng.u8(..10) < 4 {
        let names: Vec<String> = properties.keys().cloned().collect();
        if !names.is_empty() {
            let count = 1 + rng.usize(..names.len());
            schema["required"] = json!(rng.choose_multiple(names, count));
        }
    }
    schema["properties"] = properties.into();
    if is_embedded {
        schema["x-kubernetes-embedded-resource"] = true.into();
    }
    match rng.u8(..40) {
        0 => schema["x-kubernetes-map-type"] = "atomic".into(),
        1 => schema["x-kubernetes-preserve-unknown-fields"] = true.into(),
        _ => {}
    }
    schema
}

/// What a schema of a resource may not say otherwise.
pub(super) fn without_type_and_metadata(rng: &mut Rng, properties: &mut Map<String, Value>) {
    properties.remove("kind");
    properties.remove("apiVersion");
    if properties.contains_key("metadata") {
        properties.insert("metadata".to_owned(), object(rng, 1));
    }
}

/// A node of a real schema and one of its rules.
pub(super) struct RealRule {
    /// The schema of the node, without rules and without what people read.
    pub(super) schema: Value,
    /// Whether it is the root of a resource.
    pub(super) root: bool,
    /// The rule as it is written.
    pub(super) rule: Value,
}

/// Schemas larger than this are left out: the server compiles their types anew for every request.
const MAX_SCHEMA: usize = 20_000;

/// The rules of the definitions in these files.
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
