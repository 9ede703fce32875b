//! Pairs of small random schemas: all keywords, extreme numbers, and constructs that are rare in real CRDs.

mod keywords;
mod objects;

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::Received;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::{Value, json};

use super::Pair;
use keywords::{TYPES, keyword, pattern, schema_of, string_keyword};
pub(super) use objects::{constants, stir};

/// Generates pairs; a tenth of them are about patterns. crd-analyzer accepts both sides, and the API server checks them later.
pub(super) fn pairs(count: usize, kubernetes: KubernetesVersion, rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let (old, new) = match rng.u8(..20) {
            0 | 1 => patterns(rng),
            2 => roots(rng),
            _ => schemas(rng),
        };
        let (old, new): (Arc<str>, Arc<str>) = (old.to_string().into(), new.to_string().into());
        if old != new && is_accepted(&old, kubernetes) && is_accepted(&new, kubernetes) {
            pairs.push(Pair {
                id: format!("{:06} small {} → {}", pairs.len(), shown(&old), shown(&new)),
                old,
                new,
            });
        }
    }
    pairs
}

fn pick<'t>(texts: &[&'t str], rng: &mut Rng) -> &'t str {
    texts[rng.usize(..texts.len())]
}

fn shown(text: &str) -> String {
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let version = &document["spec"]["versions"][0];
    let mut schema = version["schema"]["openAPIV3Schema"].clone();
    schema["subresources"] = version["subresources"].clone();
    schema.to_string()
}

fn is_accepted(text: &Arc<str>, kubernetes: KubernetesVersion) -> bool {
    let mut documents = split(text).documents.into_iter();
    let judged = documents.next().and_then(|document| {
        let tree = read_document(text, document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        Some(Received::new(&json, kubernetes).ok()?.judge(None, None).is_accepted())
    });
    judged == Some(true)
}

fn definition(root: &Value, subresources: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": root},
                "subresources": subresources,
            }],
        },
    })
}

fn with_spec(spec: &Value) -> Value {
    definition(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}))
}

fn around(schema: &Value) -> Value {
    with_spec(&json!({"type": "object", "properties": {"a": schema}}))
}

fn patterns(rng: &mut Rng) -> (Value, Value) {
    let old = pattern(rng);
    let new = if rng.bool() {
        pattern(rng)
    } else {
        edited_pattern(&old, rng)
    };
    let side = |pattern: &str, rng: &mut Rng| {
        let mut schema = json!({"type": "string", "pattern": pattern});
        if rng.u8(..6) == 0 {
            schema["minLength"] = json!(rng.u8(..3));
        }
        if rng.u8(..6) == 0 {
            schema["maxLength"] = json!(rng.u8(..5));
        }
        if rng.u8(..8) == 0
            && let Some(fields) = schema.as_object_mut()
        {
            fields.remove("pattern");
        }
        schema
    };
    let (old, new) = (side(&old, rng), side(&new, rng));
    (around(&old), around(&new))
}

fn edited_pattern(pattern: &str, rng: &mut Rng) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let at = rng.usize(..chars.len());
    let (before, after): (String, String) = (chars[..at].iter().collect(), chars[at..].iter().collect());
    match rng.u8(..5) {
        0 => format!("{before}{}", chars[at + 1..].iter().collect::<String>()),
        1 => format!("{before}{}{after}", ["a", ".", "*", "?", "b|"][rng.usize(..5)]),
        2 => pattern
            .replace("[a-z]", "[a-zA-Z]")
            .replace("[ab]", "[a-c]")
            .replace('*', "+"),
        3 => format!("{pattern}|{}", keywords::pattern(rng)),
        _ => pattern.trim_start_matches('^').trim_end_matches('$').to_owned(),
    }
}

