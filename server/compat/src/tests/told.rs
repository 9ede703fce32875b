//! Tests which changes are reported as one change, and which parts their sentences name.

use super::{check, crd};
use crate::{Answer, compare};

#[test]
fn an_edited_rule_is_one_change() {
    let with = |rules: &str| {
        format!(
            "{{type: object, properties: {{a: {{type: integer}}}}, required: [a], x-kubernetes-validations: [{rules}]}}"
        )
    };
    let check = |old: &str, new: &str, expected: &[&str]| check(&with(old), &with(new), expected);
    check(
        "{rule: self.a < 5}",
        "{rule: self.a < 4}",
        &["rule-changed: tolerated; refused {\"a\":4}; unknown"],
    );
    check(
        "{rule: self.a < 4}",
        "{rule: self.a < 5}",
        &["rule-changed: compatible; unknown; refused {\"a\":4}"],
    );
    // If several rules match, the identical rule is preferred.
    check(
        "{rule: self.a < 50}, {rule: self.a < 5, message: small}, {rule: self.a != 7}",
        "{rule: self.a < 50}, {rule: self.a < 4, message: small}, {rule: self.a != 3}",
        &[
            "rule-changed: tolerated; refused {\"a\":4}; unknown",
            "rule-added: tolerated; refused {\"a\":3}; compatible",
            "rule-removed: compatible; compatible; unknown",
        ],
    );
}

#[test]
fn changes_name_what_changed() {
    let told = |old: &str, new: &str| {
        let spec = |value: &str| crd(&format!("{{type: object, properties: {{a: {value}}}}}"));
        let found = compare(&spec(old), &spec(new));
        found.iter().map(|it| it.headline().to_owned()).collect::<Vec<_>>()
    };
    for (old, new, expected) in [
        (
            "{type: string, enum: [a, b, c]}",
            "{type: string, enum: [a, c, d]}",
            "`\"b\"` was removed from `enum`",
        ),
        (
            "{type: string, enum: [a, b, c]}",
            "{type: string, enum: [c]}",
            "`\"a\"` and 1 more were removed from `enum`",
        ),
        (
            "{type: string, enum: [a]}",
            "{type: string, enum: [a, b]}",
            "`enum` changed",
        ),
        (
            "{type: integer, maximum: 9}",
            "{type: integer, maximum: 5}",
            "`maximum` changed from 9 to 5",
        ),
        (
            "{type: integer}",
            "{type: integer, maximum: 5}",
            "`maximum: 5` was added",
        ),
        (
            "{type: integer, maximum: 5}",
            "{type: integer}",
            "`maximum: 5` was removed",
        ),
        (
            "{type: object, properties: {b: {type: string}}}",
            "{type: object, properties: {b: {type: string}}, required: [b]}",
            "`b` became required",
        ),
    ] {
        assert_eq!(told(old, new), [expected], "{old} → {new}");
    }
}

#[test]
fn the_reason_is_about_the_side_that_accepts() {
    let reasons = |old: &str, new: &str| {
        let changes = compare(&crd(old), &crd(new));
        let reasons = changes[0].each().map(|(_, answer)| match answer {
            Answer::Compatible { reason, .. } => reason.clone(),
            _ => answer.name().to_owned(),
        });
        <[String; 3]>::try_from(reasons.collect::<Vec<_>>()).expect("three answers")
    };
    let (with, without) = (
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {}}",
    );
    let [stored, writers, _] = reasons(without, with);
    assert_eq!(stored, "no object has the property yet, and it has no default");
    assert_eq!(writers, stored);
    let [_, _, readers] = reasons(with, without);
    assert_eq!(
        readers,
        "no object of NEW has the property, and OLD has no default for it"
    );
    let rule = "x-kubernetes-validations: [{rule: '!has(self.a) || self.a != self.a'}]";
    let [_, _, readers] = reasons(
        &format!("{{type: object, properties: {{a: {{type: string}}}}, {rule}}}"),
        without,
    );
    assert_eq!(readers, "the rule holds for every value that NEW accepts");
}
