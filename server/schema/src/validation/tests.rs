//! Small schemas and values with the API server's results, and the test tables of the Kubernetes project.

use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::*;
use crate::json_schema::SchemaOrArray;
use crate::testing::schema;

fn messages(errors: &[Error]) -> Vec<String> {
    let mut messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    messages.sort();
    messages
}

/// Checks the errors in `value`: `{field}: {message}`, sorted.
#[track_caller]
fn check_at(minor: u8, schema_json: &Value, value: &Value, expected: &[&str]) {
    let schema = schema(schema_json);
    let found = Validator::new(&schema, KubernetesVersion::minor(minor)).validate(&Path::root(), value);
    assert_eq!(messages(&found), expected, "{schema_json} and {value} on 1.{minor}");
}

#[track_caller]
fn check(schema_json: &Value, value: &Value, expected: &[&str]) {
    check_at(37, schema_json, value, expected);
}

/// Checks the errors in the property `a` of an object.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "written in place")]
fn check_property(schema_json: Value, value: Value, expected: &[&str]) {
    check(
        &json!({"type": "object", "properties": {"a": schema_json}}),
        &json!({"a": value}),
        expected,
    );
}

#[test]
fn types() {
    check_property(
        json!({"type": "string"}),
        json!(1),
        &["a: Invalid value: \"integer\": a in body must be of type string: \"integer\""],
    );
    check_property(json!({"type": "integer"}), json!(1.0), &[]);
    check_property(json!({"type": "number"}), json!(1), &[]);
    check_property(
        json!({"type": "string"}),
        json!(null),
        &["a: Invalid value: \"null\": a in body must be of type string: \"null\""],
    );
    check_property(json!({"type": "string", "nullable": true}), json!(null), &[]);
    check_property(
        json!({"x-kubernetes-int-or-string": true}),
        json!(true),
        &["a: Invalid value: \"boolean\": a in body must be of type integer,string: \"boolean\""],
    );
    // A string with a string format passes whatever the type.
    let odd = json!({"type": "object", "properties": {"a": {"type": "boolean", "format": "date"}}});
    check_at(35, &odd, &json!({"a": "2024-01-01"}), &[]);
    check_at(
        36,
        &odd,
        &json!({"a": "2024-01-01"}),
        &["a: Invalid value: \"string\": a in body must be of type boolean: \"string\""],
    );
}

#[test]
fn strings() {
    check_property(
        json!({"maxLength": 1}),
        json!("éé"),
        &["a: Too long: may not be more than 1 byte"],
    );
    check_property(
        json!({"maxLength": 2, "pattern": "^x"}),
        json!("éé"),
        &["a: Invalid value: \"éé\": a in body should match '^x'"],
    );
    check_property(
        json!({"minLength": 2}),
        json!("é"),
        &["a: Invalid value: \"é\": a in body should be at least 2 chars long"],
    );
    check_property(
        json!({"type": "string", "format": "ipv4"}),
        json!("x"),
        &["a: Invalid value: \"x\": a in body must be of type ipv4: \"x\""],
    );
    let long = json!({"properties": {"a": {"maxLength": 1}}});
    check_at(
        31,
        &long,
        &json!({"a": "bb"}),
        &["a: Too long: may not be longer than 1"],
    );
    check_at(
        33,
        &long,
        &json!({"a": "bb"}),
        &["a: Too long: may not be more than 1 bytes"],
    );
}

#[test]
fn numbers() {
    check_property(
        json!({"maximum": 2.5}),
        json!(3),
        &["a: Invalid value: 3: a in body should be less than or equal to 2"],
    );
    check_property(
        json!({"maximum": 2.5}),
        json!(3.5),
        &["a: Invalid value: 3.5: a in body should be less than or equal to 2.5"],
    );
    check_property(
        json!({"minimum": 3, "exclusiveMinimum": true}),
        json!(3),
        &["a: Invalid value: 3: a in body should be greater than 3"],
    );
    check_property(
        json!({"multipleOf": 0.5}),
        json!(3),
        &["a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0"],
    );
    check_property(json!({"multipleOf": 0.1}), json!(0.3), &[]);
    check_property(
        json!({"multipleOf": 2}),
        json!(3),
        &["a: Invalid value: 3: a in body should be a multiple of 2"],
    );
    let int32 = json!({"properties": {"a": {"type": "integer", "format": "int32"}}});
    check_at(35, &int32, &json!({"a": 1_i64 << 40}), &[]);
    check_at(
        36,
        &int32,
        &json!({"a": 1_i64 << 40}),
        &["<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in a"],
    );
}