/// CRDs that differ at the root: metadata, type, status, subresources.
fn roots(rng: &mut Rng) -> (Value, Value) {
    let spec = schema_of("object", 1, rng);
    let status = schema_of("object", 1, rng);
    let side = |rng: &mut Rng| {
        let mut root = json!({"type": "object", "properties": {"spec": spec, "status": status}});
        let text = |rng: &mut Rng| {
            let mut schema = json!({"type": "string"});
            for _ in 0..rng.usize(..3) {
                string_keyword(&mut schema, rng);
            }
            for keyword in ["default", "format", "nullable"] {
                schema.as_object_mut().map(|it| it.remove(keyword));
            }
            schema
        };
        if rng.bool() {
            root["properties"]["metadata"] = json!({"type": "object"});
            if rng.bool() {
                let name = ["name", "generateName"][rng.usize(..2)];
                root["properties"]["metadata"]["properties"] = json!({name: text(rng)});
            }
            if rng.u8(..4) == 0 {
                root["properties"]["metadata"]["required"] = json!([pick(&["name", "generateName"], rng)]);
            }
        }
        for name in ["apiVersion", "kind"] {
            if rng.bool() {
                root["properties"][name] = if rng.bool() {
                    json!({"type": "string"})
                } else {
                    text(rng)
                };
            }
        }
        if rng.u8(..4) == 0 {
            root["required"] = json!([pick(&["spec", "status", "metadata", "kind"], rng)]);
        }
        if rng.u8(..4) == 0 {
            keyword(&mut root["properties"]["status"], 1, rng);
        }
        if rng.u8(..8) == 0 {
            root["maxProperties"] = json!(rng.u8(1..7));
        }
        if rng.u8(..6) == 0 {
            let rule = ["has(self.spec)", "!has(self.status)", "self.metadata.name.size() < 5"][rng.usize(..3)];
            root["x-kubernetes-validations"] = json!([{"rule": rule}]);
        }
        let mut subresources = json!({});
        if rng.bool() {
            subresources["status"] = json!({});
        }
        if rng.u8(..3) == 0 {
            subresources["scale"] = json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"});
        }
        definition(&root, &subresources)
    };
    let old = side(rng);
    if rng.bool() {
        return (old, side(rng));
    }
    // Only a single part changes.
    let mut new = old.clone();
    let other = side(rng);
    let parts = [
        "/spec/versions/0/subresources",
        "/spec/versions/0/schema/openAPIV3Schema/properties/metadata",
        "/spec/versions/0/schema/openAPIV3Schema/properties/kind",
        "/spec/versions/0/schema/openAPIV3Schema/properties/apiVersion",
        "/spec/versions/0/schema/openAPIV3Schema/properties/status",
        "/spec/versions/0/schema/openAPIV3Schema/required",
    ];
    let part = parts[rng.usize(..parts.len())];
    let (above, name) = part.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(fields)) = new.pointer_mut(above) {
        match other.pointer(part) {
            Some(value) => fields.insert(name.to_owned(), value.clone()),
            None => fields.remove(name),
        };
    }
    (old, new)
}

fn schemas(rng: &mut Rng) -> (Value, Value) {
    let kind = TYPES[rng.usize(..TYPES.len())];
    let old = json!({"type": "object", "properties": {"a": schema_of(kind, 0, rng)}});
    let mut new = old.clone();
    if rng.u8(..8) == 0 {
        let kind = if rng.u8(..3) == 0 {
            TYPES[rng.usize(..TYPES.len())]
        } else {
            kind
        };
        new["properties"]["a"] = schema_of(kind, 0, rng);
    } else {
        let count = if rng.u8(..4) == 0 { 2 } else { 1 };
        for _ in 0..count {
            edit(&mut new, rng);
        }
    }
    if rng.bool() {
        (with_spec(&old), with_spec(&new))
    } else {
        (with_spec(&new), with_spec(&old))
    }
}

fn edit(schema: &mut Value, rng: &mut Rng) {
    let mut places = Vec::new();
    collect(schema, &mut String::new(), &mut places);
    let place = &places[rng.usize(..places.len())];
    let Some(node) = schema.pointer_mut(place) else { return };
    if rng.u8(..3) == 0
        && let Some(fields) = node.as_object_mut()
    {
        let names: Vec<String> = fields
            .keys()
            .filter(|it| !["type", "items", "properties"].contains(&it.as_str()))
            .cloned()
            .collect();
        if !names.is_empty() {
            fields.remove(&names[rng.usize(..names.len())]);
            return;
        }
    }
    match (node["type"].as_str(), rng.u8(..12)) {
        (Some("integer"), 0) => node["type"] = json!("number"),
        (Some("number"), 0) => node["type"] = json!("integer"),
        (Some("integer" | "string"), 1) if !place.is_empty() => {
            *node = json!({"x-kubernetes-int-or-string": true});
        }
        _ => keyword(node, place.matches("/properties/").count(), rng),
    }
}

/// Collects the pointers of all schemas that are not inside `allOf`, `anyOf`, `oneOf` or `not`.
fn collect(schema: &Value, place: &mut String, places: &mut Vec<String>) {
    places.push(place.clone());
    let length = place.len();
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        place.push_str("/properties/");
        place.push_str(name);
        collect(below, place, places);
        place.truncate(length);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            place.push('/');
            place.push_str(keyword);
            collect(&schema[keyword], place, places);
            place.truncate(length);
        }
    }
}
