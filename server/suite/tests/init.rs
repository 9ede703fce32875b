//! Tests that the suites that are generated for CRDs can be parsed, and that they pass.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{
    definition::definitions,
    init, read,
    run::{Outcome, run},
};
use crd_analyzer_workspace::config::versions::VersionSet;

/// Generates a suite for a CRD with this root schema, and runs it. `schema` is on one line.
#[track_caller]
fn check(schema: &str) {
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{plural: widgets, kind: Widget}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: \
         {{openAPIV3Schema: {schema}}}\n"
    );
    let found = definitions("crd.yaml", &definition.into());
    let made = init::suite(&found[0], "crd.yaml", KubernetesVersion::NEWEST).expect("a suite");
    let text: Arc<str> = made.text.into();
    let suite = read(&text).unwrap_or_else(|problems| panic!("{problems:?} in\n{text}"));
    assert_eq!(suite.cases.len(), made.tests);
    let versions = VersionSet::one(KubernetesVersion::NEWEST);
    let outcomes = run(&suite, &found, versions, |_| true);
    assert!(outcomes.iter().all(Outcome::is_passed), "{outcomes:?} of\n{text}");
}

#[test]
fn a_suite_passes_that_was_made() {
    check(
        "{type: object, properties: {spec: {type: object, required: [a], properties: {a: {type: integer, maximum: 3}}}}}",
    );
    check("{type: object, x-kubernetes-preserve-unknown-fields: true}");
    // A schema without a type allows any value, but a resource must be an object.
    check("{x-kubernetes-preserve-unknown-fields: true}");
}
