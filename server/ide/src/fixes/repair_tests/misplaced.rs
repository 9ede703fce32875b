//! Tests of quick fixes that move properties to their place.

use super::{HEAD, all, apply, check};

/// The titles of the fixes for unknown fields in a schema of `spec`, in the order in which they are offered.
fn titles(schema: &str) -> Vec<String> {
    let lines = schema.lines().map(|it| format!("            {it}\n"));
    let text = HEAD.to_owned() + &lines.collect::<String>();
    let found = all(&text);
    let of_unknown = found.into_iter().filter(|it| it.problem.code == "unknown-field");
    of_unknown
        .map(|it| {
            assert!(apply(&text, &it.edits).is_some(), "{}", it.title);
            it.title
        })
        .collect()
}

#[test]
fn a_property_beside_properties_moves_into_them() {
    check(
        "type: object\nproperties:\n  a: {type: string}\n# How to replace.\nmode: # kept\n  type: string\n\n  enum: # here\n  - x\n  default: x # last\nrequired: [a]",
        "Move mode into properties",
        "type: object\nproperties:\n  a: {type: string}\n  # How to replace.\n  mode: # kept\n    type: string\n\n    enum: # here\n    - x\n    default: x # last\nrequired: [a]",
    );
    check(
        "# kept\nmode:\n  type: string\n  description: |\n    One\n\n      two\ntype: object\nproperties:\n    a: {type: string} # a",
        "Move mode into properties",
        "type: object\nproperties:\n    a: {type: string} # a\n    # kept\n    mode:\n      type: string\n      description: |\n        One\n\n          two",
    );
    check(
        "type: object\nproperties:\nmode: {type: string}",
        "Move mode into properties",
        "type: object\nproperties:\n  mode: {type: string}",
    );
    check(
        "type: object\nmode:\n  type: string\nb: {type: string}",
        "Move mode into properties",
        "type: object\nproperties:\n  mode:\n    type: string\nb: {type: string}",
    );
    check(
        "{type: object, mode: {type: string}, properties: {a: {type: string}}}",
        "Move mode into properties",
        "{type: object, properties: {a: {type: string}, mode: {type: string}}}",
    );
    check(
        "{type: object, mode: {type: string}}",
        "Move mode into properties",
        "{type: object, properties: {mode: {type: string}}}",
    );
    check(
        "type: object\nproperties: {}\nmode:\n  type: string",
        "Move mode into properties",
        "type: object\nproperties:\n  mode:\n    type: string",
    );
}

#[test]
fn moving_is_the_first_fix_and_has_other_conditions() {
    let first = |schema: &str| titles(schema).into_iter().next();
    assert_eq!(
        titles("type: object\nproperties: {a: {type: string}}\nmode: {type: string}"),
        ["Move mode into properties", "Remove mode"]
    );
    // Its own errors are there before and after.
    assert_eq!(
        first("type: object\nproperties: {a: {type: string}}\nmode: {type: string, default: 5}").as_deref(),
        Some("Move mode into properties")
    );
    for schema in [
        "type: object\nproperties: {mode: {type: string}}\nmode: {type: string}",
        "type: object\nproperties: {a: {type: string}}\nmode: {kind: string}",
        "type: object\nproperties: {a: {type: string}}\nmode: string",
    ] {
        assert_eq!(first(schema).as_deref(), Some("Remove mode"), "{schema}");
    }
    assert_eq!(
        first("type: array\nitem: {type: string}").as_deref(),
        Some("Change item to items")
    );
}

#[test]
fn a_property_in_another_one_moves_out_of_it() {
    check(
        "type: object\nproperties:\n  a:\n    type: integer\n    # Names.\n    hosts:\n      type: array\n      items: {type: string} # each\n  b: {type: string}",
        "Move hosts out of a",
        "type: object\nproperties:\n  a:\n    type: integer\n  # Names.\n  hosts:\n    type: array\n    items: {type: string} # each\n  b: {type: string}",
    );
    check(
        "type: object\nproperties:\n  a:\n    type: integer\n    hosts:\n      type: string\n    minimum: 1 # one\n  b: {type: string}",
        "Move hosts out of a",
        "type: object\nproperties:\n  a:\n    type: integer\n    minimum: 1 # one\n  hosts:\n    type: string\n  b: {type: string}",
    );
    check(
        "type: object\nproperties: {a: {type: integer, hosts: {type: string}}, b: {type: string}}",
        "Move hosts out of a",
        "type: object\nproperties: {a: {type: integer}, hosts: {type: string}, b: {type: string}}",
    );
    check(
        "type: object\nproperties:\n  a: {type: integer, hosts: {type: string}} # a\n  b: {type: string}",
        "Move hosts out of a",
        "type: object\nproperties:\n  a: {type: integer} # a\n  hosts: {type: string}\n  b: {type: string}",
    );
    let taken = "type: object\nproperties:\n  a: {type: integer, hosts: {type: string}}\n  hosts: {type: string}";
    assert_eq!(titles(taken), ["Remove hosts"]);
}

/// Without its key, the lines of a schema would mix with those of the schema before it.
#[test]
fn a_key_that_is_indented_like_its_schema_moves_alone() {
    let schema = "type: object\nproperties:\n  a:\n    type: integer\n    format: int32\n    hosts: # names\n    type: array\n    items:\n      type: string";
    check(
        schema,
        "Move hosts out of a",
        "type: object\nproperties:\n  a:\n    type: integer\n    format: int32\n  hosts: # names\n    type: array\n    items:\n      type: string",
    );
    assert_eq!(titles(schema), ["Move hosts out of a"]);
}
