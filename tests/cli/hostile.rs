//! Hostile input: each command ends with a clear answer and the right exit code, without crashing or hanging.

use crate::{Sandbox, definition};

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
