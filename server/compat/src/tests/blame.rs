//! Tests pairs of CRDs with several changes: a witness of a change breaks because of that change.

use super::{check, crd};
use crate::{Answer, Direction, compare};

/// The objects with the removed property satisfy the new rule.
#[test]
fn a_rule_is_not_blamed_for_a_removed_property() {
    check(
        "{type: object, properties: {a: {type: integer}, tls: {type: object}}}",
        "{type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: '!has(self.a) || self.a < 5'}]}",
        &[
            "rule-added: tolerated; refused {\"a\":5}; compatible",
            "property-removed: pruned {\"tls\":{}}; pruned {\"tls\":{}}; compatible",
        ],
    );
}

/// These keywords only decide which values are rejected.
#[test]
fn keywords_are_not_blamed_for_a_removed_property() {
    for (keyword, code) in [
        ("minProperties: 1", "min-properties-changed"),
        ("required: [a]", "required-added"),
        ("anyOf: [{required: [a]}]", "any-of-changed"),
    ] {
        let changes = compare(
            &crd("{type: object, properties: {a: {type: integer}, tls: {type: object}}}"),
            &crd(&format!(
                "{{type: object, {keyword}, properties: {{a: {{type: integer}}}}}}"
            )),
        );
        let change = changes.iter().find(|it| it.code == code).expect(code);
        for (direction, answer) in change.each() {
            if let Answer::Breaks { witness, .. } = answer {
                assert!(
                    !witness.words.contains("unknown field"),
                    "{code} {direction}: {witness:?}"
                );
            }
        }
    }
}

/// A property is dropped by the change at its own place, and not by a change around it.
#[test]
fn a_change_is_not_blamed_for_a_change_below_it() {
    check(
        "{type: object, nullable: true, properties: {b: {type: object, properties: {c: {type: integer}}}}}",
        "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: object}}}",
        &[
            "nullable-changed: pruned null; defaulted null; compatible",
            "preserve-unknown-fields-changed: compatible; compatible; pruned {\"unknown\":1}",
            "property-removed: pruned {\"b\":{\"c\":1}}; pruned {\"b\":{\"c\":1}}; unknown",
        ],
    );
}

/// NEW requires a property that OLD does not have. So it rejects each object with the removed property, which it also drops.
#[test]
fn a_property_is_dropped_from_objects_that_are_rejected_for_another_reason() {
    let old = crd("{type: object, properties: {tls: {type: object, properties: {a: {type: string}}}}}");
    let new = crd("{type: object, properties: {tls: {type: object, required: [b], properties: {b: {type: string}}}}}");
    let changes = compare(&old, &new);
    let removed = changes
        .iter()
        .find(|it| it.code == "property-removed")
        .expect("a change");
    for direction in [Direction::Stored, Direction::Writers] {
        let witness = removed.answer(direction).witness().expect("a witness");
        assert_eq!(witness.object["spec"].to_string(), "{\"tls\":{\"a\":\"a\"}}");
        assert_eq!(witness.words, "unknown field \"spec.tls.a\"");
    }
}

#[test]
fn the_message_is_about_the_change() {
    let changes = compare(
        &crd("{type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}"),
        &crd("{type: object, required: [c], properties: {c: {type: string, default: c}}}"),
    );
    for name in ["a", "b"] {
        let is_it = |it: &&crate::Change| it.code == "property-removed" && it.what == name;
        let removed = changes.iter().find(is_it).expect("a change");
        let witness = removed.answer(Direction::Writers).witness().expect("a witness");
        assert_eq!(witness.words, format!("unknown field \"spec.{name}\""));
    }
}
