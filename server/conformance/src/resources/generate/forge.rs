//! Inserts old placeholders for unknown values into objects and schemas, as if an author had written them.

use fastrand::Rng;
use serde_json::{Value, json};

use super::{Definition, Step, collect, find};
use crate::signs;

/// The fields of every object.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl Definition {
    /// Inserts a text at a random place of an object, as a value or as a key.
    pub(crate) fn forge(&self, object: &mut Value, text: &str, rng: &mut Rng) {
        let mut places = Vec::new();
        collect(object, Some(self.schema()), &mut Vec::new(), &mut places);
        // Objects of another kind are not checked.
        let identifies = |it: &[Step]| matches!(it, [Step::Key(name)] if name == "apiVersion" || name == "kind");
        places.retain(|it| !identifies(&it.0));
        let (path, _) = places.swap_remove(rng.usize(..places.len()));
        let Some(at) = find(object, &path) else { return };
        match at {
            Value::Object(fields) if rng.u8(..4) > 0 || path.is_empty() => {
                let old = fields.keys().nth(rng.usize(..fields.len().max(1))).cloned();
                let kept = if path.is_empty() {
                    ["apiVersion", "kind"]
                } else {
                    [""; 2]
                };
                let value = match old.filter(|it| rng.bool() && !kept.contains(&it.as_str())) {
                    Some(name) => fields.remove(&name).unwrap_or_default(),
                    None => [json!(1), json!(text), json!({}), Value::Null][rng.usize(..4)].clone(),
                };
                fields.insert(text.to_owned(), value);
            }
            Value::Array(items) if rng.u8(..4) > 0 => items.insert(rng.usize(..=items.len()), json!(text)),
            at => *at = json!(text),
        }
    }

    /// Inserts a text into the schema at a place where objects may also contain the text. Returns the CRD as JSON.
    pub(crate) fn forge_schema(&mut self, text: &str, rng: &mut Rng) -> String {
        let mut path = String::new();
        // Starts at a random property.
        for _ in 0..rng.usize(1..6) {
            let Some(schema) = self.schema().pointer(&path) else {
                break;
            };
            if schema.get("items").is_some() {
                path.push_str("/items");
                continue;
            }
            let properties = schema["properties"].as_object().into_iter().flatten();
            let names = properties
                .map(|it| it.0)
                .filter(|it| !OF_OBJECTS.contains(&it.as_str()));
            let names: Vec<&String> = names.collect();
            let Some(name) = names.get(rng.usize(..names.len().max(1))) else {
                break;
            };
            path.push_str("/properties/");
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        }
        if let Some(schema) = self.schema_mut().pointer_mut(&path).and_then(Value::as_object_mut) {
            match (schema.get("type").and_then(Value::as_str), rng.u8(..3)) {
                (Some("object"), 0) if schema.contains_key("properties") => {
                    schema["properties"][text] = json!({"type": "integer"});
                }
                (Some("object"), 1) => {
                    schema.insert("required".to_owned(), json!([text]));
                }
                (Some("string"), 0) => {
                    schema.insert("enum".to_owned(), json!(["a", text]));
                }
                (Some("string"), 1) => {
                    let rule = format!("self != '{text}'");
                    schema.insert("x-kubernetes-validations".to_owned(), json!([{ "rule": rule }]));
                }
                (Some("string"), _) => {
                    schema.insert("default".to_owned(), json!(text));
                }
                // An `enum` at the root would never match, because the timestamps of objects differ.
                _ if path.is_empty() => {}
                _ => {
                    schema.insert("enum".to_owned(), json!([text, {"a": text}, [text]]));
                }
            }
        }
        signs::json(&self.document, rng)
    }
}
