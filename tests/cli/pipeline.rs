//! Tests of options for pipelines: selection of diagnostics and files, baselines, standard input with a file name, and revisions.

use std::process::Command;

use serde_json::Value;

use crate::{Outcome, Sandbox, definition};

/// A CRD with two errors of different codes, and a hint.
fn wrong() -> String {
    definition(
        "              type: object
              properties:
                size: {type: int}
                name: {type: string, minlength: 1}
                mode: {type: string, pattern: '[a-z]*'}
",
    )
}

fn counts(outcome: &Outcome) -> Value {
    let all: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    all["summary"]["by_code"].clone()
}

fn git(sandbox: &Sandbox, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args)
        .current_dir(sandbox.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn codes_are_selected_and_ignored() {
    let sandbox = Sandbox::new(&[("a.yaml", &wrong())]);
    let codes = |args: &[&str]| -> Vec<String> {
        let mut all = vec!["check", "a.yaml", "-o", "json"];
        all.extend(args);
        let counts = counts(&sandbox.run(&all));
        counts.as_object().expect("counts").keys().cloned().collect()
    };
    let all = codes(&[]);
    assert!(all.len() >= 3, "{all:?}");
    assert_eq!(codes(&["--select", "unknown-type"]), ["unknown-type"]);
    assert_eq!(codes(&["--select=unknown", "--ignore=unknown-type"]), ["unknown-field"]);
    assert_eq!(codes(&["--ignore", "all"]), [""; 0]);
    let but_one: Vec<_> = all.iter().filter(|it| *it != "unknown-field").cloned().collect();
    assert_eq!(codes(&["--ignore", "unknown-field"]), but_one);
    // The object stays invalid if the command line hides a diagnostic.
    sandbox
        .run(&["check", "a.yaml", "--ignore", "unknown"])
        .expect(0, &["rejected (", "suppressed by configuration", "0 errors ("]);
    for (option, word, why) in [
        ("--select", "unknown-typ", "did you mean `unknown-type`?"),
        ("--ignore", "nothing-like-it", "`crd-analyzer explain` lists the codes"),
        ("--select", "", "no diagnostic code"),
    ] {
        sandbox.run(&["check", "a.yaml", option, word]).expect(2, &[why]);
    }
    // The command line takes precedence over the configuration if it contains the exact code.
    sandbox.write(".crd-analyzer.yaml", "rules: {unknown-type: off}\n");
    assert_eq!(codes(&["--select", "unknown-type"]), ["unknown-type"]);
    assert_eq!(codes(&["--select", "unknown"]), ["unknown-field"]);
}

#[test]
fn files_are_excluded() {
    let sandbox = Sandbox::new(&[
        ("a/vendor/wrong.yaml", &wrong()),
        ("a/crd.yaml", &definition("              type: object\n")),
    ]);
    sandbox.run(&["check", "."]).expect(1, &["2 files"]);
    for glob in ["a/vendor", "**/vendor/**", "*/wrong.yaml", "./a/vendor/"] {
        sandbox.run(&["check", ".", "--exclude", glob]).expect(0, &["1 file,"]);
    }
    let named = sandbox.run(&["check", "a/vendor/wrong.yaml", "a/crd.yaml", "--exclude", "a/vendor"]);
    named.expect(0, &["1 file,"]);
    sandbox
        .run(&["check", ".", "--exclude", "a"])
        .expect(2, &["nothing to check"]);
    sandbox.run(&["check", ".", "--exclude", "["]).expect(2, &["--exclude"]);
}

#[test]
fn a_baseline_leaves_only_what_is_new() {
    let sandbox = Sandbox::new(&[("crds/a.yaml", &wrong())]);
    let run = |more: &[&str]| {
        let mut args = vec!["check", "crds", "--baseline", "baseline.json"];
        args.extend(more);
        sandbox.run(&args)
    };
    run(&[]).expect(2, &["--baseline baseline.json", "--update-baseline writes it"]);
    run(&["--update-baseline"]).expect(0, &["diagnostics now:"]);
    let written = std::fs::read_to_string(sandbox.path().join("baseline.json")).expect("it is written");
    assert!(
        written.contains("\n  {\"file\":\"crds/a.yaml\",\"code\":\"unknown-type\""),
        "{written}"
    );
    let known = run(&[]);
    known.expect(0, &["of the baseline are not shown", "0 errors (2 suppressed)"]);
    assert!(!known.stdout.contains("error["), "{}", known.stdout);
    // The baseline also works from another folder, and after lines have moved.
    sandbox.write("crds/a.yaml", format!("# one\n\n# two\n{}", wrong()));
    let mut elsewhere = sandbox.command(&["check", ".", "--baseline", "../baseline.json"]);
    let elsewhere = elsewhere.current_dir(sandbox.path().join("crds"));
    assert_eq!(elsewhere.output().expect("it runs").status.code(), Some(0));
    // New diagnostics are displayed and fail the run. Diagnostics that no longer occur are listed.
    sandbox.write("crds/a.yaml", wrong().replace("minlength: 1", "maxlength: 1"));
    let changed = run(&[]);
    changed.expect(
        1,
        &[
            "error[unknown-field]",
            "1 diagnostic of the baseline no longer occurs",
            "  crds/a.yaml: [unknown-field]",
        ],
    );
    assert!(!changed.stdout.contains("error[unknown-type]"), "{}", changed.stdout);
    let json = run(&["-o", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["summary"]["baseline"]["gone"][0]["code"], "unknown-field");
    // SARIF contains all diagnostics, and marks those that the baseline lists.
    let sarif: Value = serde_json::from_str(&run(&["-o", "sarif"]).stdout).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let known = results
        .iter()
        .filter(|it| it["suppressions"][0]["kind"] == "external")
        .count();
    assert_eq!(known, results.len() - 1);
    run(&["--update-baseline"]).expect(0, &["1 added, 1 removed"]);
    run(&[]).expect(0, &[]);
    // A run on other files does not remove entries, except the entries of deleted files.
    sandbox.write("other/b.yaml", definition("              type: object\n"));
    let other = sandbox.run(&["check", "other", "--baseline", "baseline.json", "--update-baseline"]);
    other.expect(0, &["0 added, 0 removed"]);
    std::fs::remove_file(sandbox.path().join("crds/a.yaml")).expect("it is there");
    sandbox
        .run(&["check", "other", "--baseline", "baseline.json"])
        .expect(0, &["no longer occur"]);
    for (text, why) in [
        ("", "it is not a baseline"),
        (
            r#"{"version": 9, "diagnostics": []}"#,
            "another version of crd-analyzer wrote it",
        ),
    ] {
        sandbox.write("baseline.json", text);
        run(&[]).expect(2, &[why]);
    }
}

#[test]
fn standard_input_stands_for_a_file() {
    let sandbox = Sandbox::new(&[
        ("crds/a.yaml", &definition("              type: object\n")),
        (".crd-analyzer.yaml", "rules: {unknown-field: off}\n"),
    ]);
    let args = ["check", "-", "--stdin-filename", "crds/a.yaml"];
    let outcome = sandbox.run_with_input(&args, wrong().as_bytes());
    outcome.expect(1, &["--> crds/a.yaml:", "1 file, 1 CRD, 1 error (1 suppressed)"]);
    // The content on disk is ignored.
    let args = ["check", ".", "-", "--stdin-filename", "crds/a.yaml"];
    sandbox
        .run_with_input(&args, wrong().as_bytes())
        .expect(1, &["1 file, 1 CRD"]);
    sandbox
        .run(&["check", ".", "--stdin-filename", "a.yaml"])
        .expect(2, &["give `-` as a path"]);
}

#[test]
fn a_revision_is_checked_as_it_was() {
    let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: x}\n";
    let right = definition("              type: object\n              properties: {size: {type: integer}}\n");
    let sandbox = Sandbox::new(&[
        ("crds/a.yaml", &right),
        ("objects/gone/b.yaml", resource),
        ("skipped/c.yaml", &wrong()),
        (".crd-analyzer.yaml", "exclude: [skipped/**]\n"),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-q", "-m", "one"]);
    std::fs::remove_dir_all(sandbox.path().join("objects")).expect("it is there");
    sandbox.write("crds/a.yaml", "kind: {");
    sandbox.write(".crd-analyzer.yaml", "wrong: {");
    sandbox.write("crds/new.yaml", wrong());
    for path in [".", "objects", "objects/gone/b.yaml", "objects/*/b.yaml"] {
        let outcome = sandbox.run(&["check", path, "--ref", "HEAD", "--crd", "/dev/null"]);
        assert!([Some(2), Some(3)].contains(&outcome.code), "{outcome:?}");
    }
    let outcome = sandbox.run(&["check", ".", "--ref", "HEAD"]);
    outcome.expect(
        1,
        &[
            "error[wrong-type]",
            "objects/gone/b.yaml:4:14",
            "2 files, 1 CRD, 1 CR, 1 error",
        ],
    );
    assert!(!outcome.stdout.contains("unknown-type"), "{}", outcome.stdout);
    sandbox
        .run(&["check", "crds", "objects/gone/b.yaml", "--ref", "HEAD"])
        .expect(1, &["2 files, 1 CRD, 1 CR, 1 error"]);
    sandbox
        .run(&["check", "crds/a.yaml", "obj*/*/*.yaml", "--ref=HEAD"])
        .expect(1, &["2 files, 1 CRD, 1 CR, 1 error"]);
    sandbox
        .run(&["check", "crds", "--ref", "HEAD"])
        .expect(0, &["1 file, 1 CRD"]);
    sandbox
        .run(&["check", "crds/new.yaml", "--ref", "HEAD"])
        .expect(3, &["cannot read crds/new.yaml", "the revision does not have it"]);
    sandbox
        .run(&["check", ".", "--ref", "nosuch"])
        .expect(2, &["--ref nosuch: the revision is not a commit"]);
    sandbox
        .run(&["check", ".", "--ref", "HEAD", "--fix"])
        .expect(2, &["cannot be used with"]);
}

#[test]
fn kustomizations_of_a_revision_are_built() {
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: ";
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n",
    );
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("base/kustomization.yaml", "resources: [w.yaml]\n"),
        ("base/w.yaml", &format!("{object}{{}}\n")),
        (
            "over/kustomization.yaml",
            "resources: [../base]\npatches: [{path: p.yaml}]\n",
        ),
        ("over/p.yaml", &format!("{object}{{size: big}}\n")),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-q", "-m", "one"]);
    std::fs::remove_dir_all(sandbox.path().join("base")).expect("it is there");
    sandbox.write("over/p.yaml", format!("{object}{{size: 3}}\n"));
    let outcome = sandbox.run(&["check", "-o", "concise", ".", "--ref", "HEAD"]);
    outcome.expect(1, &["over/p.yaml:4:14: error[wrong-type]", "1 error, 0 warnings"]);
}

/// A Flux Kustomization in `clusters/apps.yaml`, with these additional fields in its `spec`.
fn of_flux(more: &str) -> String {
    format!(
        "# The apps.\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps}}\nspec:\n  path: ./apps\n{more}"
    )
}

#[test]
fn patches_of_flux_count() {
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: ";
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}, color: {type: string}}\n",
    );
    let merge = |value: &str| {
        of_flux(&format!(
            "  patches:\n  - target: {{kind: Widget}}\n    patch: |\n      apiVersion: example.com/v1\n      kind: Widget\n      metadata: {{name: a}}\n      spec: {{size: {value}}}\n"
        ))
    };
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("apps/w.yaml", &format!("{object}{{color: red}}\n")),
        ("clusters/apps.yaml", &of_flux("  prune: true\n")),
    ]);
    let check = |code: i32, texts: &[&str]| {
        sandbox.run(&["check", "."]).expect(code, texts);
    };
    check(1, &["no `size`"]);
    sandbox.write("clusters/apps.yaml", merge("3"));
    check(0, &[" 0 errors"]);
    sandbox.write("clusters/apps.yaml", merge("big"));
    let place = "--> clusters/apps.yaml:14:20";
    check(
        1,
        &[
            "error[wrong-type]",
            place,
            "Flux builds it like this for `apps` (clusters/apps.yaml)",
            " 1 error",
        ],
    );
    // The folder also contains a `kustomization.yaml`, and the patch is a JSON patch.
    sandbox.write("apps/kustomization.yaml", "resources: [w.yaml]\n");
    check(1, &["error[wrong-type]", place, " 1 error"]);
    let json = "  patches:\n  - target: {kind: Widget}\n    patch: '- {op: add, path: /spec/size, value: 3}'\n";
    sandbox.write("clusters/apps.yaml", of_flux(json));
    check(0, &[" 0 errors"]);
    // A variable is substituted after the build.
    let after = "  postBuild: {substitute: {SIZE: big}}\n";
    sandbox.write("clusters/apps.yaml", format!("{}{after}", merge("\"${SIZE}\"")));
    check(
        1,
        &[
            "`spec.size` must be an integer",
            place,
            "Flux substitutes variables here",
        ],
    );
    // A component adds the field.
    sandbox.write("clusters/apps.yaml", of_flux("  components: [../parts]\n"));
    sandbox.write(
        "parts/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: p.yaml}]\n",
    );
    sandbox.write("parts/p.yaml", format!("{object}{{size: 1}}\n"));
    check(0, &[" 0 errors"]);
    // A path that does not exist in this repository belongs to another repository.
    sandbox.write("clusters/apps.yaml", merge("3").replace("./apps", "./others"));
    check(1, &["no `size`", " 1 error"]);
}

