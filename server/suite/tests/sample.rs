//! Tests trying rules on objects: where the objects come from, the results for them, and how they become tests.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{
    Suite,
    definition::{Found, definitions},
    init::sample,
    read,
    sample::{CaseResult, RuleName, Trial, rule_at},
};
use crd_analyzer_syntax::tree::Span;
use serde_json::{Value, json};

const NEWEST: KubernetesVersion = KubernetesVersion::NEWEST;

/// A CRD with this root schema, on one line.
fn crd(schema: &str) -> Arc<str> {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{plural: widgets, kind: Widget}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
         subresources: {{status: {{}}}}\n    schema: {{openAPIV3Schema: {schema}}}\n"
    )
    .into()
}

/// A CRD with this schema, and the name of the rule that has this expression.
fn named(schema: &str, rule: &str) -> (Found, RuleName) {
    let text = crd(schema);
    let at = text.find(rule).expect("the rule is in the schema") as u32 + 1;
    let name = rule_at(&text, Span::new(at, at)).expect("a rule");
    let found = definitions("crd.yaml", &text).remove(0);
    (found, name)
}

fn suite(text: &str) -> Suite {
    let text: Arc<str> = text.into();
    read(&text).unwrap_or_else(|problems| panic!("{problems:?} in\n{text}"))
}

/// The test file for a rule, and the results of the rule for its objects.
#[track_caller]
fn tried(schema: &str, rule: &str, given: &[Value]) -> (String, Vec<CaseResult>) {
    let (found, name) = named(schema, rule);
    let text = sample(&found, &name, "crd.yaml", given, NEWEST).expect("a sample");
    let suite = suite(&text);
    assert_eq!(suite.rule().as_ref(), Some(&name), "{text}");
    let results = Trial::new(&found, name, NEWEST).expect("a trial").results(&suite);
    (text, results)
}

/// Checks that the rule accepts one of the two objects and rejects the other one. Returns the first lines of the results for each.
#[track_caller]
fn check(schema: &str, rule: &str, given: &[Value]) -> [Vec<String>; 2] {
    let (text, results) = tried(schema, rule, given);
    let [accepted, rejected] = &results[..] else {
        panic!("{results:?} of\n{text}");
    };
    assert_eq!(accepted.answer, "accepted", "{text}");
    assert!(
        rejected.answer.starts_with("rejected by this rule"),
        "{} of\n{text}",
        rejected.answer
    );
    let first = |it: &CaseResult| it.sites.iter().map(|it| it.lines[0].clone()).collect::<Vec<_>>();
    assert!(first(accepted).iter().all(|it| it == "true"), "{accepted:?}");
    assert!(first(rejected).iter().any(|it| it != "true"), "{rejected:?}");
    [first(accepted), first(rejected)]
}

const RANGE: &str = "{type: object, properties: {spec: {type: object, required: [low, high], properties: {low: {type: integer}, high: \
                     {type: integer}}, x-kubernetes-validations: [{rule: self.low <= self.high, message: low is at most high}]}}}";

#[test]
fn objects_are_searched_for() {
    check(RANGE, "self.low <= self.high", &[]);
    let (text, results) = tried(RANGE, "self.low <= self.high", &[]);
    let expected = "tests:\n  - name: \"spec: low is at most high (accepted)\"\n    create:\n      spec:\n";
    assert!(text.contains(expected), "{text}");
    let place = &results[1].sites[0];
    assert_eq!(place.path, "spec");
    // Its key belongs to it: a short value has more lines for results.
    assert!(text[place.span.range()].starts_with("spec:"), "{text}");
    assert_eq!(results[1].answer, "rejected by this rule: low is at most high");
    let steps: Vec<&str> = place.lines.iter().map(String::as_str).collect();
    assert!(
        matches!(steps[..], ["false", low, high] if low.starts_with("├─ self.low = ") && high.starts_with("└─ self.high = ")),
        "{steps:?}"
    );
}

