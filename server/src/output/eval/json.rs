//! JSON lines output: one line for each expression or rule, value, and Kubernetes version.

use std::io::{self, Write};

use crd_analyzer_io::escape;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::eval::{CelValue, Iteration, Part, shown};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Answered, Format};
use crate::output::jsonl::write_line;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    help: "JSON lines: one for each expression or rule and Kubernetes version",
    names_version: true,
    print: |out, _, answers| lines(out, answers.version, answers.expression, answers.answered),
};

/// The maximum length of a value, in characters.
const VALUE_WIDTH: usize = 10_000;

#[derive(Serialize)]
struct Line<'a> {
    k8s: String,
    /// The path of the value in the object. Empty if the value is not inside an object.
    path: &'a str,
    /// The index of the rule in its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    expression: &'a str,
    #[serde(rename = "self")]
    this: Option<&'a Value>,
    compile_error: Option<&'a str>,
    r#type: Option<&'a str>,
    cost_estimate: Option<u64>,
    cardinality: Option<u64>,
    cost: Option<u64>,
    uses_old_self: Option<bool>,
    /// The result as a CEL expression, or as a JSON boolean.
    result: Option<Value>,
    eval_error: Option<&'a str>,
    actual_cost: Option<u64>,
    /// The API server's errors for the value because of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Value>,
}

/// Prints the answer to a request of a list as a line of JSON.
pub(crate) fn answer(out: &mut dyn Write, serialized: &str) -> io::Result<()> {
    writeln!(out, "{}", escape::json(serialized))
}

/// Prints the answers of one Kubernetes version.
fn lines(
    out: &mut dyn Write,
    version: KubernetesVersion,
    expression: Option<&str>,
    answered: &[Answered],
) -> io::Result<()> {
    for it in answered {
        let (path, index, text, this, errors) = match it {
            Answered::Expression { place, value, .. } => {
                (place, None, expression.unwrap_or_default(), value.as_ref(), None)
            }
            Answered::Rule {
                place,
                index,
                rule,
                value,
                errors,
                ..
            } => (place, Some(*index), rule.as_str(), Some(value), Some(errors.as_slice())),
        };
        let outcome = it.outcome();
        let compiled = outcome.compiled.as_ref().ok();
        let ran = outcome.ran.as_ref();
        let line = Line {
            k8s: version.to_string(),
            path,
            index,
            expression: text,
            this,
            compile_error: outcome.compiled.as_ref().err().map(|it| it.detail.as_str()),
            r#type: compiled.map(|it| it.type_name.as_str()),
            cost_estimate: compiled.and_then(|it| it.estimate),
            cardinality: compiled.map(|it| it.cardinality),
            cost: compiled.and_then(crd_analyzer_workspace::eval::Compiled::cost),
            uses_old_self: compiled.map(|it| it.uses_old_self),
            result: ran.and_then(|it| it.evaluation.result.as_ref().ok()).map(value),
            eval_error: ran
                .and_then(|it| it.evaluation.result.as_ref().err())
                .map(crd_analyzer_workspace::eval::EvalError::message),
            actual_cost: ran.map(|it| it.evaluation.cost),
            errors,
            explain: ran.and_then(|it| it.parts.as_ref()).map(|it| part(text, it)),
        };
        write_line(out, &line)?;
    }
    Ok(())
}

fn value(value: &CelValue) -> Value {
    match value {
        CelValue::Bool(flag) => Value::Bool(*flag),
        value => Value::String(shown(value, VALUE_WIDTH)),
    }
}

fn part(text: &str, it: &Part) -> Value {
    let mut out = json!({
        "text": text.get(it.bytes.clone()),
        "start": it.bytes.start,
        "end": it.bytes.end,
    });
    match &it.value {
        Some(Ok(result)) => out["value"] = value(result),
        Some(Err(error)) => out["error"] = error.message().into(),
        None => {}
    }
    if !it.parts.is_empty() {
        out["parts"] = it.parts.iter().map(|it| part(text, it)).collect();
    }
    if !it.iterations.is_empty() {
        out["iterations"] = it.iterations.iter().map(|it| iteration(text, it)).collect();
        out["turns_left_out"] = it.iterations_left_out.into();
    }
    out
}

fn iteration(text: &str, it: &Iteration) -> Value {
    let variables = it.variables.iter().map(|(name, result)| {
        let shown = match result {
            Ok(result) => value(result),
            Err(error) => Value::String(format!("error: {}", error.message())),
        };
        (name.to_string(), shown)
    });
    json!({
        "index": it.index,
        "variables": variables.collect::<serde_json::Map<_, _>>(),
        "parts": it.parts.iter().map(|it| part(text, it)).collect::<Vec<_>>(),
    })
}
