//! Complete CRDs from the test tables of the Kubernetes project: the errors of API servers of 1.37 on creation.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::judge_create;
use crd_analyzer_apiextensions::validation::CelCompiler;
use crd_analyzer_fixtures::tables::cases;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::Error;
use crd_analyzer_syntax::json::{JsonDoc, read_json};
use crd_analyzer_syntax::tree::Span;
use serde_json::Value;

const VERSION: KubernetesVersion = KubernetesVersion::minor(37);

fn with_document<T>(definition: &Value, look: impl FnOnce(&JsonDoc<'_>) -> T) -> T {
    let text: Arc<str> = Arc::from(definition.to_string());
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("it is YAML");
    look(&read_json(&tree).expect("it is JSON"))
}

/// The message. The API server's compiler adds a number that depends on the current time to the type name of `self`; in the tables, this number is
/// zero.
fn line(error: &Error) -> String {
    error.to_string().replace("selfType#", "selfType0")
}

fn check(name: &str) {
    let compiler = CelCompiler::new(VERSION);
    for case in cases(name) {
        if case["input"].get("old_crd").is_some() {
            continue;
        }
        let verdict = with_document(&case["input"]["crd"], |document| {
            judge_create(document, VERSION, Some(&compiler))
        });
        let mut seen: Vec<String> = verdict.errors.iter().map(line).collect();
        seen.sort_unstable();
        let errors = case["actual"]["pipeline"]["errors"].as_array().into_iter().flatten();
        let mut expected: Vec<&str> = errors.filter_map(|it| it["text"].as_str()).collect();
        expected.sort_unstable();
        let id = case["id"].as_str().expect("a case has an id");
        assert_eq!(seen, expected, "{id}");
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn creates() {
    check("crd_create");
    check("crd_approval");
    check("crd_warnings");
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn definitions_around_the_schemas_of_other_tables() {
    check("derived_crd");
}
