//! Test suites in both formats with their CRDs, and patches of CRDs.

use std::{path::Path, sync::Arc};

use crd_analyzer_suite::{
    Wanted,
    choose::{FeatureGates, variants},
    definition::definitions,
    init, is_suite, may_be_suite, read, rewrite, run,
    update::edits,
};
use crd_analyzer_workspace::config::versions::VersionSet;

use crate::{
    Target,
    dictionary::{JSON, YAML, owned},
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "suite",
    run: run_suite,
    seeds: |cases| {
        let own = cases
            .suites
            .iter()
            .map(|(suite, definition)| input(&[0, 0], &[suite, definition]));
        let their = cases
            .suites
            .iter()
            .map(|(_, definition)| input(&[0, 0], &[THEIRS, definition]));
        let made = cases.definitions.iter().filter(|it| it.len() < 2500);
        let made = made.map(|it| input(&[0, 1], &[OWN, it]));
        own.chain(their).chain(made).collect()
    },
    words: || {
        let mut words = owned(YAML);
        words.extend(owned(WORDS));
        words
    },
};

pub(super) const PATCH: Target = Target {
    name: "patch",
    run: run_patch,
    seeds: |_| PATCHES.iter().map(|it| input(&[0], &[it, DEFINITION])).collect(),
    words: || {
        let mut words = owned(JSON);
        words.extend(owned(PATCH_WORDS));
        words
    },
};

const WORDS: &[&str] = &[
    "crd: ",
    "tests:\n",
    "  - name: a\n",
    "    create: ",
    "    update:\n      from: ",
    "      to: ",
    "    updateStatus:\n",
    "    expect: ",
    "accepted",
    "rejected",
    "rejected: [",
    "defaulted: {",
    "pruned: [",
    "stored: {",
    "warnings: []",
    "kubernetesVersions: 1.30..1.37",
    "field: ",
    "detail: ",
    "contains: ",
    "type: Invalid value",
    "crdName: ",
    "featureGate: ",
    "featureGates: [",
    "onCreate:\n",
    "onUpdate:\n",
    "initial: |\n",
    "expected: |\n",
    "expectedError: ",
    "expectedStatusError: ",
    "initialCRDPatches:\n",
    "resourceName: ",
    "version: v1",
];

const PATCH_WORDS: &[&str] = &[
    "{\"op\":\"add\",\"path\":\"/",
    "{\"op\":\"remove\",\"path\":\"/",
    "{\"op\":\"replace\",\"path\":\"/",
    "{\"op\":\"copy\",\"from\":\"/",
    "{\"op\":\"move\",\"from\":\"/",
    "{\"op\":\"test\",\"path\":\"/",
    "\"value\":",
    "\"path\":\"/",
    "/spec",
    "/versions",
    "/0",
    "/-",
    "/name=v1",
    "~1",
    "~0",
    "/schema",
    "/openAPIV3Schema",
    "/properties",
];

const PATCHES: &[&str] = &[
    r#"[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations"}]"#,
    r#"[{"op":"add","path":"/spec/versions/name=v1/schema/openAPIV3Schema/properties/spec/properties/size","value":{"type":"integer","maximum":3}},
        {"op":"replace","path":"/spec/names/plural","value":"gadgets"},{"op":"test","path":"/spec/scope","value":"Namespaced"}]"#,
    r#"[{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/-"},{"op":"move","from":"/metadata/name","path":"/metadata/x~1y~0z"}]"#,
];

const OWN: &str = "crd: crd.yaml\ntests:\n  - name: smallest\n    create: {spec: {}}\n    expect: accepted\n  - name: other\n    update:\n      from: {spec: {size: 1}}\n      \
                   to: {spec: {size: x}}\n    expect:\n      rejected: [{type: Invalid value, field: spec.size, contains: integer}]\n";

