//! Tests of keys that are written twice.

use super::check;

const ONE: &str = "kind: A\nmetadata: {name: a}\nspec:\n  b: 1\n  b: 2\n";

#[test]
fn an_object_with_a_repeated_key_cannot_be_printed() {
    check(
        &[
            ("o/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x-\n"),
            ("o/a.yaml", ONE),
        ],
        "the key `b` is written twice in one object at \"b\"",
    );
    // A patch may delete the object.
    let delete =
        "resources: [a.yaml]\npatches:\n- patch: |-\n    kind: A\n    metadata: {name: a}\n    $patch: delete\n";
    check(&[("o/kustomization.yaml", delete), ("o/a.yaml", ONE)], "");
}

#[test]
fn a_key_may_override_a_merged_key() {
    let text = "kind: A\nmetadata: {name: a}\na: &a {b: 1}\nc:\n  <<: *a\n  b: 2\n";
    check(
        &[("o/kustomization.yaml", "resources: [a.yaml]\n"), ("o/a.yaml", text)],
        "{\"a\":{\"b\":1},\"c\":{\"b\":2},\"kind\":\"A\",\"metadata\":{\"name\":\"a\"}}\n",
    );
}

#[test]
fn a_mapping_has_one_merge_key() {
    let text = "kind: A\nmetadata: {name: a}\na: &a {b: 1}\nc: &c {d: 1}\ne:\n  <<: *a\n  <<: *c\n";
    check(
        &[("o/kustomization.yaml", "resources: [a.yaml]\n"), ("o/a.yaml", text)],
        "the key `<<` is written twice in one object at \"<<\"",
    );
}
