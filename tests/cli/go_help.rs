//! Tests that the help of diagnostics in Go files names markers, not keys of YAML.

use crate::{Sandbox, generate::without_crd};

/// The help texts of the diagnostics in a module in which the kind `Cart` has these fields, with these lines above the struct.
fn helps(above: &str, fields: &str) -> Vec<String> {
    let sandbox = module(above, fields);
    let outcome = sandbox.run(&["check", "./api/..."]);
    let helps = outcome.stdout.lines().filter_map(|it| it.split_once("help: "));
    helps.map(|it| it.1.to_owned()).collect()
}

fn module(above: &str, fields: &str) -> Sandbox {
    without_crd(&format!("{above}type CartSpec struct {{\n{fields}\n}}\n\n{ITEM}"))
}

const ITEM: &str =
    "type Item struct {\n\t// +optional\n\tName string `json:\"name,omitempty\"`\n\tSize int64 `json:\"size\"`\n}\n";

#[test]
fn help_in_go_files_names_markers() {
    let rule = |rule: &str| format!("// +kubebuilder:validation:XValidation:rule=\"{rule}\",message=\"no\"\n");
    for (above, fields, expected) in [
        (
            String::new(),
            "\t// +kubebuilder:default=3\n\tA string `json:\"a\"`",
            "put the value in quotes: `+kubebuilder:default=\"3\"`",
        ),
        (
            String::new(),
            "\t// +kubebuilder:default=1.10\n\tA string `json:\"a\"`",
            "put the value in quotes: `+kubebuilder:default=\"1.10\"`",
        ),
        (
            String::new(),
            "\t// +kubebuilder:default=007\n\tA string `json:\"a\"`",
            "put the value in quotes: `+kubebuilder:default=\"007\"`",
        ),
        (
            String::new(),
            "\t// +kubebuilder:default=a\n\tA []string `json:\"a\"`",
            "make it a list: `+kubebuilder:default={\"a\"}`",
        ),
        (
            String::new(),
            "\t// +kubebuilder:validation:UniqueItems=true\n\tA []string `json:\"a\"`",
            "replace it with `+listType=set`",
        ),
        (
            String::new(),
            "\t// +listType=map\n\t// +listMapKey=name\n\tA []Item `json:\"a\"`",
            "add `+required` or `+kubebuilder:default` to the field `name`",
        ),
        (
            String::new(),
            "\t// +listType=map\n\tA []Item `json:\"a\"`",
            "add `+listMapKey=size`",
        ),
        (
            String::new(),
            "\t// +listType=set\n\tA []Item `json:\"a\"`",
            "add `+structType=atomic` to the type of the items, or `+mapType=atomic` if that is a map",
        ),
        (
            String::new(),
            "\t// +kubebuilder:validation:EmbeddedResource\n\tA map[string]string `json:\"a\"`",
            "use another type than a map, or remove `+kubebuilder:validation:EmbeddedResource`",
        ),
        (
            String::new(),
            "\t// +kubebuilder:validation:Schemaless\n\tA string `json:\"a\"`",
            "add `+kubebuilder:validation:Type=object`, or another type",
        ),
        (
            rule("self.a.all(x, self.a.all(y, x != y))"),
            "\tA []string `json:\"a\"`",
            "add `+kubebuilder:validation:MaxItems=",
        ),
        (
            rule("self.a > 1"),
            "\t// +optional\n\tA int64 `json:\"a,omitempty\"`",
            "guard it with `!has(self.a) || …` to accept objects without it, with `has(self.a) && …` to reject them, or add \
             `+required` to the field `a`",
        ),
        (
            rule("10 / self.a > 1"),
            "\tA int64 `json:\"a\"`",
            "guard it with `self.a == 0 || …`, or add `+kubebuilder:validation:Minimum=1` to the field",
        ),
    ] {
        let helps = helps(&above, fields);
        assert!(helps.iter().any(|it| it.starts_with(expected)), "{expected}: {helps:?}");
        for key in [
            "x-kubernetes-",
            "maxItems:",
            "maxLength:",
            "type:",
            "in Go:",
            "`required`",
        ] {
            assert!(!helps.iter().any(|it| it.contains(key)), "{helps:?}");
        }
    }
}

#[test]
fn rules_read_only_names_of_metadata() {
    for field in ["namespace", "labels"] {
        let kind = format!(
            "// +kubebuilder:validation:XValidation:rule=\"has(self.metadata.{field})\"\ntype Box struct {{\n\tmetav1.TypeMeta \
             `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec CartSpec `json:\"spec\"`\n}}\n\n"
        );
        let outcome = module(&kind, "\tA string `json:\"a\"`").run(&["check", "./api/..."]);
        outcome.expect(1, &["no rule can read it", "rules can read only the name"]);
    }
}

