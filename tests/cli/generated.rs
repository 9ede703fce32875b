//! Tests of diagnostics for CRDs generated from Go, which name the Go field and marker.

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
    // Go sources in another API group are ignored.
    sandbox.write("api/v1/widget_types.go", TYPES.replace("example.com", "other.com"));
    let outcome = sandbox.run(&["check", "config"]);
    assert!(!outcome.stdout.contains("widget_types.go"), "{}", outcome.stdout);
    // The annotation of controller-gen marks a CRD as generated, so the group of the Go sources need not match.
    let annotated = text.replace(
        "  name: widgets.example.com",
        "  name: widgets.example.com\n  annotations: {controller-gen.kubebuilder.io/version: v0.18.0}",
    );
    sandbox.write("config/crd/widgets.yaml", &annotated);
    sandbox.run(&["check", "config"]).expect(1, &["widget_types.go:5:"]);
}

/// A kubebuilder project: types, and the CRD that controller-gen 0.21 generates from them.
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
    // The expression is escaped in quotes, in backquotes, and without quotes. Positions always refer to the file.
    check("self.limit\"", "self.limt\"", ":8:65: error[undefined-field]");
    check("self.name !=", "self.nam !=", ":9:51: error[undefined-field]");
    check(".spec.price", ".spec.prices", ":3:68: hint[unknown-column-path]");
    check("^[a-z]+$", "^([a-z]+$", ":14:");
    // This bound exists only in the types, not in the CRD.
    let bound = "Maximum=100\n\t// +kubebuilder:validation:Minimum=200";
    check("Maximum=100", bound, ":13:37: hint[contradictory-bounds]");
    // This rule exists only in the types. It is checked with the CRD's schema of the other fields.
    let rule = "// +kubebuilder:validation:XValidation:rule=\"self.limit == self.name\"\ntype OrderSpec";
    check("type OrderSpec", rule, ":10:57: error[no-matching-overload]");
    // These values have the wrong type or form, and controller-gen copies them unchanged.
    for value in ["5", "true", "{a: 1}", "{}", "a;b"] {
        let expected = "error[wrong-type]: the default of `spec.name` must be a string";
        check("default=none", &format!("default={value}"), expected);
    }
    check("default=none", "default=\"5\"", "0 errors");
    // controller-gen rejects commas in a list that is separated by semicolons.
    check(
        "Pattern=\"^\\\\d+$|^[a-z]+$\"",
        "Enum=none,other",
        ":14:38: error[invalid-marker]",
    );
    // The marker is invalid, so a message must not contain the value from the CRD.
    let refused = fixed("MaxLength=20", "MaxLength=x").replace("default=none", "default=longer-than-twenty-characters");
    sandbox.write("api/v1/order_types.go", refused);
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    // The last line contains the elapsed time.
    let told = outcome.stdout.trim_end().rsplit_once('\n').map_or("", |it| it.0);
    assert!(!told.contains("20"), "{told}");
    // A comment suppresses the diagnostic.
    let silenced = format!("// +crd-analyzer: ignore[no-matching-overload] a test\n{rule}");
    check("type OrderSpec", &silenced, "0 errors");
    // Types of another API group do not belong to the CRD.
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

/// The types with other markers on the kind and on a list.
fn with_markers(kind: &str, list: &str) -> String {
    let order = ORDER
        .replace("none1", "none")
        .replace("type Order struct", &format!("{kind}type Order struct"));
    order.replace(
        "}\n\n// +kubebuilder:validation:XV",
        "}\n\n// Item is one.\ntype Item struct {\n\tName string `json:\"name\"`\n\tValue string `json:\"value,omitempty\"`\n}\n\n// +kubebuilder:validation:XV",
    )
    .replace("\tPrice int32", &format!("{list}\tItems []Item `json:\"items,omitempty\"`\n\tPrice int32"))
}