#[test]
fn enums_convert_as_go_does() {
    check_property(
        json!({"enum": ["a", 1, null]}),
        json!("b"),
        &["a: Unsupported value: \"b\": supported values: \"a\", \"1\", \"null\""],
    );
    check_property(json!({"enum": [1.0]}), json!(1), &[]);
    check_property(json!({"enum": [1]}), json!(1.5), &[]);
    check_property(json!({"enum": ["A"]}), json!(65), &[]);
    check_property(
        json!({"enum": [null], "nullable": true}),
        json!(null),
        &["a: Unsupported value: null: supported values: \"null\""],
    );
}

#[test]
fn lists() {
    let list = json!({"type": "array", "maxItems": 1, "items": {"type": "string"}});
    check_property(
        list,
        json!([1, "x"]),
        &[
            "a: Too many: 2: must have at most 1 item",
            "a[0]: Invalid value: \"integer\": a[0] in body must be of type string: \"integer\"",
        ],
    );
    check_property(
        json!({"minItems": 1}),
        json!([]),
        &["a: Invalid value: 0: a in body should have at least 1 items"],
    );
    check_property(json!({"uniqueItems": true}), json!([1, 1.0]), &[]);
    check_property(
        json!({"uniqueItems": true}),
        json!([{"x": 1}, {"x": 1}]),
        &["a: Invalid value: \"\": a in body shouldn't contain duplicates"],
    );
}

#[test]
fn objects() {
    check(&json!({"required": ["a"]}), &json!({}), &["a: Required value"]);
    check_property(json!({"required": ["b"]}), json!({}), &["a.b: Required value"]);
    check(
        &json!({"additionalProperties": {"type": "string"}}),
        &json!({"x.y": 1}),
        &["x.y: Invalid value: \"integer\": .x.y in body must be of type string: \"integer\""],
    );
    check_property(
        json!({"maxProperties": 1}),
        json!({"b": 1, "c": 2}),
        &["a: Too many: 2: must have at most 1 item"],
    );
    check_property(
        json!({"minProperties": 1}),
        json!({}),
        &["a: Invalid value: 0: a in body should have at least 1 properties"],
    );
    check_property(
        json!({"additionalProperties": false}),
        json!({"b": 1}),
        &["a: Invalid value: \"b\": a.b in body is a forbidden property"],
    );
}

#[test]
fn junctors() {
    check_property(
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]}),
        json!("xy"),
        &[
            "<nil>: Invalid value: \"\": \"a\" must validate at least one schema (anyOf)",
            "a: Too long: may not be more than 1 byte",
        ],
    );
    check_property(
        json!({"oneOf": [{"required": ["b"]}, {"required": ["c"]}]}),
        json!({"b": 1, "c": 1}),
        &[
            "<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
        ],
    );
    check_property(
        json!({"allOf": [{"minLength": 3}, {"maxLength": 9}], "not": {"pattern": "x"}}),
        json!("x"),
        &[
            "<nil>: Invalid value: \"\": \"a\" must not validate the schema (not)",
            "<nil>: Invalid value: \"\": \"a\" must validate all the schemas (allOf)",
            "a: Invalid value: \"x\": a in body should be at least 3 chars long",
        ],
    );
}

#[test]
fn paths_below_another_print_as_the_servers() {
    let schema = schema(&json!({"type": "array", "items": {"properties": {"a": {"type": "string"}}}}));
    let found = Validator::of_structural(&schema, KubernetesVersion::NEWEST)
        .validate(&Path::of(["default"]), &json!([{"a": 1}]));
    assert_eq!(
        messages(&found),
        ["default.[0].a: Invalid value: \"integer\": [0].a in body must be of type string: \"integer\""]
    );
}

#[test]
fn odd_names_print_as_the_servers() {
    let schema = schema(&json!({
        "properties": {"": {"properties": {"a": {"type": "string"}}}, ".b": {"type": "string"}},
        "additionalProperties": {"type": "string"},
    }));
    let value = json!({"": {"a": 1}, ".b": 1, "..c": 1});
    let found = Validator::new(&schema, KubernetesVersion::NEWEST).validate(&Path::root(), &value);
    let fields: Vec<String> = found.iter().map(|error| error.path.to_string()).collect();
    assert_eq!(fields, ["..c", "a", "b"]);
    let found = Validator::new(&schema, KubernetesVersion::NEWEST).validate(&Path::of(["x"]), &value);
    let fields: Vec<String> = found.iter().map(|error| error.path.to_string()).collect();
    assert_eq!(fields, ["x...c", "x.a", "x.b"]);
}

