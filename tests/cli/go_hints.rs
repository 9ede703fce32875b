//! Tests of hints about rules in Go files.

use crate::generate::without_crd;

#[test]
fn hints_about_rules_are_reported() {
    let rule = "// +kubebuilder:validation:XValidation:rule=\"self.a > 1\"\n";
    let sandbox = without_crd(&format!(
        "{rule}type CartSpec struct {{\n\t// +optional\n\tA int64 `json:\"a,omitempty\"`\n}}\n"
    ));
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    outcome.expect(0, &["hint[optional-field-read]: this rule fails when `a` is not set"]);
}
