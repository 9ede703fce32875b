//! Definitions that are generated from Go: findings name the field and the marker there.

use crate::{Sandbox, definition};

const TYPES: &str = r#"// +groupName=example.com
package v1

type WidgetSpec struct {
	// +kubebuilder:validation:Pattern=`[`
	Name string `json:"name"`

	Hosts []string `json:"hosts"`
}

// +kubebuilder:printcolumn:name=Size,type=text,JSONPath=.spec.name

// Widget is one.
// +kubebuilder:object:root=true
type Widget struct {
	// +kubebuilder:validation:XValidation:rule="self.hosts.all(h, self.hosts.exists_one(o, o == h))"
	Spec WidgetSpec `json:"spec"`
}
"#;

const SCHEMA: &str = "              type: object
              properties:
                name: {type: string, pattern: '['}
                hosts: {type: array, items: {type: string}}
              x-kubernetes-validations:
              - rule: self.hosts.all(h, self.hosts.exists_one(o, o == h))
";

#[test]
fn findings_name_the_field_and_the_marker_in_go() {
    let columns = "      additionalPrinterColumns:\n      - {name: Size, type: text, jsonPath: .spec.name}\n";
    let text = definition(SCHEMA) + columns;
    let sandbox = Sandbox::new(&[
        ("go.mod", "module example.com/widgets\n"),
        ("api/v1/widget_types.go", TYPES),
        ("config/crd/widgets.yaml", &text),
    ]);
    sandbox.run(&["check", "config"]).expect(
        1,
        &[
            "api/v1/widget_types.go:5:",
            "the marker of `WidgetSpec.Name` that sets it in Go",
            "the marker of `Widget.Spec` that sets it in Go",
            "`WidgetSpec.Hosts` in Go: add `// +kubebuilder:validation:MaxItems=256`",
            "`WidgetSpec.Hosts` in Go: add `// +kubebuilder:validation:items:MaxLength=253`",
            "the marker of `Widget` that sets it in Go",
        ],
    );
    // Go sources of another group say nothing of it.
    sandbox.write("api/v1/widget_types.go", TYPES.replace("example.com", "other.com"));
    let outcome = sandbox.run(&["check", "config"]);
    assert!(!outcome.stdout.contains("widget_types.go"), "{}", outcome.stdout);
    // A definition that says it is generated needs no group.
    let annotated = text.replace(
        "  name: widgets.example.com",
        "  name: widgets.example.com\n  annotations: {controller-gen.kubebuilder.io/version: v0.18.0}",
    );
    sandbox.write("config/crd/widgets.yaml", &annotated);
    sandbox.run(&["check", "config"]).expect(1, &["widget_types.go:5:"]);
}
