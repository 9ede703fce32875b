//! Test files in our own format.

use expect_test::expect;

use crate::Sandbox;

use super::{FAILING, check, sandbox};

/// A test file with every kind of expectation. All its tests pass.
const PASSING: &str = "# What widgets are.
crd: widgets.yaml
tests:
  - name: the smallest widget
    create: {spec: {size: 1}}
    expect:
      defaulted: {spec.color: red}
      stored: {spec: {color: red, size: 1}}
      warnings: []
  - name: no other fields
    create: {spec: {size: 1, colour: red}}
    expect: {rejected: ['unknown field \"spec.colour\"']}
  - name: they are dropped
    create: {spec: {size: 1, colour: red}}
    expect: {pruned: [spec.colour]}
  - name: sizes
    create: {apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 10}}
    expect:
      rejected:
        - {type: Invalid value, field: spec.size, detail: spec.size in body should be less than or equal to 9}
  - name: five
    create: {spec: {size: 5}}
    expect: {rejected: five is taken}
  - name: names stay
    update:
      from: {spec: {size: 1, name: a}}
      to: {spec: {size: 1, name: b}}
    expect: rejected
  - name: too large and unchanged
    kubernetesVersions: 1.33..1.37
    update:
      from: {spec: {size: 11}}
      to: {spec: {size: 11, color: blue}}
    expect: accepted
  - name: the status
    updateStatus:
      from: {spec: {size: 1}}
      to: {spec: {size: x}, status: {size: 10}}
    expect:
      rejected:
        - {type: FieldValueInvalid, field: status.size, contains: less than or equal to 9}
";

