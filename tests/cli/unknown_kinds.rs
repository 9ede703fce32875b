//! Kinds that no CRD defines: those that are misspelt, and those in a group that resembles the group of a CRD.

use crate::{Sandbox, definition};

/// Checks what `check` reports about an object of a type, in a repository with a CRD of `Widget` in `example.com`.
#[track_caller]
fn check((api_version, kind): (&str, &str), code: i32, expected: &[&str]) {
    let object = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n");
    let crd = definition("              type: object\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("a.yaml", &object)]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(code, expected);
    let is_told = outcome.stdout.contains("[unknown-kind]");
    assert_eq!(is_told, !expected[0].starts_with('0'), "{outcome:?}");
}

#[test]
fn kinds_of_kubernetes_that_do_not_exist_are_errors() {
    for (api_version, written, right) in [
        ("v1", "Namepsace", "Namespace"),
        ("apps/v1", "Deploymnet", "Deployment"),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmisionPolicy",
            "ValidatingAdmissionPolicy",
        ),
    ] {
        let help = format!("write `kind: {right}`");
        check((api_version, written), 1, &["error[unknown-kind]", &help]);
    }
    check(("v1", "Namespace"), 0, &["0 errors"]);
    check(("apps/v1", "Deployment"), 0, &["0 errors"]);
    check(
        ("networking.k8s.io/v2", "Widget"),
        1,
        &["error[unknown-kind]", "write `apiVersion: example.com/v1`"],
    );
    // A kind that a later version of Kubernetes may have.
    check(("apps/v1", "Rollout"), 0, &["0 errors"]);
    check(("v1", "Config"), 0, &["0 errors"]);
}

#[test]
fn groups_that_resemble_the_group_of_a_crd_are_hints() {
    check(
        ("example.org/v1", "Widget"),
        0,
        &[
            "hint[unknown-kind]: no CRD here defines `Widget` in `example.org/v1`",
            "did you mean `example.com`?",
            "if so, write `apiVersion: example.com/v1`",
        ],
    );
    check(("other.dev/v1", "Widget"), 0, &["0 errors"]);
    check(("example.org/v1", "Gadget"), 0, &["0 errors"]);
}
