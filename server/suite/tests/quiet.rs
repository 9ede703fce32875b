//! Tests that nothing is reported for manifests in test files, because these contain errors on purpose.

use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Question, analyze},
};

#[track_caller]
fn check(text: &str) {
    let report = analyze(text.as_bytes().to_vec(), &Question::new(VersionSet::default()));
    assert!(report.documents.is_empty() && report.findings.is_empty(), "{report:?}");
}

#[test]
fn nothing_is_said_of_test_files() {
    check(
        "crd: crd.yaml\ntests:\n  - name: a\n    create: {apiVersion: example.com/v1, kind: Widget, spec: 7}\n    expect: rejected\n",
    );
    check(
        "apiVersion: apiextensions.k8s.io/v1\nname: A\ncrdName: a.b\ntests:\n  onCreate:\n    - name: a\n      initial: |\n        \
         apiVersion: apiextensions.k8s.io/v1\n        kind: CustomResourceDefinition\n      expectedError: x\n",
    );
}
