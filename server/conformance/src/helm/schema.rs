//! Schemas of custom resources made at random, and values for them.

use fastrand::Rng;
use serde_json::{Map, Value, json};

const NAMES: [&str; 14] = [
    "name", "size", "mode", "image", "replicas", "paused", "ports", "labels", "rules", "limits", "target", "policy",
    "timeout", "extra",
];

/// The CRD of `Widget` with a random schema, and that schema of `spec`.
pub(super) fn crd(random: &mut Rng) -> (String, Value) {
    let mut spec = object(0, random);
    if random.bool() {
        spec["required"] = Value::Array(Vec::new());
    }
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    });
    (crd.to_string(), spec)
}

fn object(depth: usize, random: &mut Rng) -> Value {
    let mut names = NAMES.to_vec();
    random.shuffle(&mut names);
    let count = if depth == 0 {
        4 + random.usize(..4)
    } else {
        1 + random.usize(..4)
    };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in &names[..count] {
        properties.insert((*name).to_owned(), schema(depth + 1, random));
        if random.u8(..10) < 4 {
            required.push(json!(name));
        }
    }
    let mut made = json!({"type": "object", "properties": properties, "required": required});
    if random.u8(..5) == 0 {
        made["properties"]["least"] = json!({"type": "integer", "minimum": 0, "maximum": 5});
        made["properties"]["most"] = json!({"type": "integer", "minimum": 4, "maximum": 9});
        made["x-kubernetes-validations"] = json!([{
            "rule": "!has(self.least) || !has(self.most) || self.least <= self.most",
            "message": "least must not be greater than most",
        }]);
    }
    made
}

fn schema(depth: usize, random: &mut Rng) -> Value {
    let most = if depth < 3 { 14 } else { 8 };
    match random.u8(..most) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "enum": ["Always", "Never", "Auto"]}),
        2 => json!({"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 20}),
        3 => json!({"type": "integer", "minimum": 0, "maximum": 100}),
        4 => json!({"type": "integer"}),
        5 => json!({"type": "boolean"}),
        6 => json!({"x-kubernetes-int-or-string": true}),
        7 => json!({"type": "string", "minLength": 1, "nullable": true}),
        8 => json!({"type": "array", "items": {"type": "string", "maxLength": 10}}),
        9 => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        10 | 11 => json!({"type": "array", "items": object(depth, random)}),
        _ => object(depth, random),
    }
}

/// A value that a schema accepts.
pub(super) fn value(schema: &Value, random: &mut Rng) -> Value {
    let pick = |all: &[&str], random: &mut Rng| json!(all[random.usize(..all.len())]);
    if let Some(values) = schema["enum"].as_array() {
        return values[random.usize(..values.len())].clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return if random.bool() {
            json!(random.i64(..90))
        } else {
            pick(&["50%", "web"], random)
        };
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" if schema["pattern"].is_string() => pick(&["web", "a-b", "main"], random),
        "string" => pick(&["web", "5", "true", "a b", "x: y", "1h"], random),
        "integer" | "number" => {
            let bound = |name: &str| schema[name].as_i64();
            json!(random.i64(bound("minimum").unwrap_or(-5)..=bound("maximum").unwrap_or(50)))
        }
        "boolean" => json!(random.bool()),
        "array" => (0..=random.usize(..2))
            .map(|_| value(&schema["items"], random))
            .collect(),
        _ if schema["additionalProperties"].is_object() => {
            json!({"app": "web", "tier": value(&schema["additionalProperties"], random)})
        }
        _ => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let some = properties.filter(|(name, _)| is_required(schema, name) || random.u8(..10) < 6);
            let some: Vec<_> = some.collect();
            Value::Object(
                some.into_iter()
                    .map(|(name, of)| (name.clone(), value(of, random)))
                    .collect(),
            )
        }
    }
}

/// A value that a schema may not accept.
pub(super) fn any_value(schema: &Value, random: &mut Rng) -> Value {
    match random.u8(..16) {
        0 => json!("zzz"),
        1 => json!(7),
        2 => json!(true),
        3 => json!(""),
        4 => Value::Null,
        _ => value(schema, random),
    }
}

pub(super) fn is_required(schema: &Value, name: &str) -> bool {
    let mut required = schema["required"].as_array().into_iter().flatten();
    required.any(|it| it == name)
}
