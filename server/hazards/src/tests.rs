//! Tests that hazards are found, and that they really exist.

mod random;

use std::collections::BTreeSet;

use crd_analyzer_schema::cel_types::decl_type;
use crd_analyzer_schema::codes::{RULE_EVALUATION, RULE_FAILED};
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::run::{self, RUNTIME_BUDGET};
use crd_analyzer_schema::rules::{ExpressionSet, compile, context};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::validation::Validator;
use crd_analyzer_schema::{
    JsonSchemaProps, KubernetesVersion, SchemaOrArray, SchemaOrBool, ValidationRule, defaulting,
};
use serde_json::{Value, json};

use crate::{Effort, Hazard, codes, of_node, static_analysis};

const VERSION: KubernetesVersion = KubernetesVersion::NEWEST;

/// A schema from JSON. Supports the keywords that these tests use.
fn schema(json: &Value) -> JsonSchemaProps {
    let mut props = JsonSchemaProps::default();
    for (keyword, value) in json.as_object().expect("a schema is an object") {
        let text = || value.as_str().expect("a text").to_owned();
        let texts = || {
            value
                .as_array()
                .expect("texts")
                .iter()
                .map(|it| it.as_str().expect("a text").to_owned())
        };
        match keyword.as_str() {
            "type" => props.r#type = text(),
            "format" => props.format = text(),
            "pattern" => props.pattern = text(),
            "default" => props.default = Some(value.clone()),
            "nullable" => props.nullable = value == true,
            "enum" => props.r#enum = value.as_array().expect("values").clone(),
            "minimum" => props.minimum = value.as_f64(),
            "maximum" => props.maximum = value.as_f64(),
            "exclusiveMinimum" => props.exclusive_minimum = value == true,
            "minLength" => props.min_length = value.as_i64(),
            "maxLength" => props.max_length = value.as_i64(),
            "minItems" => props.min_items = value.as_i64(),
            "maxItems" => props.max_items = value.as_i64(),
            "maxProperties" => props.max_properties = value.as_i64(),
            "required" => props.required = texts().collect(),
            "x-kubernetes-int-or-string" => props.x_int_or_string = value == true,
            "x-kubernetes-list-type" => props.x_list_type = Some(text()),
            "x-kubernetes-list-map-keys" => props.x_list_map_keys = texts().collect(),
            "not" => props.not = Some(Box::new(schema(value))),
            "oneOf" => props.one_of = value.as_array().expect("schemas").iter().map(schema).collect(),
            "items" => {
                props.items = Some(Box::new(SchemaOrArray {
                    schema: Some(Box::new(schema(value))),
                    json_schemas: Vec::new(),
                }));
            }
            "additionalProperties" => {
                props.additional_properties = Some(Box::new(SchemaOrBool {
                    allows: true,
                    schema: Some(Box::new(schema(value))),
                }));
            }
            "properties" => {
                let properties = value.as_object().expect("schemas").iter();
                props.properties = properties.map(|(name, it)| (name.clone(), schema(it))).collect();
            }
            other => panic!("{other} is not used"),
        }
    }
    props
}

/// An object schema with these properties and rules. A rule that starts with `?` has an optional old value.
fn object(properties: &Value, required: &[&str], rules: &[&str]) -> JsonSchemaProps {
    let mut props = schema(&json!({"type": "object", "properties": properties, "required": required}));
    props.x_validations = rules
        .iter()
        .map(|rule| ValidationRule {
            rule: rule.trim_start_matches('?').to_owned(),
            optional_old_self: rule.starts_with('?').then_some(true),
            ..ValidationRule::default()
        })
        .collect();
    props
}

fn hazards(props: &JsonSchemaProps) -> Vec<Hazard> {
    let rules = props.x_validations.len() as u64;
    let mut effort = Effort {
        left: Effort::usual().per_rule * rules,
        ..Effort::usual()
    };
    let found = of_node(Structural::assume(props), false, VERSION, None, &mut effort);
    for it in &found {
        verify(props, it);
    }
    found
}

