//! Reads lines of `{"crd_text", "text", "old_text"?}` from standard input, and prints the validation errors of the values. This corresponds to the
//! value validation of `oracle cr`. `compare.py` runs both programs.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::print_stdout, reason = "it answers on standard output")]

use std::io::BufRead;
use std::sync::Arc;

use crd_analyzer_apiextensions::decode::decode;
use crd_analyzer_apiextensions::internal;
use crd_analyzer_apiextensions::strategy::judge_create;
use crd_analyzer_schema::defaulting::{prune_nulls, set_defaults};
use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::pruning::prune;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::validation::Validator;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};
use serde_json::{Value, json};

fn main() {
    let minor = std::env::args()
        .nth(1)
        .and_then(|minor| minor.parse().ok())
        .expect("usage: answer MINOR");
    let version = KubernetesVersion::minor(minor);
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.expect("a line")).expect("a request");
        let text = |name: &str| request[name].as_str().map(Arc::<str>::from);
        if request["text"].is_null() {
            let text = text("crd_text").expect("crd_text");
            println!("{}", definition_answer(&request["id"], &text, version));
            continue;
        }
        let schema = schema(
            &text("crd_text").expect("crd_text"),
            request["version"].as_str(),
            version,
        );
        let value = pruned(&text("text").expect("text"), &schema);
        let validator = Validator::new(&schema, version);
        let errors = match text("old_text") {
            Some(old) => validator.validate_update(&Path::root(), &value, &pruned(&old, &schema)),
            None => validator.validate(&Path::root(), &value),
        };
        println!("{}", json!({"id": request["id"], "errors": listed(&errors)}));
    }
}

fn listed(errors: &[Error]) -> Vec<Value> {
    errors
        .iter()
        .map(|error| {
            json!({
                "type": error.kind.reason(), "field": error.path.to_string(), "detail": error.detail,
                "bad_value": error.bad_value,
            })
        })
        .collect()
}

/// The answer to creating the CRD itself. A CRD contains values as defaults.
fn definition_answer(id: &Value, text: &Arc<str>, version: KubernetesVersion) -> Value {
    let tree = read(text, whole(text)).expect("it reads");
    let document = read_json(&tree).expect("it converts");
    let verdict = judge_create(&document, version, None);
    json!({"id": id, "errors": listed(&verdict.errors)})
}

fn whole(text: &str) -> Span {
    Span {
        start: 0,
        end: text.len() as u32,
    }
}

fn value(text: &Arc<str>) -> Value {
    let tree = read(text, whole(text)).expect("it reads");
    let document = read_json(&tree).expect("it converts");
    document.root().expect("it is not empty").to_value()
}

fn pruned(text: &Arc<str>, schema: &JsonSchemaProps) -> Value {
    let mut value = value(text);
    prune_nulls(&mut value, Some(Structural::assume(schema)));
    set_defaults(&mut value, Known::ALL, Some(Structural::assume(schema)));
    prune(&mut value, Some(Structural::assume(schema)), true);
    value
}

/// The schema of the version `name`, or of the only version.
fn schema(text: &Arc<str>, name: Option<&str>, version: KubernetesVersion) -> JsonSchemaProps {
    let tree = read(text, whole(text)).expect("it reads");
    let document = read_json(&tree).expect("it converts");
    let Ok(decoded) = decode(document.root(), version) else {
        panic!("it does not decode")
    };
    let (definition, _) = internal::of(decoded.definition);
    let mut spec = definition.spec;
    let of_version = spec
        .versions
        .iter_mut()
        .find(|version| name.is_none_or(|name| version.name == name));
    let validation = of_version.and_then(|version| version.schema.take()).or(spec.validation);
    validation
        .and_then(|validation| validation.open_api_v3_schema)
        .unwrap_or_default()
}
