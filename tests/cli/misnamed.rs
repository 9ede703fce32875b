//! Kustomizations that kustomize or Flux does not read or cannot build.

use crate::sandbox::Sandbox;

const KUSTOMIZATION: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n";
const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

#[test]
fn kustomize_looks_for_certain_names() {
    for (name, is_told) in [
        ("Kustomization.yaml", true),
        ("kustomize.yaml", true),
        ("Kustomization", false),
        ("kustomization.yml", false),
        ("kustomization.tmpl.yaml", false),
    ] {
        let file = format!("base/{name}");
        let sandbox = Sandbox::new(&[("base/a.yaml", OBJECT), (&file, KUSTOMIZATION)]);
        let hint = format!("{file}:2:7: hint[kustomize-not-built]: kustomize does not read this file");
        let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
        assert_eq!(outcome.stdout.contains(&hint), is_told, "{name}: {}", outcome.stdout);
        assert_eq!(outcome.code, Some(0));
    }
}

#[test]
fn flux_has_an_api_version_of_its_own() {
    let text =
        "apiVersion: kustomize.config.k8s.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps}\n";
    let sandbox = Sandbox::new(&[("clusters/apps.yaml", text)]);
    let error = "clusters/apps.yaml:1:13: error[kustomize-failure]: Flux ignores this Kustomization";
    sandbox
        .run(&["check", ".", "-o", "concise"])
        .expect(1, &[error, " 1 error"]);
}

#[test]
fn an_object_that_is_built_twice_is_told_where_it_is_added_again() {
    let both = "resources: [../base, b.yaml]\n";
    let sandbox = Sandbox::new(&[
        ("base/a.yaml", OBJECT),
        ("base/kustomization.yaml", KUSTOMIZATION),
        ("over/b.yaml", OBJECT),
        ("over/kustomization.yaml", both),
    ]);
    let told = |place: &str| {
        let error = format!("{place}: error[kustomize-failure]: kustomize fails: ConfigMap `a` is built twice");
        sandbox
            .run(&["check", ".", "-o", "concise"])
            .expect(1, &[&error, " 1 error"]);
    };
    told("over/kustomization.yaml:1:22");
    sandbox.write("over/kustomization.yaml", "resources: [b.yaml, ../base]\n");
    told("over/kustomization.yaml:1:21");
    sandbox.write("over/kustomization.yaml", "resources: [b.yaml]\n");
    sandbox.write("over/b.yaml", format!("{OBJECT}---\n{OBJECT}"));
    told("over/b.yaml:5:1");
}

#[test]
fn a_patch_that_is_not_yaml_is_told_at_its_line() {
    let kustomization = "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    kind: ConfigMap\n    metadata:\n      name: a: b\n";
    let sandbox = Sandbox::new(&[("base/a.yaml", OBJECT), ("base/kustomization.yaml", kustomization)]);
    let error = "base/kustomization.yaml:7:14: error[kustomize-failure]: kustomize fails: the text in this field is not YAML: mapping";
    sandbox
        .run(&["check", ".", "-o", "concise"])
        .expect(1, &[error, " 1 error"]);
}
