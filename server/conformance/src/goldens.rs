//! Records the API server's answers for the project's own fixtures and each Kubernetes version, so that tests do not need Go.
//!
//! Creates `tests/conformance/fixtures/create/*.yaml`, and replaces `NAME.old.yaml` by `NAME.new.yaml` in `tests/conformance/fixtures/update`. Custom
//! resources are in `tests/conformance/resources`, rules in `tests/conformance/rules`. The golden files contain all answers of the newest Kubernetes
//! version, and the answers of other versions that differ.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, process::Command};

use anyhow::Context as _;
use crd_analyzer_schema::KubernetesVersion;
use serde_json::Value;

use crate::{peers, resources, rules};

/// Record the golden files.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Only check that the golden files are up to date.
    #[arg(long)]
    check: bool,
}

const OLDEST: u8 = KubernetesVersion::OLDEST.number();
const NEWEST: u8 = KubernetesVersion::NEWEST.number();

/// The requests for all fixtures, one per line, named by their path in the fixtures folder.
fn requests(fixtures: &Path) -> anyhow::Result<Vec<String>> {
    let mut requests = Vec::new();
    for kind in ["create", "update"] {
        for file in std::fs::read_dir(fixtures.join(kind))? {
            let name = file?.file_name().to_string_lossy().into_owned();
            match (kind, name.strip_suffix(".new.yaml")) {
                ("update", Some(stem)) => requests.push(format!("{kind}/{name}\t{kind}/{stem}.old.yaml")),
                ("update", None) => {}
                _ => requests.push(format!("{kind}/{name}")),
            }
        }
    }
    requests.sort();
    Ok(requests)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let definitions = of_definitions(args)?;
    let rules = of_rules(args)?;
    Ok(of_resources(args)? && definitions && rules)
}

/// Records `tests/conformance/rules`: each rule of its table.
fn of_rules(args: &Args) -> anyhow::Result<bool> {
    let folder = peers::root().join("tests/conformance/rules");
    let requests = rules::table::requests(&std::fs::read_to_string(folder.join("rules.txt"))?)?;
    let mut newest: Vec<Value> = Vec::new();
    let mut golden = String::new();
    for minor in (OLDEST..=NEWEST).rev() {
        let answers = rules::ask(&peers::oracle(minor)?, &requests)?;
        let answers: Vec<Value> = answers.iter().map(recorded).collect();
        for (at, answer) in answers.iter().enumerate() {
            if newest.get(at) == Some(answer) {
                continue;
            }
            let mut answer = answer.clone();
            answer["id"] = at.to_string().into();
            answer["k8s"] = minor.into();
            writeln!(golden, "{}", line(&answer))?;
        }
        if minor == NEWEST {
            newest = answers;
        }
    }
    keep(args, &folder.join("golden.jsonl"), &golden, requests.len())
}

/// Records `tests/conformance/resources`. Its README describes the files.
fn of_resources(args: &Args) -> anyhow::Result<bool> {
    let folder = peers::root().join("tests/conformance/resources");
    let cases = resources::fixtures(&folder)?;
    let mut newest = BTreeMap::new();
    let mut golden = String::new();
    for minor in (OLDEST..=NEWEST).rev() {
        let mut answers = resources::ask(&peers::oracle(minor)?, &cases)?;
        for case in &cases {
            let mut of_case = answers.remove(&case.id).unwrap_or_default();
            anyhow::ensure!(of_case.len() == 1, "{} has {} answers", case.id, of_case.len());
            let mut answer = of_case.remove(0);
            let object = answer.as_object_mut().context("an answer is an object")?;
            // The CRD is already in the file.
            object.remove("crd");
            if let Some(errors) = object.get_mut("errors").and_then(Value::as_array_mut) {
                // If errors differ only in their value, the oracle returns them in the random order of Go maps.
                errors
                    .sort_by_key(|error| ["field", "type", "detail", "bad_value"].map(|part| error[part].to_string()));
            }
            let version = object.remove("k8s").unwrap_or_default();
            if minor == NEWEST {
                newest.insert(case.id.clone(), answer.clone());
            } else if newest.get(&case.id) == Some(&answer) {
                continue;
            }
            answer["k8s"] = version;
            writeln!(golden, "{}", line(&answer))?;
        }
    }
    keep(args, &folder.join("golden.jsonl"), &golden, cases.len())
}

/// The non-empty fields of an answer for a rule. Only these are recorded.
fn recorded(answer: &Value) -> Value {
    let mut kept = answer.clone();
    if let Some(fields) = kept.as_object_mut() {
        for field in ["file", "k8s", "stack"] {
            fields.remove(field);
        }
        fields.retain(|_, value| !value.is_null());
    }
    kept
}

fn of_definitions(args: &Args) -> anyhow::Result<bool> {
    let folder = peers::root().join("tests/conformance");
    let fixtures = folder.join("fixtures");
    let requests = requests(&fixtures)?;
    let mut newest = BTreeMap::new();
    let mut golden = String::new();
    for minor in (OLDEST..=NEWEST).rev() {
        let oracle = peers::oracle(minor)?;
        let answers = peers::ask(
            Command::new(oracle).args(["crd", "-list", "-"]).current_dir(&fixtures),
            &requests,
        )?;
        for (key, mut answer) in answers {
            let object = answer.as_object_mut().context("an answer is an object")?;
            object.remove("stack");
            let version = object.remove("k8s").unwrap_or_default();
            if minor == NEWEST {
                newest.insert(key, answer.clone());
            } else if newest.get(&key) == Some(&answer) {
                continue;
            }
            answer["k8s"] = version;
            writeln!(golden, "{}", line(&answer))?;
        }
    }
    let is_fresh = keep(args, &folder.join("golden.jsonl"), &golden, requests.len())?;
    if !args.check {
        std::fs::write(fixtures.join("requests.txt"), requests.join("\n") + "\n")?;
    }
    Ok(is_fresh)
}

/// Writes a golden file, or only checks whether it is up to date.
fn keep(args: &Args, path: &Path, golden: &str, requests: usize) -> anyhow::Result<bool> {
    if args.check {
        let same = std::fs::read_to_string(path)? == golden;
        let state = if same {
            "what the servers answer"
        } else {
            "stale: run `cargo conformance goldens`"
        };
        println!("{} is {state}", path.display());
        return Ok(same);
    }
    std::fs::write(path, golden)?;
    let answers = golden.lines().count();
    println!("{requests} requests, {answers} answers in {}", path.display());
    Ok(true)
}

fn line(answer: &Value) -> String {
    answer.to_string()
}
