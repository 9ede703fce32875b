//! Hostile input: each command ends with a clear answer and the right exit code, without crashing or hanging.

use serde_json::Value;

use crate::{Sandbox, definition, hostile_rules};

#[track_caller]
fn check(text: &[u8], code: i32, texts: &[&str]) {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("x.yaml", text);
    sandbox.run(&["check", "x.yaml"]).expect(code, texts);
}

fn definition_of_property(n: usize) -> String {
    format!("                p{n}:\n                  type: string\n")
}

#[test]
fn nested_block_mappings() {
    let mut spec = String::from("              type: object\n");
    for depth in 0..300 {
        let indent = " ".repeat(14 + 2 * depth);
        for line in ["properties:", " a:", "  type: object"] {
            spec.extend([&indent, line, "\n"]);
        }
    }
    let sandbox = Sandbox::new(&[("x.yaml", &definition(&spec))]);
    assert!(sandbox.run(&["check", "x.yaml"]).code.is_some(), "it ends by itself");
}

#[test]
fn nested_brackets() {
    check(
        "[".repeat(100_000).as_bytes(),
        1,
        &["invalid-yaml", "collections are nested too deeply"],
    );
    check(
        format!("{}{}", "[".repeat(9_000), "]".repeat(9_000)).as_bytes(),
        1,
        &["error["],
    );
}

#[test]
fn many_lines_and_one_long_line() {
    let mut spec = String::from("              type: object\n              properties:\n");
    for n in 0..25_000 {
        spec.push_str(&definition_of_property(n));
    }
    check(definition(&spec).as_bytes(), 0, &["0 errors", "hint[large-manifest]"]);
    let long = format!(
        "              type: object\n              description: {}\n",
        "x".repeat(10_000_000)
    );
    check(
        definition(&long).as_bytes(),
        1,
        &["error[too-large-to-store]", "1 error,"],
    );
}

#[test]
fn bytes_that_are_no_text() {
    check(b"a: \xff\xfe\n", 1, &["invalid-yaml"]);
    check(b"\xff\xfea\x00:\x00", 1, &[]);
    check(&[0], 1, &["a control character is not allowed in YAML"]);
    check(b"", 1, &["this file is not checked: it has no Kubernetes object"]);
}

#[test]
fn alias_bombs() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    let mut text = format!("{head}a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let item = format!("*a{}", n - 1);
        let line = format!("a{n}: &a{n} [{}]\n", [item.as_str(); 10].join(", "));
        text.push_str(&line);
    }
    check(text.as_bytes(), 1, &["document contains excessive aliasing"]);
    check(
        format!("{head}a: &a [*a]\n").as_bytes(),
        1,
        &["anchor 'a' value contains itself"],
    );
}

#[test]
fn rules_that_are_too_much() {
    let rules = hostile_rules::rules();
    let sandbox = Sandbox::new(&[]);
    let names: Vec<String> = (0..rules.len()).map(|n| format!("{n:02}.json")).collect();
    for (name, rule) in names.iter().zip(&rules) {
        sandbox.write(name, hostile_rules::definition(&rule.text));
    }
    let run = |command: &str| {
        let mut arguments = vec![command, "--output", "jsonl"];
        arguments.extend(names.iter().map(String::as_str));
        sandbox.run(&arguments)
    };
    let lines = |outcome: &super::Outcome| -> Vec<Value> {
        let lines = outcome.stdout.lines();
        lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let checked = run("check");
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    for (rule, answer) in rules.iter().zip(lines(&checked)) {
        let errors = answer["errors"].as_array().expect("a list");
        let details: Vec<_> = errors.iter().filter_map(|it| it["detail"].as_str()).collect();
        let is_expected = match rule.error {
            None => details.is_empty(),
            Some(error) => details.iter().any(|it| it.contains(error)),
        };
        assert!(is_expected, "{}: {details:?}", rule.name);
    }
    let priced = run("cost");
    assert_eq!(priced.code, Some(1), "{}", priced.stderr);
    let costs = lines(&priced);
    for (name, rule) in names.iter().zip(&rules) {
        let line = costs.iter().find(|it| it["file"] == **name && it["rule"] == rule.text);
        let line = line.unwrap_or_else(|| panic!("{} has no cost", rule.name));
        let error = line["error"].as_str();
        // A rule that is too expensive still compiles, so its error is only about the cost.
        let fails = rule.error.is_some_and(|it| !it.starts_with("estimated"));
        assert_eq!(
            error.is_some_and(|it| !it.is_empty()),
            fails,
            "{}: {error:?}",
            rule.name
        );
    }
    let requests = rules.iter().map(|rule| {
        let schema = serde_json::json!({"type": "object", "properties": {
            "n": {"type": "integer"},
            "l": {"type": "array", "maxItems": 3, "items": {"type": "integer"}},
        }});
        let request = serde_json::json!({"schema": schema, "rule": rule.text, "self": {"n": 1, "l": [1, 2]}});
        request.to_string() + "\n"
    });
    let ran = sandbox.run_with_input(&["eval", "--list", "-"], requests.collect::<String>().as_bytes());
    let answers = lines(&ran);
    assert_eq!(answers.len(), rules.len(), "{}", ran.stderr);
    for (rule, answer) in rules.iter().zip(answers) {
        let error = answer["compile_error"].as_str().unwrap_or_default();
        let expected = rule.error.filter(|it| !it.starts_with("estimated")).unwrap_or_default();
        assert!(error.contains(expected), "{}: {error:?}", rule.name);
        assert_eq!(error.is_empty(), expected.is_empty(), "{}: {error:?}", rule.name);
    }
}
