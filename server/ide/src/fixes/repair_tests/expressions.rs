//! Tests of quick fixes for words of expressions that CEL does not have, and for types that are formats.

use std::sync::Arc;

use super::{HEAD, check, judge, problems, repair_all};

/// A schema with a rule, as it is written.
fn with_rule(rule: &str) -> String {
    format!(
        "type: object\nproperties: {{a: {{type: string}}, b: {{type: string}}, c: {{type: array, items: {{type: string}}}}}}\nx-kubernetes-validations:\n- message: wrong\n  rule: {rule}"
    )
}

#[track_caller]
fn check_rule(rule: &str, title: &str, expected: &str) {
    check(&with_rule(rule), title, &with_rule(expected));
}

#[test]
fn operators_of_other_languages_are_replaced() {
    check_rule(
        "has(self.a) and has(self.b)",
        "Change and to &&",
        "has(self.a) && has(self.b)",
    );
    check_rule(
        "\"has(self.a) or has(self.b)\" # kept",
        "Change or to ||",
        "\"has(self.a) || has(self.b)\" # kept",
    );
    check_rule(
        "has(self.b) & has(self.a)",
        "Change & to &&",
        "has(self.b) && has(self.a)",
    );
    check_rule(
        "has(self.a) || !has(self.b) | false",
        "Change | to ||",
        "has(self.a) || !has(self.b) || false",
    );
    check_rule(
        "has(self.a) && self.a = 'x'",
        "Change = to ==",
        "has(self.a) && self.a == 'x'",
    );
    check_rule(
        "has(self.a) || not has(self.b)",
        "Change not to !",
        "has(self.a) || !has(self.b)",
    );
    // At the start of a value without quotes, `!` would be a tag.
    check_rule("not has(self.b)", "Change not to !", "'!has(self.b)'");
    check_rule("\"not has(self.b)\"", "Change not to !", "\"!has(self.b)\"");
}

#[test]
fn functions_are_renamed() {
    check_rule(
        "has(self.a) && self.a.startWith('x')",
        "Change startWith to startsWith",
        "has(self.a) && self.a.startsWith('x')",
    );
    check_rule(
        "has(self.a) && self.a.hasPrefix('x')",
        "Change hasPrefix to startsWith",
        "has(self.a) && self.a.startsWith('x')",
    );
    check_rule(
        "has(self.a) && len(self.a) > 1",
        "Change len to size",
        "has(self.a) && size(self.a) > 1",
    );
    check_rule(
        "has(self.c) && self.c.any(x, x == 'a')",
        "Change any to exists",
        "has(self.c) && self.c.exists(x, x == 'a')",
    );
}

#[test]
fn comparisons_with_null_become_tests_of_the_field() {
    check_rule("self.a == null", "Write !has(self.a)", "'!has(self.a)'");
    check_rule(
        "has(self.b) || self.a != null",
        "Write has(self.a)",
        "has(self.b) || has(self.a)",
    );
}

#[test]
fn a_format_moves_out_of_the_type() {
    check(
        "type: int64 # big\nminimum: 1",
        "Change int64 to integer, and add format: int64",
        "type: integer # big\nformat: int64\nminimum: 1",
    );
    check(
        "{type: date-time}",
        "Change date-time to string, and add format: date-time",
        "{type: string, format: date-time}",
    );
    check(
        "type: int32\nformat: int64",
        "Change int32 to integer, and add format: int32",
        "type: integer\nformat: int32",
    );
}

/// The next error of an expression shows only when the first one is gone, so it is not held against the fix.
#[test]
fn an_expression_may_have_another_error_behind_the_first_one() {
    check(
        "type: object\nproperties:\n  count: {type: integer, default: 0}\n  more: {type: object, default: {}}\nx-kubernetes-validations:\n- rule: self.count < self.mroe\n",
        "Change mroe to more",
        "type: object\nproperties:\n  count: {type: integer, default: 0}\n  more: {type: object, default: {}}\nx-kubernetes-validations:\n- rule: self.count < self.more\n",
    );
}

#[test]
fn parts_of_other_languages_are_written_in_cel() {
    for (rule, title, expected) in [
        (
            "has(self.a) && self.a === 'x'",
            "Write ==",
            "has(self.a) && self.a == 'x'",
        ),
        (
            "has(self.a) && self.a !== 'x'",
            "Write !=",
            "has(self.a) && self.a != 'x'",
        ),
        (
            "\"has(self.a) && self.a not in ['x']\"",
            "Write !(self.a in ['x'])",
            "\"has(self.a) && !(self.a in ['x'])\"",
        ),
        // Without quotes, `!` would be a tag, and ` : ` would begin a value.
        (
            "self.a not in self.c",
            "Write !(self.a in self.c)",
            "'!(self.a in self.c)'",
        ),
        (
            "if has(self.a) then true else false",
            "Write has(self.a) ? true : false",
            "'has(self.a) ? true : false'",
        ),
        (
            "self?.a == 'x' || false",
            "Write self.?a.orValue('')",
            "self.?a.orValue('') == 'x' || false",
        ),
        (
            "has(self.a) && 1 < size(self.a) < 9",
            "Write size(self.a) && size(self.a) <",
            "has(self.a) && 1 < size(self.a) && size(self.a) < 9",
        ),
        (
            "has(self.a) && self.a.equals('x')",
            "Write self.a == 'x'",
            "has(self.a) && self.a == 'x'",
        ),
        ("self.a.isSet()", "Write has(self.a)", "has(self.a)"),
        (
            "has(self.a) && self.a =~ '^x'",
            "Write self.a.matches('^x')",
            "has(self.a) && self.a.matches('^x')",
        ),
        (
            "has(self.c) && self.c.all(t => t != '')",
            "Write t,",
            "has(self.c) && self.c.all(t, t != '')",
        ),
        (
            "has(self.a) && self.a == Fast",
            "Put Fast in quotes",
            "has(self.a) && self.a == 'Fast'",
        ),
    ] {
        check_rule(rule, title, expected);
    }
}

#[test]
fn types_of_other_languages_are_schemas() {
    check(
        "type: \"[]string\" # x",
        "Change []string to array, and add items: {type: string}",
        "type: \"array\" # x\nitems: {type: string}",
    );
    check(
        "{type: datetime}",
        "Change datetime to string, and add format: date-time",
        "{type: string, format: date-time}",
    );
    check(
        "type: array\nitems: {type: 'map[string]int'}",
        "Change map[string]int to object, and add additionalProperties: {type: integer}",
        "type: array\nitems: {type: 'object', additionalProperties: {type: integer}}",
    );
}

#[test]
fn quoted_numbers_of_defaults_keep_their_value() {
    let with = |default: &str| format!("type: object\nproperties:\n  a:\n    type: integer\n    default: {default}");
    check(&with("\"010\""), "Remove the quotes", &with("10"));
    check(&with("' +5'"), "Remove the quotes", &with("5"));
    check(
        "type: object\nproperties: {a: {type: boolean, default: flase}}",
        "Change flase to false",
        "type: object\nproperties: {a: {type: boolean, default: false}}",
    );
}

/// A type of another shape is not a typo, so nothing changes without asking.
#[test]
fn no_certain_fix_is_offered_for_a_type_of_another_shape() {
    for ty in ["[]string", "string?", "map[string]string", "datetime"] {
        let text: Arc<str> = format!("{HEAD}            type: \"{ty}\"\n").into();
        let look = |it: &str| Some(judge(it));
        assert_eq!(repair_all(&text, problems(&judge(&text)), &(), &look), None, "{ty}");
    }
}
