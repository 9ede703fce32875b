//! Adds rules to other parts of the schema, because the validator's errors for them are also compared.

use crd_analyzer_cel::decls::{Environment, ExpressionSet};
use crd_analyzer_cel::types::Type;
use crd_analyzer_schema::KubernetesVersion;
use fastrand::Rng;
use serde_json::{Value, json};

use super::expressions::Expressions;
use super::{ours, pick, real};

/// Rules that apply to values of any type and their old values.
const OF_ANYTHING: &[&str] = &[
    "self == oldSelf",
    "self != oldSelf",
    "oldSelf == oldSelf",
    "false",
    "type(self) == type(oldSelf)",
    "self == self",
    "size(self) > 1",
    "size(self) >= size(oldSelf)",
    "self.all(x, x in oldSelf)",
    "has(self.a) == has(oldSelf.a)",
    "dyn(self) > 1",
];

/// Adds rules to the schema of a request.
pub(super) fn add(rng: &mut Rng, request: &mut Value, version: KubernetesVersion) {
    let mut places = Vec::new();
    ours::nodes(&request["schema"], &mut String::new(), &mut places);
    places.remove(0);
    for _ in 0..=rng.usize(..3) {
        if places.is_empty() {
            return;
        }
        let place = &places[rng.usize(..places.len())];
        let Some(node) = request["schema"].pointer(place) else {
            continue;
        };
        let rule = rule(rng, node, version);
        let Some(node) = request["schema"].pointer_mut(place) else {
            continue;
        };
        if rng.u8(..4) > 0 {
            push(&mut node["x-kubernetes-validations"], rule);
            continue;
        }
        let keyword = pick(rng, &["allOf", "allOf", "anyOf", "oneOf", "not"]);
        let inner = match node["properties"].as_object().and_then(|it| it.keys().next()) {
            Some(name) if rng.bool() => json!({"properties": {name: {"x-kubernetes-validations": [rule]}}}),
            _ => json!({"x-kubernetes-validations": [rule]}),
        };
        if keyword == "not" {
            node["not"] = inner;
        } else {
            push(&mut node[keyword], inner);
        }
    }
}

fn push(list: &mut Value, item: Value) {
    match list.as_array_mut() {
        Some(items) => items.push(item),
        None => *list = json!([item]),
    }
}

fn rule(rng: &mut Rng, node: &Value, version: KubernetesVersion) -> Value {
    let mut rule = json!({});
    let is_optional = rng.u8(..6) == 0;
    match real::types_of(node, false, version) {
        Ok(this) if rng.bool() => {
            let environment = Environment::of(version, ExpressionSet::Stored);
            let with_message = rng.u8(..3) == 0;
            let mut expressions = Expressions::new(rng, environment, &this);
            if is_optional {
                let old = expressions.self_type();
                expressions.declare("oldSelf", Type::optional(old));
            }
            rule["rule"] = expressions.rule(2).into();
            if with_message {
                rule["messageExpression"] = expressions.of(&Type::String, 2).into();
            }
        }
        _ => rule["rule"] = pick(rng, OF_ANYTHING).into(),
    }
    if is_optional {
        rule["optionalOldSelf"] = true.into();
    }
    if rng.bool() {
        rule["message"] = pick(rng, &["it is not right", " blanks ", "é 😀", "two\nlines"]).into();
    }
    if rng.u8(..4) == 0 {
        let reasons = [
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
        ];
        rule["reason"] = pick(rng, &reasons).into();
    }
    if rng.u8(..3) == 0 {
        let names: Vec<&String> = node["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|it| it.0)
            .collect();
        rule["fieldPath"] = if names.is_empty() || rng.u8(..5) == 0 {
            pick(
                rng,
                &[".a", "", "a", ".a.b", "['a']", "[0]", ".a[0]", ".zzz", ".metadata.name"],
            )
            .to_owned()
        } else {
            let name = names[rng.usize(..names.len())];
            if rng.bool() {
                format!(".{name}")
            } else {
                format!("['{name}']")
            }
        }
        .into();
    }
    rule
}
