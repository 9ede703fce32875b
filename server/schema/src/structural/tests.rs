//! Tests of structural schemas: which schemas are structural, and the errors of the others.

use crd_analyzer_fixtures::tables::Table;
use serde_json::{Value, json};

use super::{Structural, validate};
use crate::KubernetesVersion;
use crate::field::Path;
use crate::testing::schema;

fn messages(schema_json: &Value, minor: u8) -> Vec<String> {
    let props = schema(schema_json);
    match Structural::new(&props) {
        Ok(structural) => validate(structural, &Path::of(["s"]), KubernetesVersion::minor(minor))
            .iter()
            .map(ToString::to_string)
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[track_caller]
fn check(schema_json: &Value, expected: &[&str]) {
    assert_eq!(messages(schema_json, 37), expected);
}

/// A root schema with the property `a`.
fn with(a: &Value) -> Value {
    json!({"type": "object", "properties": {"a": a}})
}

#[test]
fn has_no_structural_form_with_certain_keywords() {
    check(
        &with(&json!({"$ref": "#/x"})),
        &["OpenAPIV3Schema '$ref' is not supported"],
    );
    check(
        &with(&json!({"not": {"items": [{}]}})),
        &["OpenAPIV3Schema 'items' must be a schema, but is an array"],
    );
    check(
        &with(&json!({"x-kubernetes-preserve-unknown-fields": false})),
        &["internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"],
    );
}

#[test]
fn demands_types() {
    check(
        &json!({"properties": {"a": {}, "b": {"type": "array"}, "c": {"type": "array", "items": {}}}}),
        &[
            "s.properties[a].type: Required value: must not be empty for specified object fields",
            "s.properties[b].items: Required value: must be specified",
            "s.properties[c].items.type: Required value: must not be empty for specified array items",
            "s.type: Required value: must not be empty at the root",
        ],
    );
    check(
        &json!({"type": "array", "items": {"type": "string"}}),
        &["s.type: Invalid value: \"array\": must be object at the root"],
    );
    check(&with(&json!({"x-kubernetes-int-or-string": true})), &[]);
    check(&with(&json!({"x-kubernetes-preserve-unknown-fields": true})), &[]);
}

#[test]
fn allows_types_in_the_two_patterns_of_int_or_string_only() {
    let any_of = json!([{"type": "integer"}, {"type": "string"}]);
    check(
        &with(&json!({"x-kubernetes-int-or-string": true, "anyOf": any_of})),
        &[],
    );
    let all_of = json!([{"anyOf": any_of}, {"minimum": 1}]);
    check(
        &with(&json!({"x-kubernetes-int-or-string": true, "allOf": all_of})),
        &[],
    );
    for other in [
        json!([{"type": "string"}, {"type": "integer"}]),
        json!([{"type": "integer", "minimum": 1}, {"type": "string"}]),
        json!([{"type": "integer", "required": []}, {"type": "string"}]),
    ] {
        check(
            &with(&json!({"x-kubernetes-int-or-string": true, "anyOf": other})),
            &[
                "s.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
                "s.properties[a].anyOf[1].type: Forbidden: must be empty to be structural",
            ],
        );
    }
    // Since 1.36, documentation keywords inside `allOf`, `anyOf`, `oneOf` and `not` matter.
    let documented = with(&json!({"anyOf": [{"type": "integer", "example": 1}, {"type": "string"}], "type": "string"}));
    assert_eq!(
        (messages(&documented, 35).len(), messages(&documented, 36).len()),
        (0, 2)
    );
}

#[test]
fn keeps_structure_out_of_junctors() {
    check(
        &with(
            &json!({"type": "object", "oneOf": [{"description": "d", "nullable": true, "properties": {"metadata": {}}}]}),
        ),
        &[
            "s.properties[a].oneOf[0].description: Forbidden: must be empty to be structural",
            "s.properties[a].oneOf[0].nullable: Forbidden: must be false to be structural",
            "s.properties[a].oneOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
        ],
    );
    let closed = with(&json!({"type": "object", "not": {"additionalProperties": false}}));
    check(&closed, &[]);
    assert_eq!(
        messages(&closed, 30),
        ["s.properties[a].not.additionalProperties: Forbidden: must be undefined to be structural"]
    );
}

#[test]
fn demands_that_the_root_specifies_what_its_junctors_speak_of() {
    let mut schema = with(&json!({"type": "object", "anyOf": [{"properties": {"b": {}}}]}));
    check(&schema, &[]);
    schema["anyOf"] = json!([{"properties": {"a": {"items": {}, "properties": {"b": {}}}}}]);
    check(
        &schema,
        &[
            "s.properties[a].items: Required value: because it is defined in s.anyOf[0].properties[a].items",
            "s.properties[a].properties[b]: Required value: because it is defined in \
             s.anyOf[0].properties[a].properties[b]",
        ],
    );
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn completeness_is_as_in_the_projects_own_table() {
    let mut table = Table::open("schema_structural");
    for case in table.cases() {
        if case["input"]["options"]["AllowValidationPropertiesWithAdditionalProperties"] == true {
            table.except("with an option that is not set for definitions");
            continue;
        }
        // The paths in the table lack the root `s`, and the cases expect only errors about completeness.
        let seen: Vec<String> = messages(&case["input"]["schema"], 37)
            .iter()
            .filter(|it| it.contains("because it is defined in"))
            .map(|it| it.replacen("s.", "", 1).replacen(" in s.", " in ", 1))
            .collect();
        let errors = case["actual"]["errors"].as_array().into_iter().flatten();
        let expected: Vec<&str> = errors.filter_map(|it| it["text"].as_str()).collect();
        let id = &case["id"];
        table.judge((seen != expected).then(|| format!("{id}: {seen:?} instead of {expected:?}")));
    }
    table.finish();
}

#[test]
fn restricts_metadata_at_the_root_to_names() {
    let root = |metadata: &Value| json!({"type": "object", "properties": {"metadata": metadata}});
    check(
        &root(&json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 1}}})),
        &[],
    );
    check(&root(&json!({"type": "object", "default": {}, "properties": {}})), &[]);
    let words = "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but \
                 metadata is implicitly specified";
    check(
        &root(&json!({"type": "object", "properties": {"labels": {"type": "object"}}})),
        &[words],
    );
    check(&root(&json!({"type": "object", "required": []})), &[words]);
    check(
        &root(&json!({"x-kubernetes-preserve-unknown-fields": true})),
        &[
            "s.properties[metadata].type: Invalid value: \"\": must be object",
            words,
        ],
    );
}

#[test]
fn judges_embedded_resources() {
    check(
        &with(&json!({"x-kubernetes-embedded-resource": true, "type": "string", "additionalProperties": true})),
        &[
            "s.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
            "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true \
             without x-kubernetes-preserve-unknown-fields",
            "s.properties[a].type: Invalid value: \"string\": must be object if x-kubernetes-embedded-resource is true",
        ],
    );
}
