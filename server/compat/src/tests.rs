//! Pairs of definitions, and what is said about them.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};

use crate::{Direction, Policy, Subject, Summary, Verdict, compare};

fn subject(text: &str) -> Subject {
    let text: Arc<str> = text.into();
    let tree = read(&text, Span::new(0, text.len() as u32)).expect("YAML");
    let stored = Stored::establish(&read_json(&tree).expect("JSON"), KubernetesVersion::NEWEST).expect("a CRD");
    Subject::new(stored, KubernetesVersion::NEWEST)
}

fn crd(spec: &str) -> Subject {
    subject(&text_of_crd(spec))
}

fn text_of_crd(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {spec}
"
    )
}

/// `said`: a line a change, with what the three answers are.
#[track_caller]
fn check(old: &str, new: &str, said: &[&str]) {
    let changes = compare(&crd(old), &crd(new));
    let lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let answers = change.each().map(|(_, answer)| match answer {
                crate::Answer::Breaks { effect, witness } => {
                    let of_update = if witness.old_object.is_some() { " on update" } else { "" };
                    format!("{effect}{of_update} {}", witness.object["spec"])
                }
                _ if answer.is_tolerated() => "tolerated".to_owned(),
                _ => answer.name().to_owned(),
            });
            format!("{}: {}", change.code, answers.collect::<Vec<_>>().join("; "))
        })
        .collect();
    assert_eq!(lines, said);
}

#[test]
fn a_version_that_is_there_twice_is_compared_once() {
    let text = text_of_crd("{type: object}");
    let twice = format!("{text}  - name: v1\n    served: false\n    storage: false\n    deprecated: true\n");
    assert!(compare(&subject(&twice), &subject(&twice)).is_empty());
}

#[test]
fn bounds() {
    check(
        "{type: object, properties: {a: {type: integer, maximum: 100}}}",
        "{type: object, properties: {a: {type: integer, maximum: 2}}}",
        &["maximum-changed: tolerated; refused {\"a\":3}; compatible"],
    );
    check(
        "{type: object, properties: {a: {type: array, maxItems: 2, items: {type: string}}}}",
        "{type: object, properties: {a: {type: array, maxItems: 20, items: {type: string}}}}",
        &["max-items-changed: compatible; compatible; refused {\"a\":[\"a\",\"a\",\"a\"]}"],
    );
}

#[test]
fn enums_and_required_properties() {
    check(
        "{type: object, properties: {a: {type: string, enum: [x, z]}, b: {type: string}}}",
        "{type: object, required: [b], properties: {a: {type: string, enum: [x]}, b: {type: string}}}",
        &[
            "required-added: tolerated; refused {}; compatible",
            "enum-changed: tolerated; refused {\"a\":\"z\"}; compatible",
        ],
    );
}

#[test]
fn properties() {
    check(
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {b: {type: string}}}",
        &[
            "property-removed: pruned {\"a\":\"a\"}; pruned {\"a\":\"a\"}; compatible",
            "property-added: compatible; compatible; pruned {\"b\":\"a\"}",
        ],
    );
    check(
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {a: {type: string}, b: {type: string, default: x}}}",
        &["property-added: defaulted {}; defaulted {}; pruned {\"b\":\"x\"}"],
    );
}

#[test]
fn rules() {
    check(
        "{type: object, properties: {a: {type: integer}}}",
        "{type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: '!has(self.a) || self.a < 5'}]}",
        &["rule-added: tolerated; refused {\"a\":5}; compatible"],
    );
    check(
        "{type: object, properties: {a: {type: integer}}}",
        "{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}}",
        &["rule-added: unknown; refused on update {\"a\":0}; compatible"],
    );
}

#[test]
fn what_no_value_is_judged_by() {
    check(
        "{type: object, description: one, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}",
        "{type: object, description: other, oneOf: [{required: [b]}, {required: [a]}], properties: {a: {type: string}, b: {type: string}}}",
        &[
            "description-changed: compatible; compatible; compatible",
            "one-of-changed: compatible; compatible; compatible",
        ],
    );
}

