//! Tests of results that are not in the API server's messages: the part of the CRD that leads to each error, the changes that decoding made, and the
//! hidden errors.
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::Stored as StoredCrd;
use crd_analyzer_resource::{Definition, Question, ResourceVerdict, ServedVersion, judge_known, judge_traced};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_syntax::json::JsonDoc;
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
    verdict_of(SCHEMA, spec, judge_known)
}

type Judge = for<'a> fn(ServedVersion<'_>, &JsonDoc<'_>, Known<'_>, Question<'a>) -> ResourceVerdict;

/// The answer for an object with this `spec`.
fn verdict_of(schema: &str, spec: &str, judge: Judge) -> ResourceVerdict {
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
      openAPIV3Schema:{schema}"
    ));
    let version = KubernetesVersion::NEWEST;
    let json = read_json(&definition).expect("it converts");
    let stored = StoredCrd::establish(&json, version).expect("it decodes");
    let definition = Definition::new(stored, version);
    let object = tree(&format!(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n"
    ));
    let served = definition.serving("example.com/v1", "Widget").expect("it is served");
    let json = read_json(&object).expect("it converts");
    judge(served, &json, Known::ALL, Question::Create)
}

/// Checks errors, hidden errors and strict errors, each with the part of the schema behind it, and then the changes.
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
fn a_rule_that_reads_what_is_wrong_anyway_says_nothing() {
    // The rule would only fail because of the wrong value, so its failure is not reported.
    check(
        "{size: x}",
        &[
            "error spec.size by S.properties[size].type",
            "error .spec.size by spec.versions[1].subresources.scale.specReplicasPath",
            "error <nil> by ",
        ],
    );
}

#[test]
fn what_a_rule_reads_decides_that_it_fails() {
    let schema = "
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              live: {type: boolean}
              size: {type: integer}
              tier: {type: string}
              ports: {type: array, items: {type: object, properties: {num: {type: integer}, t: {type: string}}}}
            x-kubernetes-validations: [{rule: \"RULE\"}]
";
    let check = |rule: &str, spec: &str, expected: &[&str]| {
        let schema = schema.replace("RULE", rule);
        let found = verdict_of(&schema, spec, judge_traced);
        let error = found.errors.first().expect("the rule fails");
        let reads: Vec<String> = error.reads.iter().map(ToString::to_string).collect();
        assert_eq!(reads, expected, "{rule}");
    };
    check(
        "self.size < 10 || self.tier == 'big'",
        "{size: 15, tier: small}",
        &["spec.size", "spec.tier"],
    );
    // A true operand does not determine the result of a false `&&`.
    check("self.live && self.size < 10", "{live: true, size: 15}", &["spec.size"]);
    check(
        "!(self.live || self.size < 10)",
        "{live: true, size: 15}",
        &["spec.live"],
    );
    check(
        "!has(self.tier) || self.size < 10",
        "{tier: a, size: 15}",
        &["spec.tier", "spec.size"],
    );
    check("has(self.tier)", "{size: 15}", &["spec.tier"]);
    let ports = "{size: 5, ports: [{num: 1}, {num: 9, t: a}, {num: 2}]}";
    check(
        "self.ports.all(p, p.num < self.size)",
        ports,
        &["spec.ports[1].num", "spec.size"],
    );
    let all = ["spec.ports[0].num", "spec.ports[1].num", "spec.ports[2].num"];
    check("self.ports.exists(p, p.num > 10)", ports, &all);
    check("!self.ports.exists(p, p.num == 9)", ports, &["spec.ports[1].num"]);
    check(
        "self.ports.filter(p, p.num > 1).map(p, p.t) == []",
        ports,
        &[all[0], all[1], all[2], "spec.ports[1].t", "spec.ports[2].t"],
    );
    check("size(self.ports) < 3", ports, &["spec.ports"]);
    check(
        "self.ports[1].num == 1 ? self.live : self.ports[0].num == 2",
        ports,
        &["spec.ports[1].num", "spec.ports[0].num"],
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
