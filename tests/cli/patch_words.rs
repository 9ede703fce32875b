//! The words for broken patches.

use crate::{
    Sandbox, definition,
    patches::{HEAD, check, overlay_with},
};

const SPEC: &str = "              type: object
              properties: {size: {type: integer}, image: {type: string}, note: {type: string, enum: [a]}}
";
const BASE: &str = "spec:\n  size: 5\n";

/// The base has the field that is meant, and the patch changes it.
#[test]
fn a_wrong_name_in_a_patch_may_mean_a_field_of_the_base() {
    let (crd, base) = (definition(SPEC), format!("{HEAD}{BASE}"));
    let patch = format!("{HEAD}spec:\n  sice: 4\n");
    let both = format!("{HEAD}{BASE}  sice: 4\n");
    let outcome = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("base/kustomization.yaml", "resources: [w.yaml]\n"),
        ("base/w.yaml", &base),
        (
            "prod/kustomization.yaml",
            "resources: [../base]\npatches: [path: patch.yaml]\n",
        ),
        ("prod/patch.yaml", &patch),
        ("both.yaml", &both),
    ])
    .run(&["check", "."]);
    assert_eq!(
        outcome.stdout.matches("did you mean `size`?").count(),
        1,
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("help: change `sice` to `size`"));
}

/// Only the last part of the path is marked, as a JSON pointer writes it.
#[test]
fn a_wrong_name_in_the_path_of_an_operation_is_marked_there() {
    let patches = "resources: [../base]\npatches: [{path: patch.yaml, target: {kind: Widget}}]\n";
    let patch = "- {op: add, path: /spec/colour, value: red}\n- {op: add, path: /spec/a~1b, value: red}\n";
    check(
        &[("prod/kustomization.yaml", patches), ("prod/patch.yaml", patch)],
        &[
            "prod/patch.yaml:1:25: error[unknown-field]",
            "prod/patch.yaml:2:25: error[unknown-field]",
        ],
    );
}

/// The base is also checked as it is written. Its text has other places than that of the built object, and letters of several bytes.
#[test]
fn names_are_compared_in_the_text_that_is_checked() {
    let (crd, long) = (definition(SPEC), "é".repeat(80));
    let head = HEAD.replace("name: a", &format!("name: a, annotations: {{x: {long}}}"));
    let patch = format!("{HEAD}spec: {{imag: ü}}\n");
    // One letter more moves the places after it into the middle of others.
    for before in ["", "x"] {
        let base = format!("{head}spec:\n  image: {long}\n  imag: {before}{long}\n  note: {long}{long}\n");
        let outcome = Sandbox::new(&[
            ("crd.yaml", &crd),
            ("base/kustomization.yaml", "resources: [w.yaml]\n"),
            ("base/w.yaml", &base),
            (
                "prod/kustomization.yaml",
                "resources: [../base]\npatches: [path: patch.yaml]\n",
            ),
            ("prod/patch.yaml", &patch),
        ])
        .run(&["check", ".", "-o", "concise"]);
        assert_eq!(outcome.stderr, "");
        assert_eq!(
            outcome.stdout.matches("`imag` is not a field of `spec`").count(),
            1,
            "{}",
            outcome.stdout
        );
    }
}

#[test]
fn a_patch_that_is_not_yaml_is_marked_where_it_is_wrong() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let patch = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  color: a: b\n";
    sandbox.write("prod/patch.yaml", patch);
    for named in [".", "prod/patch.yaml"] {
        let outcome = sandbox.run(&["check", named, "-o", "concise"]);
        outcome.expect(1, &["prod/patch.yaml:5:11: error[invalid-yaml]"]);
    }
}

/// The word that is wrong is marked, with the one that is meant.
#[test]
fn misspelt_names_and_kinds_in_kustomizations() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: 1}\n";
    let sandbox = overlay_with("");
    sandbox.write("base/deployment.yaml", deployment);
    sandbox.write("base/kustomization.yaml", "resources: [widget.yaml, deployment.yaml]\n");
    std::fs::remove_file(sandbox.path().join("prod/patch.yaml")).expect("a file");
    for (more, place, meant) in [
        ("replicas: [{name: shopp, count: 3}]\n", "2:19", "shop"),
        (
            "patches:\n- patch: |\n    apiVersion: example.com/v1\n    kind: Widgets\n    metadata: {name: a}\n",
            "5:11",
            "Widget",
        ),
        (
            "patches:\n- target: {kind: Widget}\n  patch: |\n    - {op: remove, path: /spec/sise}\n",
            "5:26",
            "/spec/size",
        ),
    ] {
        sandbox.write("prod/kustomization.yaml", format!("resources: [../base]\n{more}"));
        let outcome = sandbox.run(&["check", "."]);
        let place = format!("prod/kustomization.yaml:{place}");
        outcome.expect(
            1,
            &["error[kustomize-failure]", &place, &format!("did you mean `{meant}`?")],
        );
    }
}

/// A replacement whose source has no field of this path is told at the path.
#[test]
fn a_wrong_path_of_a_replacement_is_told_at_the_path() {
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: b}}\n");
    let kustomization = "resources: [a.yaml, b.yaml]\nreplacements:\n- source:\n    kind: ConfigMap\n    name: a\n    fieldPath: data.c\n  targets:\n  - select: {name: b}\n    fieldPaths: [data.a]\n";
    let sandbox = Sandbox::new(&[
        ("base/a.yaml", &map("a")),
        ("base/b.yaml", &map("b")),
        ("base/kustomization.yaml", kustomization),
    ]);
    let error = "base/kustomization.yaml:6:16: error[kustomize-failure]: kustomize fails: the `source` of the replacement has no `data.c`";
    sandbox
        .run(&["check", ".", "-o", "concise"])
        .expect(1, &[error, " 1 error"]);
}
