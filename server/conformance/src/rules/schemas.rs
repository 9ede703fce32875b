//! Random schemas, and schemas with the rules of real CRDs.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::pick;

/// Property names. Expressions have to escape some of them, and cannot use others.
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
    "break",
    "const",
    "package",
    "true",
    "null",
    "void",
    "__namespace__",
    "__x__",
    "a__dash__b",
    "a_-b",
    "-",
    "$ref",
    "apiVersion",
    "oldSelf",
    "int",
    "has",
    "A1",
    "__",
    "a.b/c-d__e",
];

const FORMATS: &[&str] = &[
    "byte",
    "duration",
    "date",
    "date-time",
    "datetime",
    "uuid",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uri",
    "email",
    "hostname",
    "password",
    "binary",
    "int32",
    "int64",
    "double",
    "float",
    "int-or-string",
    "isbn",
    "bsonobjectid",
    "hexcolor",
    "k8s-short-name",
    "unknown",
];

/// A random property name.
pub(super) fn name(rng: &mut Rng) -> &'static str {
    NAMES[rng.usize(..NAMES.len())]
}

/// A random format, which need not fit the type.
pub(super) fn format(rng: &mut Rng) -> &'static str {
    FORMATS[rng.usize(..FORMATS.len())]
}

/// A random schema with a nesting depth of at most `depth`.
pub(super) fn schema(rng: &mut Rng, depth: u8) -> Value {
    let mut schema = match rng.u8(..100) {
        roll if roll < 45 || depth == 0 => scalar(rng),
        roll if roll < 50 => {
            let mut schema = json!({"x-kubernetes-int-or-string": true});
            maybe(rng, &mut schema, 40, "maxLength", &[3, 40]);
            let both = json!([{"type": "integer"}, {"type": "string"}]);
            match rng.u8(..8) {
                0..2 => schema["anyOf"] = both,
                2 => schema["allOf"] = json!([{"anyOf": both}, {"minLength": 1}]),
                3 => schema["format"] = "int-or-string".into(),
                _ => {}
            }
            schema
        }
        roll if roll < 66 => list(rng, depth),
        roll if roll < 78 => {
            let mut schema = json!({"type": "object", "additionalProperties": self::schema(rng, depth - 1)});
            maybe(rng, &mut schema, 50, "maxProperties", &[0, 2, 8, 64, 4000]);
            maybe(rng, &mut schema, 6, "minProperties", &[1, 3]);
            if rng.u8(..30) == 0 {
                schema["x-kubernetes-map-type"] = pick(rng, &["granular", "atomic"]).into();
            }
            schema
        }
        roll if roll < 80 => match rng.u8(..4) {
            0 => json!({"type": "object"}),
            1 => {
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true})
            }
            _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        },
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
            maybe(rng, &mut schema, 8, "minLength", &[0, 1, 4]);
            match rng.u8(..20) {
                0 => {
                    let words = ["a", "bb", "ccc", "dddd", "é", "", "😀😀", "a long one of many words"];
                    schema["enum"] = json!(rng.choose_multiple(words, 3));
                }
                1..6 => schema["format"] = pick(rng, FORMATS).into(),
                6 => schema["pattern"] = "^[a-z]+$".into(),
                7 => schema["default"] = "x".into(),
                _ => {}
            }
        }
        Some("integer") => {
            maybe(rng, &mut schema, 10, "maximum", &[0, 10]);
            match rng.u8(..12) {
                0..2 => schema["format"] = pick(rng, &["int32", "int64", "double", "date", "int-or-string"]).into(),
                2 => schema["enum"] = json!([1, 2, 80]),
                _ => {}
            }
        }
        Some("number") => {
            maybe(rng, &mut schema, 10, "minimum", &[0, 1]);
            match rng.u8(..12) {
                0..2 => schema["format"] = pick(rng, &["double", "float", "int32", "byte"]).into(),
                2 => schema["enum"] = json!([0.5, 1, 2.25]),
                _ => {}
            }
        }
        Some("boolean") if rng.u8(..12) == 0 => schema["enum"] = json!([true]),
        _ => {}
    }
    schema
}

fn list(rng: &mut Rng, depth: u8) -> Value {
    let mut schema = json!({"type": "array", "items": self::schema(rng, depth - 1)});
    maybe(rng, &mut schema, 60, "maxItems", &[0, 1, 3, 10, 64, 1000, 10_000_000]);
    maybe(rng, &mut schema, 6, "minItems", &[0, 1, 2]);
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

/// An object schema with properties.
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

/// Removes the properties `apiVersion` and `kind`, and makes `metadata` an object, as required for a resource.
pub(super) fn without_type_and_metadata(rng: &mut Rng, properties: &mut Map<String, Value>) {
    properties.remove("kind");
    properties.remove("apiVersion");
    if properties.contains_key("metadata") {
        properties.insert("metadata".to_owned(), object(rng, 1));
    }
}
