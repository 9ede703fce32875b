//! Tests of test files in our own format and of suites in openshift/api's format.

mod coverage;
mod openshift;
mod own;
mod written;

use expect_test::Expect;

use super::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              required: [size]
              properties:
                size: {type: integer, maximum: 9}
                color: {type: string, default: red, maxLength: 9}
                name: {type: string, maxLength: 9}
              x-kubernetes-validations:
                - rule: self.size != 5
                  message: five is taken
                - rule: '!has(oldSelf.name) || has(self.name) && self.name == oldSelf.name'
                  message: a name stays
            status:
              type: object
              properties:
                size: {type: integer, maximum: 9}
      subresources: {status: {}}
";

/// Checks the output. Times in the output are ignored.
fn check(outcome: &Outcome, code: i32, expect: &Expect) {
    assert_eq!(outcome.code, Some(code), "{outcome:#?}");
    let lines = outcome.stdout.lines().map(|line| match line.rsplit_once(" in ") {
        Some((before, after)) if after.ends_with(" ms") => format!("{before} in N ms\n"),
        _ => format!("{line}\n"),
    });
    expect.assert_eq(&lines.collect::<String>());
}

const FAILING: &str = "crd: widgets.yaml
tests:
  - name: small
    create: {spec: {size: 1}}
    expect: rejected # it is not
  - name: large
    create: {spec: {size: 10}}
    expect: accepted
  - name: words
    create: {spec: {size: 10, color: 1234567890}}
    expect:
      rejected:
        # the bound of sizes
        - field: spec.size
          detail: too large
        - {type: Required value, field: spec.name}
  - name: more
    create: {spec: {size: 10, name: abcdefghijk}}
    expect:
      rejected:
        - spec.size # only this
  - name: stored
    create: {spec: {size: 1}}
    expect:
      stored:
        spec:
          color: blue
          size: 1 # small
      defaulted:
        spec.color: blue
      warnings: [careful]
  - name: nothing
    create: {spec: {size: 1, colour: red}}
";

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new(&[("widgets.yaml", &definition(SCHEMA))]);
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox
}
