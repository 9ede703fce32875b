//! Go modules with unusual content: each command ends within the limits.

use crate::sandbox::{CRD, Sandbox};

/// The CRD with controller-gen's annotation.
fn generated() -> String {
    CRD.replace(
        "metadata: {name: widgets.example.com}",
        "metadata:\n  name: widgets.example.com\n  annotations: {controller-gen.kubebuilder.io/version: v0.21.0}",
    )
}

/// A module with a kind that has these types.
fn module(types: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::new(&[("crd.yaml", &generated()), ("go.mod", "module example.com/widgets\n")]);
    sandbox.write("api/v1/doc.go", "// +groupName=example.com\npackage v1\n");
    sandbox.write("api/v1/widget_types.go", types);
    sandbox
}

/// Runs the commands that read Go files. They have to succeed within the limits of the sandbox.
#[track_caller]
fn check(sandbox: &Sandbox) {
    for args in [
        &["check", "./..."][..],
        &["check", "."],
        &["check", "-o", "sarif", "api/v1/widget_types.go"],
        &["check", "--fix", "--diff", "./api/..."],
    ] {
        let outcome = sandbox.run(args);
        assert!(matches!(outcome.code, Some(0 | 1 | 3)), "{args:?}: {outcome:#?}");
        outcome.never_says("panicked");
    }
}

fn types(lines: &str) -> String {
    format!("package v1\n\n{lines}\n")
}

/// Types of a kind with a field of type `of` that has this marker.
fn field(marker: &str, of: &str) -> String {
    types(&format!(
        "type Widget struct {{\n\t// +{marker}\n\tSize {of} `json:\"size\"`\n}}\n"
    ))
}

/// Concatenates the texts for the given number of indices. Each text also gets the next index.
fn each(count: usize, of: impl Fn(usize, usize) -> String) -> String {
    (0..count).map(|it| of(it, it + 1)).collect::<Vec<_>>().concat()
}

#[test]
fn deep_types() {
    const DEPTH: usize = 20_000;
    for of in [
        "*",
        "[]",
        "map[string]",
        "(",
        "struct{ A ",
        "func(",
        "chan ",
        "[1]",
        "G[",
    ] {
        check(&module(field("optional", &format!("{}int", of.repeat(DEPTH)))));
    }
    let closed = format!("{}int{}", "struct { A ".repeat(2_000), " `json:\"a\"` }".repeat(2_000));
    check(&module(field("nullable", &closed)));
    let names = each(5_000, |it, next| format!("type T{it} T{next}\n"));
    check(&module(field("nullable", "T0") + &names));
    let embedded = each(2_000, |it, next| {
        format!("type T{it} struct {{\n\tT{next} `json:\",inline\"`\n}}\n")
    });
    check(&module(field("nullable", "T0") + &embedded));
}

#[test]
fn types_that_are_made_of_themselves() {
    for of in [
        "type A A\n",
        "type A B\ntype B A\n",
        "type A = B\ntype B = A\n",
        "type A []A\n",
        "type A map[string]A\n",
        "type A *A\n",
        "type A struct {\n\tA `json:\",inline\"`\n}\n",
        "type A struct {\n\tB `json:\",inline\"`\n}\ntype B struct {\n\t*A `json:\",inline\"`\n}\n",
        "type A struct {\n\tWidget `json:\",inline\"`\n}\n",
        "type A struct {\n\t// +nullable\n\tSize *A `json:\"size\"`\n}\n",
    ] {
        check(&module(field("nullable", "A") + of));
    }
    // Each type embeds the next one twice.
    let doubled = each(60, |it, next| {
        let other = format!("\tOther struct{{ T{next} }} `json:\",inline\"`\n");
        format!("type T{it} struct {{\n\tT{next} `json:\",inline\"`\n{other}}}\n")
    });
    check(&module(field("nullable", "T0") + &doubled));
}

#[test]
fn packages_that_import_each_other() {
    let package = |own: &str, other: &str| {
        format!(
            "// +groupName=example.com\npackage {own}\n\nimport {other} \"example.com/widgets/api/{other}\"\n\n\
             type Widget struct {{\n\t{other}.Widget `json:\",inline\"`\n\t// +nullable\n\tSize *{other}.Widget `json:\"size\"`\n}}\n"
        )
    };
    let sandbox = module(package("v1", "v2"));
    sandbox.write("api/v2/widget_types.go", package("v2", "v1"));
    check(&sandbox);
    sandbox.write("api/v2/widget_types.go", package("v2", "v2"));
    check(&sandbox);
}

#[test]
fn files_that_are_no_text() {
    let text = field("nullable", "int");
    for bytes in [
        b"\0".repeat(50_000),
        b"\xff\xfe".repeat(100_000),
        [text.as_bytes(), b"\0// +\xff\0optional\n"].concat(),
        text.replace("nullable", "null\0able").into_bytes(),
        text.replace('\n', "\r").into_bytes(),
        text.replace('\n', "\u{2028}").into_bytes(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [text.as_bytes(), &b"/*".repeat(20_000)].concat(),
        [text.as_bytes(), &b"`".repeat(10_001)].concat(),
        [text.as_bytes(), &b"{[(".repeat(4_000)].concat(),
        text.chars().flat_map(|it| [it as u8, 0]).collect(),
    ] {
        check(&module(bytes));
    }
}

#[test]
fn markers_that_are_long() {
    let long = 200_000;
    for marker in [
        format!("kubebuilder:default={}", "{a: ".repeat(long / 4)),
        format!("kubebuilder:validation:Enum={}", "a;".repeat(long / 2)),
        format!("kubebuilder:validation:Pattern=`{}`", "(a*)*".repeat(long / 5)),
        format!("kubebuilder:validation:XValidation:rule=\"{}\"", "!(".repeat(long / 2)),
        format!("kubebuilder:{}", "a:".repeat(long / 2)),
        format!("kubebuilder:validation:{}MaxLength=1", "items:".repeat(long / 6)),
    ] {
        check(&module(field(&marker, "int")));
    }
}

#[test]
fn a_module_file_without_end() {
    for text in [
        "\trequire example.com/a v1.0.0\n".repeat(500_000),
        "replace a => ../..\n".repeat(100_000),
        "module ".repeat(500_000),
        format!("module {}\n", "a/".repeat(1_000_000)),
        "(".repeat(1_000_000),
        "\0".repeat(1_000_000),
    ] {
        let sandbox = module(field("nullable", "int"));
        sandbox.write("go.mod", &text);
        sandbox.write("Makefile", &text);
        check(&sandbox);
    }
    let sandbox = module(field("nullable", "int"));
    for number in 0..300 {
        sandbox.write(&format!("m{number}/go.mod"), "module example.com/widgets/api\n");
        sandbox.write(&format!("m{number}/v1/a.go"), types("type Widget struct{}\n"));
    }
    check(&sandbox);
}
