//! What a verdict says beside the API server's words: which place of the CRD decides, what reading the object changed, what
//! comes after the errors.
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::Stored as StoredDefinition;
use crd_analyzer_resource::{Definition, Question, ResourceVerdict, judge};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::{Span, Tree};
use crd_analyzer_syntax::{read, read_json};

const SCHEMA: &str = "
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: 'true'}, {rule: 'self.size > 3', message: too small}]
            properties:
              size: {type: integer, default: 5, maximum: 10}
              name: {type: string, anyOf: [{pattern: ^a}, {allOf: [{minLength: 3}]}]}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 2}}
              port: {type: integer, format: int32, minimum: -3000000000}
              weight: {type: integer, format: int32}
              map: {type: object, additionalProperties: {type: object, properties: {x: {type: integer}}}}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
";

fn tree(text: &str) -> Tree {
    let text: Arc<str> = text.into();
    read(&text, Span::new(0, text.len() as u32)).expect("it reads")
}

fn verdict(spec: &str) -> ResourceVerdict {
    let definition = tree(&format!(
        "spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
  - {{name: v0, served: false, storage: false, schema: {{openAPIV3Schema: {{type: object}}}}}}
  - name: v1
    served: true
    storage: true
    subresources: {{scale: {{specReplicasPath: .spec.size, statusReplicasPath: .status.size}}}}
    schema:
      openAPIV3Schema:{SCHEMA}"
    ));
    let version = KubernetesVersion::NEWEST;
    let json = read_json(&definition).expect("it converts");
    let stored = StoredDefinition::establish(&json, version).expect("it decodes");
    let definition = Definition::new(stored, version);
    let object = tree(&format!(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n"
    ));
    let served = definition.serving("example.com/v1", "Widget").expect("it is served");
    judge(served, &read_json(&object).expect("it converts"), Question::Create)
}

/// Errors, hidden errors and strict errors, each with what decides below the schema, then what changed.
#[track_caller]
fn check(spec: &str, expected: &[&str]) {
    let verdict = verdict(spec);
    let decider = |it: Option<&crd_analyzer_resource::Decider>| {
        let path = it.map(|it| it.path.to_string()).unwrap_or_default();
        path.replace("spec.versions[1].schema.openAPIV3Schema.properties[spec]", "S")
    };
    let finding = |word: &str, it: &crd_analyzer_resource::RejectionCause| {
        format!("{word} {} by {}", it.error.path, decider(it.decider.as_ref()))
    };
    let mut found: Vec<String> = verdict.errors.iter().map(|it| finding("error", it)).collect();
    found.extend(verdict.hidden.iter().map(|it| finding("hidden", it)));
    found.extend(
        verdict
            .strict
            .iter()
            .map(|it| format!("strict {} by {}", it.path, decider(it.decider.as_ref()))),
    );
    found.extend(verdict.changes.iter().map(|it| format!("{:?} {}", it.kind, it.path)));
    assert_eq!(found, expected);
}

#[test]
fn errors_name_the_keyword_that_decides() {
    check(
        "{size: 11, set: [abc]}",
        &[
            "error spec.set[0] by S.properties[set].items.maxLength",
            "error spec.size by S.properties[size].maximum",
            "error <nil> by ",
        ],
    );
    check(
        "{size: 4, name: b}",
        &[
            "error <nil> by S.properties[name].anyOf",
            "error spec.name by S.properties[name].anyOf[1].allOf[0].minLength",
            "error <nil> by S.properties[name].anyOf[1].allOf",
        ],
    );
    check(
        "{size: 4, set: [a, b, a], pod: {}}",
        &[
            "error spec.pod.apiVersion by S.properties[pod].x-kubernetes-embedded-resource",
            "error spec.pod.kind by S.properties[pod].x-kubernetes-embedded-resource",
            "error spec.set[2] by S.properties[set].x-kubernetes-list-type",
            "error <nil> by ",
        ],
    );
    check("{size: 2}", &["error spec by S.x-kubernetes-validations[1]"]);
    check(
        "{size: 4, port: 1, weight: 3000000000}",
        &[
            "error <nil> by S.properties[port].minimum",
            "error <nil> by S.properties[weight].format",
        ],
    );
    check(
        "{size: -1}",
        &[
            "error .spec.size by spec.versions[1].subresources.scale.specReplicasPath",
            "error spec by S.x-kubernetes-validations[1]",
        ],
    );
}

#[test]
fn rules_that_are_not_run_are_told_apart() {
    check(
        "{size: 3, set: [abc]}",
        &[
            "error spec.set[0] by S.properties[set].items.maxLength",
            "error <nil> by ",
            "hidden spec by S.x-kubernetes-validations[1]",
        ],
    );
}

#[test]
fn what_reading_changes_is_told() {
    check(
        "{unknown: {a: 1}, map: {k: {x: 1, z: 2}}, name: null}",
        &[
            "strict spec.map.k.z by S.properties[map].additionalProperties",
            "strict spec.unknown by S",
            "Pruned spec.map.k.z",
            "Pruned spec.name",
            "Defaulted spec.size",
            "Pruned spec.unknown",
        ],
    );
}
