//! Which lists have duplicate items.

use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::validate_list_sets_and_maps;
use crate::KubernetesVersion;
use crate::field::{Error, Path};
use crate::structural::Structural;
use crate::testing::schema;
use crate::unknown::Known;

fn run(schema_json: &Value, object: &Value, path: &Path) -> Vec<Error> {
    let props = schema(schema_json);
    let object = object.as_object().expect("an object");
    validate_list_sets_and_maps(
        object,
        Known::ALL,
        Structural::assume(&props),
        path,
        KubernetesVersion::NEWEST,
    )
}

#[track_caller]
fn check(list: &Value, items: &Value, expected: &[&str]) {
    let schema = json!({"properties": {"l": list}});
    let errors: Vec<String> = run(&schema, &json!({"l": items}), &Path::of(["root"]))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors, expected);
}

#[test]
fn tells_the_second_place_of_an_item_of_a_set() {
    let set = json!({"x-kubernetes-list-type": "set"});
    check(
        &set,
        &json!([1, 1, 1, 1.0, "1", null, null]),
        &["root.l[1]: Duplicate value: 1", "root.l[6]: Duplicate value: null"],
    );
    check(
        &set,
        &json!([{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]),
        &[r#"root.l[1]: Duplicate value: {"a":1,"b":2}"#],
    );
    check(&json!({}), &json!([1, 1]), &[]);
}

#[test]
fn compares_the_keys_of_maps() {
    let one = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]});
    check(
        &one,
        &json!([{"a": 1}, {"a": 1.0}, {"a": 1, "b": 2}, {}, null, {"a": null}]),
        &[
            r#"root.l[2]: Duplicate value: {"a":1}"#,
            "root.l[4]: Duplicate value: {}",
        ],
    );
    check(
        &one,
        &json!([{}, "x"]),
        &["root.l[1]: Invalid value: \"x\": must be an object for an array of list-type map"],
    );
    let two = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"]});
    check(
        &two,
        &json!([{"a": 1, "b": 1}, {"a": 1.0, "b": 1}, {"a": 1}]),
        &[r#"root.l[1]: Duplicate value: {"a":1,"b":1}"#],
    );
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn agrees_with_the_tables_of_kubernetes() {
    for case in tables::cases("listtype") {
        let input = &case["input"];
        if input["schema"].is_null() || input["object"].is_null() {
            // Without a schema or an object, there is nothing to validate. Callers of this crate always have both.
            continue;
        }
        let path = input["field_path"]
            .as_str()
            .map_or_else(Path::root, |path| Path::of([path]));
        let mut found: Vec<String> = run(&input["schema"], &input["object"], &path)
            .iter()
            .map(ToString::to_string)
            .collect();
        found.sort_unstable();
        let mut expected: Vec<&str> = case["actual"]["errors"]
            .as_array()
            .map(|errors| errors.iter().filter_map(|error| error["text"].as_str()).collect())
            .unwrap_or_default();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", case["id"]);
    }
}
