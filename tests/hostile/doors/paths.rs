//! Paths in files of a repository that point outside of it.

use std::{fs, os::unix::fs::symlink};

use crate::sandbox::{CRD, RESOURCE, SUITE, Sandbox};

#[test]
fn crds_lead_no_further_than_the_repository() {
    for path in [
        "/",
        "/dev/zero",
        "..",
        "../outside",
        "a/../../outside",
        "/**/*.yaml",
        "../*",
        "link",
        "link/*.yaml",
        "/net/x",
        "~",
    ] {
        let sandbox = Sandbox::new(&[
            ("api/one.yaml", RESOURCE),
            (".crd-analyzer.yaml", &format!("crds: ['{path}']\n")),
        ]);
        symlink("../outside", sandbox.path().join("link")).expect("a link");
        let outside = sandbox.path().join("../outside");
        fs::create_dir(&outside).expect("a folder");
        fs::write(outside.join("crd.yaml"), CRD.replace("integer", "string")).expect("a file");
        let outcome = sandbox.run(&["check", "."]);
        if path == "~" {
            outcome.expect(3, &["the file does not exist"]);
        } else {
            outcome.expect(2, &[&format!("crds {path}"), "outside of"]);
        }
        let outcome = sandbox.session("api/one.yaml", RESOURCE);
        outcome.expect(0, &[]).never_says("must be a string");
    }
}

#[test]
fn crds_may_lie_beside_the_configuration_in_the_repository() {
    for path in ["../operator/config/crd", "../operator/**/*.yaml", "../link", "crds"] {
        let sandbox = Sandbox::new(&[
            ("operator/config/crd/crd.yaml", &CRD.replace("integer", "string")),
            ("api/one.yaml", RESOURCE),
            ("api/.crd-analyzer.yaml", &format!("crds: ['{path}']\n")),
        ]);
        symlink("operator/config", sandbox.path().join("link")).expect("a link");
        symlink("../operator/config/crd/crd.yaml", sandbox.path().join("api/crds")).expect("a link");
        sandbox.run(&["check", "api/one.yaml"]).expect(1, &["size"]);
        sandbox
            .session_until("api/one.yaml", RESOURCE, "wrong-type")
            .expect(0, &[]);
    }
}

#[test]
fn crds_of_test_files_lead_no_further_than_the_repository() {
    for path in [
        "../outside.yaml",
        "/",
        "/etc/passwd",
        "link.yaml",
        "../../../../../etc/hostname",
    ] {
        let sandbox = Sandbox::new(&[("a.test.yaml", &SUITE.replace("crd.yaml", path))]);
        fs::write(sandbox.path().join("../outside.yaml"), CRD).expect("a file");
        symlink("../outside.yaml", sandbox.path().join("link.yaml")).expect("a link");
        for args in [
            &["test", "."][..],
            &["test", "a.test.yaml"],
            &["test", "--update", "a.test.yaml"],
        ] {
            sandbox.run(args).expect(3, &["a.test.yaml", "it leads to"]);
        }
    }
    let sandbox = Sandbox::new(&[
        ("crd.yaml", CRD),
        ("tests/a.test.yaml", &SUITE.replace("crd.yaml", "../crd.yaml")),
    ]);
    for path in [".", "tests", "tests/a.test.yaml"] {
        sandbox.run(&["test", path]).expect(0, &["1 passed"]);
    }
}

#[test]
fn suites_that_name_a_crd_are_looked_for_in_the_repository() {
    let suite = "apiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: one\n    \
                 initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      size: 3\n    expected: |\n      apiVersion: \
                 example.com/v1\n      kind: Widget\n      size: 3\n";
    let sandbox = Sandbox::new(&[("a/b.testsuite.yaml", suite)]);
    let above = sandbox.path().join("../crds");
    fs::create_dir(&above).expect("a folder");
    fs::write(above.join("crd.yaml"), CRD).expect("a file");
    sandbox
        .run(&["test", "."])
        .expect(3, &["is named `widgets.example.com`"]);
    sandbox.write("crds/crd.yaml", CRD);
    sandbox.run(&["test", "."]).expect(0, &["1 passed"]);
}

#[test]
fn links_to_folders_are_walked_inside_only() {
    let sandbox = Sandbox::new(&[("crds/crd.yaml", CRD)]);
    let outside = sandbox.path().join("../outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("secret.yaml"), CRD.replace("integer", "secret-type")).expect("a file");
    symlink("crds", sandbox.path().join("inside")).expect("a link");
    sandbox.run(&["check", "."]).expect(0, &["1 file, 1 CRD"]);
    symlink("../outside", sandbox.path().join("out")).expect("a link");
    symlink("..", sandbox.path().join("crds/loop")).expect("a link");
    let outcome = sandbox.run(&["check", "."]);
    outcome
        .expect(0, &["`./out` leads out of", "1 file, 1 CRD"])
        .never_says("secret-type");
    // The user can allow the path by naming it.
    sandbox.run(&["check", "out"]).expect(1, &["secret-type"]);
}