#[test]
fn rules_of_items_values_and_the_status_have_samples_too() {
    let items = "{type: object, properties: {spec: {type: object, properties: {hosts: {type: array, items: {type: object, required: [name], \
                 properties: {name: {type: string}}, x-kubernetes-validations: [{rule: self.name != 'x'}]}}}}}}";
    check(items, "self.name != 'x'", &[]);
    let values = "{type: object, properties: {spec: {type: object, properties: {labels: {type: object, additionalProperties: {type: string, \
                  x-kubernetes-validations: [{rule: size(self) < 3}]}}}}}}";
    check(values, "size(self) < 3", &[]);
    let status = "{type: object, properties: {spec: {type: object}, status: {type: object, properties: {size: {type: integer}}, \
                  x-kubernetes-validations: [{rule: '!has(self.size) || self.size > 3'}]}}}";
    let (text, _) = tried(status, "!has(self.size)", &[]);
    assert!(text.contains("updateStatus:"), "{text}");
    check(status, "!has(self.size)", &[]);
}

#[test]
fn rules_about_changes_have_an_old_and_a_new_object() {
    let schema = "{type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: integer, \
                  x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}";
    check(schema, "self >= oldSelf", &[]);
    let (text, _) = tried(schema, "self >= oldSelf", &[]);
    assert_eq!(text.matches("    update:\n      from:\n").count(), 2, "{text}");
}

#[test]
fn examples_show_as_much_of_a_rule_as_they_can() {
    let guarded = "{type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: integer}, metrics: {type: array, \
                   maxItems: 3, items: {type: object, required: [target], properties: {target: {type: integer}}}}}, x-kubernetes-validations: \
                   [{rule: '!has(self.metrics) || self.metrics.all(m, m.target > 0)'}]}}}";
    let small = json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 7}});
    let (text, results) = tried(guarded, "self.metrics.all", &[small]);
    // Nothing is left out because of the guard, and the rest is the object that exists.
    assert!(text.contains("- target: ") && text.contains("size: 7"), "{text}");
    let steps = results[0].sites[0].lines.join("\n");
    assert!(
        !steps.contains("not evaluated") && steps.contains("m.target > 0 = true"),
        "{steps}"
    );
    assert_eq!(results[1].answer, "rejected by this rule");
    // An update that a rule about one field accepts changes another one.
    let fixed = "{type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: integer}, class: {type: string, \
                 maxLength: 9}}, x-kubernetes-validations: [{rule: '!has(oldSelf.class) || has(self.class) && self.class == oldSelf.class'}]}}}";
    let (text, results) = tried(fixed, "oldSelf.class", &[]);
    let steps = results[0].sites[0].lines.join("\n");
    assert!(!steps.contains("not evaluated"), "{steps} of\n{text}");
    let specs = text
        .split("spec:\n")
        .skip(1)
        .map(|it| it.lines().take(2).collect::<Vec<_>>());
    let specs: Vec<Vec<&str>> = specs.collect();
    let [old, new, before, after] = &specs[..] else {
        panic!("{text}");
    };
    assert_eq!(old[0], new[0], "{text}");
    assert_ne!(old[1], new[1], "{text}");
    // The rejected one differs in the field of the rule alone.
    assert_ne!(before[0], after[0], "{text}");
    assert_eq!(before[1], after[1], "{text}");
}

#[test]
fn objects_that_exist_come_first() {
    let object = |name: &str, spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec});
    let given = [
        object("other", json!({"low": 700, "high": 70})),
        object("mine", json!({"low": 12, "high": 345})),
        json!({"apiVersion": "example.com/v2", "kind": "Widget", "spec": {"low": 1, "high": 9}}),
        json!({"apiVersion": 3}),
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": null}),
    ];
    let (text, _) = tried(RANGE, "self.low <= self.high", &given);
    assert!(text.contains("high: 345") && text.contains("high: 70\n"), "{text}");
    // The rule does not read the metadata, so the example does not contain it.
    assert!(!text.contains("metadata"), "{text}");
    check(RANGE, "self.low <= self.high", &given);
}

