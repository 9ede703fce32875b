//! Pairs of a corpus CRD and a mutant of it, with one schema change of a kind that authors make.

use std::path::Path;
use std::sync::Arc;

use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::Pair;
use crate::choice::Choice;
use crate::peers;

/// How many mutants of one CRD are made before the next CRD is chosen.
const IN_A_ROW: usize = 10;

pub(super) fn pairs(corpus: &Path, count: usize, choice: &Choice, rng: &mut Rng) -> anyhow::Result<Vec<Pair>> {
    let names: Vec<String> = peers::definitions(corpus)?
        .into_iter()
        .filter(|name| name.contains(&choice.only) && !name.contains(".partial"))
        .filter(|name| std::fs::metadata(corpus.join(name)).is_ok_and(|it| it.len() <= choice.max_size))
        .collect();
    anyhow::ensure!(!names.is_empty(), "no definition is small enough and fits --only");
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let name = &names[rng.usize(..names.len())];
        let Some(document) = std::fs::read_to_string(corpus.join(name))
            .ok()
            .and_then(|text| definition(&text.into()))
        else {
            continue;
        };
        let old: Arc<str> = document.to_string().into();
        for _ in 0..IN_A_ROW.min(count - pairs.len()) {
            let mut mutant = document.clone();
            for _ in 0..choice.edits {
                edit(&mut mutant, rng);
            }
            if mutant == document {
                continue;
            }
            let new: Arc<str> = mutant.to_string().into();
            let (old, new) = if rng.bool() {
                (Arc::clone(&old), new)
            } else {
                (new, Arc::clone(&old))
            };
            pairs.push(Pair {
                id: format!("{:06} {name}", pairs.len()),
                old,
                new,
            });
        }
    }
    Ok(pairs)
}

fn definition(text: &Arc<str>) -> Option<Value> {
    split(text).documents.into_iter().find_map(|document| {
        let tree = read_document(text, document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        let value = (json.depth() < 200).then(|| json.root().map(crd_analyzer_syntax::json::Json::to_value))??;
        (value["kind"] == "CustomResourceDefinition" && value["apiVersion"] == "apiextensions.k8s.io/v1")
            .then_some(value)
    })
}

fn edit(document: &mut Value, rng: &mut Rng) {
    let Some(versions) = document["spec"]["versions"].as_array_mut() else {
        return;
    };
    if versions.is_empty() {
        return;
    }
    if rng.u8(..25) == 0 {
        edit_definition(document, rng);
        return;
    }
    let at = rng.usize(..versions.len());
    let schema = &mut versions[at]["schema"]["openAPIV3Schema"];
    let mut paths = Vec::new();
    collect(schema, &mut Vec::new(), &mut paths);
    paths.retain(|it| it.len() >= 2 || it.is_empty());
    let Some(path) = paths.get(rng.usize(..paths.len().max(1))) else {
        return;
    };
    let path = path.join("");
    if let Some(node) = schema.pointer_mut(&path) {
        edit_node(node, path.is_empty(), rng);
    }
}

fn edit_definition(document: &mut Value, rng: &mut Rng) {
    let spec = &mut document["spec"];
    match rng.u8(..6) {
        0 => spec["names"]["shortNames"] = json!(["zz"]),
        1 => spec["names"]["categories"] = json!(["all"]),
        2 => {
            if let Some(versions) = spec["versions"].as_array_mut()
                && versions.len() > 1
            {
                versions.retain(|it| it["storage"] == true);
            }
        }
        3 => spec["versions"][0]["additionalPrinterColumns"] = json!([]),
        4 => {
            let subresources = &mut spec["versions"][0]["subresources"];
            *subresources = if subresources.is_null() {
                json!({"status": {}})
            } else {
                json!({})
            };
        }
        _ => spec["versions"][0]["deprecated"] = json!(true),
    }
}

/// Collects the pointers of all schemas that are not inside `allOf`, `anyOf`, `oneOf` or `not`.
fn collect(schema: &Value, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    paths.push(path.clone());
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        if path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            continue;
        }
        path.push("/properties".to_owned());
        path.push(format!("/{}", name.replace('~', "~0").replace('/', "~1")));
        collect(below, path, paths);
        path.pop();
        path.pop();
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            path.push(format!("/{keyword}"));
            path.push(String::new());
            collect(&schema[keyword], path, paths);
            path.pop();
            path.pop();
        }
    }
}

