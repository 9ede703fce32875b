//! Checks that our answers for rules match those recorded from the API server's code of each Kubernetes version.
#![allow(clippy::disallowed_methods, reason = "tests read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

#[path = "../src/rules/compare.rs"]
mod compare;
#[path = "../src/rules/ours.rs"]
mod ours;
#[path = "../src/rules/table.rs"]
mod table;

use std::collections::HashMap;
use std::path::Path;

use crd_analyzer_schema::KubernetesVersion;
use serde_json::Value;

#[test]
fn rules_are_answered_as_every_minor_answers_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/rules");
    let text = std::fs::read_to_string(folder.join("rules.txt")).expect("the table is there");
    let requests = table::requests(&text).expect("the table can be read");
    let text = std::fs::read_to_string(folder.join("golden.jsonl")).expect("the golden file is there");
    let mut recorded: HashMap<(u64, usize), Value> = HashMap::new();
    for line in text.lines() {
        let answer: Value = serde_json::from_str(line).expect("a line of JSON");
        let id = answer["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
        recorded.insert((answer["k8s"].as_u64().expect("a minor"), id), answer);
    }
    let differences = &|minor: u8| {
        let mut wrong = Vec::new();
        for (at, request) in requests.iter().enumerate() {
            let theirs = recorded.get(&(minor.into(), at)).or_else(|| recorded.get(&(37, at)));
            let theirs = theirs.unwrap_or_else(|| panic!("{request} is not recorded"));
            let ours = ours::answer(request, KubernetesVersion::minor(minor)).expect("an answer");
            for (what, theirs, ours) in compare::differences(theirs, &ours) {
                let rule = &request["rule"];
                wrong.push(format!("1.{minor} {rule}\n    {what}\n    {theirs}\n    {ours}"));
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (30..=37).map(|minor| scope.spawn(move || differences(minor))).collect();
        running.into_iter().flat_map(|it| it.join().expect("it ends")).collect()
    });
    assert!(requests.len() > 1000, "{} rules were asked", requests.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
