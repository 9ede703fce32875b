//! Which fields pruning drops.

use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::prune_and_track;
use crate::structural::Structural;
use crate::testing::schema;

#[track_caller]
fn check(schema_json: &Value, is_root: bool, object: Value, after: &Value, dropped: &[&str]) {
    let props = schema(schema_json);
    let mut object = object;
    let paths = prune_and_track(&mut object, Structural::new(&props).ok(), is_root);
    assert_eq!(
        (&object, paths.as_slice()),
        (
            after,
            dropped.iter().map(|&it| it.to_owned()).collect::<Vec<_>>().as_slice()
        )
    );
}

#[test]
fn drops_what_the_schema_does_not_know() {
    check(
        &json!({"properties": {"a": {}, "l": {"items": {"properties": {"x": {}}}}}}),
        true,
        json!({"kind": "K", "metadata": {"any": 1}, "a": {"b": 1}, "l": [{"x": 1}, {"y": {"z": 1}}, [{"q": 1}]], "c": 1}),
        &json!({"kind": "K", "metadata": {"any": 1}, "a": {}, "l": [{"x": 1}, {}, [{}]]}),
        &["a.b", "c", "l[1].y", "l[2][0].q"],
    );
}

#[test]
fn prunes_again_below_fields_that_preserve_unknown_ones() {
    let preserving = json!({
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"known": {"properties": {"x": {}}}},
        "items": {"properties": {"x": {}}},
    });
    check(
        &json!({"properties": {"p": preserving}}),
        false,
        json!({"p": {"any": {"y": 1}, "known": {"x": 1, "y": 1}}, "metadata": {}}),
        &json!({"p": {"any": {"y": 1}, "known": {"x": 1}}}),
        &["p.known.y"],
    );
    check(
        &json!({"properties": {"p": preserving}}),
        false,
        json!({"p": [{"x": 1, "y": 1}]}),
        &json!({"p": [{"x": 1, "y": 1}]}),
        &[],
    );
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn agrees_with_the_tables_of_kubernetes() {
    for case in tables::cases("pruning") {
        let input = &case["input"];
        let props = (!input["schema"].is_null()).then(|| schema(&input["schema"]));
        let mut object = input["object"].clone();
        let is_root = input["is_root"].as_bool().expect("a flag");
        let paths = prune_and_track(&mut object, props.as_ref().map(Structural::assume), is_root);
        let actual = &case["actual"];
        assert_eq!(object, actual["object_after"], "{}", case["id"]);
        if input["options"]["TrackUnknownFieldPaths"] == true && input["options"]["ParentPath"].is_null() {
            let expected: Vec<&str> = actual["pruned"]
                .as_array()
                .map(|it| it.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            assert_eq!(paths, expected, "{}", case["id"]);
        }
    }
}