/// Runs the rule on the example like the API server.
fn verify(props: &JsonSchemaProps, hazard: &Hazard) {
    let Some(example) = &hazard.example else { return };
    let schema = Structural::assume(props);
    let mut stored = example.clone();
    defaulting::set_defaults(&mut stored, Known::ALL, Some(schema));
    let errors = Validator::new(props, VERSION).validate(&Path::root(), &stored);
    assert_eq!(errors, [], "{hazard:?}");
    let rules = run::Validator::new(schema, false, VERSION);
    let outcome = |old: Option<&Value>| {
        let (errors, _) = rules.validate(&Path::root(), &stored, old, RUNTIME_BUDGET);
        errors.iter().map(|it| it.code).collect::<BTreeSet<_>>()
    };
    let found = outcome(hazard.old.as_ref());
    match hazard.code {
        codes::UNSATISFIABLE_RULE => assert!(!outcome(Some(&stored)).is_empty(), "{hazard:?}"),
        codes::DEFAULT_FAILS_RULE => assert!(found.contains(RULE_FAILED), "{hazard:?}"),
        codes::OLD_SELF_ON_CREATE if !found.contains(RULE_EVALUATION) => {
            assert!(
                found.is_empty() && outcome(Some(&stored)).contains(RULE_FAILED),
                "{hazard:?}"
            );
        }
        _ => assert!(
            found.contains(RULE_EVALUATION) && !found.contains(RULE_FAILED),
            "{hazard:?}"
        ),
    }
}

/// Compares the hazards of a schema with the expected codes, parts and examples.
#[track_caller]
fn check(props: &JsonSchemaProps, expected: &[(&str, &str, Value)]) {
    let found: Vec<_> = hazards(props)
        .into_iter()
        .map(|it| {
            let rule = &props.x_validations[it.rule].rule;
            (it.code, rule[it.bytes].to_owned(), it.example.unwrap_or_default())
        })
        .collect();
    let found: Vec<_> = found.iter().map(|it| (it.0, it.1.as_str(), it.2.clone())).collect();
    assert_eq!(found, expected);
}

const READ: &str = codes::OPTIONAL_FIELD_READ;

fn numbers() -> Value {
    json!({"a": {"type": "integer"}, "b": {"type": "integer"}})
}

#[test]
fn fields_that_may_be_absent_are_found_with_the_smallest_example() {
    check(
        &object(&numbers(), &[], &["self.a <= self.b"]),
        &[(READ, "self.a", json!({})), (READ, "self.b", json!({"a": 1}))],
    );
    check(&object(&numbers(), &["a", "b"], &["self.a <= self.b"]), &[]);
    let defaulted = json!({"a": {"type": "integer", "default": 1}, "b": {"type": "integer"}});
    check(
        &object(&defaulted, &[], &["self.a <= self.b"]),
        &[(READ, "self.b", json!({}))],
    );
}

#[test]
fn rules_may_ask_for_a_field() {
    let properties = json!({
        "list": {"type": "array", "items": {"type": "object", "properties": {"of": {"type": "string"}}}},
        "text": {"type": "string"},
        "flag": {"type": "boolean"},
        "below": {"type": "object", "properties": {"name": {"type": "string"}}},
        "count": {"type": "integer"},
    });
    for rule in [
        "size(self.list) > 0",
        "self.text != ''",
        "has(self.text) || self.flag",
        "has(self.below.name)",
        "self.below.name.size() > 0",
        "!has(self.list) || self.list.all(it, size(it.of) > 0)",
        "self.list.exists(it, it.of != '')",
    ] {
        check(&object(&properties, &[], &[rule]), &[]);
    }
    // These rules accept the empty value, or they depend on the content of the field.
    for (rule, read) in [
        ("self.list.all(it, it.of != 'b')", "self.list"),
        ("self.text == 'b'", "self.text"),
        ("self.text in ['a']", "self.text"),
        ("self.text.matches('^[a-z]+$')", "self.text"),
        ("self.text.size() > 4", "self.text"),
        ("!self.flag", "self.flag"),
        ("!has(self.below.name)", "self.below"),
        ("self.count > 0", "self.count"),
    ] {
        let found = hazards(&object(&properties, &[], &[rule]));
        let first = found.first().map(|it| (it.code, &rule[it.bytes.clone()]));
        assert_eq!(first, Some((READ, read)), "{rule}");
    }
}