const THEIRS: &str = "apiVersion: apiextensions.k8s.io/v1\nname: a\ncrdName: crontabs.stable.example.com\nversion: v1\ntests:\n  onCreate:\n    - name: a\n      initial: |\n        \
    apiVersion: stable.example.com/v1\n        kind: CronTab\n        spec: {replicas: 1}\n      expected: |\n        apiVersion: stable.example.com/v1\n        kind: CronTab\n        \
    spec: {replicas: 2}\n  onUpdate:\n    - name: b\n      initialCRDPatches:\n        - {op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/required}\n      \
    initial: |\n        apiVersion: stable.example.com/v1\n        kind: CronTab\n        spec: {}\n      updated: |\n        apiVersion: stable.example.com/v1\n        kind: CronTab\n        \
    spec: {replicas: 200}\n      expectedError: too many\n";

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
    names: {plural: widgets, kind: Widget}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
    spec:\n            type: object\n            x-kubernetes-validations: [{rule: \"self.size != 5\"}]\n            properties:\n              size: {type: integer, maximum: 9, default: 1}\n";

/// The maximum number of tests of a suite to run. More tests would be slow.
const MOST_TESTS: usize = 12;

fn run_suite(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let flags = input.number();
    let (text, defined) = (input.text(), input.text());
    let path = Path::new("a.test.yaml");
    let _ = (may_be_suite(path), is_suite(path, &text));
    let found = definitions("crd.yaml", &defined);
    judge(&text, &defined, VersionSet::one(version));
    let gates: Vec<FeatureGates> = FeatureGates::read(&text).into_iter().collect();
    drop(variants(found.clone(), &["A".to_owned(), "-B".to_owned()], &gates));
    if flags & 1 != 0
        && let Some(found) = found.first()
        && let Ok(made) = init::suite(found, "crd.yaml", version)
    {
        let suite: Arc<str> = made.text.into();
        let read = read(&suite).unwrap_or_else(|problems| panic!("{problems:?} in what was made: {suite:?}"));
        assert_eq!(read.cases.len(), made.tests, "tests of {suite:?}");
    }
}

fn run_patch(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let (patches, definition) = (input.text(), input.text());
    // The patches are JSON on one line, so that they are valid YAML at any place.
    let patches: String = patches.split_whitespace().collect::<Vec<_>>().join(" ");
    let suite = format!(
        "apiVersion: apiextensions.k8s.io/v1\nname: a\ncrdName: widgets.example.com\ntests:\n  onUpdate:\n    - name: b\n      initialCRDPatches: {patches}\n      initial: |\n        \
         apiVersion: example.com/v1\n        kind: Widget\n        spec: {{size: 5}}\n      updated: |\n        apiVersion: example.com/v1\n        kind: Widget\n        spec: {{size: 5}}\n"
    );
    judge(&suite.into(), &definition, VersionSet::one(version));
}

/// Reads and runs a suite, and writes the actual results into it.
fn judge(text: &Arc<str>, defined: &Arc<str>, versions: VersionSet) {
    let suite = match read(text) {
        Ok(suite) => suite,
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert_in(text, problem.span);
            }
            return;
        }
    };
    for warning in &suite.warnings {
        assert_in(text, warning.span);
    }
    if suite.cases.len() > MOST_TESTS {
        return;
    }
    let mut found = definitions("crd.yaml", defined);
    if let Wanted::Name { .. } = suite.wanted {
        found.truncate(1);
    }
    // Without a CRD, the command reports an error instead of running the suite.
    if found.is_empty() {
        return;
    }
    let outcomes = run::run(&suite, &found, versions, |_| true);
    for failed in outcomes.iter().flat_map(|it| &it.failures) {
        assert_in(text, failed.failure.span);
    }
    for outcome in &outcomes {
        outcome.answers().for_each(drop);
    }
    let updates = edits(&suite, &outcomes);
    for edit in &updates.edits {
        assert_in(text, edit.span);
    }
    let edited: Arc<str> = rewrite::apply(text, &updates.edits).into();
    let again =
        read(&edited).unwrap_or_else(|problems| panic!("{problems:?} in what was updated: {edited:?} of {text:?}"));
    assert_eq!(again.cases.len(), suite.cases.len(), "tests of {edited:?}");
}
