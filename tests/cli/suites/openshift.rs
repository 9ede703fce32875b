//! Suites in openshift/api's format.

use expect_test::expect;

use super::{SCHEMA, check};
use crate::{Sandbox, definition};

/// A suite in openshift/api's format with its CRD, in the layout of that repository.
fn their_sandbox(suite: &str) -> Sandbox {
    let definition = definition(SCHEMA).replace(
        "  name: widgets.example.com\n",
        "  name: widgets.example.com\n  annotations:\n    release.openshift.io/feature-set: SET\n    \
         include.release.openshift.io/self-managed-high-availability: \"true\"\n",
    );
    let default = definition.replace("SET", "Default");
    let custom = definition
        .replace("SET", "CustomNoUpgrade")
        .replace("maximum: 9", "maximum: 19");
    let features = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata:\n  annotations:\n    \
                    include.release.openshift.io/self-managed-high-availability: \"false-except-for-the-config-operator\"\n    \
                    release.openshift.io/feature-set: Default\nstatus:\n  featureGates:\n    - enabled: []\n      disabled: [{name: Large}]\n";
    Sandbox::new(&[
        (
            "example/v1/zz_generated.crd-manifests/widgets-Default.crd.yaml",
            &default,
        ),
        (
            "example/v1/zz_generated.crd-manifests/widgets-CustomNoUpgrade.crd.yaml",
            &custom,
        ),
        ("payload-manifests/featuregates/default.yaml", features),
        ("example/v1/tests/widgets.example.com/AAA_ungated.yaml", suite),
    ])
}

const THEIRS: &str = r#"apiVersion: apiextensions.k8s.io/v1
name: "Widgets"
crdName: widgets.example.com
tests:
  onCreate:
    - name: Should fill in the color
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec:
          size: 1
      expected: |
        apiVersion: example.com/v1
        kind: Widget
        spec:
          color: red
          size: 1
    - name: Should not allow five
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 5}
      expectedError: "spec: Invalid value: five is taken"
  onUpdate:
    - name: Should not rename
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1, name: a}
      updated: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1, name: b}
      expectedError: "a name stays"
    - name: Should tolerate what was stored before
      initialCRDPatches:
        - op: remove
          path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 100}
      updated: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 100, color: blue}
      expected: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 100, color: blue}
    - name: Should not allow a large size in the status
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1}
        status: {size: 1}
      updated: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1}
        status: {size: 100}
      expectedStatusError: "status.size: Invalid value: 100"
    - name: Should store the status
      initial: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1}
      updated: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1}
        status: {size: 2}
      expected: |
        apiVersion: example.com/v1
        kind: Widget
        spec: {size: 1, color: red}
        status: {size: 2}
"#;

#[test]
fn suites_of_openshift_are_read_as_they_are() {
    let sandbox = their_sandbox(THEIRS);
    sandbox
        .run(&["test", "."])
        .expect(0, &["1 file, 12 tests: 12 passed, 0 failed"]);
    let gated = |gate: &str| THEIRS.replace("tests:\n", &format!("featureGates: [{gate}]\ntests:\n"));
    let suite = "example/v1/tests/widgets.example.com/AAA_ungated.yaml";
    for (gate, expect) in [
        ("Large", "1 file, 6 tests: 6 passed"),
        ("-Large", "1 file, 6 tests: 6 passed"),
        (
            "Larg",
            "widgets-Default.crd.yaml: the feature gate `Larg` does not exist",
        ),
    ] {
        sandbox.write(suite, gated(gate));
        let code = if expect.contains("passed") { 0 } else { 3 };
        sandbox.run(&["test", "."]).expect(code, &[expect]);
    }
    // The suites are in another folder. They contain the path of the CRD, or the CRD is given by `--crd`.
    let path = "example/v1/zz_generated.crd-manifests/widgets-Default.crd.yaml";
    sandbox.write(
        "stable.widget.testsuite.yaml",
        THEIRS.replace("crdName: widgets.example.com", &format!("crd: {path}")),
    );
    sandbox
        .run(&["test", "stable.widget.testsuite.yaml"])
        .expect(0, &["6 passed, 0 failed"]);
    sandbox.write("other/here.yaml", THEIRS);
    sandbox
        .run(&["test", "other/here.yaml"])
        .expect(3, &["no CRD in the folders above"]);
    sandbox
        .run(&["test", "other/here.yaml", "--crd", path])
        .expect(0, &["6 passed, 0 failed"]);
    // The test runner of openshift/api also accepts resource names in tests.
    let named = THEIRS.replace("      initial: |", "      resourceName: cluster\n      initial: |");
    sandbox.write("other/here.yaml", named);
    sandbox
        .run(&["test", "other/here.yaml", "--crd", path])
        .expect(0, &["6 passed, 0 failed"]);
}

