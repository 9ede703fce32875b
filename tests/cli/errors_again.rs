//! Tests that errors are easy to find: among many other diagnostics, and behind a resource that is not checked.

use std::fmt::Write as _;

use crate::Sandbox;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {size: {type: integer}}
";

/// A directory with an error in `a.yaml`, and resources in `b.yaml` that each have a warning of their own.
fn with_warnings(warnings: usize) -> Sandbox {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("crd.yaml", CRD);
    let widget = |name: &str| format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\n");
    sandbox.write("a.yaml", widget("a") + "size: x\n");
    let mut others = String::new();
    for n in 0..warnings {
        let finalizer = format!("metadata: {{name: w{n}, finalizers: [f{n}]}}");
        let other = widget("w").replace("metadata: {name: w}", &finalizer);
        write!(others, "---\n{other}size: {n}\n").expect("a string");
    }
    sandbox.write("b.yaml", others);
    sandbox
}

#[test]
fn an_error_before_many_warnings_is_listed_again() {
    let again = "1 of these diagnostics is an error:\n  a.yaml:4:7: [wrong-type] `size` must be an integer, but the value is the string `\"x\"`\n";
    let many = with_warnings(8);
    let found = many.run(&["check", "."]);
    found.expect(1, &[again, "1 error, 8 warnings"]);
    for arguments in [&["check", "--quiet", "."][..], &["check", "-o", "concise", "."]] {
        let found = many.run(arguments);
        assert!(
            !found.expect(1, &["wrong-type"]).stdout.contains("of these diagnostics"),
            "{found:?}"
        );
    }
    let few = with_warnings(7);
    let found = few.run(&["check", "."]);
    assert!(
        !found
            .expect(1, &["1 error, 7 warnings"])
            .stdout
            .contains("of these diagnostics"),
        "{found:?}"
    );
}

#[test]
fn a_resource_whose_crd_cannot_be_read_says_where_and_why() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("config/crd.yaml", CRD.replace("scope: Namespaced", "scope: 7"));
    sandbox.write(
        "a.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n",
    );
    let warning = [
        "warning[unusable-crd]: this resource is not checked, because its CRD in `config/crd.yaml` cannot be read",
        "::: config/crd.yaml:7:10",
        "- `scope` must be a string, but the value is a number",
    ];
    let found = sandbox.run(&["check", "a.yaml", "--crd", "config/crd.yaml"]);
    found.expect(0, &warning);
    let arguments = ["check", "a.yaml", "--crd", "config/crd.yaml", "--fail-on", "warning"];
    sandbox.run(&arguments).expect(1, &warning);
}
