//! Links to private files. The content of these files must not appear in any output.

use std::{fs, os::unix::fs::symlink};

use crate::sandbox::{CRD, RESOURCE, SUITE, Sandbox};

/// A text that any parser would quote in an error message.
const SECRET: &str = "apiVersion: example.com/v1\nkind: Widget\ncrd: [hunter2\ntests: [hunter2]\nsize: hunter2\n";

/// Replaces a file by a link to the secret, and runs all commands.
#[track_caller]
fn check(name: &str) {
    for (target, folder) in [("../secret", ""), ("../../secret", "sub/"), ("sub/link", "")] {
        let sandbox = Sandbox::new(&[
            ("crd.yaml", CRD),
            ("one.yaml", RESOURCE),
            ("other.test.yaml", SUITE),
            ("sub/two.yaml", RESOURCE),
            ("sub/other.test.yaml", &SUITE.replace("crd.yaml", "../crd.yaml")),
        ]);
        fs::write(sandbox.path().join("../secret"), SECRET).expect("a file");
        symlink("../../secret", sandbox.path().join("sub/link")).expect("a link");
        symlink(target, sandbox.path().join(format!("{folder}{name}"))).expect("a link");
        for args in [
            &["check", "."][..],
            &["check", "-o", "jsonl", "."],
            &["check", "-o", "github", "."],
            &["check", "--show", "effective", ".", "one.yaml"],
            &["check", "--fix", "."],
            &["check", "--fix", "--diff", "."],
            &["check", "one.yaml", "sub/two.yaml"],
            &["cost", "."],
            &["test", "."],
            &["test", "-o", "tap", "."],
            &["test", "--update", "."],
            &["test", "sub/other.test.yaml"],
        ] {
            let outcome = sandbox.run(args);
            assert!(outcome.code.is_some(), "{outcome:#?}");
            outcome.never_says("hunter2");
        }
        sandbox
            .session("one.yaml", RESOURCE)
            .expect(0, &[])
            .never_says("hunter2");
        assert_eq!(
            fs::read_to_string(sandbox.path().join("../secret")).expect("a file"),
            SECRET
        );
    }
}

#[test]
fn a_configuration() {
    check(".crd-analyzer.yaml");
}

#[test]
fn a_test_file() {
    check("a.test.yaml");
    check("a.testsuite.yaml");
}

#[test]
fn a_manifest() {
    check("a.yaml");
    check("a.json");
}

#[test]
fn what_else_is_read() {
    for name in ["go.mod", "types.go", ".gitignore", ".ignore"] {
        check(name);
    }
}

#[test]
fn a_link_that_the_user_names_is_followed() {
    let sandbox = Sandbox::new(&[]);
    fs::write(sandbox.path().join("../crd.yaml"), CRD).expect("a file");
    symlink("../crd.yaml", sandbox.path().join("link.yaml")).expect("a link");
    sandbox.run(&["check", "link.yaml"]).expect(0, &["1 CRD"]);
    sandbox.run(&["check", "."]).expect(3, &["outside of"]);
}