fn toggle(node: &mut Map<String, Value>, keyword: &str, values: &[Value], rng: &mut Rng) {
    if node.contains_key(keyword) && rng.bool() {
        node.remove(keyword);
    } else {
        node.insert(keyword.to_owned(), values[rng.usize(..values.len())].clone());
    }
}

fn edit_node(node: &mut Value, is_root: bool, rng: &mut Rng) {
    let kind = if node["x-kubernetes-int-or-string"] == true {
        "int-or-string"
    } else {
        node["type"].as_str().unwrap_or("")
    }
    .to_owned();
    let Value::Object(node) = node else { return };
    match (kind.as_str(), rng.u8(..10)) {
        (_, 0) if !is_root => toggle(node, "nullable", &[json!(true)], rng),
        (_, 1) if !is_root => {
            let default = match kind.as_str() {
                "string" => json!("a"),
                "integer" => json!(1),
                "number" => json!(1.5),
                "boolean" => json!(true),
                "array" => json!([]),
                _ => json!({}),
            };
            toggle(node, "default", &[default], rng);
        }
        (_, 2) => {
            node.insert("description".to_owned(), json!("another one"));
        }
        ("string", 3) => toggle(node, "maxLength", &[json!(0), json!(3), json!(63), json!(4000)], rng),
        ("string", 4) => toggle(node, "minLength", &[json!(1), json!(3)], rng),
        ("string", 5) => toggle(node, "pattern", &[json!("^[a-z]+$"), json!("^.*$"), json!("b")], rng),
        ("string", 6) => toggle(
            node,
            "format",
            &[json!("date-time"), json!("ipv4"), json!("foo"), json!("byte")],
            rng,
        ),
        ("string", 7 | 8) => match node.get_mut("enum").and_then(Value::as_array_mut) {
            Some(values) if values.len() > 1 && rng.bool() => {
                values.remove(rng.usize(..values.len()));
            }
            Some(values) if rng.bool() => values.push(json!("Another")),
            _ => toggle(node, "enum", &[json!(["a"]), json!(["a", "b"])], rng),
        },
        ("integer" | "number", 3) => toggle(node, "maximum", &[json!(1), json!(10), json!(100_000)], rng),
        ("integer" | "number", 4) => toggle(node, "minimum", &[json!(0), json!(1), json!(-1)], rng),
        ("integer" | "number", 5) => toggle(node, "multipleOf", &[json!(1), json!(2)], rng),
        ("integer", 6) => toggle(node, "format", &[json!("int32"), json!("int64")], rng),
        ("integer", 7) => toggle(node, "exclusiveMaximum", &[json!(true)], rng),
        ("integer", 8) => {
            node.insert("type".to_owned(), json!("number"));
        }
        ("array", 3) => toggle(node, "maxItems", &[json!(1), json!(2), json!(100)], rng),
        ("array", 4) => toggle(node, "minItems", &[json!(1), json!(2)], rng),
        ("array", 5) => toggle(node, "x-kubernetes-list-type", &[json!("atomic"), json!("set")], rng),
        ("object", 3) => edit_required(node, rng),
        ("object", 4 | 5) => edit_properties(node, is_root, rng),
        ("object", 6) => toggle(node, "maxProperties", &[json!(1), json!(3), json!(40)], rng),
        ("object", 7) => toggle(node, "x-kubernetes-preserve-unknown-fields", &[json!(true)], rng),
        ("object", 8) => edit_junctor(node, rng),
        ("object", 9) => edit_rules(node, rng),
        ("boolean", 3..) => {
            node.insert("type".to_owned(), json!("string"));
        }
        (_, 9) if !is_root => edit_rules(node, rng),
        _ => toggle(node, "x-kubernetes-map-type", &[json!("atomic")], rng),
    }
}

