//! The errors and warnings of running a schema's rules.

use crd_analyzer_fixtures::tables::Table;
use serde_json::{Value, json};

use super::{Request, RuleError, Validator};
use crate::KubernetesVersion;
use crate::field::{Path, Segment};
use crate::structural::Structural;
use crate::testing::schema;
use crate::unknown::Known;

/// The messages of one run, errors before warnings, and the remaining budget.
fn run(input: &Value, version: KubernetesVersion) -> (Vec<String>, i64) {
    let schema = schema(&input["schema"]);
    let is_root = input["is_root"] == true;
    let validator = Validator::even_without_rules(Structural::assume(&schema), is_root, version)
        .with_per_call_limit(input["per_call_limit"].as_u64().unwrap_or(super::PER_CALL_LIMIT));
    let path: Path = input["field_path"]
        .as_str()
        .map(|it| Segment::Field(it.to_owned()))
        .into_iter()
        .collect();
    let old = input.get("old_object");
    let budget = input["cost_budget"].as_i64().unwrap_or(super::RUNTIME_BUDGET);
    let outcome = validator.run(&Request {
        path: &path,
        value: &input["object"],
        known: Known::ALL,
        old,
        ratcheting: (input["ratcheting"] == true).then_some(&schema),
        budget,
        wants_reads: false,
    });
    let text = |it: &RuleError| it.error.to_string().replace("selfType#", "selfType0");
    let warnings = outcome.warnings.iter().map(|it| format!("warning: {}", text(it)));
    (outcome.errors.iter().map(text).chain(warnings).collect(), outcome.left)
}

/// The difference between a result and one of the API server's observed outcomes; `None` if they agree.
fn difference(case: &Value, outcome: &Value, seen: &[String], left: i64) -> Option<String> {
    let errors = outcome["errors"].as_array().into_iter().flatten();
    let mut expected: Vec<String> = errors
        .map(|it| it["text"].as_str().unwrap_or_default().to_owned())
        .collect();
    let warnings = case["expect"]["warnings"].as_array().into_iter().flatten();
    expected.extend(warnings.map(|it| format!("warning: {}", it.as_str().unwrap_or_default())));
    expected.sort_unstable();
    if seen != expected {
        return Some(format!("{}: {seen:#?} instead of {expected:#?}", case["id"]));
    }
    let budget = &outcome["remaining_budget"];
    let differs = budget.as_i64().is_some_and(|it| it != left);
    differs.then(|| format!("{}: {left} left instead of {budget}", case["id"]))
}

fn check_table(name: &str) {
    let mut table = Table::open(name);
    for case in table.cases() {
        let (mut seen, left) = run(&case["input"], KubernetesVersion::NEWEST);
        seen.sort_unstable();
        // Some outcomes depend on the order of a Go map, so a case can list several correct outcomes.
        let outcomes = std::iter::once(&case["actual"]).chain(case["also"].as_array().into_iter().flatten());
        let differences: Vec<_> = outcomes.map(|it| difference(&case, it, &seen, left)).collect();
        let agrees = differences.contains(&None);
        table.judge(differences.into_iter().next().flatten().filter(|_| !agrees));
    }
    table.finish();
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn errors_are_those_of_the_server() {
    check_table("cel_validate");
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn costs_are_those_of_the_server() {
    check_table("cel_cost_runtime");
}

#[track_caller]
fn check(minor: u8, keywords: &Value, rule: &Value, value: &Value, expected: &[&str]) {
    let mut schema = keywords.clone();
    schema["x-kubernetes-validations"] = json!([rule]);
    let input = json!({"schema": schema, "object": value, "field_path": "a"});
    assert_eq!(
        run(&input, KubernetesVersion::minor(minor)).0,
        expected,
        "{minor} {rule}"
    );
}

#[test]
fn sums_of_sets_count_as_each_server_counts() {
    let set = json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"});
    // Up to 1.36 the set keeps the elements that the rule added, so the message expression adds nothing.
    let rule = json!({"rule": "size(self + [2, 5]) == 77", "messageExpression": "string(size(self + [2, 5]))"});
    check(36, &set, &rule, &json!([1, 2]), &["a: Invalid value: 2"]);
    check(37, &set, &rule, &json!([1, 2]), &["a: Invalid value: 3"]);
}

#[test]
fn formats_are_read_as_the_server_reads_them() {
    let rule = json!({"rule": "string(self) == ''", "messageExpression": "string(self)"});
    let read = |format: &str, text: &str, expected: &str| {
        let schema = json!({"type": "string", "format": format});
        check(
            34,
            &schema,
            &rule,
            &json!(text),
            &[&format!("a: Invalid value: \"string\": {expected}")],
        );
    };
    read("duration", "2 days", "172800s");
    read("date", "2024-01-02", "2024-01-02T00:00:00Z");
    read("date-time", "2024-01-02T03:04:05", "2024-01-02T03:04:05Z");
    read(
        "byte",
        "a+b/",
        "Invalid byte formatted string a+b/: illegal base64 data at input byte 1 evaluating rule: string(self) == ''",
    );
}

#[test]
fn map_lists_equal_the_data_inside_of_an_optional() {
    let schema = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": {"type": "string"}, "level": {"type": "integer"}}},
        "x-kubernetes-validations": [{"rule": "oldSelf.hasValue() && self == oldSelf.value()", "optionalOldSelf": true}],
    });
    let old = json!([{"name": "a", "level": 1}, {"name": "b", "level": 2}]);
    let same = json!([{"name": "b", "level": 2}, {"name": "a", "level": 1}]);
    let other = json!([{"name": "b", "level": 3}, {"name": "a", "level": 1}]);
    for minor in [30, 36, 37] {
        let errors = |new: &Value| {
            let input = json!({"schema": schema, "object": new, "old_object": old, "field_path": "a"});
            run(&input, KubernetesVersion::minor(minor)).0.len()
        };
        assert_eq!((errors(&same), errors(&other)), (0, 1), "{minor}");
    }
}
