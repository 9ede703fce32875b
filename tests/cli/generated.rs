//! CRDs that are generated from Go: findings name the field and the marker there.

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
    // A CRD that says it is generated needs no group.
    let annotated = text.replace(
        "  name: widgets.example.com",
        "  name: widgets.example.com\n  annotations: {controller-gen.kubebuilder.io/version: v0.18.0}",
    );
    sandbox.write("config/crd/widgets.yaml", &annotated);
    sandbox.run(&["check", "config"]).expect(1, &["widget_types.go:5:"]);
}

/// A kubebuilder project: types, and the CRD that controller-gen 0.21 makes of them.
fn project() -> Sandbox {
    Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("go.mod", "module example.com/shop\n"),
        (
            "api/v1/groupversion_info.go",
            "// +groupName=shop.example.com\npackage v1\n",
        ),
        ("api/v1/order_types.go", ORDER),
        ("config/crd/bases/shop.example.com_orders.yaml", ORDERS),
    ])
}

const ORDER: &str = r#"package v1

// +kubebuilder:printcolumn:name=Price,type=integer,JSONPath=.spec.price
type Order struct {
	Spec OrderSpec `json:"spec,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self.price <= self.limit"
// +kubebuilder:validation:XValidation:rule=`self.name != "none"`,message="a \"name\""
type OrderSpec struct {
	Price int32 `json:"price"`
	// +kubebuilder:validation:Maximum=100
	Limit int32 `json:"limit"`
	// +kubebuilder:validation:Pattern="^\\d+$|^[a-z]+$"
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:default=none1
	Name string `json:"name,omitempty"`
}
"#;

const ORDERS: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.21.0
  name: orders.shop.example.com
spec:
  group: shop.example.com
  names:
    kind: Order
    listKind: OrderList
    plural: orders
    singular: order
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - jsonPath: .spec.price
      name: Price
      type: integer
    name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
              limit:
                format: int32
                maximum: 100
                type: integer
              name:
                default: none1
                maxLength: 20
                pattern: ^\d+$|^[a-z]+$
                type: string
              price:
                format: int32
                type: integer
            required:
            - limit
            - price
            type: object
            x-kubernetes-validations:
            - rule: self.price <= self.limit
            - message: a "name"
              rule: self.name != "none"
        type: object
    served: true
    storage: true
"#;

#[test]
fn crds_are_judged_as_markers_make_them() {
    let sandbox = project();
    // The default does not match the pattern.
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    let place = "api/v1/order_types.go:16:26: error[pattern-mismatch]";
    assert!(outcome.stdout.contains(place), "{}", outcome.stdout);
    let fixed = |from: &str, to: &str| ORDER.replace("none1", "none").replace(from, to);
    let check = |from: &str, to: &str, expected: &str| {
        sandbox.write("api/v1/order_types.go", fixed(from, to));
        let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
        assert!(
            outcome.stdout.contains(expected),
            "{to}: {expected} in {}",
            outcome.stdout
        );
    };
    check("", "", "0 errors, 0 warnings");
    // In quotes with escapes, in backquotes, and without quotes: the place of a token is that in the file.
    check("self.limit\"", "self.limt\"", ":8:65: error[undefined-field]");
    check("self.name !=", "self.nam !=", ":9:51: error[undefined-field]");
    check(".spec.price", ".spec.prices", ":3:68: hint[unknown-column-path]");
    check("^[a-z]+$", "^([a-z]+$", ":14:");
    // A bound that only the types have.
    let bound = "Maximum=100\n\t// +kubebuilder:validation:Minimum=200";
    check("Maximum=100", bound, ":13:37: hint[contradictory-bounds]");
    // A rule that only the types have: it needs what the CRD says of the other fields.
    let rule = "// +kubebuilder:validation:XValidation:rule=\"self.limit == self.name\"\ntype OrderSpec";
    check("type OrderSpec", rule, ":10:57: error[no-matching-overload]");
    // Values of another type or shape: controller-gen writes them as they are.
    for value in ["5", "true", "{a: 1}", "{}", "a;b"] {
        let expected = "error[wrong-type]: the default of `spec.name` must be a string";
        check("default=none", &format!("default={value}"), expected);
    }
    check("default=none", "default=\"5\"", "0 errors");
    // In a list of items by semicolons, controller-gen refuses commas.
    check(
        "Pattern=\"^\\\\d+$|^[a-z]+$\"",
        "Enum=none,other",
        ":14:38: error[invalid-marker]",
    );
    // What the CRD says of the marker is not in the file: nothing is told of it.
    let refused = fixed("MaxLength=20", "MaxLength=x").replace("default=none", "default=longer-than-twenty-characters");
    sandbox.write("api/v1/order_types.go", refused);
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    assert!(!outcome.stdout.contains("20"), "{}", outcome.stdout);
    // A comment silences it.
    let silenced = format!("// +crd-analyzer: ignore[no-matching-overload] a test\n{rule}");
    check("type OrderSpec", &silenced, "0 errors");
    // Types of another group are not those of the CRD.
    sandbox.write(
        "api/v1/groupversion_info.go",
        "// +groupName=other.example.com\npackage v1\n",
    );
    sandbox.write(
        "api/v1/order_types.go",
        "package v1\n\ntype Order struct {\n\tOther string `json:\"other\"`\n}\n",
    );
    let outcome = sandbox.run(&["check", "./api/..."]);
    assert!(
        outcome.stdout.contains("0 errors, 0 warnings, 0 hints"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn what_is_wrong_in_both_is_told_in_the_crd() {
    let sandbox = project();
    let outcome = sandbox.run(&["check", ".", "./api/...", "-o", "concise"]);
    assert_eq!(outcome.stdout.matches("error[").count(), 1, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("orders.yaml:"), "{}", outcome.stdout);
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    assert!(outcome.stdout.contains("order_types.go:16:"), "{}", outcome.stdout);
}
