//! Tests of the exit codes of `check`: 0 for no errors, 1 for errors, 2 for wrong usage, 3 for unreadable input.

use crate::{Sandbox, definition};

#[test]
fn nothing_wrong_is_0_and_findings_are_1() {
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &definition("              type: object\n")),
        ("bad.yaml", &definition("              type: x\n")),
    ]);
    sandbox.run(&["check", "crd.yaml"]).expect(0, &[]);
    sandbox.run(&["check", "bad.yaml"]).expect(1, &[]);
    sandbox.run(&["check", "crd.yaml", "bad.yaml"]).expect(1, &["2 files"]);
}

#[test]
fn what_counts_can_be_chosen() {
    let warned = definition("              type: object\n              properties: {a: {type: string, format: foo}}\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &warned)]);
    sandbox.run(&["check", "crd.yaml"]).expect(0, &["1 warning"]);
    sandbox
        .run(&["check", "--fail-on", "warning", "crd.yaml"])
        .expect(1, &["1 warning"]);
}

#[test]
fn without_a_path_the_current_folder_is_checked() {
    let sandbox = Sandbox::new(&[("a/bad.yaml", &definition("              type: x\n"))]);
    sandbox.run(&["check"]).expect(1, &["a/bad.yaml", "1 error"]);
    sandbox
        .run(&["check", "--list", "list"])
        .expect(3, &["cannot read the list"]);
}

#[test]
fn usage_is_2_and_says_what_to_do() {
    let sandbox = Sandbox::new(&[
        ("crd.yaml", "a: b\n"),
        ("bad-config/.crd-analyzer.yaml", "rulez: {}\n"),
        ("bad-config/crd.yaml", "a: b\n"),
    ]);
    for command in ["convert", "compat"] {
        sandbox.run(&[command]).expect(2, &["Usage"]);
    }
    sandbox
        .run(&["check", "--kubernetes-version", "1.12", "crd.yaml"])
        .expect(2, &["choose from 1.30 to 1.37"]);
    sandbox.run(&["check", "bad-config"]).expect(
        2,
        &[".crd-analyzer.yaml", "`rulez` is not a setting, did you mean `rules`?"],
    );
    sandbox
        .run(&["check", "--old", "x", "crd.yaml", "crd.yaml"])
        .expect(2, &["give a folder"]);
    sandbox.run(&["nonsense"]).expect(2, &["nonsense"]);
}

#[test]
fn what_cannot_be_read_is_3_and_named() {
    let sandbox = Sandbox::new(&[("crd.yaml", &definition("              type: object\n"))]);
    sandbox
        .run(&["check", "missing.yaml", "crd.yaml"])
        .expect(3, &["missing.yaml", "1 CRD", "1 unreadable"]);
    sandbox
        .run(&["check", "-o", "jsonl", "missing.yaml"])
        .expect(3, &["\"unreadable\"", "cannot read missing.yaml"]);
}

#[cfg(unix)]
#[test]
fn links_into_the_same_files_count_once() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new(&[("b/crd.yaml", &definition("              type: object\n"))]);
    // These links lead to a parent folder, to another folder, and to a file.
    symlink("..", sandbox.path().join("b/loop")).expect("links can be made");
    symlink("b", sandbox.path().join("a")).expect("links can be made");
    symlink("b/crd.yaml", sandbox.path().join("c.yaml")).expect("links can be made");
    sandbox.run(&["check", "."]).expect(0, &["1 file, 1 CRD"]);
    // A file given by name is always listed, under this name.
    sandbox
        .run(&["check", "-o", "jsonl", ".", "c.yaml"])
        .expect(0, &[r#""file":"c.yaml""#]);
}

#[cfg(unix)]
#[test]
fn links_of_tests_that_lead_nowhere_do_not_fail_a_run() {
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &definition("              type: object\n")),
        ("pkg/testdata/a.txt", ""),
    ]);
    let link = |at: &str| std::os::unix::fs::symlink("nowhere", sandbox.path().join(at)).expect("links can be made");
    link("pkg/testdata/a.json");
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(0, &["0 errors"]);
    assert!(outcome.stderr.contains("note: pkg/testdata/a.json"), "{outcome:?}");
    link("pkg/b.json");
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(3, &["cannot read pkg/b.json"]);
}

/// Commands that read CRDs do not take Go packages for empty folders.
#[test]
fn go_packages_are_for_commands_that_read_them() {
    let sandbox = Sandbox::new(&[("api/v1/types.go", "// +groupName=example.com\npackage v1\n")]);
    let told = [
        "`./api/...` names Go packages, which this command does not read",
        "`crd-analyzer generate crd ./api/...` prints their CRDs",
    ];
    for command in [
        &["cost"][..],
        &["schema"],
        &["docs"],
        &["compat"],
        &["crds", "add"],
        &["storage"],
    ] {
        sandbox.run(&[command, &["./api/..."]].concat()).expect(2, &told);
    }
    sandbox.run(&["compat", "./api/...", "api"]).expect(2, &told);
    let told = [
        "`api/v1/types.go` is a Go file, but this command reads manifests in YAML or JSON",
        "`crd-analyzer generate crd api/v1` prints the CRDs of its package",
    ];
    for command in ["cost", "schema", "docs", "storage"] {
        sandbox.run(&[command, "api/v1/types.go"]).expect(2, &told);
    }
    let outcome = sandbox.run(&["docs", "none.yaml"]);
    outcome.expect(3, &["none.yaml: cannot read it: "]);
    let told = [
        "--crd ./api/...: this names Go packages, not files with CRDs",
        "`crd-analyzer generate crd ./api/...` prints their CRDs",
    ];
    sandbox.run(&["check", ".", "--crd", "./api/..."]).expect(2, &told);
    sandbox.run(&["check", "./api/..."]).expect(0, &["1 file,"]);
}

/// A git revision is read with a path.
#[test]
fn a_revision_without_a_path_is_told() {
    let sandbox = Sandbox::new(&[("crd.yaml", "")]);
    let told = "to read a git revision, add the path: `HEAD~1:config/crd/bases`";
    sandbox.run(&["compat", "HEAD~1", "HEAD"]).expect(2, &[told]);
}
