//! Compares our answers for the project's own fixtures with the recorded answers of the API server's code, for each Kubernetes version.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::{collections::BTreeMap, path::Path, process::Command};

use crd_analyzer_fixtures::answers::{Scope, differences};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::Value;

type Answers = BTreeMap<(String, u64), Value>;

fn parse(lines: &str) -> impl Iterator<Item = Value> + '_ {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn key(answer: &Value) -> (String, u64) {
    (
        answer["file"].as_str().unwrap_or_default().to_owned(),
        answer["doc"].as_u64().unwrap_or(0),
    )
}

/// The recorded answers by minor version. If a minor version gives the same answers as the newest version, it has no line.
fn golden(folder: &Path) -> BTreeMap<String, Answers> {
    let text = std::fs::read_to_string(folder.join("golden.jsonl")).expect("the golden file is there");
    let mut by_minor: BTreeMap<String, Answers> = KubernetesVersion::all()
        .map(|it| (it.to_string(), Answers::new()))
        .collect();
    for answer in parse(&text) {
        let minor = answer["k8s"].as_str().expect("a minor").to_owned();
        by_minor
            .get_mut(&minor)
            .expect("a known minor")
            .insert(key(&answer), answer);
    }
    let newest = by_minor[&KubernetesVersion::NEWEST.to_string()].clone();
    for answers in by_minor.values_mut() {
        for (key, answer) in &newest {
            answers.entry(key.clone()).or_insert_with(|| answer.clone());
        }
    }
    by_minor
}

#[test]
fn fixtures_are_answered_as_every_minor_answers_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    check(&folder, &folder.join("fixtures"));
}

#[test]
fn policies_are_answered_as_every_minor_answers_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/policies");
    check(&folder, &folder);
}

/// Compares the answers to the requests in one folder with the recorded answers in another folder.
fn check(recorded: &Path, requests: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"))
        .args([
            "check",
            "--no-config",
            "--output",
            "jsonl",
            "--kubernetes-version",
            "all",
            "--list",
            "requests.txt",
        ])
        .current_dir(requests)
        .output()
        .expect("crd-analyzer runs");
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut ours: BTreeMap<String, Answers> = BTreeMap::new();
    for answer in parse(&String::from_utf8(output.stdout).expect("UTF-8")) {
        let minor = answer["k8s"].as_str().unwrap_or_default().to_owned();
        ours.entry(minor).or_default().insert(key(&answer), answer);
    }
    let scope = Scope {
        without_cel: false,
        bad_values: true,
    };
    let mut wrong = Vec::new();
    for (minor, answers) in golden(recorded) {
        let ours = ours.remove(&minor).unwrap_or_default();
        assert_eq!(answers.len(), ours.len(), "as many answers as recorded for {minor}");
        for (key, answer) in &answers {
            for difference in differences(Some(answer), ours.get(key), scope) {
                wrong.push(format!("{minor} {}: {difference}", key.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
