//! Changes the rules, defaults and bounds of CRDs.

use fastrand::Rng;
use serde_json::{Value, json};

use super::generate::Definition;

/// Changes a CRD in some places. Returns the CRD as JSON.
pub(super) fn change(definition: &mut Definition, edits: usize, rng: &mut Rng) -> String {
    for _ in 0..edits {
        let mut places = Vec::new();
        collect(definition.schema(), &mut Vec::new(), &mut places);
        let path = places.swap_remove(rng.usize(..places.len()));
        let is_root = path.is_empty();
        if let Some(schema) = path
            .iter()
            .try_fold(definition.schema_mut(), |at, step| at.get_mut(step))
        {
            edit(schema, is_root, rng);
        }
    }
    if rng.u8(..4) == 0 {
        let version = definition.version_mut();
        match rng.u8(..5) {
            0 => version["subresources"] = json!({"status": {}}),
            1 => version["subresources"] = json!({}),
            2 => {
                version["subresources"] = json!({"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                    "labelSelectorPath": ".status.selector"}, "status": {}});
            }
            3 => version["deprecated"] = json!(true),
            _ => {
                version["deprecated"] = json!(true);
                version["deprecationWarning"] = json!("do not use this");
            }
        }
    }
    definition.document.to_string()
}

/// Collects schemas of values. Skips the schemas inside `metadata`, and in `allOf` and similar keywords.
fn collect(schema: &Value, path: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    places.push(path.clone());
    let is_root = path.is_empty();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if is_root && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            continue;
        }
        path.extend(["properties".to_owned(), name.clone()]);
        collect(property, path, places);
        path.truncate(path.len() - 2);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(below) = schema.get(keyword).filter(|it| it.is_object()) {
            path.push(keyword.to_owned());
            collect(below, path, places);
            path.pop();
        }
    }
}

fn pick<'a>(choices: &[&'a str], rng: &mut Rng) -> &'a str {
    choices[rng.usize(..choices.len())]
}

fn edit(schema: &mut Value, is_root: bool, rng: &mut Rng) {
    if rng.u8(..3) > 0 {
        let rule = rule(schema, is_root, rng);
        match schema["x-kubernetes-validations"].as_array_mut() {
            Some(rules) => rules.push(rule),
            None => schema["x-kubernetes-validations"] = json!([rule]),
        }
        return;
    }
    if is_root {
        return;
    }
    let kind = schema["type"].as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = schema["properties"]
        .as_object()
        .map(|it| it.keys().cloned().collect())
        .unwrap_or_default();
    let some_name = names.get(rng.usize(..names.len().max(1))).cloned().unwrap_or_default();
    let entry = match (kind.as_str(), rng.u8(..8)) {
        (_, 0) => json!({"nullable": true}),
        ("object", 1) => json!({"default": {}}),
        ("object", 2) => json!({"x-kubernetes-preserve-unknown-fields": true}),
        ("object", 3) if schema["additionalProperties"].is_null() => json!({"x-kubernetes-embedded-resource": true}),
        ("object", 4) if !names.is_empty() => json!({"required": [some_name]}),
        ("object", 5) => json!({"x-kubernetes-map-type": pick(&["atomic", "granular"], rng)}),
        ("object", 6) if !names.is_empty() => json!({"oneOf": [{"required": [some_name]}, {"required": [names[0]]}]}),
        ("object", _) => json!({"minProperties": 1, "maxProperties": 3}),
        ("array", 1..=2) => json!({"x-kubernetes-list-type": "set"}),
        ("array", 3..=4) => {
            let item = &mut schema["items"];
            let names: Vec<String> = item["properties"]
                .as_object()
                .map(|it| it.keys().cloned().collect())
                .unwrap_or_default();
            let keys: Vec<&String> = names
                .iter()
                .filter(|it| {
                    ["string", "integer", "boolean"]
                        .iter()
                        .any(|ty| item["properties"][*it]["type"] == **ty)
                })
                .take(rng.usize(1..=2))
                .collect();
            if keys.is_empty() {
                return;
            }
            let keys = json!(keys);
            item["required"] = keys.clone();
            json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys})
        }
        ("array", 5) => json!({"default": []}),
        ("array", _) => json!({"minItems": 1, "maxItems": 2}),
        ("string", 1) => json!({"default": "abc"}),
        ("string", 2) => json!({"enum": ["a", "abc", "Foo"]}),
        ("string", 3) => json!({"pattern": pick(&["^a", "^[a-z]+$", "\\d"], rng)}),
        ("string", 4) => {
            json!({"format": pick(&["date-time", "duration", "ipv4", "byte", "date", "uuid", "k8s-short-name", "uri"], rng)})
        }
        ("string", 5) => json!({"anyOf": [{"pattern": "^a"}, {"minLength": 5, "format": "ipv4"}]}),
        ("string", 6) => json!({"not": {"pattern": "^a"}}),
        ("string", _) => json!({"minLength": 2, "maxLength": 5}),
        ("integer" | "number", 1) => json!({"default": 3}),
        ("integer" | "number", 2) => json!({"minimum": 1, "maximum": 10, "exclusiveMaximum": rng.bool()}),
        ("integer" | "number", 3) => json!({"multipleOf": 2}),
        ("integer" | "number", 4) => json!({"format": pick(&["int32", "int64", "float", "double"], rng)}),
        ("integer" | "number", 5) => json!({"enum": [1, 2, 3]}),
        ("integer" | "number", _) => json!({"allOf": [{"minimum": 2}, {"multipleOf": 3}]}),
        ("boolean", 1..=2) => json!({"default": rng.bool()}),
        _ => return,
    };
    if let (Some(schema), Some(entry)) = (schema.as_object_mut(), entry.as_object()) {
        for (name, value) in entry {
            schema.insert(name.clone(), value.clone());
        }
    }
}