#[test]
fn what_did_not_change_is_not_reported_again() {
    let schema = schema(&json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "maxLength": 1},
            "any": {"anyOf": [{"maxLength": 1}]},
            "list": {"type": "array", "items": {"maxLength": 1}},
            "map": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"maxLength": 1}}},
            },
        },
    }));
    let check = |old: Value, new: Value, expected: &[&str]| {
        let found = Validator::new(&schema, KubernetesVersion::NEWEST).validate_update(&Path::root(), &new, &old);
        let fields: Vec<String> = found.iter().map(|error| error.path.to_string()).collect();
        assert_eq!(fields, expected, "{old} to {new}");
    };
    check(json!({"a": "xx"}), json!({"a": "xx", "list": []}), &[]);
    check(json!({"a": "xx"}), json!({"a": "yy"}), &["a"]);
    check(json!({"any": "xx"}), json!({"any": "xx"}), &[]);
    check(json!({"list": ["xx"]}), json!({"list": ["xx", "y"]}), &["list[0]"]);
    check(json!({"list": ["xx"]}), json!({"list": ["xx"]}), &[]);
    check(
        json!({"map": [{"k": "1", "v": "xx"}, {"k": "2", "v": "yy"}]}),
        json!({"map": [{"k": "2", "v": "yy"}, {"k": "1", "v": "zz"}]}),
        &["map[1].v"],
    );
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn the_tables_of_the_kubernetes_project_hold() {
    for case in tables::cases("cr_validate") {
        let schema = schema(&case["input"]["schema"]);
        let found =
            Validator::new(&schema, KubernetesVersion::minor(37)).validate(&Path::root(), &case["input"]["object"]);
        let mut expected: Vec<String> = case["actual"]["errors"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|error| error["text"].as_str().expect("a text").to_owned())
            .collect();
        expected.sort();
        assert_eq!(messages(&found), expected, "{}", case["id"]);
    }
    for case in tables::cases("cr_ratcheting") {
        let schema = schema(&case["input"]["schema"]);
        let found = Validator::new(&schema, KubernetesVersion::minor(37)).validate_update(
            &Path::root(),
            &case["input"]["object"],
            &case["input"]["old_object"],
        );
        let found: Vec<&str> = found.iter().map(|error| error.detail.as_str()).collect();
        let expected: Vec<&str> = case["actual"]["errors"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(found, expected, "{}", case["id"]);
    }
}

#[test]
fn deep_schemas_and_values_end_before_the_stack_does() {
    let mut schema = JsonSchemaProps {
        r#type: "string".to_owned(),
        ..JsonSchemaProps::default()
    };
    let mut value = json!(1);
    for n in 0..1000 {
        let mut around = JsonSchemaProps::default();
        match n % 3 {
            0 => {
                around.properties = vec![("a".to_owned(), schema)];
                value = Value::Object([("a".to_owned(), value)].into_iter().collect());
            }
            1 => {
                around.items = Some(Box::new(SchemaOrArray {
                    schema: Some(Box::new(schema)),
                    json_schemas: Vec::new(),
                }));
                value = Value::Array(vec![value]);
            }
            _ => around.any_of = vec![schema],
        }
        schema = around;
    }
    let errors = |stack: usize| {
        let judge = || {
            let validator = Validator::new(&schema, KubernetesVersion::NEWEST);
            // The old value has the same error, so an update accepts it.
            let on_update = validator.validate_update(&Path::root(), &value, &value);
            assert!(on_update.is_empty());
            validator.validate(&Path::root(), &value).len()
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(stack);
            thread.spawn_scoped(scope, judge).unwrap().join().unwrap()
        })
    };
    // The innermost value is not a string, and each surrounding anyOf reports this again. With enough stack the walk reaches the innermost value;
    // with less stack, the walk ends before.
    assert_eq!(errors(crate::depth::STACK_BYTES), 1 + 1000 / 3);
    assert_eq!(errors(512 << 10), 0);
}