#[test]
fn suites_of_openshift_fail_where_theirs_would() {
    let failing = THEIRS
        .replace("five is taken\"", "six is taken\"")
        .replace("          color: red\n", "          color: blue # why?\n")
        .replace("\"a name stays\"", "\"status\" # soon")
        .replace("path: /spec/versions/0/schema", "path: /spec/versions/1/schema")
        .replace("Invalid value: 100\"", "Invalid value: 101\"")
        .replace(
            "        status: {size: 2}\n      expected",
            "        status: {size: 3}\n      expected",
        )
        .replace(
            "    - name: Should not rename",
            "    - name: Should not rename\n      expectedEror: x",
        );
    let sandbox = their_sandbox(&failing.replace("tests:\n", "featureGates: [-Large]\ntests:\n"));
    check(
        &sandbox.run(&["test", "."]),
        1,
        &expect![[r#"
            warning: a test of an update has no `expectedEror`; did you mean `expectedError`?
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:27:7
               |
            27 |       expectedEror: x
               |       ^^^^^^^^^^^^

            error: Should fill in the color: another object is stored
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:13:17
               |
            13 |       expected: |
               |                 ^
               = expected (-), got (+):
                   apiVersion: example.com/v1
                   kind: Widget
                   spec:
                 -   color: blue
                 +   color: red
                     size: 1

            error: Should not allow five: it is rejected with another message
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:24:22
               |
            24 |       expectedError: "spec: Invalid value: six is taken"
               |                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               = got: Widget.example.com "test-00000" is invalid: spec: Invalid value: five is taken

            error: Should not rename: it is rejected with another message
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:36:22
               |
            36 |       expectedError: "status" # soon
               |                      ^^^^^^^^
               = got: Widget.example.com "test-00000" is invalid: spec: Invalid value: a name stays

            error: Should tolerate what was stored before: the patches do not apply
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:39:9
               |
            39 |         - op: remove
               |         ^^^^^^^^^^^^
               = got: remove /spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/size/maximum: the CRD has nothing at `/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/size`

            error: Should not allow a large size in the status: it is rejected with another message
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:64:28
               |
            64 |       expectedStatusError: "status.size: Invalid value: 101"
               |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               = got: Widget.example.com "test-00000" is invalid: status.size: Invalid value: 100: size in body should be less than or equal to 9

            error: Should store the status: another object is stored
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:75:17
               |
            75 |       expected: |
               |                 ^
               = expected (-), got (+):
                     color: red
                     size: 1
                   status:
                 -   size: 2
                 +   size: 3

            1 file, 6 tests: 0 passed, 6 failed in N ms
        "#]],
    );
    check(
        &sandbox.run(&["test", ".", "--update"]),
        1,
        &expect![[r#"
            example/v1/tests/widgets.example.com/AAA_ungated.yaml: `Should tolerate what was stored before` stays as it is: the patches do not apply
            --- example/v1/tests/widgets.example.com/AAA_ungated.yaml
            +++ example/v1/tests/widgets.example.com/AAA_ungated.yaml
            @@ -14,14 +14,14 @@
                     apiVersion: example.com/v1
                     kind: Widget
                     spec:
            -          color: blue # why?
            +          color: red # why?
                       size: 1
                 - name: Should not allow five
                   initial: |
                     apiVersion: example.com/v1
                     kind: Widget
                     spec: {size: 5}
            -      expectedError: "spec: Invalid value: six is taken"
            +      expectedError: "spec: Invalid value: five is taken"
               onUpdate:
                 - name: Should not rename
                   expectedEror: x
            @@ -33,7 +33,7 @@
                     apiVersion: example.com/v1
                     kind: Widget
                     spec: {size: 1, name: b}
            -      expectedError: "status" # soon
            +      expectedError: "spec: Invalid value: a name stays" # soon
                 - name: Should tolerate what was stored before
                   initialCRDPatches:
                     - op: remove
            @@ -61,7 +61,7 @@
                     kind: Widget
                     spec: {size: 1}
                     status: {size: 100}
            -      expectedStatusError: "status.size: Invalid value: 101"
            +      expectedStatusError: "status.size: Invalid value: 100: size in body should be less than or equal to 9"
                 - name: Should store the status
                   initial: |
                     apiVersion: example.com/v1
            @@ -76,4 +76,4 @@
                     apiVersion: example.com/v1
                     kind: Widget
                     spec: {size: 1, color: red}
            -        status: {size: 2}
            +        status: {size: 3}
            warning: a test of an update has no `expectedEror`; did you mean `expectedError`?
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:27:7
               |
            27 |       expectedEror: x
               |       ^^^^^^^^^^^^

            error: Should tolerate what was stored before: the patches do not apply
              --> example/v1/tests/widgets.example.com/AAA_ungated.yaml:39:9
               |
            39 |         - op: remove
               |         ^^^^^^^^^^^^
               = got: remove /spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/size/maximum: the CRD has nothing at `/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/size`

            1 file, 6 tests: 5 passed, 1 failed, 5 updated in N ms
        "#]],
    );
}

#[test]
fn what_says_nothing_of_the_object_expects_it_as_it_was_sent() {
    let suite = |spec: &str, more: &str| {
        format!(
            "crdName: widgets.example.com\ntests:\n  onCreate:\n    - name: one{more}\n      initial: |\n        \
             apiVersion: example.com/v1\n        kind: Widget\n        spec: {spec}\n"
        )
    };
    for (spec, more, code, expect) in [
        ("{size: 1, color: blue}", "", 0, "2 passed, 0 failed"),
        ("{size: 1}", "", 1, "another object is stored"),
        ("{size: 1}", "\n      resourceName: cluster", 0, "2 passed, 0 failed"),
    ] {
        their_sandbox(&suite(spec, more))
            .run(&["test", "."])
            .expect(code, &[expect]);
    }
}

#[test]
fn what_theirs_reads_is_read() {
    let suite = |tests: &str| format!("crdName: widgets.example.com\ntests:\n{tests}");
    let object = "\"{apiVersion: example.com/v1, kind: Widget, spec: {size: 1, color: blue}}\"";
    let refused = "\"{apiVersion: example.com/v1, kind: Widget, spec: {size: 5}}\"";
    for (tests, code, expect) in [
        // Some values are not strings, and some keys are duplicates, for which the last value applies.
        (
            format!("  onCreate: [{{name: 1, initial: {refused}, initial: {object}, expectedError: \"\"}}]"),
            0,
            "the key `initial` is written twice",
        ),
        // If the object is rejected, the expected object is not parsed.
        (
            format!("  onCreate: [{{name: a, initial: {refused}, expectedError: 'five', expected: ']['}}]"),
            0,
            "2 passed, 0 failed",
        ),
        // An invalid test does not keep other tests from running.
        (
            format!("  onCreate: [{{name: a, initial: ']['}}, {{name: b, initial: {object}}}]"),
            1,
            "2 passed, 2 failed",
        ),
        (
            format!("  onUpdate: [{{name: a, initial: {object}, updated: {object}, expectedStatusError: x}}]"),
            0,
            "`updated` has no `status`, so the API server cannot reject it",
        ),
    ] {
        their_sandbox(&suite(&tests))
            .run(&["test", "."])
            .expect(code, &[expect]);
    }
}

/// openshift/api's runner expects the object that the test sends, and most runners in other projects expect nothing.
#[test]
fn what_a_test_without_expectation_expects_depends_on_the_project() {
    let unstated = THEIRS.replacen(
        "      expected: |\n        apiVersion: example.com/v1\n        kind: Widget\n        spec:\n          color: red\n          size: 1\n",
        "",
        1,
    );
    assert_ne!(unstated, THEIRS);
    let sandbox = their_sandbox(&unstated);
    let differs = ["Should fill in the color: another object is stored"];
    sandbox.run(&["test", "."]).expect(1, &differs);
    sandbox.write("go.mod", "module github.com/openshift/api\n\ngo 1.24\n");
    sandbox.run(&["test", "."]).expect(1, &differs);
    sandbox.write("go.mod", "module example.com/widgets\n\ngo 1.24\n");
    sandbox.run(&["test", "."]).expect(0, &["12 passed"]);
}