#[test]
fn markers_of_kinds_and_lists_are_put_in() {
    let sandbox = project();
    let items = "              items:
                items:
                  properties:
                    name: {type: string}
                    value: {type: string}
                  required: [name]
                  type: object
                type: array
                x-kubernetes-list-map-keys: [name]
                x-kubernetes-list-type: map
              limit:
                format: int32
";
    let crd = ORDERS.replace("              limit:\n                format: int32\n", items);
    sandbox.write("config/crd/bases/shop.example.com_orders.yaml", &crd);
    let keyed = "\t// +listType=map\n\t// +listMapKey=name\n";
    let check = |kind: &str, list: &str, expected: &str| {
        sandbox.write("api/v1/order_types.go", with_markers(kind, list));
        let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
        assert!(
            outcome.stdout.contains(expected),
            "{kind}{list}: {expected} in {}",
            outcome.stdout
        );
    };
    check("", keyed, " 0 errors");
    for (marker, place) in [
        ("resource:shortName=OD", 36),
        ("resource:path=Orders", 31),
        ("resource:scope=namespaced", 32),
        ("subresource:scale:specpath=spec.limit,statuspath=.status.a", 44),
        ("subresource:scale:specpath=.spec.limits,statuspath=.status.a", 50),
    ] {
        let kind = format!("// +kubebuilder:{marker}\n");
        check(&kind, keyed, &format!(":4:{place}: "));
    }
    check("// +kubebuilder:unservedversion\n", keyed, " 0 errors");
    // These markers name a map key that the items lack, name an optional field, or name no key.
    for list in [
        "\t// +listType=map\n\t// +listMapKey=nam\n",
        "\t// +listType=map\n\t// +listMapKey=value\n",
        "\t// +listType=map\n",
    ] {
        check("", list, "error[");
    }
    // The values in the CRD are combined with the markers.
    check("", "", " 0 errors");
    check("", "\t// +nullable\n\t// +kubebuilder:default={{a: 1}}\n", "error[");
}

