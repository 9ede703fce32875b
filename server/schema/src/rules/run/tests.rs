use serde_json::{Value, json};

use super::Validator;
use crate::KubernetesVersion;
use crate::field::{Path, Segment};
use crate::structural::Structural;
use crate::testing::{kubernetes_cases, schema};

/// The messages of one run, and what it left of the budget.
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
    let (errors, left) = validator.validate(&path, &input["object"], old, budget);
    let texts = errors.iter().map(|it| it.to_string().replace("selfType#", "selfType0"));
    (texts.collect(), left)
}

fn check_table(name: &str) {
    let mut wrong = Vec::new();
    for case in kubernetes_cases(name) {
        let varies = json!("varies-from-run-to-run");
        let varies = case["flags"].as_array().is_some_and(|flags| flags.contains(&varies));
        if varies || case["input"].get("ratcheting").is_some() {
            continue;
        }
        let (mut seen, left) = run(&case["input"], KubernetesVersion::NEWEST);
        seen.sort_unstable();
        let actual = &case["actual"];
        let mut expected: Vec<String> = actual["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| it["text"].as_str().unwrap_or_default().to_owned())
            .collect();
        expected.sort_unstable();
        if seen != expected {
            wrong.push(format!("{}: {seen:#?} instead of {expected:#?}", case["id"]));
        } else if actual["remaining_budget"].as_i64().is_some_and(|it| it != left) {
            wrong.push(format!(
                "{}: {left} left instead of {}",
                case["id"], actual["remaining_budget"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn errors_are_those_of_the_server() {
    check_table("cel_validate");
}

#[test]
fn costs_are_those_of_the_server() {
    check_table("cel_cost_runtime");
}
