//! Which defaults are filled in, and which defaults are allowed.

use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::{
    Options, RuleOutcome, RuleRun, Rules, coerce_defaults, has_unpruned_defaults, prune_defaults, prune_nulls,
    set_defaults, validate_defaults,
};
use crate::KubernetesVersion;
use crate::field::{Error, Path};
use crate::structural::Structural;
use crate::testing::schema;
use crate::unknown::Known;

#[track_caller]
fn check_default(schema_json: &Value, object: Value, after: &Value) {
    let props = schema(schema_json);
    let structural = Some(Structural::assume(&props));
    let mut object = object;
    prune_nulls(&mut object, structural);
    set_defaults(&mut object, Known::ALL, structural);
    assert_eq!(object, *after);
}

#[test]
fn sets_defaults_from_the_outside_in() {
    let schema = json!({"properties": {
        "a": {"default": {"b": {}}, "properties": {"b": {"properties": {"c": {"default": 1}}}}},
        "l": {"items": {"default": 7, "properties": {"x": {"default": true}}}},
        "m": {"additionalProperties": {"default": "d"}},
    }});
    check_default(
        &schema,
        json!({"l": [null, {}, 1], "m": {"k": null, "o": 2}}),
        &json!({"a": {"b": {"c": 1}}, "l": [7, {"x": true}, 1], "m": {"k": "d", "o": 2}}),
    );
}

#[test]
fn keeps_nulls_that_are_allowed() {
    let schema = json!({"properties": {
        "allowed": {"nullable": true, "default": 1},
        "defaulted": {"default": 1},
        "dropped": {},
        "list": {"items": {}},
    }});
    check_default(
        &schema,
        json!({"allowed": null, "defaulted": null, "dropped": null, "list": [null], "unknown": null}),
        &json!({"allowed": null, "defaulted": 1, "list": [null], "unknown": null}),
    );
}

/// Fake rules: the expression of a rule is its result, either an error or a cost (if the expression is a number).
#[derive(Default)]
struct FakeRules {
    runs: Vec<(String, bool, bool)>,
}

impl Rules for FakeRules {
    fn run(&mut self, run: &RuleRun<'_>) -> RuleOutcome {
        self.runs
            .push((run.path.to_string(), run.old.is_some(), run.is_resource_root));
        let rule = run.schema.validations().first().map_or("0", |rule| &rule.rule);
        match rule.parse::<i64>() {
            Ok(cost) => RuleOutcome {
                errors: Vec::new(),
                remaining: run.budget - cost,
            },
            Err(_) => RuleOutcome {
                errors: vec![Error::invalid(
                    "test",
                    run.path.clone(),
                    "v",
                    format!("failed rule: {rule}"),
                )],
                remaining: run.budget,
            },
        }
    }
}

fn judged(schema_json: &Value, minor: u8) -> (Vec<String>, Vec<(String, bool, bool)>) {
    let props = schema(schema_json);
    let options = Options {
        is_resource_root: true,
        require_pruned: true,
        version: KubernetesVersion::minor(minor),
    };
    let mut rules = FakeRules::default();
    let errors = validate_defaults(Structural::assume(&props), &Path::of(["s"]), options, &mut rules);
    (errors.iter().map(ToString::to_string).collect(), rules.runs)
}

#[track_caller]
fn check_validate(schema_json: &Value, expected: &[&str]) {
    assert_eq!(judged(schema_json, 37).0, expected);
}

