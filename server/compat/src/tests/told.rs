//! Tests which changes are reported as one change, and which parts their sentences name.

use super::{check, crd};
use crate::compare;

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