#[test]
fn what_a_rule_does_is_said_while_it_is_edited() {
    let (found, name) = named(RANGE, "self.low <= self.high");
    let text = sample(&found, &name, "crd.yaml", &[], NEWEST).expect("a sample");
    let results = |schema: &str| {
        let found = definitions("crd.yaml", &crd(schema)).remove(0);
        Trial::new(&found, name.clone(), NEWEST)
            .expect("a trial")
            .results(&suite(&text))
    };
    let broken = results(&RANGE.replace("self.low <=", "self.lo <="));
    let line = &broken[0].sites[0].lines[0];
    assert!(line.starts_with("the rule does not compile: "), "{line}");
    assert_eq!(broken[0].answer, "the API server rejects the CRD");
    let other = results(&RANGE.replace("self.low <=", "self.low >="));
    assert_eq!(other[1].answer, "accepted");
    let gone = results(&RANGE.replace(
        "x-kubernetes-validations: [{rule: self.low <= self.high, message: low is at most high}]",
        "minProperties: 0",
    ));
    assert_eq!(gone[0].answer, "the rule does not exist any more");
}

#[test]
fn rules_that_do_not_run_say_why() {
    let (found, name) = named(RANGE, "self.low <= self.high");
    let results = |tests: &str| {
        let text = format!(
            "crd: crd.yaml\nversion: v1\nx-rule:\n  crd: widgets.example.com\n  path: {}\ntests:\n{tests}",
            name.path
        );
        Trial::new(&found, name.clone(), NEWEST)
            .expect("a trial")
            .results(&suite(&text))
    };
    let idle = results("  - name: idle\n    create: {}\n");
    assert_eq!(
        idle[0].answer,
        "accepted; the rule does not run, because the object has no value for it"
    );
    // The API server ignores the status of a created object, and drops unknown fields.
    let created = results("  - name: created\n    create: {spec: {low: 1, high: 2}, status: {low: 3}}\n");
    assert_eq!(created[0].sites.len(), 1, "{created:?}");
    let tolerated = "  - name: kept\n    update: {from: {spec: {low: 3, high: 2}}, to: {spec: {low: 3, high: 2}}}\n";
    let tolerated = results(tolerated);
    assert_eq!(tolerated[0].answer, "accepted");
    assert_eq!(
        tolerated[0].sites[0].lines[0],
        "false, but the update does not change what the rule reads"
    );
}

#[test]
fn an_example_becomes_a_test_that_passes() {
    let (found, name) = named(RANGE, "self.low <= self.high");
    let text = sample(&found, &name, "crd.yaml", &[], NEWEST).expect("a sample");
    let suite = suite(&text);
    let first = suite.add_to(0, (None, "crd.yaml"), &found, NEWEST).expect("a test");
    let again = suite
        .add_to(1, (Some(&first.text), "crd.yaml"), &found, NEWEST)
        .expect("a test");
    let twice = suite
        .add_to(1, (Some(&again.text), "crd.yaml"), &found, NEWEST)
        .expect("a test");
    let file = self::suite(&twice.text);
    let names: Vec<&str> = file.cases.iter().map(|it| it.name.as_str()).collect();
    let expected = [
        "spec: low is at most high (accepted)",
        "spec: low is at most high",
        "spec: low is at most high (again)",
    ];
    assert_eq!(names, expected, "{}", twice.text);
    let versions = crd_analyzer_workspace::config::versions::VersionSet::one(NEWEST);
    let outcomes = crd_analyzer_suite::run::run(&file, &[found], versions, |_| true);
    assert!(
        outcomes.iter().all(crd_analyzer_suite::run::Outcome::is_passed),
        "{}",
        twice.text
    );
    // The edit only adds the new test.
    let mut applied = again.text.to_string();
    applied.replace_range(twice.edit.span.range(), &twice.edit.text);
    assert_eq!(applied, *twice.text);
    assert!(twice.edit.span.is_empty(), "{:?}", twice.edit);
    assert_eq!(&twice.text[twice.name.range()].trim_matches('"'), &expected[2]);
}