#[test]
fn guards_of_every_kind_count() {
    for rule in [
        "has(self.a) && self.a > 1",
        "!has(self.a) || self.a > 1",
        "self.a > 1 || !has(self.a)",
        "has(self.a) ? self.a > 1 : true",
        "self.?a.orValue(1) > 0",
        "!has(self.a) || !has(self.b) || self.a < self.b",
        "has(self.a) == has(self.b)",
    ] {
        check(&object(&numbers(), &[], &[rule]), &[]);
    }
    // The guard tests another field.
    check(
        &object(&numbers(), &[], &["!has(self.b) || self.a > 1"]),
        &[(READ, "self.a", json!({"b": 1}))],
    );
}

#[test]
fn conditions_of_rules_are_met() {
    let properties = json!({
        "type": {"type": "string", "enum": ["Plain", "Special"]},
        "a": {"type": "integer"},
        "n": {"type": "integer", "minimum": 10},
    });
    check(
        &object(&properties, &["type"], &["self.type != 'Special' || self.a > 1"]),
        &[(READ, "self.a", json!({"type": "Special"}))],
    );
    check(
        &object(&properties, &["n"], &["self.n < 1000 || self.a > 1"]),
        &[(READ, "self.a", json!({"n": 1000}))],
    );
}

#[test]
fn examples_pass_the_other_rules() {
    // The first rule guarantees the condition that the second rule needs.
    check(&object(&numbers(), &[], &["has(self.a)", "self.a > 1"]), &[]);
    let properties =
        json!({"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "string", "maxLength": 9}});
    check(
        &object(
            &properties,
            &["c"],
            &["self.c == 'special'", "has(self.b)", "self.a > 1"],
        ),
        &[(READ, "self.a", json!({"b": 1, "c": "special"}))],
    );
}

#[test]
fn examples_fit_their_schema() {
    let properties = json!({
        "id": {"type": "string", "pattern": "^sha256:[a-f0-9]{8}$"},
        "size": {"type": "integer", "minimum": 100, "maximum": 120},
        "a": {"type": "integer"},
    });
    check(
        &object(&properties, &["id", "size"], &["self.a > self.size"]),
        &[(READ, "self.a", json!({"id": "sha256:aaaaaaaa", "size": 100}))],
    );
    let mut either = object(&numbers(), &[], &["self.a > 1"]);
    either.one_of = vec![schema(&json!({"required": ["a"]})), schema(&json!({"required": ["b"]}))];
    check(&either, &[(READ, "self.a", json!({"b": 1}))]);
}

#[test]
fn elements_of_lists_and_maps_are_made() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 5}, "size": {"type": "integer"}}});
    let properties = json!({"items": {"type": "array", "maxItems": 5, "items": item,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}});
    check(
        &object(&properties, &[], &["!has(self.items) || self.items.all(i, i.size > 1)"]),
        &[(READ, "i.size", json!({"items": [{"name": "a"}]}))],
    );
    check(
        &object(
            &properties,
            &["items"],
            &["self.items.filter(i, has(i.size))[0].size > 1"],
        ),
        &[(
            codes::UNGUARDED_INDEX,
            "self.items.filter(i, has(i.size))[0]",
            json!({"items": []}),
        )],
    );
    // The example needs a second item without a size.
    check(
        &object(
            &properties,
            &["items"],
            &["size(self.items) < 2 || self.items[1].size > 1"],
        ),
        &[(
            READ,
            "self.items[1].size",
            json!({"items": [{"name": "a"}, {"name": ""}]}),
        )],
    );
    let map = json!({"m": {"type": "object", "additionalProperties": {"type": "string"}}});
    check(
        &object(&map, &["m"], &["self.m['app'] != ''"]),
        &[(codes::ABSENT_MAP_KEY, "self.m['app']", json!({"m": {}}))],
    );
    check(
        &object(&map, &["m"], &["!('app' in self.m) || self.m['app'] != ''"]),
        &[],
    );
}

