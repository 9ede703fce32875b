//! The parts of a CRD that affect resources. Copies of a CRD often differ only in descriptions and annotations, which do not.

use std::{
    collections::HashMap,
    hash::{Hash as _, Hasher},
    sync::{Mutex, PoisonError},
};

use crd_analyzer_syntax::json::{Json, JsonValue, Member};

use super::fingerprint::Fingerprint;

/// Cached fingerprints of the parts that affect resources, by the name of the version. `None` if the text cannot be parsed.
#[derive(Default)]
pub(super) struct Decides(Mutex<HashMap<String, Option<Fingerprint>>>);

impl Decides {
    /// The fingerprint for a version. Calls `compute` on the first request.
    pub(super) fn of(&self, version: &str, compute: impl FnOnce() -> Option<Fingerprint>) -> Option<Fingerprint> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(version) {
            return *known;
        }
        let found = compute();
        lock().insert(version.to_owned(), found);
        found
    }
}

/// The keywords of a schema that only describe it.
const WORDS: [&str; 4] = ["description", "example", "externalDocs", "title"];

/// The keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 7] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "items",
    "not",
    "oneOf",
];

/// The keywords whose value is a map of schemas by name.
const NAMED: [&str; 4] = ["definitions", "dependencies", "patternProperties", "properties"];

/// The fields of a CRD's `spec` that do not affect resources: the conversion webhook and the printed columns.
const OF_SPEC: [&str; 2] = ["additionalPrinterColumns", "conversion"];

/// The fields of a version that do not affect resources. A sent resource is checked in the same way whether its version is the storage version or
/// not.
const OF_VERSION: [&str; 2] = ["additionalPrinterColumns", "storage"];

/// The fingerprint of the parts of a CRD that affect resources of a version.
pub(super) fn of(crd: &Json<'_>, version: &str) -> Option<Fingerprint> {
    let spec = crd.get("spec")?.members()?;
    Some(Fingerprint::hashed(|hasher| {
        whole(crd.get("apiVersion"), hasher);
        each(spec, &OF_SPEC, hasher, |key, value, hasher| {
            match (key, value.items()) {
                ("versions", Some(versions)) => {
                    let named = |it: &&Json<'_>| it.get("name").and_then(Json::as_str) == Some(version);
                    for it in versions.iter().filter(named) {
                        of_version(it, hasher);
                    }
                }
                ("validation", _) => of_holder(value, hasher),
                _ => whole(Some(value), hasher),
            }
        });
    }))
}

fn of_version(version: &Json<'_>, hasher: &mut impl Hasher) {
    let members = version.members().unwrap_or_default();
    each(members, &OF_VERSION, hasher, |key, value, hasher| match key {
        "schema" => of_holder(value, hasher),
        _ => whole(Some(value), hasher),
    });
}

/// Hashes an object that has a schema at `openAPIV3Schema`.
fn of_holder(holder: &Json<'_>, hasher: &mut impl Hasher) {
    let Some(members) = holder.members() else {
        return whole(Some(holder), hasher);
    };
    each(members, &[], hasher, |key, value, hasher| match key {
        "openAPIV3Schema" => of_schema(value, hasher),
        _ => whole(Some(value), hasher),
    });
}

/// Hashes a schema, or a list of schemas, without its descriptions.
fn of_schema<H: Hasher>(schema: &Json<'_>, hasher: &mut H) {
    match (schema.members(), schema.items()) {
        (Some(members), _) => each(members, &WORDS, hasher, |key, value, hasher| {
            if SCHEMAS.contains(&key) {
                of_schema(value, hasher);
            } else if let Some(named) = value.members().filter(|_| NAMED.contains(&key)) {
                each(named, &[], hasher, |_, schema, hasher| of_schema(schema, hasher));
            } else {
                whole(Some(value), hasher);
            }
        }),
        (_, Some(schemas)) => {
            (LIST, schemas.len()).hash(hasher);
            for it in schemas {
                of_schema(it, hasher);
            }
        }
        _ => whole(Some(schema), hasher),
    }
}

/// Hashes the members of an object with their keys, except some members.
fn each<H: Hasher>(
    members: &[Member<'_>],
    without: &[&str],
    hasher: &mut H,
    mut hash: impl FnMut(&str, &Json<'_>, &mut H),
) {
    let members = || members.iter().filter(|it| !without.contains(&&*it.key));
    (OBJECT, members().count()).hash(hasher);
    for it in members() {
        it.key.hash(hasher);
        hash(&it.key, &it.value, hasher);
    }
}

/// Tags for hashing, so that values of different types have different hashes.
const OBJECT: u8 = 0;
const LIST: u8 = 1;

fn whole<H: Hasher>(json: Option<&Json<'_>>, hasher: &mut H) {
    match json.map(|it| &it.value) {
        Some(JsonValue::Object(members)) => each(members, &[], hasher, |_, value, hasher| whole(Some(value), hasher)),
        Some(JsonValue::Array(items)) => {
            (LIST, items.len()).hash(hasher);
            for it in items {
                whole(Some(it), hasher);
            }
        }
        Some(JsonValue::String(text)) => (2_u8, text).hash(hasher),
        Some(JsonValue::Bool(value)) => (3_u8, value).hash(hasher),
        Some(JsonValue::Int(value)) => (4_u8, value).hash(hasher),
        Some(JsonValue::Uint(value)) => (5_u8, value).hash(hasher),
        Some(JsonValue::Float(value)) => (6_u8, value.to_bits()).hash(hasher),
        Some(JsonValue::Null) => 7_u8.hash(hasher),
        None => 8_u8.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{read, read_json, tree::Span};
    use serde_json::{Value, json};

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
        let of = |it: Value| {
            let text: Arc<str> = it.to_string().into();
            let tree = read(&text, Span::new(0, text.len() as u32)).expect("YAML");
            let json = read_json(&tree).expect("JSON");
            super::of(json.root().expect("a CRD"), "v1").expect("a fingerprint")
        };
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
