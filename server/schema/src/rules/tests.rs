//! The results of compiling a schema's rules.

use crd_analyzer_cel::decls::ExpressionSet;
use crd_analyzer_fixtures::tables;
use serde_json::{Value, json};

use super::{Effort, MissingBound, Occurrence, SchemaStep, compile, suggest_bounds};
use crate::KubernetesVersion;
use crate::cel_types::decl_type;
use crate::structural::Structural;
use crate::testing::schema;

/// The compiled rules of a schema, in the form of the conformance tables.
fn compiled(schema_json: &Value, is_root: bool, version: KubernetesVersion, set: ExpressionSet) -> Vec<Value> {
    let schema = schema(schema_json);
    let ty = decl_type(Structural::assume(&schema), is_root, version).expect("a type");
    let results = compile(&ty, &schema.x_validations, version, |_, _| set);
    results
        .into_iter()
        .map(|rule| {
            let mut printed = json!({"maxCardinality": rule.max_cardinality, "usesOldSelf": rule.uses_old_self});
            printed["maxCost"] = rule.rule.map_or(0, |rule| rule.max_cost).into();
            if let Some(error) = rule.error {
                printed["error"] = error.detail.into();
            }
            match rule.message {
                Some(Ok(message)) => printed["messageExpressionMaxCost"] = message.max_cost.into(),
                Some(Err(error)) => printed["messageExpressionError"] = error.detail.into(),
                None => {}
            }
            printed
        })
        .collect()
}

