//! The CEL types of schemas.

use crd_analyzer_cel::types::{DeclKind, DeclType, escape, unescape};
use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::{decl_type, max_cardinality};
use crate::KubernetesVersion;
use crate::structural::Structural;
use crate::testing::schema;

/// A type in the form of the conformance table.
fn printed(ty: &DeclType) -> Value {
    let mut printed = json!({"maxElements": ty.max_elements, "minSerializedSize": ty.min_serialized_size});
    let kind = match &ty.kind {
        DeclKind::Simple(simple) => simple.to_string(),
        DeclKind::List(element) => {
            printed["elem"] = self::printed(element);
            "list".to_owned()
        }
        DeclKind::Map(key, element) => {
            printed["key"] = self::printed(key);
            printed["elem"] = self::printed(element);
            "map".to_owned()
        }
        DeclKind::Object(fields) => {
            printed["fields"] = fields
                .iter()
                .map(|field| {
                    (
                        field.name.to_string(),
                        json!({"decl": self::printed(&field.ty), "required": field.required}),
                    )
                })
                .collect::<serde_json::Map<_, _>>()
                .into();
            "object".to_owned()
        }
    };
    printed["type"] = kind.into();
    printed
}

fn check(schema_json: &Value, is_root: bool, version: KubernetesVersion, expected: &Value) {
    let schema = schema(schema_json);
    let ty = decl_type(Structural::assume(&schema), is_root, version);
    assert_eq!(ty.map_or(Value::Null, |ty| printed(&ty)), *expected, "{schema_json}");
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn types_are_those_of_the_server() {
    for case in tables::cases("cel_decl_type") {
        let is_root = case["input"]["is_root"] == true;
        check(
            &case["input"]["schema"],
            is_root,
            KubernetesVersion::NEWEST,
            &case["actual"]["decl"],
        );
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn names_are_escaped_as_the_server_does() {
    for case in tables::cases("cel_escaping") {
        let name = case["input"]["name"]
            .as_str()
            .or(case["input"]["escaped"].as_str())
            .expect("a name");
        let result = if case["kind"] == "cel-escape" {
            escape(name)
        } else {
            unescape(name)
        };
        let actual = json!({"ok": result.is_some(), "text": result.unwrap_or_default()});
        assert_eq!(actual, case["actual"], "{case}");
    }
}

#[test]
fn metadata_names_are_bounded_since_1_37() {
    let name = |minor| {
        let schema = schema(&json!({"type": "object"}));
        let ty = decl_type(Structural::assume(&schema), true, KubernetesVersion::minor(minor)).expect("a type");
        let metadata = &ty.field("metadata").expect("metadata").ty;
        metadata.field("name").expect("a name").ty.max_elements
    };
    assert_eq!(name(36), 3_145_726);
    assert_eq!(name(37), 1_012);
}

#[test]
fn unseen_values_hide_what_holds_them() {
    let newest = KubernetesVersion::NEWEST;
    check(&json!({"type": "array"}), false, newest, &Value::Null);
    check(&json!({"type": "array", "items": {}}), false, newest, &Value::Null);
    check(
        &json!({"type": "object", "additionalProperties": {"type": "array"}}),
        false,
        newest,
        &Value::Null,
    );
}

#[test]
fn cardinality_counts_the_smallest_values() {
    assert_eq!(max_cardinality(&DeclType::object(Vec::new(), 2)), 1_048_576);
}

#[test]
fn what_adds_metadata_copies_no_items() {
    let check_type = |schema_json: Value, is_resource_root: bool, expected: bool| {
        let schema = schema(&schema_json);
        let ty = decl_type(Structural::assume(&schema), is_resource_root, KubernetesVersion::NEWEST);
        assert_eq!(ty.is_some(), expected, "{schema_json}");
    };
    let list = json!({"type": "array", "items": {"type": "string"}});
    check_type(list.clone(), false, true);
    check_type(list.clone(), true, false);
    let mut embedded = list;
    embedded["x-kubernetes-embedded-resource"] = true.into();
    check_type(json!({"type": "array", "items": embedded}), false, false);
    let object = json!({"type": "object", "properties": {"a": embedded, "b": {"type": "string"}}});
    check_type(object, false, true);
    let values = json!({"type": "object", "additionalProperties": {"type": "string"}});
    check_type(values, true, true);
}
