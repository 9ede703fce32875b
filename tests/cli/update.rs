//! Tests of updates, which check whether a manifest may replace the stored one.

use std::process::Command;

use crate::{
    Sandbox, definition,
    generate::{SPEC, without_crd},
};

fn git(sandbox: &Sandbox, args: &[&str]) {
    let status = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(sandbox.path())
        .output()
        .expect("git runs");
    assert!(status.status.success(), "{status:?}");
}

/// The CRD with another scope, which an update must not change.
fn moved() -> String {
    definition("              type: object\n").replace("Namespaced", "Cluster")
}

#[test]
fn compares_with_a_file_or_folder() {
    let old = definition("              type: object\n");
    let sandbox = Sandbox::new(&[("new/a.yaml", &moved()), ("old/a.yaml", &old), ("new/b.yaml", &old)]);
    sandbox
        .run(&["check", "--old", "old/a.yaml", "new/a.yaml"])
        .expect(1, &["`scope` cannot change once the CRD exists"]);
    sandbox.run(&["check", "new/a.yaml"]).expect(0, &[]);
    sandbox
        .run(&["check", "--old", "old", "new"])
        .expect(1, &["`scope` cannot change once the CRD exists", "1 error"]);
}

#[test]
fn compares_with_a_git_revision() {
    let sandbox = Sandbox::new(&[("crds/a.yaml", &definition("              type: object\n"))]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "first"]);
    sandbox.run(&["check", "--old-ref", "HEAD", "crds"]).expect(0, &[]);
    sandbox.write("crds/a.yaml", moved());
    sandbox.write("crds/new.yaml", definition("              type: object\n"));
    sandbox
        .run(&["check", "--old-ref", "HEAD", "crds"])
        .expect(1, &["`scope` cannot change once the CRD exists", "1 error"]);
    sandbox
        .run(&["check", "--old-ref", "nowhere", "crds"])
        .expect(2, &["--old-ref nowhere"]);
}

/// A CRD with sizes that cannot decrease, a base with an object without a size, and an overlay.
fn growing() -> Vec<(&'static str, String)> {
    let schema = "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n              x-kubernetes-validations: [{rule: self.size >= oldSelf.size, message: it shrinks}]\n";
    vec![
        ("crd.yaml", definition(schema)),
        ("base/kustomization.yaml", "resources: [w.yaml]\n".to_owned()),
        ("base/w.yaml", sized("{}")),
        (
            "over/kustomization.yaml",
            "resources: [../base]\npatches: [{path: p.yaml}]\n".to_owned(),
        ),
        ("over/p.yaml", sized("{size: 3}")),
    ]
}

fn sized(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n")
}

fn committed(files: &[(&str, String)]) -> Sandbox {
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0, it.1.as_str())).collect();
    let sandbox = Sandbox::new(&files);
    init(&sandbox);
    sandbox
}

/// Makes a sandbox a git repository, and commits its files.
fn init(sandbox: &Sandbox) {
    git(sandbox, &["init", "-q"]);
    git(sandbox, &["add", "."]);
    git(sandbox, &["commit", "-qm", "first"]);
}

#[test]
fn an_object_replaces_the_one_that_its_kustomization_built() {
    let sandbox = committed(&growing());
    let check = |code: i32, texts: &[&str]| {
        let outcome = sandbox.run(&["check", "-o", "concise", "--old-ref", "HEAD", "."]);
        outcome.expect(code, texts);
        outcome
    };
    check(0, &[" 0 errors"]);
    sandbox.write("over/p.yaml", sized("{size: 4}"));
    check(0, &[" 0 errors"]);
    sandbox.write("over/p.yaml", sized("{size: 2}"));
    check(
        1,
        &["over/p.yaml:4:14: error[rule-failed]: `spec`: it shrinks", " 1 error"],
    );
    // The object is no longer patched, although its own file did not change.
    sandbox.write("over/kustomization.yaml", "resources: [../base]\n");
    sandbox.write("over/p.yaml", sized("{size: 3}"));
    sandbox.write("base/w.yaml", sized("{size: 1}"));
    check(
        1,
        &["base/w.yaml:4:1: error[rule-failed]: `spec`: it shrinks", " 1 error"],
    );
    sandbox.write("base/w.yaml", sized("{size: 3}"));
    check(0, &[" 0 errors"]);
}

