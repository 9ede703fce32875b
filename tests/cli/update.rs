//! The update question: may a manifest replace the one that is stored?

use std::process::Command;

use crate::{Sandbox, definition};

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

/// The scope of a definition never changes.
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