/// A rule over its limit is told once, with a note about the total, although several kinds and fields have its type.
#[test]
fn an_expensive_rule_of_several_kinds_is_one_error() {
    let kind = |name: &str, fields: &str| {
        format!(
            "type {name}Spec struct {{\n{fields}}}\n\n// +kubebuilder:object:root=true\ntype {name} struct {{\n\tmetav1.TypeMeta \
             `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec {name}Spec `json:\"spec\"`\n}}\n\n"
        )
    };
    let inner = "type Inner struct {\n\t// +kubebuilder:validation:XValidation:rule=\"self.all(a, self.exists_one(b, a == b))\"\n\tHosts \
                 []string `json:\"hosts\"`\n}\n\n";
    let boxes = kind("Box", "\tInner Inner `json:\"inner\"`\n");
    let cart =
        "\tInner Inner `json:\"inner\"`\n\t// +kubebuilder:validation:MaxItems=9\n\tMore []Inner `json:\"more\"`\n";
    let sandbox = without_crd(&format!("{inner}{boxes}type CartSpec struct {{\n{cart}}}\n"));
    let outcome = sandbox.run(&["check", "./api/..."]);
    outcome.expect(
        1,
        &[
            "error[rule-cost-over-limit]",
            "the same in 3 places",
            "the API server also reports that all rules of the schema together are over their limit",
            "2 CRDs, 1 error,",
        ],
    );
    assert!(!outcome.stdout.contains("total-rule-cost"), "{outcome:#?}");
}

/// If all rules together are over the limit, a field that a schema has several times is told once.
#[test]
fn a_field_gets_one_limit_although_a_schema_has_it_several_times() {
    let rule = "// +kubebuilder:validation:XValidation:rule=\"self.a.matches('^a+$')\"\n";
    let inner = format!("{rule}type Inner struct {{\n\tA string `json:\"a\"`\n}}\n\n");
    let fields = (0..12).map(|n| {
        format!(
            "\t// +kubebuilder:validation:MaxItems={}\n\tL{n} []Inner `json:\"l{n}\"`\n",
            28 + n % 3
        )
    });
    let spec = format!("{inner}type CartSpec struct {{\n{}}}\n", fields.collect::<String>());
    let outcome = without_crd(&spec).run(&["check", "./api/..."]);
    outcome.expect(1, &["total-rule-cost-over-limit"]);
    assert_eq!(outcome.stdout.matches("MaxLength=").count(), 1, "{outcome:#?}");
    assert_eq!(outcome.stdout.matches("no `maxLength` here").count(), 1, "{outcome:#?}");
}

/// The same if another file has the rule. If that file is not checked, or does not show the error, the error about the total stays.
#[test]
fn an_expensive_rule_of_another_package_is_one_error() {
    let sandbox = without_crd("type CartSpec struct {\n\tInner common.Inner `json:\"inner\"`\n}\n");
    let types = sandbox.read("api/v1/types.go");
    let types = types.replace("import metav1", "import (\n\t\"example.com/shop/api/common\"\n\tmetav1");
    let types = types.replace("meta/v1\"\n", "meta/v1\"\n)\n");
    let stored = "// +kubebuilder:storageversion\n// +kubebuilder:object:root";
    sandbox.write("api/v1/types.go", types.replace("// +kubebuilder:object:root", stored));
    let newer = types
        .replace("package v1", "package v2")
        .replace("Inner common", "Other string `json:\"other\"`\n\tInner common");
    sandbox.write("api/v2/types.go", newer);
    let inner = |above: &str| {
        format!(
            "package common\n\ntype Inner struct {{\n{above}\t// +kubebuilder:validation:XValidation:rule=\"self.all(a, self.exists_one(b, a == \
             b))\"\n\tHosts []string `json:\"hosts\"`\n}}\n"
        )
    };
    sandbox.write("api/common/inner.go", inner(""));
    let count = |args: &[&str], expected: &[&str]| {
        let outcome = sandbox.run(&[&["check"][..], args].concat());
        outcome.expect(1, expected);
        ["error[rule-cost", "error[total-rule"].map(|it| outcome.stdout.matches(it).count())
    };
    let note = "the API server also reports that all rules of the schema together are over their limit";
    assert_eq!(count(&["./api/..."], &["1 CRD, 1 error,", note]), [1, 0]);
    assert_eq!(count(&["./api/v1/..."], &["1 error,"]), [0, 1]);
    assert_eq!(
        count(&["./api/...", "--ignore", "rule-cost-over-limit"], &["error"])[0],
        0
    );
    sandbox.write(
        "api/common/inner.go",
        inner("\t// +crd-analyzer: ignore[rule-cost-over-limit] a test\n"),
    );
    let [rule, totals] = count(&["./api/..."], &["error"]);
    assert!(rule == 0 && totals > 0);
}
