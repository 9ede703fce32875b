//! Small random schemas with all keywords and extreme numbers, and values at their bounds.

use std::sync::Arc;

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The number of values per schema.
const VALUES: usize = 20;

/// The nesting depth of schemas.
const DEPTH: u8 = 3;

/// The names of properties. Schemas do not contain the last one.
const NAMES: [&str; 4] = ["a", "b", "c", "unknown"];

const TEXTS: [&str; 8] = ["", "a", "b", "ab", "é", "\u{fffd}", "1", "2020-01-01"];

/// Numbers at the limits of Go's `int64`, `float64` and `int32`, and fractions, which may be truncated.
const NUMBERS: [f64; 18] = [
    0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.25,
    97.0,
    2_147_483_647.0,
    -2_147_483_649.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    1e20,
    -1e20,
    1e300,
];

/// A CRD and objects of it, both as text.
pub(super) fn cases(rng: &mut Rng) -> (Arc<str>, Vec<String>) {
    let schema = schema(rng, DEPTH);
    let root = json!({"type": "object", "properties": {"value": schema}});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": root}}],
        },
    });
    let objects = (0..VALUES).map(|_| {
        let value = value(rng, &schema, DEPTH + 1);
        let object =
            json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "value": value});
        object.to_string()
    });
    let objects = objects.collect();
    (crd.to_string().into(), objects)
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

/// A number as JSON. An integer is written as an integer.
fn number(value: f64) -> Value {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if value.fract() == 0.0 && (-LIMIT..LIMIT).contains(&value) {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn any_number(rng: &mut Rng) -> Value {
    match rng.u8(..12) {
        0 => json!(9_007_199_254_740_993_i64),
        1 => json!(i64::MAX),
        2 => json!(rng.i8(..)),
        _ => number(pick(rng, &NUMBERS)),
    }
}

fn schema(rng: &mut Rng, depth: u8) -> Value {
    let mut schema = Map::new();
    let kind = match rng.u8(..if depth == 0 { 7 } else { 12 }) {
        0 => "integer",
        1 | 2 => "number",
        3 | 4 => "string",
        5 => "boolean",
        6 => "",
        7 | 8 => "array",
        _ => "object",
    };
    match kind {
        "" if rng.bool() => drop(schema.insert("x-kubernetes-int-or-string".to_owned(), json!(true))),
        "" => drop(schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true))),
        kind => drop(schema.insert("type".to_owned(), json!(kind))),
    }
    if kind == "array" {
        let items = self::schema(rng, depth - 1);
        schema.insert("items".to_owned(), items);
    } else if kind == "object" {
        structure(rng, &mut schema, depth);
    }
    if matches!(kind, "array" | "object") && rng.u8(..4) == 0 {
        schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
    }
    if kind == "array" && rng.u8(..4) == 0 {
        let list_type = pick(rng, &["set", "atomic"]);
        schema.insert("x-kubernetes-list-type".to_owned(), json!(list_type));
    }
    if rng.u8(..6) == 0 {
        schema.insert("nullable".to_owned(), json!(true));
    }
    if rng.u8(..8) == 0 {
        let default = value(rng, &Value::Object(schema.clone()), depth);
        schema.insert("default".to_owned(), default);
    }
    validations(rng, &mut schema, kind);
    let mut schema = Value::Object(schema);
    if rng.u8(..3) == 0 {
        let junctors = junctor(rng, &schema, depth.min(2));
        for (key, value) in junctors.as_object().into_iter().flatten() {
            schema[key] = value.clone();
        }
    }
    schema
}

fn structure(rng: &mut Rng, schema: &mut Map<String, Value>, depth: u8) {
    match rng.u8(..6) {
        0 => drop(schema.insert("additionalProperties".to_owned(), self::schema(rng, depth - 1))),
        1 => drop(schema.insert("additionalProperties".to_owned(), json!(true))),
        _ => {
            let mut properties = Map::new();
            for name in &NAMES[..3] {
                if rng.bool() {
                    properties.insert((*name).to_owned(), self::schema(rng, depth - 1));
                }
            }
            schema.insert("properties".to_owned(), properties.into());
        }
    }
    if rng.u8(..3) == 0 {
        schema.insert("required".to_owned(), json!([pick(rng, &NAMES)]));
    }
    if rng.u8(..10) == 0 {
        schema.insert("x-kubernetes-embedded-resource".to_owned(), json!(true));
    }
}

