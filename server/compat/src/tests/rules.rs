//! Tests of added rules, and of what they read.

use super::{check, crd};
use crate::{Direction, compare};

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
        &["rule-added: compatible; refused on update {\"a\":0}; compatible"],
    );
}

/// Some fractions are accepted as an int-or-string, and every rule that reads such a fraction fails.
#[test]
fn a_rule_fails_only_on_what_it_reads() {
    let fields =
        "a: {type: object, properties: {b: {x-kubernetes-int-or-string: true}, c: {type: string}}}, d: {type: string}";
    let check = |rule: &str, said: &str| {
        check(
            &format!("{{type: object, properties: {{{fields}}}}}"),
            &format!("{{type: object, properties: {{{fields}}}, x-kubernetes-validations: [{{rule: '{rule}'}}]}}"),
            &[&format!("rule-added: {said}; compatible")],
        );
    };
    check(
        "!(has(self.a) && has(self.d))",
        r#"tolerated; refused {"a":{},"d":"a"}"#,
    );
    check(
        "!has(self.a) || !has(self.a.c)",
        r#"tolerated; refused {"a":{"c":"a"}}"#,
    );
    check("!has(self.a) || !has(self.a.b)", r#"unknown; refused {"a":{"b":1}}"#);
    check("!has(self.a) || self.a != self.a", r#"unknown; refused {"a":{}}"#);
}

#[test]
fn a_rule_fails_on_what_is_of_another_type() {
    check(
        "{type: object, properties: {a: {type: integer}}}",
        "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: '!has(self.a)'}]}",
        &[
            "rule-added: refused on update {\"a\":1}; unknown; compatible",
            "type-changed: unknown; refused {\"a\":1}; unknown",
        ],
    );
}

/// If both schemas do not agree on every field of an unchanged value, a rule may read fields of another CEL type than it expects.
#[test]
fn a_rule_reads_fields_that_were_of_another_type() {
    let rule = "x-kubernetes-validations: [{rule: self == oldSelf}]";
    let to = format!(
        "{{type: object, properties: {{a: {{type: object, additionalProperties: {{type: integer}}, {rule}}}}}}}"
    );
    for from in [
        "{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}",
        "{type: object, properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
        "{type: object, properties: {a: {type: object, additionalProperties: {type: string}}}}",
    ] {
        let changes = compare(&crd(from), &crd(&to));
        let rule = changes.iter().find(|it| it.code == "rule-added").expect("a rule");
        let stored = rule.each().find(|it| it.0 == Direction::Stored).expect("an answer");
        assert_ne!(stored.1.name(), "compatible", "{from}");
    }
    // In CEL, a string with this format has the type bytes.
    let changes = compare(
        &crd("{type: object, properties: {a: {type: string}}}"),
        &crd(&format!(
            "{{type: object, properties: {{a: {{type: string, format: byte}}}}, {rule}}}"
        )),
    );
    let rule = changes.iter().find(|it| it.code == "rule-added").expect("a rule");
    let stored = rule.each().find(|it| it.0 == Direction::Stored).expect("an answer");
    assert_ne!(stored.1.name(), "compatible");
    let from = "{type: object, properties: {a: {type: object, additionalProperties: {type: integer}}}}";
    let changes = compare(&crd(from), &crd(&to));
    let stored = changes[0]
        .each()
        .find(|it| it.0 == Direction::Stored)
        .expect("an answer");
    assert_eq!(stored.1.name(), "compatible");
}

/// No stored object has a field that only NEW has, so unchanged values can violate the rule, but they cannot make it fail.
#[test]
fn a_rule_reads_old_and_new_fields() {
    let old = "a: {type: string}";
    let new = format!("{old}, b: {{type: string}}");
    let said = |keywords: &str, rule: &str| {
        let (old, new) = (
            crd(&format!("{{type: object, {keywords}properties: {{{old}}}}}")),
            crd(&format!(
                "{{type: object, {keywords}properties: {{{new}}}, x-kubernetes-validations: [{{rule: '{rule}'}}]}}"
            )),
        );
        let changes = compare(&old, &new);
        let rule = changes.iter().find(|it| it.code == "rule-added").expect("a rule");
        let stored = rule.answer(Direction::Stored);
        (stored.name(), stored.is_tolerated())
    };
    assert_eq!(said("", "has(self.b) || has(self.a)"), ("compatible", true));
    assert_eq!(said("", "!has(self.b) || has(self.a)"), ("compatible", false));
    // The rule fails if the field is missing.
    assert_ne!(said("", "self.b != \"c\" || has(self.a)").0, "compatible");
    let preserves = "x-kubernetes-preserve-unknown-fields: true, ";
    assert_ne!(said(preserves, "has(self.b) || has(self.a)").0, "compatible");
}

/// OLD drops a field that only NEW has. So a rule with such a guard holds, whatever else it reads.
#[test]
fn a_rule_about_new_fields_holds_without_them() {
    let scheduling = "scheduling: {type: object, properties: {zone: {type: object, properties: {mode: {type: string}, \
                      most: {x-kubernetes-int-or-string: true}}}}}";
    let said = |around: (&str, &str), new: &str, rule: &str| {
        let of = |more: &str, rules: &str| {
            let node = format!("{{type: object, {rules}properties: {{a: {{type: integer}}{more}}}}}");
            crd(&format!("{}{node}{}", around.0, around.1))
        };
        let changes = compare(
            &of("", ""),
            &of(
                &format!(", {new}"),
                &format!("x-kubernetes-validations: [{{rule: \"{rule}\"}}], "),
            ),
        );
        let rule = changes.iter().find(|it| it.code == "rule-added").expect("a rule");
        [Direction::Stored, Direction::Writers].map(|it| rule.answer(it).name())
    };
    let root = ("", "");
    let holds = ["compatible"; 2];
    for rule in [
        "!has(self.scheduling) || !has(self.scheduling.zone) || self.a < 5",
        "!has(self.scheduling) || !has(self.scheduling.zone) || self.scheduling.zone.most == self.a",
        "has(self.scheduling) ? self.a < 5 : true",
        "!(has(self.scheduling) && self.scheduling.zone.mode == 'x' && self.a > 5)",
        "!has(oldSelf.scheduling) || !has(self.scheduling) || self.scheduling == oldSelf.scheduling",
    ] {
        assert_eq!(said(root, scheduling, rule), holds, "{rule}");
    }
    let items = (
        "{type: object, properties: {list: {type: array, maxItems: 9, items: ",
        "}}}",
    );
    assert_eq!(said(items, scheduling, "!has(self.scheduling) || self.a < 5"), holds);
    // The field is needed, or it may be there.
    assert_eq!(
        said(root, scheduling, "has(self.scheduling) || self.a < 5")[1],
        "breaks"
    );
    assert_eq!(said(root, scheduling, "self.scheduling.zone.mode == 'x'")[1], "breaks");
    let filled_in = "scheduling: {type: object, default: {}, properties: {zone: {type: object}}}";
    let rule = "!has(self.scheduling) || (has(self.a) && self.a < 5)";
    assert_ne!(said(root, filled_in, rule)[1], "compatible");
    let keeps = (
        "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: ",
        "}}",
    );
    assert_ne!(said(keeps, scheduling, rule)[1], "compatible");
}
