//! The API server's answers for small changes to one CRD.
//!
//! The first line of `validation.jsonl` is the CRD. Each other line is a request with the answer of API servers of that Kubernetes
//! version: `new` (and, for an update, `old`) change the CRD, `errors` are `type | field | value | detail`. A
//! value is truncated at 200 bytes or before a memory address.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::{CrdVerdict, Stored, Unjudged, judge_create, judge_update};
use crd_analyzer_apiextensions::validation::CelCompiler;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::Error;
use crd_analyzer_syntax::json::{JsonDoc, read_json};
use crd_analyzer_syntax::tree::Span;
use serde_json::{Map, Value, json};

const TABLE: &str = include_str!("validation.jsonl");

/// Applies a JSON merge patch to `target` (RFC 7396).
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (key, value) in patch {
        let target = target.as_object_mut().expect("it was made an object");
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.as_str()).or_insert(Value::Null), value);
        }
    }
}

/// The CRD with changes to its schema, its version or the whole object, and optionally a second version.
fn change(base: &Value, changes: &Value) -> String {
    let mut definition = base.clone();
    let versions = &mut definition["spec"]["versions"];
    if let Some(patch) = changes.get("schema") {
        merge(&mut versions[0]["schema"]["openAPIV3Schema"], patch);
    }
    if let Some(patch) = changes.get("version") {
        merge(&mut versions[0], patch);
    }
    if let Some(patch) = changes.get("second") {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        let mut second = json!({"name": "v2", "served": true, "storage": false, "schema": schema});
        merge(&mut second, patch);
        versions
            .as_array_mut()
            .expect("the definition has versions")
            .push(second);
    }
    if let Some(patch) = changes.get("definition") {
        merge(&mut definition, patch);
    }
    definition.to_string()
}

fn with_document<T>(text: &str, look: impl FnOnce(&JsonDoc<'_>) -> T) -> T {
    let tree = crd_analyzer_syntax::read(&Arc::from(text), Span::new(0, text.len() as u32)).expect("it is YAML");
    look(&read_json(&tree).expect("it is JSON"))
}

fn judge(base: &Value, row: &Value, version: KubernetesVersion) -> CrdVerdict {
    let compiler = CelCompiler::new(version);
    let old = row.get("old").map(|old| {
        with_document(&change(base, old), |it| Stored::establish(it, version)).expect("the old definition decodes")
    });
    with_document(&change(base, &row["new"]), |document| match &old {
        Some(old) => judge_update(document, old, version, Some(&compiler)),
        None => judge_create(document, version, Some(&compiler)),
    })
}

fn line(error: &Error) -> String {
    let mut value = error.bad_value.as_str();
    let cut;
    if value.len() > 200 {
        cut = format!("{}…", &value[..value.floor_char_boundary(200)]);
        value = &cut;
    }
    let value = value.split("(0x").next().unwrap_or_default();
    format!("{} | {} | {value} | {}", error.kind.reason(), error.path, error.detail)
}

#[test]
fn answers_as_the_server_does() {
    let mut rows = TABLE
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).expect("each line is JSON"));
    let base = rows.next().expect("the definition comes first")["base"].clone();
    let mut wrong = Vec::new();
    for row in rows {
        let version = KubernetesVersion::minor(row["k8s"].as_u64().expect("each row has a minor") as u8);
        let verdict = judge(&base, &row, version);
        let panics = matches!(verdict.unjudged, Some(Unjudged::ServerPanics { .. }));
        let mut seen: Vec<String> = verdict.errors.iter().map(line).collect();
        seen.sort_unstable();
        let mut expected: Vec<&str> = row["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        expected.sort_unstable();
        if panics != row.get("panics").is_some() || seen != expected {
            wrong.push(format!("{row}\n  seen: {seen:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If an earlier error keeps the API server from reporting other errors, these are found anyway.
#[test]
fn goes_on_after_what_stops_the_server() {
    let check = |schema: Value, errors: &[&str], hidden: &[&str]| {
        let base = serde_json::from_str::<Value>(TABLE.lines().next().expect("the definition comes first"));
        let base = base.expect("it is JSON")["base"].clone();
        let row = json!({"new": {"schema": {"properties": {"spec": schema}}}});
        let verdict = judge(&base, &row, KubernetesVersion::NEWEST);
        let codes = |errors: &[Error]| errors.iter().map(|it| it.code).collect::<Vec<_>>();
        assert_eq!(
            (codes(&verdict.errors).as_slice(), codes(&verdict.hidden).as_slice()),
            (errors, hidden),
            "{row}"
        );
    };
    let rule = json!([{"rule": "self.x == 1"}]);
    check(json!({"x-kubernetes-validations": rule}), &["undefined-field"], &[]);
    check(
        json!({"x-kubernetes-validations": [{"rule": "self.x == 1", "messageExpression": "1"}]}),
        &["undefined-field"],
        &["rule-result-type"],
    );
    check(
        json!({"x-kubernetes-validations": rule, "uniqueItems": true}),
        &["unique-items"],
        &["undefined-field"],
    );
    check(
        json!({"properties": {"zone": {"default": 1}, "untyped": {}}, "x-kubernetes-validations": rule}),
        &["missing-type"],
        &["wrong-type", "undefined-field"],
    );
}

/// Walks over schemas of the maximum depth do not overflow the stack.
#[test]
fn walks_deep_schemas() {
    let depth = crd_analyzer_schema::depth::ALWAYS - 10;
    let mut schema = json!({"type": "string"});
    for _ in 0..depth {
        schema = json!({
            "type": "object",
            "properties": {"a": schema},
            "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".a"}],
        });
    }
    let base = serde_json::from_str::<Value>(TABLE.lines().next().expect("the definition comes first"));
    let base = base.expect("it is JSON")["base"].clone();
    let row = json!({"new": {"schema": schema}});
    let verdict = judge(&base, &row, KubernetesVersion::NEWEST);
    assert_eq!(verdict.unjudged, None);
}