#[test]
fn other_errors_are_found() {
    let properties = json!({
        "a": {"type": "integer", "minimum": 0, "maximum": 9},
        "b": {"type": "integer", "minimum": 0, "maximum": 9},
        "port": {"x-kubernetes-int-or-string": true},
        "text": {"type": "string"},
    });
    let all = ["a", "b", "port", "text"];
    check(
        &object(&properties, &["a", "b"], &["self.a / self.b < 7"]),
        &[(codes::DIVISION_BY_ZERO, "self.a / self.b", json!({"a": 1, "b": 0}))],
    );
    check(&object(&properties, &all, &["self.b == 0 || self.a % self.b < 7"]), &[]);
    let found = hazards(&object(&properties, &["port"], &["self.port > 0"]));
    assert_eq!(found[0].code, codes::RULE_CAN_FAIL);
    let found = hazards(&object(&properties, &["text"], &["quantity(self.text).isInteger()"]));
    assert_eq!(found[0].code, codes::RULE_CAN_FAIL);
}

#[test]
fn old_values_are_tried() {
    check(
        &object(&numbers(), &[], &["self.a == oldSelf.a"]),
        &[(READ, "self.a", json!({})), (READ, "oldSelf.a", json!({"a": 1}))],
    );
    check(
        &object(&numbers(), &["a"], &["?oldSelf.value().a == self.a"]),
        &[(codes::OLD_SELF_ON_CREATE, "oldSelf.value()", json!({"a": 1}))],
    );
    check(
        &object(
            &numbers(),
            &["a"],
            &["?!oldSelf.hasValue() || oldSelf.value().a == self.a"],
        ),
        &[],
    );
    check(
        &object(&numbers(), &["a"], &["self.a > 5 && self.a >= oldSelf.a"]),
        &[(codes::OLD_SELF_ON_CREATE, "self.a > 5", json!({"a": 1}))],
    );
    check(&object(&numbers(), &["a"], &["self.a > 5", "self.a >= oldSelf.a"]), &[]);
}

#[test]
fn defaults_are_tried_together() {
    let properties = json!({"min": {"type": "integer", "default": 5}, "max": {"type": "integer", "default": 3}});
    let rules = ["self.min <= self.max"];
    check(
        &object(&properties, &[], &rules),
        &[(codes::DEFAULT_FAILS_RULE, rules[0], json!({}))],
    );
    let properties = json!({"min": {"type": "integer", "default": 5}, "max": {"type": "integer"}});
    let rules = ["has(self.max) && self.min <= self.max"];
    check(&object(&properties, &[], &rules), &[]);
}

