//! Compares the answers for custom resources with recordings of the API server's code of each Kubernetes version.
#![allow(clippy::disallowed_methods, reason = "tests read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

#[path = "../../conformance/src/resources/answer.rs"]
mod answer;
#[path = "../../conformance/src/resources/compare.rs"]
mod compare;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use answer::Answerer;
use crd_analyzer_fixtures::resources::cases;
use crd_analyzer_schema::KubernetesVersion;
use serde_json::Value;

/// The recorded answers by Kubernetes version, file and case. A Kubernetes version without an entry answers like the newest one.
fn recorded(folder: &Path) -> BTreeMap<(u8, String), Value> {
    let text = std::fs::read_to_string(folder.join("golden.jsonl")).expect("the golden file is there");
    let answers = text.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).expect("a line of JSON");
        let minor = answer["k8s"]
            .as_str()
            .and_then(|it| it.strip_prefix("1.")?.parse().ok());
        let id = answer["cr"].as_str().expect("a case").to_owned();
        ((minor.expect("a minor"), id), answer)
    });
    answers.collect()
}

#[test]
fn resources_are_answered_as_every_minor_answers_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/resources");
    let recorded = recorded(&folder);
    let mut wrong = Vec::new();
    let mut asked = 0;
    for file in std::fs::read_dir(&folder).expect("the folder of fixtures") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|it| it != "yaml") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let (definition, cases) = cases(&text);
        let definition: Arc<str> = definition.into();
        for version in KubernetesVersion::all() {
            let minor = version.number();
            let mut answerer = Answerer::new(version);
            for case in &cases {
                let id = format!("{name} {}", case.label);
                let newest = (KubernetesVersion::NEWEST.number(), id.clone());
                let theirs = recorded.get(&(minor, id.clone())).or_else(|| recorded.get(&newest));
                let ours = answerer.answer(&definition, &id, &case.text, case.old.as_deref(), case.is_status);
                asked += 1;
                let theirs = theirs.unwrap_or_else(|| panic!("{id} is not recorded"));
                for difference in compare::differences(theirs, ours.first()) {
                    wrong.push(format!("1.{minor} {id}: {difference}"));
                }
            }
        }
    }
    assert!(asked > 400, "{asked} cases were asked");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
