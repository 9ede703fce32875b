//! Fields that change no object, and directives in what a patch adds.

use std::path::Path;

use super::{WIDGET, build, check, memory};

/// kustomize decodes them as strictly as the other ones.
#[test]
fn fields_that_change_no_object_must_be_right() {
    let of = |more: &str| {
        let kustomization = format!("resources: [w.yaml]\n{more}\n");
        let files = memory(&[("o/kustomization.yaml", &kustomization), ("o/w.yaml", WIDGET)]);
        build(&files, Path::new("/o")).objects.err().map(|it| it.message)
    };
    for more in [
        "sortOptions: {order: fifo}",
        "sortOptions: null",
        "metadata: {Name: a, annotations: {b: c}}",
        "helmCharts: [{name: a, valuesInline: {b: [1]}, includeCRDs: true, apiVersions: [v1]}]",
        "buildMetadata: [originAnnotations]",
    ] {
        assert_eq!(of(more), None, "{more}");
    }
    for (more, expected) in [
        (
            "sortOptions: {order: first}",
            "`order` in `sortOptions` must be `fifo` or `legacy`",
        ),
        ("sortOptions: {}", "`order` in `sortOptions` must be `fifo` or `legacy`"),
        ("metadata: {nam: a}", "`nam` is not a field here"),
        ("metadata: {labels: {a: 1}}", "the value must be a string"),
        ("helmGlobals: {chartHomes: a}", "`chartHomes` is not a field here"),
        ("helmCharts: {name: a}", "the value must be a list"),
        ("helmCharts: [{name: a, version: 1.2}]", "the value must be a string"),
        (
            "helmCharts: [{name: a, includeCRDs: yes please}]",
            "the value must be a boolean",
        ),
        (
            "helmCharts: [{name: a, valuesInline: [b]}]",
            "the value must be an object",
        ),
        (
            "helmChartInflationGenerator: [{chart: a}]",
            "`chart` is not a field here",
        ),
        ("crds: a.yaml", "the value must be a list"),
    ] {
        assert_eq!(of(more).as_deref(), Some(expected), "{more}");
    }
}

/// kustomize reads the directives in a part that a patch adds, too.
#[test]
fn directives_in_what_a_patch_adds() {
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
    for directive in ["merge", "replace"] {
        let patch = format!(
            "{head}spec: {{template: {{spec: {{containers: [{{name: a, env: [{{name: A, value: b, $patch: {directive}}}]}}]}}}}}}\n"
        );
        check(
            &[
                (
                    "o/kustomization.yaml",
                    "resources: [d.yaml]\npatches: [{path: p.yaml}]\n",
                ),
                ("o/d.yaml", &format!("{head}spec: {{template: {{spec: {{}}}}}}\n")),
                ("o/p.yaml", &patch),
            ],
            concat!(
                r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"spec":"#,
                r#"{"containers":[{"env":[{"name":"A","value":"b"}],"name":"a"}]}}}}"#,
                "\n"
            ),
        );
    }
}