#[test]
fn a_package_says_its_version() {
    let sandbox = project();
    for file in ["groupversion_info.go", "order_types.go"] {
        std::fs::remove_file(sandbox.path().join("api/v1").join(file)).expect("the file is there");
    }
    let broken = ORDER.replace("none1", "none").replace("self.limit\"", "self.limt\"");
    let check = |clause: &str, expected: &str| {
        sandbox.write("api/order_types.go", broken.replace("package v1", clause));
        let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
        assert!(outcome.stdout.contains(expected), "{clause}: {}", outcome.stdout);
    };
    check("// +groupName=shop.example.com\npackage v1", "error[undefined-field]");
    check(
        "// +groupName=shop.example.com\n// +versionName=v1\npackage api",
        "error[undefined-field]",
    );
    check(
        "// +groupName=shop.example.com\n// +versionName=v2\npackage v1",
        " 0 errors",
    );
    check("// +groupName=shop.example.com\npackage api", " 0 errors");
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

/// The lines of concise output, without the last one, which contains the elapsed time.
fn told(stdout: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = stdout.lines().collect();
    lines.pop();
    lines
}

#[test]
fn what_is_left_after_repairs_is_told_where_it_is_then() {
    let sandbox = project();
    // The fix moves the marker from its position after the field to its own line, above the default.
    let order = ORDER.replace(
        "\tLimit int32 `json:\"limit\"`",
        "\tLimit int32 `json:\"limit\"` // +nullable",
    );
    assert_ne!(order, ORDER);
    sandbox.write("api/v1/order_types.go", order);
    let repaired = sandbox.run(&["check", "--fix", "./api/...", "-o", "concise"]);
    assert!(repaired.stderr.contains("Move the marker above"), "{}", repaired.stderr);
    let again = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    assert!(
        again.stdout.contains(":17:26: error[pattern-mismatch]"),
        "{}",
        again.stdout
    );
    let mut lines = told(&repaired.stdout);
    assert_eq!(lines.pop(), Some("applied 1 fix to 1 file"));
    assert_eq!(lines, told(&again.stdout));
}

#[test]
fn what_markers_make_of_crds_is_repaired() {
    let sandbox = project();
    let order = ORDER.replace("none1", "none").replace("self.limit\"", "self.limt\"");
    let path = "api/v1/order_types.go";
    sandbox.write(path, &order);
    let outcome = sandbox.run(&["check", "./api/...", "-o", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let fixed = results.iter().find(|it| it["ruleId"] == "undefined-field");
    let fix = &fixed.expect("it is found")["fixes"][0];
    let replaced = &fix["artifactChanges"][0]["replacements"][0];
    assert_eq!(replaced["insertedContent"]["text"], "limit", "{outcome:#?}");
    assert_eq!(replaced["deletedRegion"]["startLine"], 8, "{outcome:#?}");
    // Unambiguous mistakes are fixed, both in markers and in the rest of the file.
    let order = ORDER
        .replace("none1", "none")
        .replace("validation:Maximum=100", "validation:Maximun=100")
        .replace("\tLimit int32", "\t// +kubebuilder:default=\"5\"\n\tLimit int32");
    sandbox.write(path, &order);
    let said = "`--fix` repairs 2 diagnostics";
    sandbox.run(&["check", "./api/..."]).expect(1, &[said]);
    let patch = sandbox.run(&["check", "--fix", "--diff", "./api/..."]);
    patch.expect(1, &["+\t// +kubebuilder:default=5\n"]);
    assert_eq!(sandbox.read(path), order);
    let repaired = sandbox.run(&["check", "--fix", "./api/..."]);
    repaired.expect(0, &["2 fixes", "line 12: ", "line 13: ", "0 errors, 0 warnings"]);
    let after = order.replace("Maximun", "Maximum").replace("\"5\"", "5");
    assert_eq!(sandbox.read(path), after);
}

#[test]
fn one_mistake_of_a_type_is_told_once() {
    let types = "\
// +groupName=shop.example.com
package v1

type Size struct {
\t// +kubebuilder:validation:Pattern=`^[a-z]+$`
\t// +kubebuilder:default=A1
\tName string `json:\"name,omitempty\"`
}

type Spec struct {
\tSize `json:\",inline\"`
\tOther Size `json:\"other,omitempty\"`
}

type Order struct {
\tSpec Spec `json:\"spec,omitempty\"`
}

type Cart struct {
\tSpec Spec `json:\"spec,omitempty\"`
}
";
    let name = "name: {type: string, default: A1, pattern: '^[a-z]+$'}";
    let crd = |kind: &str| {
        let plural = format!("{}s", kind.to_lowercase());
        format!(
            "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {{controller-gen.kubebuilder.io/version: v0.21.0}}
  name: {plural}.shop.example.com
spec:
  group: shop.example.com
  names: {{kind: {kind}, plural: {plural}}}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              {name}
              other: {{type: object, properties: {{{name}}}}}
    served: true
    storage: true
"
        )
    };
    let sandbox = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("go.mod", "module example.com/shop\n"),
        ("api/v1/types.go", types),
        ("config/crd/orders.yaml", &crd("Order")),
        ("config/crd/carts.yaml", &crd("Cart")),
    ]);
    let outcome = sandbox.run(&["check", "./api/..."]);
    let note = "the same in 4 places: 2 in the CRD `carts.shop.example.com` and 2 in the CRD `orders.shop.example.com`";
    outcome.expect(1, &[note, "2 CRDs, 1 error,"]);
    assert_eq!(
        outcome.stdout.matches("pattern-mismatch").count(),
        1,
        "{}",
        outcome.stdout
    );
    // Another mistake in the same field is a new diagnostic, which the baseline does not hide.
    sandbox.write("api/v1/types.go", types.replace("^[a-z]+$", "^[a-z+$"));
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    assert_eq!(outcome.stdout.matches("error[").count(), 1, "{}", outcome.stdout);
}

#[test]
fn kinds_without_a_crd_are_named() {
    let sandbox = project();
    let import = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n";
    let meta = "type Order struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n";
    let order = ORDER
        .replace("none1", "none")
        .replace("package v1\n", import)
        .replace("type Order struct {\n", meta);
    let list = "\ntype OrderList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n}\n";
    sandbox.write("api/v1/order_types.go", format!("{order}{list}"));
    let with_crd = sandbox.run(&["check", "./api/..."]);
    with_crd.expect(0, &["2 files, 1 CRD, 0 errors"]);
    assert!(!with_crd.stdout.contains("Not checked"), "{}", with_crd.stdout);
    let both = sandbox.run(&["check", ".", "./api/..."]);
    both.expect(1, &["3 files, 1 CRD, 1 error,"]);
    std::fs::remove_file(sandbox.path().join("config/crd/bases/shop.example.com_orders.yaml"))
        .expect("the file is there");
    // Without the file of the CRD, the CRD that would be generated from the types is checked.
    let made = sandbox.run(&["check", "./api/..."]);
    made.expect(0, &["2 files, 1 CRD, 0 errors"]);
    assert!(!made.stdout.contains("Not checked"), "{}", made.stdout);
    // A type that only Go code uses has no JSON tags, and controller-gen fails for it.
    let column = "// +kubebuilder:printcolumn:name=Price,type=integer,JSONPath=.spec.price\n";
    let internal = order
        .replace("metav1.TypeMeta `json:\",inline\"`", "metav1.TypeMeta")
        .replace(column, "");
    sandbox.write("api/v1/order_types.go", format!("{internal}{list}"));
    let not_made = sandbox.run(&["check", "./api/..."]);
    not_made.expect(
        0,
        &[
            "1 kind in Go whose CRD crd-analyzer can neither find nor make (v1.Order)",
            "0 CRDs",
        ],
    );
    let field = "type Order struct {\n\tOther other.Thing `json:\"other\"`\n";
    let import = "import (\n\t\"example.com/other\"\n)\n\ntype";
    let unknown = order
        .replace("type Order struct {\n", field)
        .replacen("\ntype", &format!("\n{import}"), 1);
    sandbox.write("api/v1/order_types.go", format!("{unknown}{list}"));
    let said = "Not checked: the schemas of 1 kind in Go whose CRD crd-analyzer can neither find nor make (v1.Order), Go types of packages that are not on this machine (example.com/other; `go mod download` fetches them)";
    sandbox
        .run(&["check", "./api/..."])
        .expect(0, &[said, "2 files, 0 CRDs, 0 errors"]);
    // A CRD that was written by hand is not compared with the types.
    let is_annotation = |it: &&str| it.contains("controller-gen.kubebuilder.io") || it.trim() == "annotations:";
    let by_hand: String = ORDERS.split_inclusive('\n').filter(|it| !is_annotation(it)).collect();
    sandbox.write("config/crd/bases/shop.example.com_orders.yaml", by_hand);
    let said = "Not checked: the Go types of 1 kind whose CRD was not written by controller-gen (v1.Order)";
    sandbox
        .run(&["check", "./api/..."])
        .expect(0, &[said, "2 files, 0 CRDs, 0 errors"]);
    // The same if a script has changed the kind, so that another CRD has the name.
    sandbox.write("api/v1/order_types.go", format!("{order}{list}"));
    let changed = ORDERS.replace("kind: Order", "kind: order");
    sandbox.write("config/crd/bases/shop.example.com_orders.yaml", changed);
    sandbox
        .run(&["check", "./api/..."])
        .expect(0, &[said, "2 files, 0 CRDs, 0 errors"]);
    // controller-gen does not generate CRDs for a package without a group.
    sandbox.write("api/v1/groupversion_info.go", "package v1\n");
    let outcome = sandbox.run(&["check", "./api/..."]);
    assert!(!outcome.stdout.contains("Not checked"), "{}", outcome.stdout);
}

#[test]
fn a_kind_with_one_field_is_that_of_its_crd() {
    let sandbox = project();
    let of_one = "package v1\n\n// +kubebuilder:validation:XValidation:rule=\"self.limt > 1\"\n\
                  type Order struct {\n\tother.TypeMeta `json:\",inline\"`\n\n\tLimit int32 `json:\"limit\"`\n}\n";
    sandbox.write("api/v1/order_types.go", of_one);
    let (before, after) = ORDERS.split_once("          spec:\n").expect("a spec");
    let (_, after) = after.split_once("        type: object\n    served").expect("the end");
    let limit = "          limit:\n            format: int32\n            type: integer\n";
    let crd = format!("{before}{limit}        type: object\n    served{after}").replace(".spec.price", ".limit");
    sandbox.write("config/crd/bases/shop.example.com_orders.yaml", &crd);
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    // Types in other modules are unknown, so the schema comes from the CRD in the repository.
    let expected = "api/v1/order_types.go:3:51: error[undefined-field]: `limt` is not a property";
    outcome.expect(1, &[expected, "1 CRD, 1 error"]);
}
