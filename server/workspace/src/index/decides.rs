//! What of a CRD decides about resources. Copies of a CRD often differ only in what people and generators read.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use serde_json::{Map, Value};

use super::fingerprint::Fingerprint;

/// The fingerprint of what decides about resources of a version, by the name of the version; `None`: the text cannot be read.
#[derive(Default)]
pub(super) struct Decides(Mutex<HashMap<String, Option<Fingerprint>>>);

impl Decides {
    /// `crd` makes the CRD when it is first asked for.
    pub(super) fn of(&self, version: &str, crd: impl FnOnce() -> Option<Value>) -> Option<Fingerprint> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(version) {
            return *known;
        }
        let found = crd().and_then(|it| deciding(it, version));
        let found = found.map(|it| Fingerprint::of(&it.to_string()));
        lock().insert(version.to_owned(), found);
        found
    }
}

/// The keywords of a schema that say something to people.
const WORDS: [&str; 4] = ["description", "example", "externalDocs", "title"];

/// The keywords with a schema, or with a list of schemas.
const SCHEMAS: [&str; 7] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "items",
    "not",
    "oneOf",
];

/// The keywords with schemas by their names.
const NAMED: [&str; 4] = ["definitions", "dependencies", "patternProperties", "properties"];

/// A CRD without what does not decide about resources of a version.
fn deciding(mut crd: Value, version: &str) -> Option<Value> {
    let api_version = crd.get("apiVersion").cloned().unwrap_or_default();
    let Value::Object(mut spec) = crd.get_mut("spec")?.take() else {
        return None;
    };
    // Which webhook converts resources, and what is printed of them, decides nothing.
    for key in ["conversion", "additionalPrinterColumns"] {
        spec.remove(key);
    }
    if let Some(Value::Array(versions)) = spec.get_mut("versions") {
        versions.retain(|it| it.get("name").and_then(Value::as_str) == Some(version));
        for it in versions.iter_mut().filter_map(Value::as_object_mut) {
            // Which version is stored matters for no resource that is sent.
            it.remove("additionalPrinterColumns");
            it.remove("storage");
            it.get_mut("schema").into_iter().for_each(strip_schema_of);
        }
    }
    spec.get_mut("validation").into_iter().for_each(strip_schema_of);
    Some(Value::Array(vec![api_version, Value::Object(spec)]))
}

/// Takes the words for people out of the schema that something holds.
fn strip_schema_of(holder: &mut Value) {
    holder.get_mut("openAPIV3Schema").into_iter().for_each(strip);
}

/// Takes the words for people out of a schema, or out of a list of schemas.
fn strip(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(strip),
        Value::Object(schema) => {
            for word in WORDS {
                schema.remove(word);
            }
            for key in SCHEMAS {
                schema.get_mut(key).into_iter().for_each(strip);
            }
            for key in NAMED {
                let named = schema.get_mut(key).and_then(Value::as_object_mut);
                named.into_iter().flat_map(Map::values_mut).for_each(strip);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd(schema: &Value, more: &Value) -> Value {
        let mut crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "metadata": {"name": "a"},
            "spec": {
                "group": "a.b", "scope": "Namespaced", "names": {"kind": "A"},
                "versions": [
                    {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
                    {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
                ],
            },
        });
        for (path, value) in more.as_object().expect("changes") {
            *crd.pointer_mut(path).expect("a place") = value.clone();
        }
        crd
    }

    #[track_caller]
    fn check(schema: &Value, more: &Value, is_same: bool) {
        let plain = json!({"type": "object", "properties": {
            "description": {"type": "string"}, "size": {"type": "integer", "description": "How large."},
        }});
        let of = |it: Value| Decides::default().of("v1", || Some(it)).expect("a fingerprint");
        let one = of(crd(&plain, &json!({})));
        let schema = if schema.is_null() { &plain } else { schema };
        assert_eq!(one == of(crd(schema, more)), is_same, "{schema} {more}");
    }

    #[test]
    fn words_for_people_decide_nothing() {
        let other_words = json!({"type": "object", "title": "A", "properties": {
            "description": {"type": "string", "description": "Words."}, "size": {"type": "integer"},
        }});
        check(&other_words, &json!({}), true);
        check(
            &Value::Null,
            &json!({"/metadata/name": "b", "/spec/versions/1/served": false}),
            true,
        );
        check(&Value::Null, &json!({"/spec/versions/0/storage": false}), true);
    }

    #[test]
    fn all_else_decides() {
        let without = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
        check(&without, &json!({}), false);
        check(&Value::Null, &json!({"/spec/scope": "Cluster"}), false);
        check(&Value::Null, &json!({"/spec/versions/0/served": false}), false);
        check(
            &Value::Null,
            &json!({"/apiVersion": "apiextensions.k8s.io/v1beta1"}),
            false,
        );
    }
}