#[test]
fn nulls() {
    let of = |properties: &str| format!("{{type: object, properties: {properties}}}");
    let check = |old: &str, new: &str, said: &[&str]| check(&of(old), &of(new), said);
    // The null that the enum refuses was never stored.
    check(
        "{a: {type: string, enum: [x], default: x}}",
        "{a: {type: string, enum: [x], default: x, nullable: true}}",
        &["nullable-changed: compatible; refused {\"a\":null}; unknown"],
    );
    check(
        "{a: {type: integer}}",
        "{a: {type: integer, nullable: true}}",
        &["nullable-changed: compatible; null-kept {\"a\":null}; compatible"],
    );
    check(
        "{a: {type: integer, nullable: true}}",
        "{a: {type: integer}}",
        &["nullable-changed: pruned {\"a\":null}; defaulted {\"a\":null}; compatible"],
    );
    check(
        "{a: {type: array, items: {type: integer}}}",
        "{a: {type: array, items: {type: integer, nullable: true}}}",
        &["nullable-changed: compatible; compatible; refused {\"a\":[null]}"],
    );
    check(
        "{a: {type: array, items: {type: integer, nullable: true}}}",
        "{a: {type: array, items: {type: integer}}}",
        &["nullable-changed: tolerated; refused {\"a\":[null]}; compatible"],
    );
}

#[test]
fn a_default_that_is_not_valid_breaks_readers() {
    let of = |default: &str| {
        format!(
            "{{type: object, additionalProperties: {{type: object, properties: {{b: {{type: string, enum: [x]{default}}}}}}}}}"
        )
    };
    check(
        &of(", default: a"),
        &of(""),
        &["default-changed: compatible; unknown; refused {\"a\":{}}"],
    );
}

#[test]
fn policies() {
    let old = crd("{type: object, properties: {a: {type: string}}}");
    let new = crd("{type: object, properties: {a: {type: string}, b: {type: string}}}");
    let changes = compare(&old, &new);
    assert_eq!(Policy::Writers.verdict(&changes), Verdict::Compatible);
    assert_eq!(Policy::ApiConventions.verdict(&changes), Verdict::Compatible);
    assert_eq!(Policy::Strict.verdict(&changes), Verdict::Breaks);
    assert_eq!(Summary::of(&changes).breaks, 1);
    assert_eq!(changes[0].answer(Direction::Readers).name(), "breaks");
}

#[test]
fn what_a_default_filled_in_is_stored() {
    let of = |spec: &str| {
        subject(&text_of_crd(spec).replace(
            "        type: object\n",
            "        type: object\n        required: [spec]\n",
        ))
    };
    let changes = compare(&of("{type: object, default: {}}"), &of("{type: object}"));
    let answers: Vec<_> = changes[0]
        .each()
        .map(|(_, it)| (it.name(), it.is_tolerated()))
        .collect();
    assert_eq!(
        answers,
        [("compatible", false), ("breaks", false), ("compatible", false)]
    );
}

#[track_caller]
fn check_olm(old: &str, new: &str, refused: &[&str]) {
    let found = crate::olm_refusals(&crd(old), &crd(new));
    let lines: Vec<String> = found
        .iter()
        .map(|it| format!("{} {}: {}", it.property, it.check, it.found))
        .collect();
    assert_eq!(lines, refused, "{old} to {new}");
}

#[test]
fn what_olm_refuses() {
    let of = |properties: &str| format!("{{type: object, properties: {properties}}}");
    let check = |old: &str, new: &str, refused: &[&str]| check_olm(&of(old), &of(new), refused);
    check("{a: {type: string, description: x}}", "{a: {type: string}}", &[]);
    check(
        "{a: {type: string, enum: [x]}}",
        "{a: {type: string, enum: [x, z]}}",
        &[],
    );
    check("{a: {type: string}}", "{a: {type: string}, b: {type: string}}", &[]);
    check(
        "{a: {type: string, enum: [x, z]}}",
        "{a: {type: string, enum: [x]}}",
        &["^.spec.a enum: removed \"z\""],
    );
    check(
        "{a: {type: string, maxLength: 5}}",
        "{a: {type: string, maxLength: 4, minLength: 1, default: x}}",
        &[
            "^.spec.a default: added \"x\"",
            "^.spec.a maxLength: 5 → 4",
            "^.spec.a minLength: added 1",
        ],
    );
    check(
        "{a: {type: string, maxLength: 5}, b: {type: string}}",
        "{b: {type: string}}",
        &[" existingFieldRemoval: v1.^.spec.a", "^.spec.a type: \"string\" → \"\""],
    );
    check("{a: {type: string, maxLength: 5}}", "{a: {type: string}}", &[]);
    check(
        "{a: {type: string}}",
        "{a: {type: string, pattern: x}}",
        &["^.spec.a unhandled: pattern changed"],
    );
    // Of a schema with `anyOf`, its last branch is what is compared.
    check(
        "{a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}",
        "{a: {x-kubernetes-int-or-string: true, pattern: x, anyOf: [{type: integer}, {type: string}]}}",
        &[],
    );
}
