//! Kustomizations: a base and an overlay, with a resource and a patch.

use std::{path::PathBuf, sync::Arc};

use crd_analyzer_workspace::{
    builds::overlay::Overlays,
    config::versions::VersionSet,
    judging::analysis::{Around, Question, analyze},
    roles::{Use, Uses},
};

use crate::{
    Target,
    dictionary::{YAML, owned},
    in_memory::InMemory,
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "kustomize",
    run,
    seeds: |cases| {
        let objects = cases.definitions.iter().filter(|it| it.len() < 1500);
        let seeds = objects.enumerate().map(|(n, object)| {
            let (overlay, patch) = OVERLAYS[n % OVERLAYS.len()];
            input(&[], &[overlay, BASE, object, patch])
        });
        seeds.collect()
    },
    words: || {
        let mut words = owned(YAML);
        words.extend(owned(WORDS));
        words
    },
};

const BASE: &str = "resources: [object.yaml]\ncommonLabels: {a: b}\n";

/// Overlays with their patches.
const OVERLAYS: &[(&str, &str)] = &[
    (
        "resources: [../base]\npatches: [{path: patch.yaml}]\nnamePrefix: a-\n",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: crontabs.example.com}\nspec: {versions: [{name: v1, served: false}]}\n",
    ),
    (
        "resources: [../base]\npatches:\n- path: patch.yaml\n  target: {kind: CustomResourceDefinition}\n",
        "- {op: add, path: /spec/versions/0/deprecated, value: true}\n- {op: remove, path: /spec/scope}\n",
    ),
    (
        "resources: [../base]\nreplacements: [{path: patch.yaml}]\nnamespace: other\n",
        "source: {kind: CustomResourceDefinition, fieldPath: spec.group}\ntargets:\n- select: {kind: CustomResourceDefinition}\n  fieldPaths: [spec.names.kind]\n",
    ),
    (
        "resources: [../base]\nconfigMapGenerator: [{name: a, files: [patch.yaml], literals: [b=c]}]\nimages: [{name: a, newTag: '2'}]\nreplicas: [{name: a, count: 3}]\nlabels: [{pairs: {a: b}, includeSelectors: true}]\n",
        "c: d\n",
    ),
];

const WORDS: &[&str] = &[
    "resources: ",
    "components: ",
    "patches: ",
    "patchesStrategicMerge: ",
    "patchesJson6902: ",
    "replacements: ",
    "$patch: delete",
    "$patch: replace",
    "$retainKeys: ",
    "namePrefix: ",
    "nameSuffix: ",
    "namespace: ",
    "labels: ",
    "commonAnnotations: ",
    "configMapGenerator: ",
    "secretGenerator: ",
    "vars: ",
    "fieldPath: ",
    "fieldPaths: ",
    "options: {delimiter: '.', index: 1, create: true}",
    "openapi: {path: patch.yaml}",
    "{op: copy, from: /spec, path: /spec/names/a}",
    "{op: move, from: /spec, path: /metadata}",
    "{op: test, path: /kind, value: a}",
    "../base",
    "../over",
    "patch.yaml",
    "https://example.com/a.yaml",
    "[kind=a].b.*",
];

const FILES: [&str; 4] = [
    "/repo/over/kustomization.yaml",
    "/repo/base/kustomization.yaml",
    "/repo/base/object.yaml",
    "/repo/over/patch.yaml",
];

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let files = InMemory(Arc::new(FILES.map(|it| (PathBuf::from(it), input.text())).into()));
    let overlays = Overlays::new(&["/repo/base", "/work/over"].map(|it| (PathBuf::from(it), files.clone())));
    for (path, text) in &*files.0 {
        let question = Question {
            path: Some(path),
            uses: Uses::default().with_if(Use::Part, overlays.is_open(path)),
            around: Around {
                overlays: Some(&overlays),
                ..Around::default()
            },
            // One Kubernetes version is enough to test the locations of diagnostics.
            ..Question::new(VersionSet::one(VersionSet::default().newest()))
        };
        let mut report = analyze(text.as_bytes().to_vec(), &question);
        overlays.complete(path, &mut report, &question);
        let documents = report.documents.iter().flat_map(|it| &it.verdicts);
        for finding in documents.flat_map(|it| it.1.findings()).chain(&report.findings) {
            assert_in(&report.text, finding.span);
        }
    }
}