#[test]
fn bounds_decide_rules() {
    let properties = json!({
        "list": {"type": "array", "maxItems": 5, "items": {"type": "integer", "minimum": 1}},
        "n": {"type": "integer", "minimum": 0, "maximum": 10},
        "mode": {"type": "string", "enum": ["a", "b"]},
        "text": {"type": "string", "minLength": 3, "maxLength": 8},
        "any": {"type": "string"},
        "opt": {"type": "integer"},
        "never": {"type": "object", "properties": {"a": {"type": "integer"}}, "not": {}},
    });
    let required = ["list", "n", "mode", "text", "any"];
    for (rule, code) in [
        ("size(self.list) <= 5", Some(codes::ALWAYS_TRUE_RULE)),
        ("size(self.list) <= 4", None),
        ("size(self.list) > 5", Some(codes::UNSATISFIABLE_RULE)),
        ("self.list.all(x, x > 0)", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.list.exists(x, x < 1)", Some(codes::UNSATISFIABLE_RULE)),
        ("self.list.exists(x, x > 0)", None),
        ("self.n >= 0 && self.n <= 10", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.n + 1 > 0", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.n * 2 > 20", Some(codes::UNSATISFIABLE_RULE)),
        ("self.mode in ['a', 'b', 'c']", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.mode in ['c']", Some(codes::UNSATISFIABLE_RULE)),
        ("self.mode != 'a'", None),
        ("self.mode == 'a' || self.mode == 'b'", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.mode == 'a' && self.mode == 'b'", Some(codes::UNSATISFIABLE_RULE)),
        ("self.n > 5 && self.n < 3", Some(codes::UNSATISFIABLE_RULE)),
        ("self.n > 5 && self.n < 7", None),
        ("self.n < 5 || self.n >= 5", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.n < 5 || self.n > 5", None),
        (
            "self.text.size() > 4 && self.text.size() <= 4",
            Some(codes::UNSATISFIABLE_RULE),
        ),
        ("has(self.opt) || !has(self.opt)", Some(codes::ALWAYS_TRUE_RULE)),
        ("has(self.opt) && !has(self.opt)", Some(codes::UNSATISFIABLE_RULE)),
        (
            "has(self.opt) ? self.opt < 1 && self.opt > 1 : false",
            Some(codes::UNSATISFIABLE_RULE),
        ),
        ("self.list.all(x, x > 3 && x < 2)", None),
        ("self.text != ''", Some(codes::ALWAYS_TRUE_RULE)),
        ("self.text.size() > 8", Some(codes::UNSATISFIABLE_RULE)),
        ("self.text == 'a'", Some(codes::UNSATISFIABLE_RULE)),
        ("self.any == '' || self.any != ''", Some(codes::ALWAYS_TRUE_RULE)),
        ("has(self.n)", Some(codes::ALWAYS_TRUE_RULE)),
        ("has(self.opt)", None),
        ("!has(self.n)", Some(codes::UNSATISFIABLE_RULE)),
        ("!has(self.opt) || self.opt >= self.opt", Some(codes::ALWAYS_TRUE_RULE)),
        (
            "!has(self.never) || !has(self.never.a) || self.n > 5",
            Some(codes::ALWAYS_TRUE_RULE),
        ),
        ("has(self.never) && has(self.never.a)", Some(codes::UNSATISFIABLE_RULE)),
        ("has(self.never) || self.n > 5", None),
    ] {
        let found = hazards(&object(&properties, &required, &[rule]));
        let found: Vec<_> = found.iter().map(|it| it.code).collect();
        assert_eq!(found, code.into_iter().collect::<Vec<_>>(), "{rule}");
    }
}

#[test]
fn the_same_schema_has_the_same_hazards() {
    let props = object(&numbers(), &[], &["self.a <= self.b", "self.a / self.b > 1"]);
    assert_eq!(hazards(&props), hazards(&props));
    let name = |props: &JsonSchemaProps| crate::fingerprint(props, false, VERSION);
    assert_eq!(name(&props), name(&props.clone()));
    let mut other = props.clone();
    other.required.push("a".to_owned());
    assert_ne!(name(&props), name(&other));
}

#[test]
fn examples_of_resources_are_resources() {
    let check = |props: &JsonSchemaProps, expected: &[(Value, Value)]| {
        let found = of_node(Structural::assume(props), true, VERSION, None, &mut Effort::usual());
        let found = found.into_iter();
        let found: Vec<_> = found
            .map(|it| (it.old.unwrap_or_default(), it.example.unwrap_or_default()))
            .collect();
        assert_eq!(found, expected);
    };
    let mut embedded = object(&numbers(), &[], &["self.a > 1"]);
    embedded.x_embedded_resource = true;
    check(
        &embedded,
        &[(Value::Null, json!({"apiVersion": "example.com/v1", "kind": "Example"}))],
    );
    // Authors of a resource cannot choose its kind.
    check(&object(&numbers(), &[], &["self.kind == 'A' || self.a > 1"]), &[]);
    // An update must be for the same object.
    let metadata = json!({"name": "example"});
    check(
        &object(&numbers(), &[], &["self.metadata.name != '' && self.a == oldSelf.a"]),
        &[
            (json!({"metadata": metadata}), json!({"metadata": metadata})),
            (json!({"metadata": metadata}), json!({"metadata": metadata, "a": 1})),
        ],
    );
}
