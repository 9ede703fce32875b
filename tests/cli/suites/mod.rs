//! Test files: ours, and suites of openshift/api's format.

mod openshift;
mod own;

use expect_test::Expect;

use super::Outcome;

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

/// The output without times.
fn check(outcome: &Outcome, code: i32, expect: &Expect) {
    assert_eq!(outcome.code, Some(code), "{outcome:#?}");
    let lines = outcome.stdout.lines().map(|line| match line.rsplit_once(" in ") {
        Some((before, after)) if after.ends_with(" ms") => format!("{before} in N ms\n"),
        _ => format!("{line}\n"),
    });
    expect.assert_eq(&lines.collect::<String>());
}
