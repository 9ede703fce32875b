//! Small random schemas.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Schemas at this depth have no nested schemas.
const MAX_DEPTH: usize = 3;

pub(super) const TYPES: &[&str] = &[
    "integer",
    "integer",
    "number",
    "number",
    "string",
    "string",
    "string",
    "boolean",
    "array",
    "array",
    "object",
    "object",
    "object",
    "int-or-string",
    "anything",
    "embedded",
];
pub(super) const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "A",
    "1",
    "-",
    "\n",
    "a\n",
    "ä",
    "a b",
    "2024-01-01",
    "10.0.0.1",
    "1h",
];
pub(super) const NAMES: &[&str] = &["a", "b", "c"];

pub(super) fn pattern(rng: &mut Rng) -> String {
    const ATOMS: &[&str] = &[
        "a",
        "b",
        "ab",
        "[ab]",
        "[a-z]",
        "[^a]",
        ".",
        "\\d",
        "\\w",
        "\\s",
        "-",
        "(a|b)",
        "(ab)*",
        "(?i)a",
        "\\b",
        "ä",
        "\\pL",
        "\\n",
        "(?s:.)",
        "[A-Z0-9]",
        "^",
        "$",
        "(?m)^",
        "\\B",
        "\\.",
        "(a|)",
        "[[:alpha:]]",
    ];
    const REPEATS: &[&str] = &["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "{2,}"];
    let mut text = String::new();
    if rng.bool() {
        text.push('^');
    }
    for _ in 0..rng.usize(1..4) {
        text.push_str(ATOMS[rng.usize(..ATOMS.len())]);
        text.push_str(REPEATS[rng.usize(..REPEATS.len())]);
        if rng.u8(..8) == 0 {
            text.push('|');
        }
    }
    if rng.bool() {
        text.push('$');
    }
    text
}

fn schema(depth: usize, rng: &mut Rng) -> Value {
    schema_of(TYPES[rng.usize(..TYPES.len())], depth, rng)
}

pub(super) fn schema_of(kind: &str, depth: usize, rng: &mut Rng) -> Value {
    let mut schema = match kind {
        "int-or-string" => json!({"x-kubernetes-int-or-string": true}),
        "anything" => json!({"x-kubernetes-preserve-unknown-fields": true}),
        "embedded" => json!({
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
        }),
        "array" | "object" if depth > MAX_DEPTH => json!({"type": "string"}),
        "array" => json!({"type": "array", "items": schema(depth + 1, rng)}),
        "object" if rng.u8(..4) == 0 => json!({"type": "object", "additionalProperties": schema(depth + 1, rng)}),
        "object" => {
            let names = &NAMES[..rng.usize(1..=NAMES.len())];
            let properties: Map<String, Value> = names
                .iter()
                .map(|name| ((*name).to_owned(), schema(depth + 1, rng)))
                .collect();
            json!({"type": "object", "properties": properties})
        }
        kind => json!({"type": kind}),
    };
    for _ in 0..rng.usize(..4) {
        keyword(&mut schema, depth, rng);
    }
    schema
}

/// Adds a keyword or changes its value.
pub(super) fn keyword(node: &mut Value, depth: usize, rng: &mut Rng) {
    match rng.u8(..12) {
        0 => {
            node["nullable"] = json!(true);
            return;
        }
        1 => {
            node["default"] = default(node, rng);
            return;
        }
        2 => {
            junctor(node, rng);
            return;
        }
        3 => {
            rule(node, rng);
            return;
        }
        _ => {}
    }
    match node["type"].as_str() {
        Some("integer" | "number") => number_keyword(node, rng),
        Some("string") => string_keyword(node, rng),
        Some("array") => list_keyword(node, rng),
        Some("object") => object_keyword(node, depth, rng),
        Some(_) => node["enum"] = json!([true]),
        None if rng.bool() => number_keyword(node, rng),
        None => string_keyword(node, rng),
    }
}

fn number_keyword(node: &mut Value, rng: &mut Rng) {
    match rng.u8(..10) {
        0..=2 => node["minimum"] = number(rng),
        3..=5 => node["maximum"] = number(rng),
        6 => node["exclusiveMinimum"] = json!(true),
        7 => node["exclusiveMaximum"] = json!(true),
        8 if rng.bool() => node["enum"] = json!([number(rng), number(rng), 1]),
        8 => node["multipleOf"] = json!([1.0, 2.0, 3.0, 0.5, 1.5, 10.0, 1e10, 1e19, 1e20][rng.usize(..9)]),
        _ => node["format"] = json!(["int32", "int64", "float", "double", "date"][rng.usize(..5)]),
    }
}

/// A random number. Half of them are extreme.
fn number(rng: &mut Rng) -> Value {
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(5),
        json!(10),
        json!(-5),
        json!(-0.0),
        json!(0.0),
        json!(0.5),
        json!(-0.5),
        json!(0.4),
        json!(1.2),
        json!(1.5),
        json!(1.000_000_000_1),
        json!(100),
        json!(i32::MAX),
        json!(i32::MIN),
        json!(2_147_483_648_i64),
        json!(-2_147_483_649_i64),
        json!(4_294_967_295_i64),
        json!(9_007_199_254_740_991_i64),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(-9_007_199_254_740_992_i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(9.223_372_036_854_776e18),
        json!(-9.223_372_036_854_778e18),
        json!(1e19),
        json!(-1e19),
        json!(1e20),
        json!(3.5e38),
        json!(1e300),
    ];
    numbers[rng.usize(..numbers.len())].clone()
}

pub(super) fn string_keyword(node: &mut Value, rng: &mut Rng) {
    let lengths = [0, 1, 2, 3, 5, 63, 2_147_483_648, i64::MAX];
    let length = json!(lengths[rng.usize(..lengths.len())]);
    match rng.u8(..8) {
        0 | 1 => node["minLength"] = json!([0, 1, 2, 3][rng.usize(..4)]),
        2 | 3 => node["maxLength"] = length,
        4 => {
            let most = rng.usize(1..4);
            let texts: Vec<Value> = (0..most).map(|_| json!(TEXTS[rng.usize(..TEXTS.len())])).collect();
            node["enum"] = Value::Array(texts);
        }
        5 | 6 => node["pattern"] = json!(pattern(rng)),
        _ => {
            let formats = [
                "date-time",
                "date",
                "duration",
                "byte",
                "ipv4",
                "uuid",
                "foo",
                "int32",
                "password",
            ];
            node["format"] = json!(formats[rng.usize(..formats.len())]);
        }
    }
}

fn list_keyword(node: &mut Value, rng: &mut Rng) {
    match rng.u8(..8) {
        0 | 1 => node["minItems"] = json!([0, 1, 2][rng.usize(..3)]),
        2 | 3 => node["maxItems"] = json!([0, 1, 2, 3, i64::MAX][rng.usize(..5)]),
        4 => node["x-kubernetes-list-type"] = json!(["atomic", "set"][rng.usize(..2)]),
        5 if node["items"]["properties"]["a"].is_object() => {
            node["x-kubernetes-list-type"] = json!("map");
            node["x-kubernetes-list-map-keys"] = json!(["a"]);
            node["items"]["required"] = json!(["a"]);
        }
        6 => node["x-kubernetes-preserve-unknown-fields"] = json!(true),
        _ => keyword(&mut node["items"], MAX_DEPTH, rng),
    }
}

fn object_keyword(node: &mut Value, depth: usize, rng: &mut Rng) {
    let name = NAMES[rng.usize(..NAMES.len())];
    match rng.u8(..10) {
        0 | 1 => node["required"] = json!([name]),
        2 => node["minProperties"] = json!([0, 1, 2][rng.usize(..3)]),
        3 => node["maxProperties"] = json!([0, 1, 2, 3, 4, i64::MAX][rng.usize(..6)]),
        4 => node["x-kubernetes-map-type"] = json!(["atomic", "granular"][rng.usize(..2)]),
        5 => node["x-kubernetes-preserve-unknown-fields"] = json!(true),
        6 if depth > 0 => node["x-kubernetes-embedded-resource"] = json!(true),
        _ => {
            if node["additionalProperties"].is_object() {
                node["additionalProperties"] = schema(depth + 1, rng);
            } else if !node["properties"].is_object() {
                node["properties"] = json!({name: schema(depth + 1, rng)});
            } else if node["properties"][name].is_object() && rng.bool() {
                node["properties"].as_object_mut().map(|it| it.remove(name));
            } else {
                node["properties"][name] = schema(depth + 1, rng);
            }
        }
    }
}

fn default(node: &Value, rng: &mut Rng) -> Value {
    if let Some(listed) = node["enum"].as_array().filter(|it| !it.is_empty()) {
        return listed[rng.usize(..listed.len())].clone();
    }
    match node["type"].as_str() {
        Some("integer") => json!([0, 1, 2, 5][rng.usize(..4)]),
        Some("number") => number(rng),
        Some("string") => json!(TEXTS[rng.usize(..TEXTS.len())]),
        Some("boolean") => json!(rng.bool()),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ if rng.bool() => json!(1),
        _ => json!("a"),
    }
}

fn junctor(node: &mut Value, rng: &mut Rng) {
    const KEYWORDS: &[&str] = &["allOf", "anyOf", "oneOf", "not"];
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    let name = |rng: &mut Rng| NAMES[rng.usize(..NAMES.len())];
    let clause = |rng: &mut Rng| {
        let mut clause = json!({});
        match kind.as_str() {
            "integer" | "number" => number_keyword(&mut clause, rng),
            "array" => clause["maxItems"] = json!(rng.u8(..3)),
            "object" => match rng.u8(..3) {
                0 => clause["required"] = json!([name(rng)]),
                1 => clause["maxProperties"] = json!(rng.u8(..3)),
                _ => {
                    let property = name(rng);
                    clause["properties"] = json!({property: {"maxLength": rng.u8(..4), "minimum": number(rng)}});
                }
            },
            "boolean" => clause["enum"] = json!([rng.bool()]),
            _ => string_keyword(&mut clause, rng),
        }
        clause
    };
    let keyword = KEYWORDS[rng.usize(..KEYWORDS.len())];
    if keyword == "not" {
        node["not"] = clause(rng);
        return;
    }
    match node[keyword].as_array_mut() {
        Some(branches) if rng.u8(..3) == 0 => branches.reverse(),
        Some(branches) => branches.push(clause(rng)),
        None => {
            // Move the branches of another keyword such as `anyOf`, or the neighboring keywords, into this one.
            let moved = match KEYWORDS[..3].iter().find(|it| node[**it].is_array()) {
                Some(other) if rng.bool() => node.as_object_mut().and_then(|it| it.remove(*other)),
                _ => None,
            };
            let moved = moved.or_else(|| {
                let fields = node.as_object_mut().filter(|_| keyword == "allOf" && rng.bool())?;
                let bounds = [
                    "maximum",
                    "minimum",
                    "maxLength",
                    "minLength",
                    "pattern",
                    "required",
                    "enum",
                ];
                let name = bounds.into_iter().find(|it| fields.contains_key(*it))?;
                let value = fields.remove(name)?;
                Some(json!([{name: value}]))
            });
            node[keyword] = moved.unwrap_or_else(|| (0..rng.usize(1..3)).map(|_| clause(rng)).collect());
        }
    }
}

fn rule(node: &mut Value, rng: &mut Rng) {
    let rules: &[&str] = match node["type"].as_str() {
        Some("integer") => &[
            "self > 0",
            "self >= oldSelf",
            "self == oldSelf",
            "self % 2 == 0",
            "self < 2147483648",
            "true",
        ],
        Some("number") => &[
            "self > 0.0",
            "self < 5.0",
            "self == oldSelf",
            "self >= 1.0",
            "self != 0.5",
        ],
        Some("string") => &[
            "self == oldSelf",
            "self.size() < 3",
            "self != 'a'",
            "self.matches('^a')",
            "size(self) >= 0",
        ],
        Some("boolean") => &["self", "self == oldSelf"],
        Some("array") => &[
            "self.size() < 2",
            "self == oldSelf",
            "size(self) >= 0",
            "self.all(x, x == x)",
        ],
        Some("object") if node["properties"]["a"].is_object() => &[
            "has(self.a)",
            "self == oldSelf",
            "!has(self.a)",
            "has(self.a) == has(oldSelf.a)",
            "!has(self.a) || self.a == self.a",
        ],
        Some("object") => &["self == oldSelf", "true"],
        _ => &["self == oldSelf", "true"],
    };
    let rule = json!({"rule": rules[rng.usize(..rules.len())]});
    match node["x-kubernetes-validations"].as_array_mut() {
        Some(written) => written.push(rule),
        None => node["x-kubernetes-validations"] = json!([rule]),
    }
}
