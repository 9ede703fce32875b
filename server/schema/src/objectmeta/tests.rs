//! Coercion and validation of embedded metadata.

use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::{CoerceOptions, coerce, validate};
use crate::KubernetesVersion;
use crate::field::Path;
use crate::metadata::ObjectMeta;
use crate::structural::Structural;
use crate::testing::schema;
use crate::unknown::Known;

const NEWEST: KubernetesVersion = KubernetesVersion::NEWEST;

/// Coerces an object at the root; returns an error as the only path.
fn coerced(object: &Value, drop_invalid_fields: bool, minor: u8) -> (Value, Vec<String>) {
    let mut object = object.clone();
    let options = CoerceOptions { drop_invalid_fields };
    let result = coerce(
        &mut object,
        Known::ALL,
        None,
        true,
        &Path::root(),
        options,
        KubernetesVersion::minor(minor),
    );
    let paths = result.unwrap_or_else(|error| vec![error.to_string()]);
    (object, paths)
}

#[track_caller]
fn check_coerce(object: &Value, after: &Value, paths: &[&str]) {
    assert_eq!(
        coerced(object, false, 37),
        (after.clone(), paths.iter().map(|&it| it.to_owned()).collect())
    );
}

#[test]
fn keeps_the_known_fields_of_metadata() {
    check_coerce(
        &json!({"metadata": {"name": "a", "x": 1, "Name": "b", "labels": {"l": null}, "generation": 3.0,
            "creationTimestamp": null, "ownerReferences": [{"kind": "K", "y": 1}]}, "z": 1}),
        &json!({"metadata": {"name": "a", "labels": {"l": ""}, "generation": 3,
            "ownerReferences": [{"apiVersion": "", "kind": "K", "name": "", "uid": ""}]}, "z": 1}),
        &["metadata.Name", "metadata.ownerReferences[0].y", "metadata.x"],
    );
}

#[test]
fn refuses_wrong_types_in_the_words_of_the_decoder() {
    let refused = |metadata: Value, minor: u8| coerced(&json!({"metadata": metadata}), false, minor).1.concat();
    assert_eq!(
        refused(json!({"labels": {"a": 1}, "name": 2}), 37),
        r#"metadata: Invalid value: {"labels":{"a":1},"name":2}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"#
    );
    assert_eq!(
        refused(json!([]), 33),
        "metadata: Invalid value: []interface {}{}: json: cannot unmarshal array into Go value of type v1.ObjectMeta"
    );
    assert_eq!(
        refused(json!({"ownerReferences": [{"uid": true}]}), 37),
        r#"metadata: Invalid value: {"ownerReferences":[{"uid":true}]}: json: cannot unmarshal bool into Go struct field OwnerReference.ownerReferences.uid of type types.UID"#
    );
    assert_eq!(
        refused(json!({"annotations": 1, "creationTimestamp": 1}), 37),
        r#"metadata: Invalid value: {"annotations":1,"creationTimestamp":1}: json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string"#
    );
    check_coerce(
        &json!({"kind": 1}),
        &json!({"kind": 1}),
        &["kind: Invalid value: 1: must be a string"],
    );
}

#[test]
fn drops_wrong_types_when_told_to() {
    let (object, paths) = coerced(
        &json!({"kind": 1, "metadata": {"name": 1, "labels": {"a": "b"}, "x": 1, "creationTimestamp": "x"}}),
        true,
        37,
    );
    assert_eq!(
        (object, paths),
        (
            json!({"metadata": {"labels": {"a": "b"}}}),
            vec!["metadata.x".to_owned()]
        )
    );
    assert_eq!(coerced(&json!({"metadata": [1]}), true, 37).0, json!({"metadata": [1]}));
}