/// Adds validation keywords. Some keywords do not apply to the type, so API servers ignore them.
fn validations(rng: &mut Rng, schema: &mut Map<String, Value>, kind: &str) {
    let kind = if rng.u8(..10) == 0 {
        pick(rng, &["integer", "string", "array", "object"])
    } else {
        kind
    };
    let keywords: &[&str] = match kind {
        "integer" | "number" => &["minimum", "maximum", "multipleOf", "enum", "format"],
        "string" => &["minLength", "maxLength", "pattern", "enum", "format"],
        "array" => &["minItems", "maxItems", "enum"],
        "object" => &["minProperties", "maxProperties", "enum"],
        "boolean" => &["enum"],
        _ => &[
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
            "enum",
            "format",
        ],
    };
    for keyword in keywords {
        if rng.u8(..3) > 0 {
            continue;
        }
        let value = match *keyword {
            "minimum" | "maximum" => {
                if rng.u8(..3) == 0 {
                    let exclusive = if *keyword == "minimum" {
                        "exclusiveMinimum"
                    } else {
                        "exclusiveMaximum"
                    };
                    schema.insert(exclusive.to_owned(), json!(true));
                }
                any_number(rng)
            }
            "multipleOf" => any_number(rng),
            "pattern" => json!(pick(rng, &["^a", "b$", "^$", "."])),
            "enum" => {
                let values = (0..=rng.u8(..3)).map(|_| scalar(rng));
                values.collect::<Vec<_>>().into()
            }
            "format" => json!(pick(
                rng,
                &["int32", "int64", "float", "double", "float64", "date", "byte", "uuid"]
            )),
            _ => json!(pick(rng, &[0, 1, 2, -1, 1_000_000])),
        };
        schema.insert((*keyword).to_owned(), value);
    }
}

/// An `allOf`, `anyOf`, `oneOf` or `not` that API servers accept. It contains no types, and only property names of the outer schema.
fn junctor(rng: &mut Rng, outer: &Value, depth: u8) -> Value {
    let mut junctors = Map::new();
    let name = pick(rng, &["allOf", "anyOf", "oneOf", "not"]);
    let clauses = (0..=rng.u8(..2)).map(|_| clause(rng, outer, depth));
    let mut clauses: Vec<Value> = clauses.collect();
    let value = if name == "not" {
        clauses.swap_remove(0)
    } else {
        clauses.into()
    };
    junctors.insert(name.to_owned(), value);
    junctors.into()
}

fn clause(rng: &mut Rng, outer: &Value, depth: u8) -> Value {
    let mut clause = Map::new();
    let kind = outer["type"].as_str().unwrap_or_default();
    validations(rng, &mut clause, kind);
    if rng.u8(..3) == 0 {
        clause.insert("required".to_owned(), json!([pick(rng, &NAMES)]));
    }
    if depth > 0 {
        let of_property = |rng: &mut Rng, it: &Value| self::clause(rng, it, depth - 1);
        if let Some(properties) = outer["properties"].as_object()
            && let Some((name, property)) = properties.iter().nth(rng.usize(..4))
        {
            let inner = of_property(rng, property);
            clause.insert("properties".to_owned(), json!({ name: inner }));
        }
        if outer["items"].is_object() && rng.bool() {
            let inner = of_property(rng, &outer["items"]);
            clause.insert("items".to_owned(), inner);
        }
        if rng.u8(..4) == 0 {
            for (key, value) in junctor(rng, outer, depth - 1).as_object().into_iter().flatten() {
                clause.insert(key.clone(), value.clone());
            }
        }
    }
    clause.into()
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.u8(..8) {
        0..4 => any_number(rng),
        4..7 => json!(pick(rng, &TEXTS)),
        _ => rng.choice([json!(null), json!(true), json!(false)]).unwrap_or_default(),
    }
}

/// A number from a schema, or one close to it.
fn near(rng: &mut Rng, schema: &Value) -> Value {
    let named = ["minimum", "maximum", "multipleOf"].map(|it| &schema[it]);
    let listed = schema["enum"].as_array().into_iter().flatten();
    let named: Vec<f64> = named.into_iter().chain(listed).filter_map(Value::as_f64).collect();
    if named.is_empty() || rng.u8(..4) == 0 {
        return any_number(rng);
    }
    let about = pick(rng, &named);
    let by = pick(rng, &[0.0, 0.0, 1.0, -1.0, 0.25, -0.25]);
    number(if rng.bool() { about.trunc() + by } else { about + by })
}

/// A value that mostly matches a schema.
fn value(rng: &mut Rng, schema: &Value, depth: u8) -> Value {
    if rng.u8(..12) == 0 {
        return scalar(rng);
    }
    if let Some(listed) = schema["enum"].as_array().filter(|_| rng.u8(..3) == 0)
        && !listed.is_empty()
    {
        return listed[rng.usize(..listed.len())].clone();
    }
    let kind = match schema["type"].as_str() {
        Some(kind) => kind,
        None if schema["x-kubernetes-int-or-string"] == true => pick(rng, &["integer", "string"]),
        None => pick(rng, &["number", "string", "array", "object"]),
    };
    match kind {
        "integer" | "number" => near(rng, schema),
        "boolean" => json!(rng.bool()),
        "string" => json!(pick(rng, &TEXTS)),
        "array" if depth > 0 => {
            let items = (0..rng.usize(..3)).map(|_| value(rng, &schema["items"], depth - 1));
            items.collect::<Vec<_>>().into()
        }
        "object" if depth > 0 => {
            let mut fields = Map::new();
            for name in NAMES {
                if rng.bool() {
                    let of = if schema["additionalProperties"].is_object() {
                        &schema["additionalProperties"]
                    } else {
                        &schema["properties"][name]
                    };
                    fields.insert(name.to_owned(), value(rng, of, depth - 1));
                }
            }
            if schema["x-kubernetes-embedded-resource"] == true {
                for name in ["apiVersion", "kind"] {
                    fields.insert(name.to_owned(), json!("v1"));
                }
            }
            fields.into()
        }
        _ => json!(null),
    }
}
