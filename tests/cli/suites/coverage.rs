//! Tests of the rules that no test makes fail.

use expect_test::expect;

use super::{check, sandbox};

const ONE: &str = "crd: widgets.yaml
tests:
  - name: five
    create: {spec: {size: 5}}
    expect: rejected
  - name: six
    create: {spec: {size: 6}}
    expect: accepted
";

const NAMES: &str = "crd: widgets.yaml
tests:
  - name: names stay
    update:
      from: {spec: {size: 1, name: a}}
      to: {spec: {size: 1, name: a}}
    expect: accepted
";

#[test]
fn rules_that_no_test_makes_fail_are_printed() {
    let one = sandbox(&[("one.test.yaml", ONE)]);
    check(
        &one.run(&["test", ".", "--coverage"]),
        0,
        &expect![[r"
            widgets.example.com: tests make 1 of 2 rules fail
              widgets.yaml:27:25: no test evaluates this rule: !has(oldSelf.name) || has(self.name) && self.name == oldSelf.name
            1 file, 2 tests: 2 passed, 0 failed in N ms
        "]],
    );
    // The coverage combines all suites.
    let both = sandbox(&[("one.test.yaml", ONE), ("names.test.yaml", NAMES)]);
    let found = both.run(&["test", ".", "--coverage"]);
    found.expect(0, &["no test makes this rule fail: !has(oldSelf.name)"]);
    both.run(&["test", ".", "--coverage=require"])
        .expect(1, &["tests make 1 of 2 rules fail", "3 passed, 0 failed"]);
    let fails = NAMES.replace("name: a}}\n    expect: accepted", "name: b}}\n    expect: rejected");
    both.write("names.test.yaml", &fails);
    both.run(&["test", ".", "--coverage=require"])
        .expect(0, &["tests make 2 of 2 rules fail\n2 files, 3 tests: 3 passed"]);
}

#[test]
fn each_format_has_the_coverage() {
    let sandbox = sandbox(&[("one.test.yaml", ONE)]);
    let tap = sandbox.run(&["test", ".", "--coverage", "-o", "tap"]);
    tap.expect(
        0,
        &["# widgets.example.com: tests make 1 of 2 rules fail\n# widgets.yaml:27:25: no test evaluates"],
    );
    let junit = sandbox.run(&["test", ".", "--coverage", "-o", "junit"]);
    junit.expect(
        0,
        &[
            "<testsuite name=\"rules of widgets.example.com\" tests=\"2\" skipped=\"1\"",
            "<skipped message=\"no test evaluates this rule\"/>",
        ],
    );
    let jsonl = sandbox.run(&["test", ".", "--coverage", "-o", "jsonl"]);
    let lines = jsonl.stdout.lines().map(|it| serde_json::from_str(it).expect("JSON"));
    let rules: Vec<serde_json::Value> = lines.filter(|it: &serde_json::Value| it["rule"].is_string()).collect();
    assert_eq!(rules.len(), 2, "{rules:?}");
    assert_eq!(rules[0]["rule"], "self.size != 5");
    assert_eq!(rules[0]["tests"], serde_json::json!({ "evaluated": 2, "failed": 1 }));
    assert_eq!(rules[1]["tests"], serde_json::json!({ "evaluated": 0, "failed": 0 }));
}