#[test]
fn patches_of_flux_are_part_of_what_is_updated() {
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n              x-kubernetes-validations: [{rule: self.size >= oldSelf.size, message: it shrinks}]\n",
    );
    let patch = |size: u32| {
        of_flux(&format!(
            "  patches:\n  - target: {{kind: Widget}}\n    patch: '- {{op: add, path: /spec/size, value: {size}}}'\n"
        ))
    };
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("apps/w.yaml", object),
        ("clusters/apps.yaml", &patch(3)),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-q", "-m", "one"]);
    let check = ["check", "-o", "concise", "--old-ref", "HEAD", "."];
    sandbox.run(&check).expect(0, &[" 0 errors"]);
    sandbox.write("clusters/apps.yaml", patch(2));
    sandbox.run(&check).expect(1, &["it shrinks", " 1 error"]);
    sandbox.write("clusters/apps.yaml", patch(4));
    sandbox.run(&check).expect(0, &[" 0 errors"]);
}

/// A Flux Kustomization that builds a folder, and patches its children so that they patch widgets.
fn parent(name: &str, path: &str, size: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec:\n  path: {path}\n  patches:\n  - target: {{kind: Kustomization}}\n    patch: |\n      - op: add\n        path: /spec/patches\n        value:\n        - target: {{kind: Widget}}\n          patch: '[{{\"op\": \"add\", \"path\": \"/spec/size\", \"value\": {size}}}]'\n"
    )
}

