//! Go files that Go cannot parse.

use crate::sandbox::Sandbox;

const TYPES: &str = "// +groupName=example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size\"`\n\tName string `json:\"name\"`\n}\n";

/// Each mistake is the only finding, at the place where Go finds it, and `--fix` changes nothing.
#[test]
fn a_mistake_in_go_is_an_error_and_nothing_else_is_said_of_the_file() {
    let sandbox = Sandbox::new(&[("go.mod", "module example.com/x\n"), ("api/v1/types.go", TYPES)]);
    sandbox.run(&["check", "./..."]).expect(0, &["0 errors"]);
    for (from, to, place) in [
        ("Size int32 `", "Size int32 int `", "11:13"),
        ("package v1", "packag v1", "2:1"),
        ("`json:\"size\"`", "`json:\"size\"", "11:13"),
        ("WidgetSpec `", "WidgetSpec) `", "6:17"),
        ("type WidgetSpec struct {", "type WidgetSpec struct", "9:1"),
        ("type WidgetSpec struct {", "type WidgetSpec struct {}", "11:2"),
    ] {
        let broken = TYPES.replace(from, to);
        sandbox.write("api/v1/types.go", &broken);
        let outcome = sandbox.run(&["check", "--fix", "./...", "-o", "concise"]);
        let expected = format!("api/v1/types.go:{place}: error[invalid-go]");
        outcome.expect(1, &[&expected, "1 error, 0 warnings, 0 hints"]);
        let after = std::fs::read_to_string(sandbox.path().join("api/v1/types.go")).expect("a file");
        assert_eq!(after, broken);
    }
}

/// Mistakes in functions change no types, and the parser does not know the newest expressions.
#[test]
fn a_mistake_in_a_function_is_left_to_go() {
    let text = format!("{TYPES}\nfunc f() *string {{\n\treturn new(\"a\")\n}}\n");
    let sandbox = Sandbox::new(&[("go.mod", "module example.com/x\n"), ("api/v1/types.go", &text)]);
    sandbox.run(&["check", "./..."]).expect(0, &["0 errors"]);
}