fn rule(schema: &Value, is_root: bool, rng: &mut Rng) -> Value {
    let names: Vec<String> = schema["properties"]
        .as_object()
        .map(|it| {
            it.keys()
                .filter(|it| it.chars().all(|c| c.is_ascii_alphabetic()))
                .cloned()
                .collect()
        })
        .unwrap_or_default();
    let name = names.get(rng.usize(..names.len().max(1))).cloned();
    let common = [
        "self == oldSelf",
        "oldSelf == self || true",
        "self != oldSelf",
        "false",
        "true",
        "type(self) == string",
        "[self].size() == 2",
    ];
    let mut choices: Vec<String> = common.iter().map(|it| (*it).to_owned()).collect();
    let mut add = |more: &[&str]| choices.extend(more.iter().map(|it| (*it).to_owned()));
    if schema["x-kubernetes-int-or-string"] == true {
        add(&[
            "self > 3",
            "self.startsWith('a')",
            "type(self) == int ? self > 1 : self.size() > 2",
            "int(self) > 1",
        ]);
    }
    match schema["type"].as_str() {
        Some("integer") => add(&[
            "self > 2",
            "self >= oldSelf",
            "10 / self > 1",
            "self + 9223372036854775807 > 0",
            "self % 2 == 0",
            "self in [1, 2, 3]",
            "double(self) < 1.5",
        ]),
        Some("number") => add(&[
            "self > 2.0",
            "self >= oldSelf",
            "int(self) == 3",
            "self / 0.0 > 1.0",
            "string(self).size() < 4",
        ]),
        Some("string") => add(&[
            "self.startsWith('a')",
            "self.size() < 4",
            "self.matches('^[a-z]+$')",
            "int(self) > 3",
            "quantity(self).isGreaterThan(quantity('1'))",
            "isURL(self) && url(self).getHost() != ''",
            "self.split('.').size() == 2",
            "self.lowerAscii() == self",
            "self >= oldSelf",
            "duration(self) > duration('1m')",
            "timestamp(self) > timestamp('2020-01-01T00:00:00Z')",
            "self.contains(oldSelf)",
            "ip(self).family() == 4",
        ]),
        Some("boolean") => add(&["self", "!self", "!oldSelf || self"]),
        Some("array") => add(&[
            "self.size() < 2",
            "self.all(x, x == self[0])",
            "self[0] == self[1]",
            "self.exists(x, x == self[0])",
            "self.exists_one(x, true)",
            "self.size() >= oldSelf.size()",
            "oldSelf.all(x, x in self)",
            "self.map(x, x).size() > 1",
            "self.filter(x, x == x).size() == self.size()",
            "self + self == self",
        ]),
        Some("object") => {
            if schema["additionalProperties"].is_object() {
                add(&[
                    "self.all(k, k.startsWith('a'))",
                    "self.size() < 2",
                    "self['a'] == self['b']",
                    "'a' in self",
                    "self.exists(k, self[k] == oldSelf[k])",
                    "self.map(k, self[k]).size() > 1",
                ]);
            }
            if let Some(name) = &name {
                let escaped = name;
                for template in [
                    "has(self.NAME)",
                    "!has(self.NAME)",
                    "self.NAME == self.NAME",
                    "self.NAME == oldSelf.NAME",
                    "has(self.NAME) == has(oldSelf.NAME)",
                    "!has(self.NAME) || self.NAME != oldSelf.NAME",
                    "self.?NAME.hasValue()",
                    "size(string(self.NAME)) > 3",
                    "self.NAME > 2",
                    "self.NAME.size() < 2",
                    "!has(oldSelf.NAME) || has(self.NAME)",
                ] {
                    choices.push(template.replace("NAME", escaped));
                }
            }
        }
        _ => {}
    }
    if is_root {
        choices.extend(
            [
                "self.metadata.name == 'test'",
                "self.metadata.name.size() < 3",
                "has(self.spec)",
                "self.kind == 'A'",
                "self.metadata.generateName == ''",
            ]
            .map(str::to_owned),
        );
    }
    let mut rule = json!({"rule": choices[rng.usize(..choices.len())]});
    let text = rule["rule"].as_str().unwrap_or_default().to_owned();
    if rng.u8(..3) == 0 {
        rule["message"] = json!(pick(&["it is wrong", " wrong ", "a \"quoted\" one"], rng));
    }
    if rng.u8(..3) == 0 {
        rule["messageExpression"] = json!(pick(
            &[
                "'got ' + string(self)",
                "string(self.size())",
                "'x'",
                "''",
                "'a\\nb'",
                "'old ' + string(oldSelf)",
                "self.metadata.name",
                "string(1 / 0)",
                "'a' + self"
            ],
            rng
        ));
    }
    if rng.u8(..3) == 0 {
        rule["reason"] = json!(pick(
            &[
                "FieldValueInvalid",
                "FieldValueForbidden",
                "FieldValueRequired",
                "FieldValueDuplicate"
            ],
            rng
        ));
    }
    if let Some(name) = name.filter(|_| rng.u8(..3) == 0) {
        rule["fieldPath"] = json!(format!(".{name}"));
    }
    if text.contains("oldSelf") && rng.u8(..3) == 0 {
        rule["optionalOldSelf"] = json!(true);
        rule["rule"] = json!(pick(
            &[
                "oldSelf.hasValue() ? self == oldSelf.value() : true",
                "!oldSelf.hasValue()",
                "oldSelf.orValue(self) == self",
                "oldSelf == optional.none() || self != oldSelf.value()"
            ],
            rng
        ));
    }
    rule
}