#[test]
fn patches_that_children_of_flux_get_are_part_of_what_is_updated() {
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n              x-kubernetes-validations: [{rule: self.size >= oldSelf.size, message: it shrinks}]\n",
    );
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        (
            "widgets/w.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n",
        ),
        ("apps/apps.yaml", &of_flux("").replace("./apps", "./widgets")),
        ("clusters/all.yaml", &parent("all", "./apps", "3")),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-q", "-m", "one"]);
    let check = ["check", "-o", "concise", "--old-ref", "HEAD", "."];
    sandbox.run(&check).expect(0, &[" 0 errors"]);
    sandbox.write("clusters/all.yaml", parent("all", "./apps", "2"));
    sandbox.run(&check).expect(1, &["it shrinks", " 1 error"]);
    sandbox.write("clusters/all.yaml", parent("all", "./apps", "4"));
    sandbox.run(&check).expect(0, &[" 0 errors"]);
}

#[test]
fn children_of_flux_that_build_each_other() {
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n",
    );
    // Each of the two Kustomizations builds the folder that contains both.
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        (
            "a/w.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n",
        ),
        ("a/ks.yaml", &of_flux("").replace("./apps", "./")),
        (
            "b/ks.yaml",
            &parent("b", "./", "\"big\"").replace("{kind: Kustomization}", "{kind: Kustomization, name: apps}"),
        ),
    ]);
    let outcome = sandbox.run(&["check", "-o", "concise", "."]);
    outcome.expect(1, &["b/ks.yaml:13:65: error[wrong-type]", " 1 error"]);
}
