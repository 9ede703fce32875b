//! Tests with an old and a new schema of `spec`, and the text after each fix.

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::{
    comparison::breaking::Policy,
    config::versions::VersionSet,
    judging::analysis::{MOST_FINDINGS, Question, Wants, analyze},
};

use super::*;

const HEAD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1 # stable
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
";

/// A CRD with these lines as the schema of `spec`.
fn crd(spec: &str) -> String {
    let lines = spec.lines().map(|it| format!("            {it}\n"));
    format!("{HEAD}{}", lines.collect::<String>())
}

/// The titles of the fixes for all changes, each with the text after applying it.
fn fixes(old: &str, new: &str) -> Vec<(String, String)> {
    let revision = Revision::new("HEAD", old.as_bytes());
    let by = Comparison {
        kubernetes: KubernetesVersion::NEWEST,
        policy: Policy::Writers,
    };
    let text: Arc<str> = new.into();
    let none = KnownChanges::default();
    let find = |text: &str| KnownChanges::find(text, &revision, by, &none, &|| true).expect("all changes");
    let known = find(&text);
    let judge = |text: &str| {
        let question = Question {
            wants: Wants {
                most_findings: MOST_FINDINGS,
                ..Wants::default()
            },
            ..Question::new(VersionSet::one(by.kubernetes))
        };
        Some(analyze(text.as_bytes().to_vec(), &question))
    };
    let problems = known.changes().map(|it| Problem::from(&it.finding));
    let compared = ComparedText {
        revision: &revision,
        by,
        known: &known,
    };
    let found = restorations(&text, problems, compared, &judge, &|| true);
    let applied = |fix: Fix| {
        let edited = apply(&text, &fix.edits).expect("edits that fit");
        let left = find(&edited);
        assert_eq!(left.changes().count() + 1, known.changes().count(), "{}", fix.title);
        (fix.title, edited)
    };
    found.into_iter().map(applied).collect()
}

/// Checks the fixes. Each item has the title and the schema of `spec` after applying the fix.
fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
    let found = fixes(&crd(old), &crd(new));
    let expected: Vec<_> = expected.iter().map(|it| (it.0.to_owned(), crd(it.1))).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_bound_gets_its_old_value() {
    check(
        "type: object\nproperties:\n  size: {type: integer, maximum: 100}",
        "type: object\nproperties:\n  size: {type: integer, maximum: 10} # small",
        &[(
            "Restore `maximum` to `100`",
            "type: object\nproperties:\n  size: {type: integer, maximum: 100} # small",
        )],
    );
}

#[test]
fn a_new_bound_goes() {
    check(
        "type: object\nproperties:\n  name:\n    type: string # a name",
        "type: object\nproperties:\n  name:\n    type: string # a name\n    maxLength: 5 # short\n    # end",
        &[(
            "Remove `maxLength`, as before",
            "type: object\nproperties:\n  name:\n    type: string # a name\n    # end",
        )],
    );
}

#[test]
fn a_keyword_that_is_gone_comes_back_where_it_was() {
    check(
        "type: object\nproperties:\n  name:\n    type: string\n    nullable: true\n    description: x",
        "type: object\nproperties:\n  name:\n    # about\n    type: string # text\n    description: x",
        &[(
            "Restore `nullable`",
            "type: object\nproperties:\n  name:\n    # about\n    type: string # text\n    nullable: true\n    description: x",
        )],
    );
}

#[test]
fn values_of_an_enum_come_back() {
    check(
        "type: object\nproperties:\n  mode: {type: string, enum: [a, b, \"no\"]}",
        "type: object\nproperties:\n  mode: {type: string, enum: [a]}",
        &[(
            "Allow `b, \"no\"` again",
            "type: object\nproperties:\n  mode: {type: string, enum: [a, b, \"no\"]}",
        )],
    );
    check(
        "type: object\nproperties:\n  mode:\n    type: string\n    enum:\n    - a\n    - b",
        "type: object\nproperties:\n  mode:\n    type: string\n    enum:\n    - a # first\n    - c",
        &[(
            "Allow `b` again",
            "type: object\nproperties:\n  mode:\n    type: string\n    enum:\n    - a # first\n    - c\n    - b",
        )],
    );
}

#[test]
fn a_name_is_no_longer_required() {
    check(
        "type: object\nrequired: [a]\nproperties:\n  a: {type: string}\n  b: {type: string}",
        "type: object\nrequired: [a, b]\nproperties:\n  a: {type: string}\n  b: {type: string}",
        &[(
            "Do not require `b`",
            "type: object\nrequired: [a]\nproperties:\n  a: {type: string}\n  b: {type: string}",
        )],
    );
    check(
        "type: object\nproperties:\n  a: {type: string}",
        "type: object\nrequired:\n- a\nproperties:\n  a: {type: string}",
        &[("Do not require `a`", "type: object\nproperties:\n  a: {type: string}")],
    );
}

#[test]
fn a_rule_is_what_it_was() {
    let schema = |rules: &str| format!("type: object\n{rules}properties:\n  a: {{type: integer}}");
    check(
        &schema("x-kubernetes-validations:\n- rule: '!has(self.a) || self.a < 10'\n  message: small\n"),
        &schema("x-kubernetes-validations:\n- rule: '!has(self.a) || self.a < 5' # few\n  message: small\n"),
        &[(
            "Restore the rule to `!has(self.a) || self.a < 10`",
            &schema("x-kubernetes-validations:\n- rule: '!has(self.a) || self.a < 10' # few\n  message: small\n"),
        )],
    );
    check(
        &schema(""),
        &schema("x-kubernetes-validations:\n- rule: '!has(self.a) || self.a < 5'\n"),
        &[("Remove the new rule", &schema(""))],
    );
}

#[test]
fn a_property_comes_back_with_what_is_below_it() {
    check(
        "type: object\nproperties:\n    a: {type: string}\n    b:\n        # what it is\n        type: object\n        properties:\n            c: {type: string}\n    d: {type: string}",
        "type: object\nproperties:\n  a: {type: string} # first\n  d: {type: string}",
        &[(
            "Restore the property `b`",
            "type: object\nproperties:\n  a: {type: string} # first\n  b:\n      # what it is\n      type: object\n      properties:\n          c: {type: string}\n  d: {type: string}",
        )],
    );
    check(
        "type: object\nproperties: {a: {type: string}, b: {type: integer}}",
        "type: object\nproperties: {b: {type: integer}}",
        &[(
            "Restore the property `a`",
            "type: object\nproperties: {a: {type: string}, b: {type: integer}}",
        )],
    );
}

#[test]
fn what_harms_nobody_has_no_fix() {
    check(
        "type: object\nproperties:\n  size: {type: integer, maximum: 10}",
        "type: object\nproperties:\n  size: {type: integer, maximum: 100}\n  more: {type: string}",
        &[],
    );
}

#[test]
fn a_version_is_served_again() {
    let old = crd("type: object");
    let found = fixes(&old, &old.replace("served: true", "served: false # soon gone"));
    let expected = old.replace("served: true", "served: true # soon gone");
    assert_eq!(found, [("Restore `served` to `true`".to_owned(), expected)]);
}
