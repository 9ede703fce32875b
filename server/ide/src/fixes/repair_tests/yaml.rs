//! Tests of quick fixes for texts that are not YAML.

use super::{HEAD, all, check};

#[test]
fn a_value_with_a_colon_gets_quotes() {
    check(
        "type: string\ndescription: one: two's # kept",
        "Put the value in quotes",
        "type: string\ndescription: 'one: two''s' # kept",
    );
    check(
        "type: object\nproperties:\n  a:\n    type: string\n    x-kubernetes-validations:\n    - message: so: long\n      rule: self == ''",
        "Put the value in quotes",
        "type: object\nproperties:\n  a:\n    type: string\n    x-kubernetes-validations:\n    - message: 'so: long'\n      rule: self == ''",
    );
    check(
        "type: string\ndescription: @one",
        "Put the value in quotes",
        "type: string\ndescription: '@one'",
    );
    check(
        "type: object\nx-kubernetes-validations: [{rule: !has(self.a) || size([1, 2]) > 1, message: a}]\nproperties: {a: {type: string}}",
        "Put the value in quotes",
        "type: object\nx-kubernetes-validations: [{rule: '!has(self.a) || size([1, 2]) > 1', message: a}]\nproperties: {a: {type: string}}",
    );
}

#[test]
fn a_colon_gets_its_space_and_a_key_its_colon() {
    check(
        "type: integer\nmaximum:50",
        "Write a space after the colon",
        "type: integer\nmaximum: 50",
    );
    check(
        "type: integer\nmaximum 50\nminimum: 1",
        "Write a colon after maximum",
        "type: integer\nmaximum: 50\nminimum: 1",
    );
    check(
        "maximum 50\ntype: integer",
        "Write a colon after maximum",
        "maximum: 50\ntype: integer",
    );
}

/// The value above is whole, so quotes around both lines are not what the author wants.
#[test]
fn a_key_that_is_too_deep_is_indented_like_the_one_above() {
    let schema = "type: object\nproperties:\n  a:\n    type: array\n      items:\n        type: string\n\n        maxLength: 3 # three\n    maxItems: 3";
    check(
        schema,
        "Indent items like type",
        "type: object\nproperties:\n  a:\n    type: array\n    items:\n      type: string\n\n      maxLength: 3 # three\n    maxItems: 3",
    );
    let lines = schema.lines().map(|it| format!("            {it}\n"));
    let found = all(&(HEAD.to_owned() + &lines.collect::<String>()));
    let titles: Vec<_> = found.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Indent items like type"]);
}