#[test]
fn what_is_expected_comes_out() {
    let sandbox = sandbox(&[("a/widgets.test.yaml", &PASSING.replace("crd: ", "crd: ../"))]);
    check(
        &sandbox.run(&["test", "-v"]),
        0,
        &expect![[r"
            passed   a/widgets.test.yaml: the smallest widget
            passed   a/widgets.test.yaml: no other fields
            passed   a/widgets.test.yaml: they are dropped
            passed   a/widgets.test.yaml: sizes
            passed   a/widgets.test.yaml: five
            passed   a/widgets.test.yaml: names stay
            passed   a/widgets.test.yaml: too large and unchanged
            passed   a/widgets.test.yaml: the status
            1 file, 8 tests: 8 passed, 0 failed in N ms
        "]],
    );
    sandbox
        .run(&["test", "--kubernetes-version", "1.31..1.32"])
        .expect(0, &["1 file, 8 tests: 7 passed, 0 failed, 1 skipped"]);
    // `check` skips test files, because they contain errors on purpose.
    sandbox.run(&["check", "."]).expect(0, &["1 CRD, 0 errors"]);
    sandbox
        .run(&["check", "a/widgets.test.yaml"])
        .expect(0, &["0 files, 0 CRDs, 0 errors"]);
}

#[test]
fn failures_point_to_what_expects_something_else() {
    let sandbox = sandbox(&[("widgets.test.yaml", FAILING)]);
    check(
        &sandbox.run(&["test", "."]),
        1,
        &expect![[r#"
            error: small: it is accepted
             --> widgets.test.yaml:5:13
              |
            5 |     expect: rejected # it is not
              |             ^^^^^^^^

            error: large: it is rejected
             --> widgets.test.yaml:8:13
              |
            8 |     expect: accepted
              |             ^^^^^^^^
              = got: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9

            error: words: the cause at `spec.size` has another message
              --> widgets.test.yaml:15:19
               |
            15 |           detail: too large
               |                   ^^^^^^^^^
               = got: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9

            error: words: the API server does not report this cause
              --> widgets.test.yaml:16:11
               |
            16 |         - {type: Required value, field: spec.name}
               |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               = got: spec.color: Invalid value: "integer": spec.color in body must be of type string: "integer"
                 got: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9
                 got: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation

            error: more: the API server also reports other causes
              --> widgets.test.yaml:21:9
               |
            21 |         - spec.size # only this
               |         ^^^^^^^^^^^
               = got: spec.name: Too long: may not be more than 9 bytes

            error: stored: the warnings are different
              --> widgets.test.yaml:31:17
               |
            31 |       warnings: [careful]
               |                 ^^^^^^^^^
               = expected (-), got (+):
                 - careful

            error: stored: `spec.color` gets another default
              --> widgets.test.yaml:30:9
               |
            30 |         spec.color: blue
               |         ^^^^^^^^^^^^^^^^
               = got: "red"

            error: stored: another object is stored
              --> widgets.test.yaml:26:9
               |
            26 |         spec:
               |         ^^^^^
               = expected (-), got (+):
                   apiVersion: example.com/v1
                   kind: Widget
                   spec:
                 -   color: blue
                 +   color: red
                     size: 1

            error: nothing: the test expects nothing yet: add `expect`, or run with `--update`
              --> widgets.test.yaml:32:11
               |
            32 |   - name: nothing
               |           ^^^^^^^
               = got: unknown field "spec.colour"

            1 file, 6 tests: 0 passed, 6 failed in N ms
        "#]],
    );
}

#[test]
fn results_for_programs() {
    let sandbox = sandbox(&[
        ("bad.test.yaml", FAILING),
        ("good.test.yaml", PASSING),
        ("odd.test.yaml", "crd: nowhere.yaml\ntests: []\n"),
    ]);
    let all = [
        "test",
        ".",
        "--kubernetes-version",
        "1.30",
        "--run",
        "small",
        "--run",
        "^(too|sizes)",
        "-o",
    ];
    let run = |format: &'static str| sandbox.run(&[&all[..], &[format]].concat());
    check(
        &run("tap"),
        3,
        &expect![[r#"
        TAP version 14
        not ok 1 - bad.test.yaml: small
          ---
          message: "it is accepted"
          at: "bad.test.yaml:5:13"
          ...
        ok 2 - good.test.yaml: the smallest widget
        ok 3 - good.test.yaml: sizes
        ok 4 - good.test.yaml: too large and unchanged # SKIP not for these Kubernetes versions
        not ok 5 - odd.test.yaml
          ---
          message: "cannot read the CRD nowhere.yaml: the file does not exist"
          at: "odd.test.yaml:1:6"
          ...
        1..5
    "#]],
    );
    check(
        &run("junit"),
        3,
        &expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="crd-analyzer" tests="5" skipped="1" failures="1" errors="1">
            <testsuite name="bad.test.yaml" tests="1" skipped="0" errors="0" failures="1">
                <testcase name="small" classname="bad.test.yaml" file="bad.test.yaml" line="3">
                    <failure message="it is accepted">bad.test.yaml:5:13: it is accepted</failure>
                </testcase>
            </testsuite>
            <testsuite name="good.test.yaml" tests="3" skipped="1" errors="0" failures="0">
                <testcase name="the smallest widget" classname="good.test.yaml" file="good.test.yaml" line="4"/>
                <testcase name="sizes" classname="good.test.yaml" file="good.test.yaml" line="16"/>
                <testcase name="too large and unchanged" classname="good.test.yaml" file="good.test.yaml" line="29">
                    <skipped message="not for these Kubernetes versions"/>
                </testcase>
            </testsuite>
            <testsuite name="odd.test.yaml" tests="1" skipped="0" errors="1" failures="0">
                <testcase name="the file can be run" classname="odd.test.yaml">
                    <error message="cannot read the CRD nowhere.yaml: the file does not exist">odd.test.yaml:1:6</error>
                </testcase>
            </testsuite>
        </testsuites>
    "#]],
    );
    let lines = sandbox
        .run(&[
            "test",
            "good.test.yaml",
            "bad.test.yaml",
            "-o",
            "jsonl",
            "--run",
            "small",
        ])
        .json();
    let statuses: Vec<_> = lines.iter().map(|it| it["status"].as_str()).collect();
    assert_eq!(statuses, [Some("passed"), Some("failed")]);
    assert_eq!(lines[1]["failures"][0]["range"]["start"]["line"], 5);
    assert_eq!(lines[0]["answers"]["1.37"]["stored"]["spec"]["color"], "red");
}

#[test]
fn runs_can_be_cut_short() {
    let sandbox = sandbox(&[("a.test.yaml", FAILING), ("b.test.yaml", FAILING)]);
    sandbox
        .run(&["test", ".", "--fail-fast"])
        .expect(1, &["1 file, 1 test: 0 passed, 1 failed"]);
    sandbox
        .run(&["test", ".", "--fail-fast", "--threads", "1", "--run", "large"])
        .expect(1, &["large: it is rejected", "1 file, 1 test: 0 passed, 1 failed"]);
    sandbox
        .run(&["test", ".", "--run", "huge"])
        .expect(2, &["no test in . has a name that matches `--run`"]);
    sandbox
        .run(&["test", "widgets.yaml"])
        .expect(3, &["this is a Kubernetes object, not a test file"]);
    sandbox.run(&["test", "nowhere"]).expect(3, &["cannot read nowhere"]);
    sandbox
        .run(&["test", ".", "--run", "("])
        .expect(2, &["regex parse error"]);
    std::fs::create_dir(sandbox.path().join("empty")).expect("a folder");
    sandbox.run(&["test", "empty"]).expect(2, &["empty contains no tests"]);
}

#[test]
fn what_is_wrong_with_a_file_is_said_at_its_place() {
    let sandbox = sandbox(&[(
        "widgets.test.yaml",
        "crd: widgets.yaml\nkubernetesVersion: 1.31\ntests:\n  - name: a\n    craete: {}\n    expect: acepted\n  - name: a\n    create: {}\n    \
         update: {form: {}, to: []}\n    expect: {rejected: [{kind: Invalid, type: Invald value}], stored: {}, pruned: x}\n  - create: 7\n",
    )]);
    check(
        &sandbox.run(&["test", "."]),
        3,
        &expect![[r"
            error: a test file has no `kubernetesVersion`; did you mean `kubernetesVersions`?
             --> widgets.test.yaml:2:1
              |
            2 | kubernetesVersion: 1.31
              | ^^^^^^^^^^^^^^^^^

            error: a test has no `craete`; did you mean `create`?
             --> widgets.test.yaml:5:5
              |
            5 |     craete: {}
              |     ^^^^^^

            error: a test has exactly one of `create`, `update` and `updateStatus`
             --> widgets.test.yaml:4:5
              |
            4 |   - name: a
              |     ^^^^^^^

            error: `acepted` is not an expectation: write `accepted`, `rejected`, or a mapping with details
             --> widgets.test.yaml:6:13
              |
            6 |     expect: acepted
              |             ^^^^^^^

            error: a test has exactly one of `create`, `update` and `updateStatus`
             --> widgets.test.yaml:9:13
              |
            9 |     update: {form: {}, to: []}
              |             ^^^^^^^^^^^^^^^^^^

            error: a cause has no `kind`; there is `type`, `field`, `detail` and `contains`
              --> widgets.test.yaml:10:26
               |
            10 |     expect: {rejected: [{kind: Invalid, type: Invald value}], stored: {}, pruned: x}
               |                          ^^^^

            error: the cause type `Invald value` does not exist; did you mean `Invalid value`?
              --> widgets.test.yaml:10:47
               |
            10 |     expect: {rejected: [{kind: Invalid, type: Invald value}], stored: {}, pruned: x}
               |                                               ^^^^^^^^^^^^

            error: `pruned` must be a list
              --> widgets.test.yaml:10:83
               |
            10 |     expect: {rejected: [{kind: Invalid, type: Invald value}], stored: {}, pruned: x}
               |                                                                                   ^

            error: a rejected object is not stored, so remove `stored`, `defaulted` and `pruned`, or `rejected`
              --> widgets.test.yaml:10:24
               |
            10 |     expect: {rejected: [{kind: Invalid, type: Invald value}], stored: {}, pruned: x}
               |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

            error: a test needs a `name`
              --> widgets.test.yaml:11:5
               |
            11 |   - create: 7
               |     ^^^^^^^^^

            error: `create` must be an object
              --> widgets.test.yaml:11:13
               |
            11 |   - create: 7
               |             ^

            1 file, 0 tests: 0 passed, 0 failed, 1 file cannot be run in N ms
        "]],
    );
    sandbox.write("widgets.test.yaml", "crd: widgets.yaml\ntests: [\n");
    sandbox.run(&["test", "."]).expect(3, &["this is not YAML: "]);
    sandbox.write("widgets.test.yaml", "something: else\n");
    sandbox.run(&["test", "."]).expect(2, &[". contains no tests"]);
    sandbox.write(
        "widgets.test.yaml",
        "crd: widgets.yaml\ntests:\n  - name: a\n    create: {kind: Gadget}\n    expect: accepted\n",
    );
    sandbox
        .run(&["test", "."])
        .expect(1, &["the CRDs of this suite do not define `Gadget`"]);
}

#[test]
fn the_version_that_a_suite_was_written_for_is_named() {
    let crd = crate::definition(
        "              type: object
              properties: {name: {type: string, maxLength: 10}}
",
    );
    let test = |name: &str, words: &str| {
        format!(
            "- name: {name}\n  create: {{spec: {{name: aaaaaaaaaaaaaaa}}}}\n  expect: {{rejected: ['spec.name: Too long: {words}']}}\n"
        )
    };
    let old = [
        test("a", "may not be longer than 10"),
        test("b", "may not be longer than 10"),
        test("c", "is wrong everywhere"),
    ];
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("w.test.yaml", &format!("crd: crd.yaml\ntests:\n{}", old.concat())),
    ]);
    let note = "note: 2 of the 3 failed tests pass with `--kubernetes-version 1.31`";
    sandbox.run(&["test", "w.test.yaml"]).expect(1, &[note]);
    let then = sandbox.run(&["test", "w.test.yaml", "--kubernetes-version", "1.31"]);
    then.expect(1, &["3 tests: 2 passed, 1 failed"]);
    assert!(!then.stdout.contains("note:"), "{}", then.stdout);
}
