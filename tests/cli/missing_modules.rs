//! Tests of Go types that need packages that are not on this machine.

use crate::Sandbox;

const NOTE: &str = "Not checked: Go types of packages that are not on this machine (example.com/parts; `go mod download` fetches them)";

const ORDER: &str = r#"package v1

import "example.com/parts"
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec,omitempty"`
}

type OrderSpec struct {
	Limit int32 `json:"limit"`
	// +optional
	Part parts.Part `json:"part,omitempty"`
	// +optional
	Parts []parts.Part `json:"parts,omitempty"`

	parts.Common `json:",inline"`
}
"#;

const ORDERS: &str = "apiVersion: apiextensions.k8s.io/v1
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
  - name: v1
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
              common:
                maxLength: 10
                type: string
              limit:
                format: int32
                type: integer
              part:
                properties:
                  size:
                    type: integer
                type: object
              parts:
                items:
                  properties:
                    size:
                      type: integer
                  type: object
                type: array
            required:
            - common
            - limit
            type: object
        type: object
    served: true
    storage: true
";

/// A project whose module cache is empty.
fn project() -> Sandbox {
    Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "go.mod",
            "module example.com/shop\n\nrequire example.com/parts v1.0.0\n",
        ),
        (
            "api/v1/groupversion_info.go",
            "// +groupName=shop.example.com\npackage v1\n",
        ),
        ("api/v1/order_types.go", ORDER),
        ("config/crd/bases/shop.example.com_orders.yaml", ORDERS),
    ])
}

/// Checks `ORDER` with markers of the spec, more fields, and more types.
fn check(markers: &[&str], fields: &str, types: &str) -> crate::Outcome {
    let sandbox = project();
    let marker = |it: &&str| format!("// +kubebuilder:validation:XValidation:rule=\"{it}\"\n");
    let markers: Vec<String> = markers.iter().map(marker).collect();
    let spec = format!("{}type OrderSpec struct {{\n{fields}", markers.concat());
    let order = ORDER.replace("type OrderSpec struct {\n", &spec);
    sandbox.write("api/v1/order_types.go", format!("{order}\n{types}"));
    sandbox.run(&["check", "./api/...", "-o", "concise"])
}

#[test]
fn what_is_missing_is_said_once() {
    let sandbox = project();
    let outcome = sandbox.run(&["check", "./api/..."]);
    outcome.expect(0, &[NOTE, "2 files, 1 CRD (1 checked in part), 0 errors"]);
    assert_eq!(
        outcome.stdout.matches("go mod download").count(),
        1,
        "{}",
        outcome.stdout
    );
    sandbox
        .run(&["doctor"])
        .expect(0, &[NOTE, "1 CRD is here as a Go type"]);
    // A type that the package lacks is no reason to fetch it.
    sandbox.write("vendor/example.com/parts/parts.go", "package parts\n");
    let outcome = sandbox.run(&["check", "./api/..."]);
    assert!(!outcome.stdout.contains("go mod download"), "{}", outcome.stdout);
}

#[test]
fn new_fields_exist() {
    let fields = "\t// +kubebuilder:default=\"3\"\n\tRetries int32 `json:\"retries\"`\n\
                  \t// +kubebuilder:validation:Enum=a;b\n\t// +kubebuilder:default=c\n\tMode string `json:\"mode\"`\n\
                  \t// +optional\n\tNested *Nested `json:\"nested,omitempty\"`\n";
    let types = "type Nested struct {\n\tNames map[string]bool `json:\"names\"`\n\tSizes []int64 `json:\"sizes\"`\n}\n";
    let rules = [
        "self.retries > 2",
        "self.retrys > 2",
        "self.part.size > 1 && self.common != ''",
        "self.part.sise > 1",
        "!has(self.nested) || self.nested.sizes == 1",
    ];
    let outcome = check(&rules, fields, types);
    let expected = [
        "order_types.go:20:26: error[wrong-type]: the default of `spec.retries` must be an integer",
        "order_types.go:23:26: error[not-in-enum]: the default of `spec.mode` must be `\"a\"` or `\"b\"`",
        "order_types.go:15:51: error (after fixing the above)[undefined-field]: `retrys` is not a property of `spec`",
        "order_types.go:17:56: error (after fixing the above)[undefined-field]: `sise`",
        "order_types.go:18:",
        "2 errors, 3 after fixing these",
        NOTE,
    ];
    outcome.expect(1, &expected);
}

#[test]
fn new_fields_of_unknown_types_are_unknown() {
    let fields = "\t// +kubebuilder:default={}\n\tOther parts.Other `json:\"other\"`\n\
                  \t// +listType=map\n\t// +listMapKey=name\n\
                  \t// +kubebuilder:validation:XValidation:rule=\"self.all(it, it.size > 1)\"\n\
                  \tOthers []parts.Other `json:\"others\"`\n\
                  \tNested Nested `json:\"nested\"`\n";
    let types = "type Nested struct {\n\tSize int64 `json:\"size\"`\n\tparts.Common `json:\",inline\"`\n}\n";
    let rules = [
        "self.other.size > 1",
        "self.others.all(it, it.size > self.limit)",
        "self.nested.common == ''",
        "self.limt > 1",
    ];
    let outcome = check(&rules, fields, types);
    outcome.expect(
        1,
        &["order_types.go:17:51: error[undefined-field]: `limt`", "1 error,", NOTE],
    );
}

#[test]
fn removed_fields_are_gone() {
    let sandbox = project();
    let rules = "// +kubebuilder:validation:XValidation:rule=\"self.name != ''\"\ntype OrderSpec";
    sandbox.write("api/v1/order_types.go", ORDER.replace("type OrderSpec", rules));
    let crd = ORDERS.replace(
        "            required:",
        "              name:\n                type: string\n            required:",
    );
    // The field may come from the type that is not known.
    sandbox.write("config/crd/bases/shop.example.com_orders.yaml", &crd);
    sandbox.run(&["check", "./api/..."]).expect(0, &[NOTE, "0 errors"]);
    let alone = ORDER
        .replace("type OrderSpec", rules)
        .replace("\n\tparts.Common `json:\",inline\"`\n", "");
    sandbox.write("api/v1/order_types.go", alone);
    sandbox.run(&["check", "./api/...", "-o", "concise"]).expect(
        1,
        &["order_types.go:14:51: error[undefined-field]: `name` is not a property of `spec`"],
    );
}

#[test]
fn rules_that_read_new_fields_are_left_open_if_a_script_changes_the_crd() {
    let sandbox = project();
    let rules = "// +kubebuilder:validation:XValidation:rule=\"self.retries > 2\"\n\
                 // +kubebuilder:validation:XValidation:rule=\"self.retrys > 2\"\n\
                 type OrderSpec struct {\n\tRetries int32 `json:\"retries\"`\n";
    let order = ORDER.replace("type OrderSpec struct {\n", rules);
    let order = order
        .replace("\n\tparts.Common `json:\",inline\"`\n", "")
        .replace("parts.Part", "string");
    sandbox.write(
        "api/v1/order_types.go",
        order.replace("import \"example.com/parts\"\n", ""),
    );
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    outcome.expect(
        1,
        &["order_types.go:14:51: error[undefined-field]: `retrys`", " 1 error,"],
    );
}