#[test]
fn refuses_unknown_fields_in_defaults() {
    let default = json!({"a": 1, "l": [{"b": 1}]});
    let schema = json!({"properties": {"p": {"default": default, "properties": {"a": {}, "l": {"items": {}}}}}});
    check_validate(
        &schema,
        &[r#"s.properties[p].default: Invalid value: {"a":1,"l":[{"b":1}]}: must not have unknown fields"#],
    );
    assert_eq!(
        judged(&schema, 33).0,
        [
            r#"s.properties[p].default: Invalid value: map[string]interface {}{"a":1, "l":[]interface {}{map[string]interface {}{"b":1}}}: must not have unknown fields"#
        ]
    );
}

#[test]
fn judges_values_by_their_own_schema() {
    check_validate(
        &json!({"properties": {"p": {"default": {"a": 1}, "properties": {"a": {"minimum": 2, "default": 3}}}}}),
        &["s.properties[p].default.a: Invalid value: 1: a in body should be greater than or equal to 2"],
    );
    // Keywords that are not part of the structural form are ignored.
    check_validate(
        &json!({"properties": {"p": {
            "default": {"a": 1}, "x-kubernetes-int-or-string": true, "anyOf": [{"additionalProperties": false}],
            "properties": {"a": {}},
        }}}),
        &[],
    );
}

#[test]
fn demands_that_defaults_of_metadata_make_a_resource() {
    check_validate(
        &json!({"properties": {"metadata": {"properties": {"name": {"default": "a/b"}, "labels": {"default": 1}}}}}),
        &[
            "s.properties[metadata].properties[labels].default: Invalid value: 1: must result in valid metadata: \
             metadata: Invalid value: {\"labels\":1}: json: cannot unmarshal number into Go struct field \
             ObjectMeta.labels of type map[string]string",
            "s.properties[metadata].properties[name].default: Invalid value: \"a/b\": must result in valid metadata: \
             metadata.name: Invalid value: \"a/b\": may not contain '/'",
        ],
    );
    check_validate(
        &json!({"properties": {"kind": {"default": "a.b"}, "apiVersion": {"default": "v1"}}}),
        &[
            "s.properties[kind].default: Invalid value: \"a.b\": must result in valid metadata: kind: Invalid value: \
             \"a.b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case \
             alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric \
             character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
    );
}

#[test]
fn judges_embedded_resources_in_defaults() {
    let embedded = json!({"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let with = |default: Value| {
        let mut embedded = embedded.clone();
        embedded["default"] = default;
        json!({"properties": {"e": embedded}})
    };
    check_validate(
        &with(json!({"apiVersion": "v1", "kind": "K", "metadata": {"unknown": 1}})),
        &[],
    );
    check_validate(
        &with(json!({"kind": "K"})),
        &["s.properties[e].default.apiVersion: Required value"],
    );
    check_validate(
        &with(json!({"apiVersion": "v1", "kind": 1})),
        &["s.properties[e].default.kind: Invalid value: 1: must be a string"],
    );
}

#[test]
fn runs_rules_with_and_without_an_old_value_until_the_budget_is_gone() {
    let rule = |text: &str| json!([{"rule": text}]);
    let schema = json!({"properties": {
        "a": {"default": 1, "x-kubernetes-validations": rule("3000000")},
        "b": {"default": 1, "x-kubernetes-validations": rule("self")},
        "c": {"default": 1},
        "d": {"default": {}, "properties": {"x": {"x-kubernetes-validations": rule("1")}}},
        "e": {"default": 1, "x-kubernetes-validations": rule("8000000")},
        "f": {"default": 1, "x-kubernetes-validations": rule("never asked")},
    }});
    let (errors, runs) = judged(&schema, 37);
    assert_eq!(errors, ["s.properties[b].default: Invalid value: v: failed rule: self"]);
    let run = |name: &str, has_old: bool| (format!("s.properties[{name}].default"), has_old, false);
    assert_eq!(
        runs,
        [
            run("a", true),
            run("a", false),
            run("b", true),
            run("d", true),
            run("d", false),
            run("e", true),
            run("e", false)
        ]
    );
}

#[test]
fn prunes_defaults_within_the_whole_schema() {
    let version = KubernetesVersion::NEWEST;
    let mut props = schema(&json!({"properties": {
        "metadata": {"default": {"name": "n", "unknown": 1}},
        "p": {"default": {"a": 1, "b": 2}, "properties": {"a": {}}},
        "m": {"additionalProperties": {"default": {"x": 1}}},
        "l": {"items": {"default": 3}},
    }}));
    assert_eq!(has_unpruned_defaults(Structural::assume(&props), version), Ok(true));
    assert_eq!(prune_defaults(&mut props, version), Ok(true));
    let defaults: Vec<_> = props
        .properties
        .iter()
        .map(|(_, property)| property.default.clone())
        .collect();
    assert_eq!(
        defaults,
        [None, None, Some(json!({"name": "n"})), Some(json!({"a": 1}))]
    );
    assert_eq!(has_unpruned_defaults(Structural::assume(&props), version), Ok(false));
    let wrong = schema(&json!({"default": 1}));
    assert_eq!(
        has_unpruned_defaults(Structural::assume(&wrong), version).map_err(|error| error.to_string()),
        Err("failed to prune default value: object root default value must be of object type".to_owned())
    );
}

#[test]
fn coerces_the_defaults_that_are_judged_by_themselves() {
    let embedded = |metadata: Value| json!({"x-kubernetes-embedded-resource": true, "default": {"kind": "K", "metadata": metadata}});
    let written = embedded(json!({"name": "n", "unknown": 1}));
    let with = |judged: &Value| {
        schema(&json!({"properties": {
            "l": {"items": judged},
            "m": {"additionalProperties": written},
            "metadata": {"default": {"unknown": 1}},
        }}))
    };
    let mut props = with(&written);
    coerce_defaults(&mut props, KubernetesVersion::NEWEST);
    assert_eq!(props, with(&embedded(json!({"name": "n"}))));
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn agrees_with_the_tables_of_kubernetes() {
    for case in tables::cases("defaulting") {
        let input = &case["input"];
        let step: fn(&mut Value, Option<Structural<'_>>) = match case["kind"].as_str() {
            Some("default") => |value, schema| set_defaults(value, Known::ALL, schema),
            Some("prune-nulls") => prune_nulls,
            // These cases need rules. The crate that runs rules tests them.
            _ => continue,
        };
        let props = (!input["schema"].is_null()).then(|| schema(&input["schema"]));
        let mut object = input["object"].clone();
        step(&mut object, props.as_ref().map(Structural::assume));
        assert_eq!(object, case["actual"]["object_after"], "{}", case["id"]);
    }
}
