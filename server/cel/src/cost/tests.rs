//! Tests of the cost estimates of expressions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{NoSizes, SizeEstimate, SizeEstimator, estimate};
use crate::KubernetesVersion;
use crate::decls::{Container, Environment, Variable};
use crate::testing::{compile, environment_of, has_flag, variables_of};
use crd_analyzer_fixtures::tables::Table;

/// The maximum sizes of values, by path.
struct Hints<'a>(&'a Value);

impl SizeEstimator for Hints<'_> {
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate> {
        let max = self.0.get(path.join("."))?.as_u64()?;
        Some(SizeEstimate { min: 0, max })
    }
}

fn check_case(
    case: &Value,
    environment: &Arc<Environment>,
    variables: &[Variable],
    sizes: &dyn SizeEstimator,
) -> Option<String> {
    let text = case["input"]["expr"].as_str().expect("an expression");
    let checked = compile(text, environment, variables, &Container::default());
    let actual = match checked {
        Ok(checked) => {
            let cost = estimate(&checked, environment.features(), sizes);
            json!({"min": cost.min, "max": cost.max})
        }
        Err(error) => error.into(),
    };
    let expected = &case["actual"]["estimate"];
    (actual != *expected).then(|| format!("{text}: {actual} instead of {expected}"))
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn estimates_are_those_of_cel_go() {
    let mut table = Table::open("celgo_checker");
    for case in table.cases() {
        // In these tests, the estimator itself sets the cost of getFullYear and max.
        let own_prices = ["estimated function call", "bytes list max"];
        let name = case["case"].as_str().unwrap_or_default();
        let reason = if case["kind"] != "cel-cost-estimate" {
            Some("are about types")
        } else if has_flag(&case, &["cost-options"]) {
            Some("set options of the estimate that Kubernetes does not")
        } else if own_prices.contains(&name) {
            Some("price functions themselves")
        } else {
            None
        };
        if let Some(reason) = reason {
            table.except(reason);
            continue;
        }
        let declared = case["input"]["vars"].as_array().expect("variables");
        let mut variables = Vec::new();
        for variable in declared {
            let ty = variable["type"].as_str().expect("a type").parse().expect("a type");
            variables.push(Variable::new(variable["name"].as_str().expect("a name"), ty));
        }
        if declared
            .iter()
            .any(|variable| variable["type"].as_str().is_some_and(|ty| ty.contains("google.expr")))
            || case["input"]["expr"]
                .as_str()
                .is_some_and(|text| text.contains("google.expr"))
        {
            table.except("use protobuf messages of the tests");
            continue;
        }
        let mut environment = Environment::standard(KubernetesVersion::NEWEST);
        environment.features_mut().cross_type_numeric_comparisons = false;
        let hints = Hints(&case["input"]["size_hints"]);
        table.judge(check_case(&case, &Arc::new(environment), &variables, &hints));
    }
    table.finish();
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn library_estimates_are_those_of_the_server() {
    for name in ["lib_cost", "celgo_ext"] {
        let mut table = Table::open(name);
        for case in table.cases() {
            let test = case["test"].as_str().unwrap_or_default();
            let priced =
                name == "lib_cost" || matches!(test, "TestSets" | "TestTwoVarComprehensionsCost" | "TestListsCosts");
            // The original tests have their own estimators, which know sizes of elements and variables that are not in the tables.
            let text = case["input"]["expr"].as_str().unwrap_or_default();
            let foreign = ["'012345678901'", ".join(", "jsonpatch.", "x."]
                .iter()
                .any(|part| text.contains(part));
            let reason = if case["actual"]["estimate"].is_null() {
                Some("have no estimate")
            } else if !priced {
                Some("have estimates with options that Kubernetes does not set")
            } else if foreign {
                Some("know sizes that the table does not tell")
            } else {
                None
            };
            if let Some(reason) = reason {
                table.except(reason);
                continue;
            }
            let Some(environment) = environment_of(&case) else {
                table.except("use libraries that Kubernetes does not have");
                continue;
            };
            let variables = variables_of(&case["input"]["env"]["vars"]);
            table.judge(check_case(&case, &Arc::new(environment), &variables, &NoSizes));
        }
        table.finish();
    }
}