#[track_caller]
fn check_validate(object: &Value, minor: u8, expected: &[&str]) {
    let errors = validate(
        object,
        Known::ALL,
        None,
        true,
        &Path::root(),
        KubernetesVersion::minor(minor),
    );
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn judges_what_every_resource_has() {
    check_validate(
        &json!({}),
        33,
        &[
            "apiVersion: Required value: must not be empty",
            "kind: Required value: must not be empty",
        ],
    );
    check_validate(
        &json!({"apiVersion": "a/b/c", "kind": ""}),
        34,
        &[
            "apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
            "kind: Invalid value: \"\": must not be empty",
        ],
    );
    check_validate(
        &json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "a/b", "generation": -1}}),
        37,
        &[
            "metadata.name: Invalid value: \"a/b\": may not contain '/'",
            "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
        ],
    );
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn agrees_with_the_tables_of_kubernetes() {
    for case in tables::cases("objectmeta") {
        let (input, actual, id) = (&case["input"], &case["actual"], &case["id"]);
        let props = (!input["schema"].is_null()).then(|| schema(&input["schema"]));
        let structural = props.as_ref().map(Structural::assume);
        let is_root = input["is_root"] == true;
        let mut object = input["object"].clone();
        match case["kind"].as_str().expect("a kind") {
            "object-meta-coerce" => {
                let options = CoerceOptions {
                    drop_invalid_fields: input["options"]["DropInvalidFields"] == true,
                };
                let result = coerce(
                    &mut object,
                    Known::ALL,
                    structural,
                    is_root,
                    &Path::root(),
                    options,
                    NEWEST,
                );
                let unknown = actual["unknown_fields"].as_array().cloned().unwrap_or_default();
                let expected: Vec<&str> = unknown.iter().filter_map(Value::as_str).collect();
                match result {
                    Ok(paths) => assert_eq!(paths, expected, "{id}"),
                    Err(error) => assert_eq!(error.to_string(), actual["error"]["text"], "{id}"),
                }
                assert_eq!(object, actual["object_after"], "{id}");
            }
            "object-meta-validate" | "validateEmbeddedResource" => {
                let is_root = is_root || case["kind"] == "validateEmbeddedResource";
                let errors = validate(&object, Known::ALL, structural, is_root, &Path::root(), NEWEST);
                let mut found: Vec<String> = errors.iter().map(ToString::to_string).collect();
                found.sort_unstable();
                let list = if actual["errors"].is_null() {
                    &actual["r0"]
                } else {
                    &actual["errors"]
                };
                let list = list.as_array().cloned().unwrap_or_default();
                let mut expected: Vec<&str> = list.iter().filter_map(|error| error["text"].as_str()).collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "{id}");
            }
            _ => check_get(input, actual, id),
        }
    }
}

/// Checks a case of `GetObjectMeta`: decoded metadata.
fn check_get(input: &Value, actual: &Value, id: &Value) {
    let metadata = &input["object"]["metadata"];
    let is_lenient = input["dropMalformedFields"] == true || input["options"]["DropMalformedFields"] == true;
    let decoded = match (ObjectMeta::decode(metadata), metadata) {
        (Err(_), Value::Object(fields)) if is_lenient => Ok(ObjectMeta::decode_leniently(fields)),
        (result, _) => result,
    };
    assert_eq!(decoded.is_err(), !actual["error"].is_null(), "{id}");
    let Ok(decoded) = decoded else {
        return;
    };
    if actual["found"] == true {
        let mut expected = actual["meta"].clone();
        // The table contains the Go struct as JSON, where absent times are null.
        if let Value::Object(fields) = &mut expected {
            fields.retain(|_, value| !value.is_null());
        }
        assert_eq!(decoded.meta.to_value(), expected, "{id}");
    }
    if input["options"]["ReturnUnknownFieldPaths"] == true {
        let mut unknown: Vec<String> = decoded.unknown.iter().map(|path| format!("metadata.{path}")).collect();
        unknown.sort_unstable();
        let list = actual["unknown_fields"].as_array().cloned().unwrap_or_default();
        let mut expected: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        expected.sort_unstable();
        assert_eq!(unknown, expected, "{id}");
    }
}