#[test]
fn a_kustomization_that_was_not_built_is_named() {
    let mut files = growing();
    files.retain(|it| it.0 != "over/p.yaml");
    files[2].1 = sized("{size: 2}");
    let sandbox = committed(&files);
    sandbox.write("over/p.yaml", sized("{size: 1}"));
    let outcome = sandbox.run(&["check", "--old-ref", "HEAD", "."]);
    let named =
        "1 kustomization is not built from the revision, and objects are compared with its files as written: over";
    outcome.expect(1, &["it shrinks", named]);
    // The kustomization is new, but its files existed before.
    let sandbox = committed(&growing()[..3]);
    sandbox.write("base/w.yaml", sized("{size: 3}"));
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "second"]);
    sandbox.write("over/kustomization.yaml", &growing()[3].1);
    sandbox.write("over/p.yaml", sized("{size: 2}"));
    let outcome = sandbox.run(&["check", "--old-ref", "HEAD", "."]);
    outcome.expect(1, &["it shrinks"]);
    assert!(!outcome.stdout.contains("not built"), "{}", outcome.stdout);
}

#[test]
fn variables_had_the_values_of_the_revision() {
    let flux = |size: u32| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps}}\nspec: {{path: ./apps, postBuild: {{substitute: {{SIZE: \"{size}\"}}}}}}\n"
        )
    };
    let mut files = growing();
    files.truncate(1);
    files.push(("apps/w.yaml", sized("{size: \"${SIZE}\"}")));
    files.push(("clusters/apps.yaml", flux(3)));
    let sandbox = committed(&files);
    sandbox
        .run(&["check", "--old-ref", "HEAD", "."])
        .expect(0, &[" 0 errors"]);
    sandbox.write("clusters/apps.yaml", flux(4));
    sandbox
        .run(&["check", "--old-ref", "HEAD", "."])
        .expect(0, &[" 0 errors"]);
    sandbox.write("clusters/apps.yaml", flux(2));
    let outcome = sandbox.run(&["check", "--old-ref", "HEAD", "."]);
    outcome.expect(1, &["it shrinks", " 1 error"]);
}

#[test]
fn files_that_are_not_judged_as_built_are_named() {
    let sandbox = committed(&growing());
    let paths = [
        "base/kustomization.yaml",
        "base/w.yaml",
        "over/kustomization.yaml",
        "over/p.yaml",
        "crd.yaml",
    ];
    sandbox.write("list", paths.join("\n"));
    let named = "2 files are judged as written, not as kustomize builds: base/w.yaml, over/p.yaml";
    sandbox
        .run(&["check", "--list", "list"])
        .expect(1, &["no `size`", named]);
    sandbox
        .run(&["check", "--old", "base/w.yaml", "base/w.yaml", "--crd", "crd.yaml"])
        .expect(1, &["no such key: size"]);
    let outcome = sandbox.run(&["check", "--old", ".", "."]);
    outcome.expect(1, &["no such key: size", "2 files are judged as written"]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(0, &[]);
    assert!(!outcome.stdout.contains("as written"), "{}", outcome.stdout);
}

/// A CRD with these properties in its spec.
fn widget(properties: &str) -> String {
    definition(&format!(
        "              type: object\n              properties: {properties}\n"
    ))
}

#[test]
fn breaking_changes_are_diagnostics() {
    let sandbox = committed(&[(
        "crds/a.yaml",
        widget("{a: {type: integer, maximum: 9}, b: {type: string}}"),
    )]);
    let changed = widget("{a: {type: integer, maximum: 5}, b: {type: string, pattern: '^a?b?$'}}");
    let check = ["check", "-o", "concise", "--old-ref", "HEAD", "--compat", "crds"];
    sandbox.run(&check).expect(0, &[" 0 errors"]);
    sandbox.write("crds/a.yaml", changed.clone());
    sandbox
        .run(&["check", "--old-ref", "HEAD", "crds"])
        .expect(0, &["0 errors"]);
    sandbox.run(&check).expect(
        1,
        &[
            "crds/a.yaml:19:56: error[breaking-change]: `maximum` changed from 9 to 5 at `spec.a`: this breaks writers",
            "error[breaking-change]: `pattern` changed at `spec.b`: this breaks writers",
        ],
    );
    let full = ["check", "--old-ref", "HEAD", "--compat", "crds"];
    sandbox.run(&full).expect(
        1,
        &[
            "9 → 5",
            "= note: writers: the API server now rejects `{\"spec\":{\"a\":",
            "= help: undo the change, or make it in a new version of the CRD",
        ],
    );
    // Comments, the configuration, a baseline or exceptions suppress the diagnostics.
    let commented = changed.replace("}}\n", "}} # crd-analyzer: ignore[breaking-change] agreed\n");
    sandbox.write("crds/a.yaml", commented);
    sandbox.run(&full).expect(0, &[]);
    sandbox.write("crds/a.yaml", changed);
    sandbox.write(".crd-analyzer.yaml", "rules: {breaking-change: hint}\n");
    sandbox.run(&full).expect(0, &["2 hints"]);
    sandbox.write(".crd-analyzer.yaml", String::new());
    let baseline = [&full[..], &["--baseline", "b.json"]].concat();
    sandbox
        .run(&[&baseline[..], &["--update-baseline"]].concat())
        .expect(0, &[]);
    sandbox.run(&baseline).expect(0, &[]);
    let exceptions = "exceptions:\n- {change: maximum-changed, path: spec.a, reason: agreed}\n- {change: pattern-changed, reason: agreed, until: 2001-01-31}\n- {change: crd-removed, reason: elsewhere}\n";
    sandbox.write("e.yaml", exceptions);
    let outcome = sandbox.run(&[&check[..], &["--exceptions", "e.yaml"]].concat());
    outcome.expect(
        1,
        &["1 error", "the exception for `pattern-changed` ended on 2001-01-31"],
    );
    sandbox
        .run(&["check", "--compat", "crds"])
        .expect(2, &["--compat: nothing to compare with"]);
}

#[test]
fn what_is_built_is_compared_too() {
    let sandbox = committed(&[
        ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n".to_owned()),
        ("a.yaml", widget("{a: {type: integer, maximum: 9}}")),
        ("p.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {preserveUnknownFields: false}\n".to_owned()),
    ]);
    sandbox.write("a.yaml", widget("{a: {type: integer, maximum: 5}}"));
    sandbox
        .run(&["check", "-o", "concise", "--old-ref", "HEAD", "--compat", "."])
        .expect(1, &["a.yaml:19:56: error[breaking-change]", " 1 error"]);
}

#[test]
fn a_policy_of_check_decides() {
    let sandbox = committed(&[("a.yaml", widget("{a: {type: string}}"))]);
    sandbox.write("a.yaml", widget("{a: {type: string}, b: {type: string}}"));
    let check = |policy: &str| sandbox.run(&["check", "--old-ref", "HEAD", policy, "."]);
    check("--compat").expect(0, &[]);
    check("--compat=api-conventions").expect(0, &[]);
    check("--compat=strict").expect(1, &["a property was added at `spec.b`: this breaks readers"]);
}

#[test]
fn types_are_updates_of_the_crd_that_they_made() {
    let sandbox = without_crd(&SPEC.replace("default=8\n", "default=8\n\t// +kubebuilder:validation:Maximum=90\n"));
    init(&sandbox);
    let check = |code: i32, texts: &[&str]| {
        let check = ["check", "-o", "concise", "--old-ref", "HEAD", "--compat", "./api/..."];
        sandbox.run(&check).expect(code, texts);
    };
    check(0, &["1 CRD, 0 errors"]);
    let types = sandbox.read("api/v1/types.go");
    let root = "// +kubebuilder:object:root=true\n";
    let wider = format!("{root}// +kubebuilder:resource:scope=Cluster\n");
    sandbox.write(
        "api/v1/types.go",
        types.replace(root, &wider).replace("Maximum=90", "Maximum=9"),
    );
    let expected = [
        "api/v1/types.go:11:37: error[breaking-change]: `maximum` changed from 90 to 9",
        "api/v1/types.go:18:32: error[immutable-field]: `scope` cannot change once the CRD exists",
        "2 errors",
    ];
    check(1, &expected);
    // If the revision contains the CRD as a file, that file is used, even if the types of the revision generate another CRD.
    sandbox.write("api/v1/types.go", &types);
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    let crd = sandbox.read("config/crd/shop.example.com_carts.yaml");
    sandbox.write(
        "config/crd/shop.example.com_carts.yaml",
        crd.replace("maximum: 90", "maximum: 95"),
    );
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "second"]);
    check(
        1,
        &["api/v1/types.go:11:37: error[breaking-change]: `maximum` changed from 95 to 90"],
    );
    // If a field was removed, the error is at the place that uses its type.
    sandbox.write("config/crd/shop.example.com_carts.yaml", &crd);
    git(&sandbox, &["commit", "-qam", "third"]);
    let items = "\t// +kubebuilder:validation:MaxItems=8\n\tItems []string `json:\"items\"`\n";
    sandbox.write(
        "api/v1/types.go",
        types.replace(items, "").replace(" >= self.items.size()", " > 0"),
    );
    check(
        1,
        &["types.go:20:2: error[breaking-change]: a property was removed at `spec.items`"],
    );
}

#[test]
fn a_new_kind_is_no_update() {
    let sandbox = without_crd(SPEC);
    let types = sandbox.read("api/v1/types.go");
    sandbox.write("api/v1/types.go", "package v1\n");
    init(&sandbox);
    sandbox.write("api/v1/types.go", types);
    sandbox
        .run(&["check", "--old-ref", "HEAD", "--compat", "./api/..."])
        .expect(0, &["1 CRD, 0 errors"]);
}
