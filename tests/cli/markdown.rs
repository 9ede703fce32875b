//! Tests of examples in Markdown files.

use super::{Sandbox, definition};

const SCHEMA: &str = "              type: object
              required: [size]
              properties:
                size: {type: integer, maximum: 9}
                color: {type: string}
";

fn sandbox(readme: &str) -> Sandbox {
    Sandbox::new(&[("crds/widgets.yaml", &definition(SCHEMA)), ("README.md", readme)])
}

fn block(spec: &str) -> String {
    format!("```yaml\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n{spec}\n```\n")
}

#[test]
fn examples_are_checked_where_they_are() {
    let readme = format!(
        "# Wídgets\n\nAn exámple: {{\n\n{}\n* in a list\n\n  {}",
        block("  size: 10"),
        block("  size: 1\n  colour: red").trim_end().replace('\n', "\n  ")
    );
    let sandbox = sandbox(&readme);
    sandbox.run(&["check", "."]).expect(0, &["1 CRD, 0 errors"]);
    let outcome = sandbox.run(&["check", ".", "--markdown"]);
    outcome.expect(
        1,
        &[
            "README.md:11:9",
            "README.md:23:5",
            "2 CRs (2 checked in part), 2 errors",
        ],
    );
    sandbox
        .run(&["check", "README.md", "--crd", "crds"])
        .expect(1, &["2 CRs (2 checked in part), 2 errors"]);
    // Examples in Markdown are not fixed.
    sandbox
        .run(&["check", "README.md", "--crd", "crds", "--fix"])
        .expect(1, &[]);
    assert_eq!(
        std::fs::read_to_string(sandbox.path().join("README.md")).expect("a text"),
        readme
    );
}

#[test]
fn what_examples_leave_out_is_not_missing() {
    for (text, errors) in [
        (block("  color: red"), 0),
        (block("  color: red\n  ..."), 0),
        (block("  color: red\n  size: ..."), 0),
        (block("  color: red\n  size: few"), 1),
        (block("  colour: red"), 1),
        (block("  size: <size>"), 0),
        (block("  size: ${SIZE}"), 0),
        (block("  size: 1").replace("yaml", ""), 0),
        (block("  size: 10").replace("yaml", "go"), 0),
        (block("  size: 10 # crd-analyzer: ignore[number-too-large] a reason"), 0),
        (block("  size: 10").replace("kind: Widget\n", ""), 0),
    ] {
        let sandbox = sandbox(&text);
        let outcome = sandbox.run(&["check", ".", "--markdown"]);
        outcome.expect(i32::from(errors > 0), &[&format!(" {errors} error")]);
    }
}

#[test]
fn examples_that_cannot_be_checked_are_counted() {
    let sandbox = sandbox(&format!(
        "{}{}",
        block("  size: [").replace("Widget", "Gadget"),
        block("  size: 1").replace("Widget", "Gizmo")
    ));
    let outcome = sandbox.run(&["check", ".", "--markdown"]);
    outcome.expect(0, &["1 document that is not YAML (README.md)", "Gizmo"]);
}

#[test]
fn a_crd_in_an_example_checks_nothing() {
    let readme = format!(
        "```yaml\n{}```\n",
        definition(&SCHEMA.replace("maximum: 9", "maximum: 1"))
    );
    let sandbox = sandbox(&format!("{readme}{}", block("  size: 5")));
    sandbox.run(&["check", ".", "--markdown"]).expect(0, &["0 errors"]);
}

#[test]
fn hostile_markdown_ends_in_an_answer() {
    let many = block("  size: 1").repeat(300);
    for text in [
        "```yaml".to_owned(),
        "```yaml\n```yaml\n~~~\n".to_owned(),
        "```yaml\napiVersion: example.com/v1\nkind: Widget".to_owned(),
        format!(
            "```yaml\napiVersion: example.com/v1\nkind: Widget\nspec: {}\n",
            "[".repeat(20_000)
        ),
        format!("{}\n```yaml\napiVersion: a\nkind: b\n", "`".repeat(100_000)),
        "\u{feff}```yaml\r\napiVersion: example.com/v1\r\nkind: Widget\r\n---\r\n```\r\n".to_owned(),
        "\0```yaml\napiVersion: \0\nkind: \n".to_owned(),
        many,
    ] {
        let sandbox = sandbox(&text);
        let outcome = sandbox.run(&["check", ".", "--markdown"]);
        assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    }
}
