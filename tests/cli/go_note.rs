//! The note of `check` about Go types that it does not check.

use crate::sandbox::Sandbox;

/// The note about Go types is for those of the repository, and Go files are checked only if somebody asks for it.
#[test]
fn go_files_beside_manifests_are_only_named() {
    let types = "package v1\n\n// +kubebuilder:validation:Maximum=x\ntype A struct{}\n";
    let sandbox = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ("vendor/example.com/api/v1/types.go", types),
    ]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(0, &["1 file,"]);
    assert!(!outcome.stdout.contains("Go types"), "{outcome:?}");
    sandbox.write("api/v1/widget_types.go", types);
    sandbox.run(&["check", "."]).expect(0, &["1 file,", "Go types"]);
}