fn edit_required(node: &mut Map<String, Value>, rng: &mut Rng) {
    let names: Vec<String> = node
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect();
    let required = node.entry("required").or_insert_with(|| json!([]));
    let Some(required) = required.as_array_mut() else {
        return;
    };
    if !required.is_empty() && rng.bool() {
        required.remove(rng.usize(..required.len()));
    } else if let Some(name) = names.get(rng.usize(..names.len().max(1)))
        && !required.contains(&json!(name))
    {
        required.push(json!(name));
    }
}

fn edit_properties(node: &mut Map<String, Value>, is_root: bool, rng: &mut Rng) {
    let Some(properties) = node.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let names: Vec<String> = properties
        .keys()
        .filter(|it| !is_root || !["metadata", "kind", "apiVersion"].contains(&it.as_str()))
        .cloned()
        .collect();
    if !names.is_empty() && rng.bool() {
        properties.remove(&names[rng.usize(..names.len())]);
        return;
    }
    let schemas = [
        json!({"type": "string"}),
        json!({"type": "string", "default": "x"}),
        json!({"type": "integer", "minimum": 3}),
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}),
    ];
    properties.insert("anotherOne".to_owned(), schemas[rng.usize(..schemas.len())].clone());
}

fn edit_junctor(node: &mut Map<String, Value>, rng: &mut Rng) {
    let names: Vec<String> = node
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect();
    let keyword = ["oneOf", "anyOf", "allOf"][rng.usize(..3)];
    match node.get_mut(keyword).and_then(Value::as_array_mut) {
        Some(branches) if branches.len() > 1 => match rng.u8(..3) {
            0 => branches.reverse(),
            1 => drop(branches.pop()),
            _ => {
                let first = branches[0].clone();
                branches.push(first);
            }
        },
        Some(_) => drop(node.remove(keyword)),
        None => {
            let required: Vec<Value> = names.iter().take(2).map(|it| json!({"required": [it]})).collect();
            if !required.is_empty() {
                node.insert(keyword.to_owned(), Value::Array(required));
            }
        }
    }
}

fn edit_rules(node: &mut Map<String, Value>, rng: &mut Rng) {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    let rules: &[&str] = match kind {
        "string" => &["self == oldSelf", "self.size() < 3", "self != 'a'", "true"],
        "integer" => &["self >= oldSelf", "self < 5", "self % 2 == 0"],
        "array" => &["self.size() < 2", "self.size() >= oldSelf.size()"],
        "object" => &["size(self) == size(oldSelf)", "self == oldSelf", "size(self) < 2"],
        _ => &["self == oldSelf"],
    };
    let name = node
        .get("properties")
        .and_then(Value::as_object)
        .and_then(|it| it.keys().next().cloned());
    let mut rule = rules[rng.usize(..rules.len())].to_owned();
    if let Some(name) = name.filter(|it| it.chars().all(|it| it.is_ascii_alphanumeric())) {
        rule = match rng.u8(..3) {
            0 => format!("has(self.{name})"),
            1 => format!("!has(self.{name})"),
            _ => format!("has(self.{name}) == has(oldSelf.{name})"),
        };
    }
    let written = node.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
    let Some(written) = written.as_array_mut() else { return };
    match rng.u8(..4) {
        0 if !written.is_empty() => drop(written.remove(rng.usize(..written.len()))),
        1 if !written.is_empty() => written[0]["message"] = json!("another message"),
        _ => written.push(json!({"rule": rule})),
    }
}