fn check_table(name: &str) {
    let mut wrong = Vec::new();
    for case in tables::cases(name) {
        if case["flags"]
            .as_array()
            .is_some_and(|flags| flags.contains(&json!("needs-fake-function")))
        {
            continue;
        }
        let set = if case["input"]["env"] == "new" {
            ExpressionSet::New
        } else {
            ExpressionSet::Stored
        };
        let is_root = case["input"]["is_root"] == true;
        let actual = compiled(&case["input"]["schema"], is_root, KubernetesVersion::NEWEST, set);
        let expected = &case["actual"];
        for (key, value) in expected.as_object().expect("an object") {
            // The table contains an error as an object, whose `detail` is the message.
            let value = value.get("detail").unwrap_or(value);
            if actual[0].get(key).unwrap_or(&Value::Null) != value {
                wrong.push(format!("{} {key}: {} instead of {value}", case["id"], actual[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn costs_are_those_of_the_server() {
    check_table("cel_cost_estimate");
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn errors_are_those_of_the_server() {
    check_table("cel_compile");
}

#[test]
fn operands_share_paths_as_the_server_keeps_them() {
    // Up to 1.32 sizes were looked up after both operands had been visited. By then the path of the argument had overwritten the path of the target
    // in their shared memory.
    let text = |max: u32| json!({"type": "string", "maxLength": max});
    let item = json!({"type": "object", "properties": {"a": text(10), "b": text(1000)}});
    let mut schema = json!({"type": "array", "maxItems": 10, "items": item});
    for name in ["l", "q", "p", "o"] {
        schema = json!({"type": "object", "properties": {name: schema}});
    }
    schema["x-kubernetes-validations"] = json!([{"rule": "self.o.p.q.l.all(x, x.b.contains(x.a))"}]);
    for (minor, cost) in [(30, 1_600_076), (32, 1_600_076), (33, 16_076), (37, 16_076)] {
        let version = KubernetesVersion::minor(minor);
        let compiled = compiled(&schema, false, version, ExpressionSet::New);
        assert_eq!(compiled[0]["maxCost"], cost, "1.{minor}");
    }
}

#[test]
fn problems_have_their_bytes() {
    let check = |rule: &str, expected: &[&str]| {
        let schema = schema(&json!({
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": rule}],
        }));
        let ty = decl_type(Structural::assume(&schema), false, KubernetesVersion::NEWEST).expect("a type");
        let results = compile(&ty, &schema.x_validations, KubernetesVersion::NEWEST, |_, _| {
            ExpressionSet::New
        });
        let error = results[0].error.as_ref().expect("an error");
        let actual: Vec<_> = error
            .problems
            .iter()
            .map(|problem| &rule[problem.bytes.clone()])
            .collect();
        assert_eq!(actual, expected, "{error:?}");
    };
    check("self.b == 1", &["b"]);
    check("'é' + 1 == self.a || foo", &["+", "foo"]);
    check("self.a ==", &[""]);
    check("self.a.matches('(')", &["'('"]);
    check("self.a", &["self.a"]);
}

#[test]
fn lines_begin_where_each_server_says() {
    let schema_json = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": "self.a\n+ 1 == 2"}],
    });
    let message = "found no matching overload for '_+_' applied to '(string, int)'";
    for (minor, place) in [(30, "1:8"), (31, "1:8"), (32, "2:1"), (37, "2:1")] {
        let compiled = compiled(&schema_json, false, KubernetesVersion::minor(minor), ExpressionSet::New);
        let error = compiled[0]["error"].as_str().expect("an error");
        let expected = format!("compilation failed: ERROR: <input>:{place}: {message}");
        assert!(error.starts_with(&expected), "1.{minor}: {error}");
    }
    // The range in the file is always the range of the operator.
    let schema = schema(&schema_json);
    let version = KubernetesVersion::OLDEST;
    let ty = decl_type(Structural::assume(&schema), false, version).expect("a type");
    let results = compile(&ty, &schema.x_validations, version, |_, _| ExpressionSet::New);
    assert_eq!(results[0].error.as_ref().expect("an error").problems[0].bytes, 7..8);
}

#[test]
fn crashes_of_the_server_are_told() {
    let check = |minor, rule: &str, place: Option<&str>| {
        let schema = schema(&json!({
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": rule}],
        }));
        let version = KubernetesVersion::minor(minor);
        let ty = decl_type(Structural::assume(&schema), false, version).expect("a type");
        let results = compile(&ty, &schema.x_validations, version, |_, _| ExpressionSet::New);
        let crash = results[0].error.as_ref().filter(|error| error.crashes);
        let actual = crash.map(|crash| &rule[crash.problems[0].bytes.clone()]);
        assert_eq!(actual, place, "1.{minor}");
    };
    for minor in 30..=37 {
        check(minor, "[?dyn(optional.of(1))].size() == 1", Some("("));
        check(minor, "self.a.format([1]) == 'a'", (minor == 31).then_some("a"));
    }
}

#[test]
fn the_deepest_expressions_fit_the_stack() {
    let check = |open: &str, middle: &str, close: &str| {
        let mut accepted = 0;
        for depth in [12, 80, 120, 240] {
            let rule = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            let schema = schema(&json!({
                "type": "array",
                "items": {"type": "string"},
                "x-kubernetes-validations": [{"rule": rule}],
            }));
            let ty = decl_type(Structural::assume(&schema), false, KubernetesVersion::NEWEST).expect("a type");
            let results = compile(&ty, &schema.x_validations, KubernetesVersion::NEWEST, |_, _| {
                ExpressionSet::New
            });
            if results[0].error.is_none() {
                accepted = depth;
            }
        }
        assert!(accepted > 10, "{open}");
    };
    check("self.all(x, ", "true", ")");
    check("self.map(x, x != 'a', ", "true", ").size() > 0");
    check("(", "true", ")");
    check("!", "!true", "");
    check("[[", "true", "]][0][0]");
    check("true ? true : (", "true", ")");
    check("", "true", " == true");
}

#[test]
fn missing_bounds_are_found_and_suffice() {
    const LIMIT: u64 = 10_000_000;
    let version = KubernetesVersion::NEWEST;
    let check = |properties: Value, rule: &str, expected: Option<&[(&str, &str)]>| {
        let mut json = json!({"type": "object", "properties": properties});
        json["x-kubernetes-validations"] = json!([{"rule": rule}]);
        let mut schema = schema(&json);
        let ty = decl_type(Structural::assume(&schema), false, version).expect("a type");
        let results = compile(&ty, &schema.x_validations, version, |_, _| ExpressionSet::New);
        let expression = results[0].rule.as_ref().expect("a rule");
        let with_effort = |parts| {
            suggest_bounds(
                Structural::assume(&schema),
                &ty,
                expression,
                version,
                Occurrence::fixed(1),
                LIMIT,
                &Effort::new(parts),
            )
        };
        assert_eq!(with_effort(0), [], "{rule}");
        let ways = with_effort(100_000);
        let bounds = ways.into_iter().next().map(|it| it.bounds);
        let printed: Option<Vec<_>> = bounds.as_ref().map(|bounds| bounds.iter().map(print_bound).collect());
        let printed: Option<Vec<_>> = printed
            .as_ref()
            .map(|bounds| bounds.iter().map(|(path, keyword)| (path.as_str(), *keyword)).collect());
        assert_eq!(printed.as_deref(), expected, "{rule}");
        for bound in bounds.into_iter().flatten() {
            set_bound(&mut schema, &bound);
        }
        if expected.is_some() {
            let ty = decl_type(Structural::assume(&schema), false, version).expect("a type");
            let results = compile(&ty, &schema.x_validations, version, |_, _| ExpressionSet::New);
            assert!(
                results[0].rule.as_ref().is_some_and(|rule| rule.max_cost <= LIMIT),
                "{rule}"
            );
        }
    };
    let lists = json!({
        "a": {"type": "array", "items": {"type": "string"}},
        "b": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 10}},
    });
    check(lists.clone(), "self.b.all(x, x != '')", Some(&[]));
    check(
        lists.clone(),
        "self.a.all(x, self.a.all(y, x == y))",
        Some(&[("a", "maxItems"), ("a.items", "maxLength")]),
    );
    check(
        lists,
        "self.b.all(x, self.a.exists(y, y == x))",
        Some(&[("a", "maxItems")]),
    );
    check(
        json!({"n": {"type": "integer"}}),
        "string(self.n).contains(string(self.n))",
        None,
    );
    check(
        json!({"m": {"type": "object", "additionalProperties": {"type": "string"}}}),
        "self.m.all(k, self.m[k].matches('^a+$'))",
        Some(&[("m", "maxProperties"), ("m.values", "maxLength")]),
    );
}

fn print_bound(bound: &MissingBound) -> (String, &'static str) {
    let steps = bound.path.iter().map(|step| match step {
        SchemaStep::Property(name) => name.as_str(),
        SchemaStep::Items => "items",
        SchemaStep::Values => "values",
    });
    (steps.collect::<Vec<_>>().join("."), bound.keyword)
}

fn set_bound(schema: &mut crate::JsonSchemaProps, bound: &MissingBound) {
    let mut at = schema;
    for step in &bound.path {
        at = match step {
            SchemaStep::Property(name) => &mut at.properties.iter_mut().find(|(key, _)| key == name).expect("it").1,
            SchemaStep::Items => at
                .items
                .as_mut()
                .and_then(|items| items.schema.as_deref_mut())
                .expect("items"),
            SchemaStep::Values => at
                .additional_properties
                .as_mut()
                .and_then(|values| values.schema.as_deref_mut())
                .expect("values"),
        };
    }
    let keyword = match bound.keyword {
        "maxItems" => &mut at.max_items,
        "maxProperties" => &mut at.max_properties,
        _ => &mut at.max_length,
    };
    *keyword = Some(bound.suggested);
}
