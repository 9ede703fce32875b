//! Generates a first suite for a CRD. It has the smallest valid object and, for each rule, an object that violates the rule if one is found. Each
//! test expects the API server's actual answer, so all tests pass.

mod sample;
mod search;
mod values;

use std::collections::BTreeSet;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Map, Value, json};

use crate::{
    definition::Found,
    errors::Cause,
    run::own::{causes, is_implied},
    sample::{head, test},
    server::{Answer, Server},
    yaml,
};
pub use sample::sample;
use search::Search;

/// A generated suite.
#[derive(Debug)]
pub struct Made {
    /// The text of the suite.
    pub text: String,
    /// The number of tests in the suite.
    pub tests: usize,
    /// The rules for which no object that violates them was found.
    pub missing: Vec<String>,
}

/// The work units for generating an example.
const SEARCHING: u64 = Limits::DOCUMENT.work;

/// The maximum number of tests for keywords, so that a first suite stays readable.
const MOST_KEYWORDS: usize = 40;

/// Generates a suite for the storage version of a CRD. `path` is the path by which the suite names the CRD's file.
pub fn suite(definition: &Found, path: &str, kubernetes: KubernetesVersion) -> Result<Made, String> {
    let server = Server::install(&definition.value, None, kubernetes)?;
    let versions = definition.value.pointer("/spec/versions").and_then(Value::as_array);
    let version = versions
        .into_iter()
        .flatten()
        .find(|it| it["name"] == definition.version())
        .ok_or("it has no version")?;
    let schema = version.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
    let mut search = Search::new(&server, definition, &schema);
    let base = search.accepted()?;
    let mut tests = vec![smallest(&base, &search.create(&base))];
    tests.extend(keywords(&mut search, &base));
    let (rules, missing) = rules(&mut search, &base);
    tests.extend(rules);
    Ok(Made {
        tests: tests.len(),
        text: written(path, kubernetes, &tests, &missing),
        missing,
    })
}

/// A small object of a version of a CRD, as YAML. The API server of this Kubernetes version accepts it under strict field validation. The error is
/// the reason why no such object was found.
pub fn example(definition: &Found, version: &str, kubernetes: KubernetesVersion) -> Result<String, String> {
    let only = Found {
        value: definition.only(Some(version))?,
        ..definition.clone()
    };
    let server = Server::install(&only.value, None, kubernetes)?;
    let schema = only.value.pointer("/spec/versions/0/schema/openAPIV3Schema");
    let schema = schema.cloned().unwrap_or_default();
    let search = Search::new(&server, &only, &schema);
    let (object, ended) = budget::within(
        Limits {
            work: SEARCHING,
            ..Limits::NONE
        },
        || search.accepted(),
    );
    if let Some(unfinished) = ended.unfinished {
        return Err(unfinished.to_string());
    }
    Ok(yaml::block(&search.whole(&object?), 0))
}

fn smallest(base: &Value, answer: &Answer) -> Value {
    let expect = if answer.defaulted.is_empty() {
        json!("accepted")
    } else {
        let defaulted: Map<String, Value> = answer.defaulted.iter().cloned().collect();
        json!({"defaulted": defaulted})
    };
    json!({"name": "the smallest object", "create": base, "expect": expect})
}

/// Tests for validation keywords.
fn keywords(search: &mut Search<'_>, base: &Value) -> Vec<Value> {
    let mut tests = Vec::new();
    let mut names = BTreeSet::new();
    for place in search.places() {
        if tests.len() >= MOST_KEYWORDS {
            break;
        }
        if !place.is_alone() {
            continue;
        }
        let shown = &place.shown;
        let mut tries = Vec::new();
        if place.is_required && values::at(base, &place.path).is_some() {
            tries.push((format!("{shown} is required"), None));
        }
        let refused = values::refused(place.schema).into_iter();
        tries.extend(refused.map(|it| (format!("{shown} {}", it.rule), Some(it.value))));
        for (name, value) in tries {
            let Some(object) = values::with(base, search.schema, &place.path, value) else {
                continue;
            };
            let answer = search.create(&object);
            let found = explicit(&answer);
            // All errors must be at this field, so that the test checks only one thing.
            let is_about = |it: &Cause| it.field == *shown || it.field.starts_with(&format!("{shown}["));
            if !found.is_empty() && found.iter().all(is_about) && names.insert(name.clone()) {
                tests.push(json!({"name": name, "create": object, "expect": rejected(&found)}));
            }
        }
    }
    tests
}

/// Tests for validation rules, and the rules for which no test was found.
fn rules(search: &mut Search<'_>, base: &Value) -> (Vec<Value>, Vec<String>) {
    let (mut tests, mut missing) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    for rule in search.rules() {
        let Some(broken) = search.broken(base, &rule) else {
            missing.push(format!("{}: {}", rule.place(), rule.text));
            continue;
        };
        let mut name = rule.name();
        while !names.insert(name.clone()) {
            name.push_str(" (again)");
        }
        let expect = rejected(&explicit(&broken.answer));
        tests.push(match broken.from {
            None => json!({"name": name, "create": broken.object, "expect": expect}),
            Some(from) => json!({"name": name, "update": {"from": from, "to": broken.object}, "expect": expect}),
        });
    }
    (tests, missing)
}

/// The causes that an expectation must list.
fn explicit(answer: &Answer) -> Vec<Cause> {
    let refusal = answer.strict_refusal();
    let found = refusal.map(|it| causes(&it)).unwrap_or_default();
    found.into_iter().filter(|it| !is_implied(it)).collect()
}

fn rejected(found: &[Cause]) -> Value {
    let causes: Vec<Value> = found.iter().map(Cause::expectation).collect();
    json!({"rejected": causes})
}

fn written(path: &str, kubernetes: KubernetesVersion, tests: &[Value], missing: &[String]) -> String {
    let mut text = head(path, kubernetes);
    for it in tests {
        text.push_str(&test(it));
        text.push('\n');
    }
    if !missing.is_empty() {
        text.push_str("  # No object was found that breaks these rules:\n");
        for rule in missing {
            text.push_str("  #   ");
            text.push_str(&rule.split_whitespace().collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
    }
    format!("{}\n", text.trim_end())
}
