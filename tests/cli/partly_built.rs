//! Kustomizations that crd-analyzer builds only in part, because a file is not there.

use crate::{
    Sandbox, definition,
    patches::{HEAD, check},
};

#[test]
fn flux_bootstrap_creates_a_folder() {
    let sandbox = Sandbox::new(&[("clusters/a/kustomization.yaml", "resources: [./flux-system]\n")]);
    let hint = "hint[kustomize-not-built]: the file or folder `./flux-system` does not exist";
    sandbox.run(&["check", "."]).expect(0, &[hint]);
}

/// If a kustomization builds only in part, a patch may be for an object that is not there, and is complete only with it.
#[test]
fn a_patch_of_an_object_that_a_program_makes_is_a_part() {
    let patch = format!("{HEAD}spec: {{size: x}}\n");
    let kustomization = "resources: [../base, made.yaml]\npatches: [path: patch.yaml]\n";
    let other = patch.replace("name: a", "name: made");
    let makefile = "generate:\n\tgo run ./make > prod/made.yaml\n";
    check(
        &[
            ("Makefile", makefile),
            ("prod/kustomization.yaml", kustomization),
            ("prod/patch.yaml", &other),
        ],
        &["prod/patch.yaml:4:14: error[wrong-type]"],
    );
}

/// Somebody who checks an overlay wants to know whether the objects that it builds are accepted, although they are in other folders.
#[test]
fn the_bases_of_a_named_overlay_are_checked() {
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}, color: {type: string}}\n",
    );
    let base = format!("{HEAD}spec: {{color: red}}\n");
    let sandbox = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("crd.yaml", &crd),
        ("base/kustomization.yaml", "resources: [w.yaml, ../more]\n"),
        ("base/w.yaml", &base),
        ("more/kustomization.yaml", "resources: [m.yaml]\n"),
        (
            "more/m.yaml",
            &format!("{HEAD}spec: {{size: x}}\n").replace("name: a", "name: m"),
        ),
        ("other/o.yaml", &format!("{HEAD}spec: {{size: x}}\n")),
        ("dev/kustomization.yaml", "resources: [../base]\n"),
        (
            "prod/kustomization.yaml",
            "resources: [../base]\npatches: [path: patch.yaml]\n",
        ),
        ("prod/patch.yaml", &format!("{HEAD}spec: {{size: 1}}\n")),
    ]);
    let told = |path: &str| {
        let outcome = sandbox.run(&["check", path, "-o", "concise"]);
        let lines = outcome.stdout.lines().filter(|it| it.contains(": error"));
        lines
            .map(|it| it.split(' ').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let missing = "base/w.yaml:4:1:";
    assert_eq!(told("dev"), [missing, "more/m.yaml:4:14:"]);
    assert_eq!(told("dev/kustomization.yaml"), [missing, "more/m.yaml:4:14:"]);
    assert_eq!(told("prod"), ["more/m.yaml:4:14:"], "the patch adds what is missing");
    assert_eq!(told("more"), ["more/m.yaml:4:14:"]);
}

/// A patch that fails hides nothing of objects that it is not for.
#[test]
fn objects_that_no_patch_is_for_are_checked_whole() {
    let sandbox = |patch: &str| {
        let schema = "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n";
        let crd = definition(schema).replace("  scope: Namespaced\n", "");
        let patch = format!("resources: [../default, ../samples]\npatches:\n{patch}");
        Sandbox::new(&[
            ("crd.yaml", &definition(schema)),
            ("crd/w.yaml", &crd.replace("idget", "adget")),
            ("crd/kustomization.yaml", "resources: [w.yaml]\n"),
            (
                "default/d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n",
            ),
            ("default/kustomization.yaml", "resources: [../crd, d.yaml]\n"),
            (
                "samples/a.yaml",
                "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n",
            ),
            ("samples/kustomization.yaml", "resources: [a.yaml]\n"),
            ("manifests/kustomization.yaml", &patch),
        ])
    };
    let of_kind =
        |kind: &str| format!("- patch: |-\n    apiVersion: a/v1\n    kind: {kind}\n    metadata: {{name: nosuch}}\n");
    let outcome = sandbox(&of_kind("Deployment")).run(&["check", "."]);
    outcome.expect(
        1,
        &["kustomize-failure", "unknown-scope", "missing-property", ", 3 errors,"],
    );
    // The patch may be for a Widget of another name.
    let outcome = sandbox(&of_kind("Widget")).run(&["check", "."]);
    outcome.expect(1, &["kustomize-failure", "unknown-scope", ", 2 errors,"]);
    let outcome = sandbox("- target: {kind: Deployment}\n  path: nosuch.yaml\n").run(&["check", "."]);
    outcome.expect(
        1,
        &["kustomize-failure", "unknown-scope", "missing-property", ", 3 errors,"],
    );
    let outcome = sandbox("- path: nosuch.yaml\n").run(&["check", "."]);
    outcome.expect(1, &["kustomize-failure", ", 1 error,"]);
}

/// kustomize refuses such a file, unless it is told not to. Flux does not refuse it.
#[test]
fn a_file_outside_the_folder_of_the_kustomization_is_a_hint() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: flux-system}\nspec:\n  path: ./prod\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let sandbox = Sandbox::new(&[
        ("base/map.yaml", map),
        ("prod/kustomization.yaml", "resources: [../base/map.yaml]\n"),
    ]);
    let hint = "hint[kustomize-failure]: kustomize refuses `../base/map.yaml`";
    sandbox.commit();
    sandbox
        .run(&["check", "."])
        .expect(0, &[hint, "prod/kustomization.yaml:1:13", ", 1 hint"]);
    sandbox.write("clusters/a.yaml", flux);
    sandbox.run(&["check", "."]).expect(0, &[", 0 hints"]);
}
