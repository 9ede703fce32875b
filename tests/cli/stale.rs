//! Tests of CRDs that are out of date with the Go types from which they were generated.

use std::fs;

use crate::{
    Sandbox,
    generate::{SPEC, without_crd},
};

pub(crate) const CRD: &str = "config/crd/shop.example.com_carts.yaml";

/// A module, and the CRD generated from its types.
pub(crate) fn in_step() -> Sandbox {
    let sandbox = without_crd(SPEC);
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    sandbox
}

/// Changes a file. Returns its previous text.
pub(crate) fn change(sandbox: &Sandbox, file: &str, from: &str, to: &str) -> String {
    let before = fs::read_to_string(sandbox.path().join(file)).expect("a file");
    assert!(before.contains(from), "{from} in {before}");
    sandbox.write(file, before.replace(from, to));
    before
}

/// The diagnostics about stale CRDs, one line each.
pub(crate) fn told(sandbox: &Sandbox, paths: &[&str]) -> Vec<String> {
    let outcome = sandbox.run(&[&["check", "-o", "concise", "--select", "stale-crd"], paths].concat());
    let lines = outcome.stdout.lines().filter(|it| it.contains("[stale-crd]"));
    lines.map(str::to_owned).collect()
}

pub(crate) const TYPES: &str = "api/v1/types.go";

/// Changes of the types, each with the diagnostic in Go and its position in the CRD.
const CHANGES: [(&str, &str, &str, &str); 9] = [
    (
        "struct {\n\t// Most",
        "struct {\n\tMore bool `json:\"more,omitempty\"`\n\t// Most",
        "9:2: warning[stale-crd]: the CRD of `Cart` is older than the Go types: `more` is missing",
        "29:13",
    ),
    (
        "\t// Most is the limit.\n\t// +kubebuilder:default=8\n\tMost int32 `json:\"most,omitempty\"`\n",
        "",
        "18:2: warning[stale-crd]: the CRD of `Cart` is older than the Go types, which have an error: `most` was removed",
        "35:15",
    ),
    (
        "MaxItems=8",
        "MaxItems=9",
        "12:5: warning[stale-crd]: `maxItems` in the CRD of `Cart` differs from the Go types",
        "33:17",
    ),
    (
        "default=8\n",
        "default=8\n\t// +kubebuilder:validation:Minimum=1\n",
        "11:5: warning[stale-crd]: the CRD of `Cart` is older than the Go types: `minimum` is missing",
        "35:15",
    ),
    (
        "Most int32",
        "Most string",
        "11:2: warning[stale-crd]: `type` in the CRD of `Cart` differs from the Go types",
        "39:17",
    ),
    (
        "self.most >= self.items",
        "self.most > self.items",
        "7:4: warning[stale-crd]: `x-kubernetes-validations` in the CRD of `Cart` differs from the Go types",
        "43:13",
    ),
    (
        "// +kubebuilder:validation:XValidation:rule=\"self.most >= self.items.size()\"\n",
        "",
        "20:2: warning[stale-crd]: the CRD of `Cart` is older than the Go types: no marker sets `x-kubernetes-validations`",
        "43:13",
    ),
    (
        "Most int32 `json:\"most,omitempty\"`",
        "Most int32 `json:\"most\"`",
        "11:2: warning[stale-crd]: `required` in the CRD of `Cart` differs from the Go types",
        "40:13",
    ),
    (
        "// +kubebuilder:object:root=true\n",
        "// +kubebuilder:object:root=true\n// +kubebuilder:resource:scope=Cluster\n",
        "17:4: warning[stale-crd]: `scope` in the CRD of `Cart` differs from the Go types",
        "15:3",
    ),
];

/// Whether the rule of the types has an error after a change, because its field is a string or missing.
fn breaks_rule(from: &str, to: &str) -> bool {
    to == "Most string" || from.contains("// Most is the limit.")
}

#[test]
fn a_crd_that_is_older_is_told_in_go_and_in_the_crd() {
    let sandbox = in_step();
    for paths in [&["./api/..."][..], &["."], &[".", "./api/..."]] {
        assert_eq!(told(&sandbox, paths), [] as [&str; 0], "{paths:?}");
    }
    let mut wrong = Vec::new();
    for (from, to, in_go, in_crd) in CHANGES {
        let before = change(&sandbox, TYPES, from, to);
        let found = told(&sandbox, &["./api/..."]);
        if found != [format!("{TYPES}:{in_go}")] {
            wrong.push(format!("{to}: {found:?}"));
        }
        for paths in [&["."][..], &[".", "./api/..."]] {
            let found = told(&sandbox, paths);
            let place = format!("{CRD}:{in_crd}: warning[stale-crd]: ");
            if !matches!(&found[..], [it] if it.starts_with(&place)) {
                wrong.push(format!("{to}: {found:?}"));
            }
        }
        let whole = sandbox.run(&["check", "./api/..."]).stdout;
        let help = if in_go.contains("which have an error") {
            "correct the Go types first"
        } else {
            "generate the CRD again"
        };
        for part in ["shop.example.com_carts.yaml:", "- the CRD", help] {
            assert!(whole.contains(part), "{part} in {whole}");
        }
        sandbox.write(TYPES, before);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    change(&sandbox, TYPES, "MaxItems=8", "MaxItems=9");
    // A comment or the configuration suppresses the diagnostic.
    let go = change(
        &sandbox,
        TYPES,
        "\t// +kubebuilder:validation:MaxItems",
        "\t// +crd-analyzer: ignore[stale-crd] made in CI\n\t// +kubebuilder:validation:MaxItems",
    );
    assert_eq!(told(&sandbox, &["./api/..."]), [] as [&str; 0]);
    sandbox.write(TYPES, go);
    sandbox.write(".crd-analyzer.yaml", "rules: {stale-crd: off}\n");
    assert!(!sandbox.run(&["check", ".", "./api/..."]).stdout.contains("stale-crd"));
}

#[test]
fn a_first_rule_is_told_at_its_marker() {
    let rule = "// +kubebuilder:validation:XValidation:rule=\"self.most >= self.items.size()\"\n";
    let sandbox = without_crd(&SPEC.replace(rule, ""));
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    change(&sandbox, TYPES, "type CartSpec", &format!("{rule}type CartSpec"));
    let expected = format!(
        "{TYPES}:7:4: warning[stale-crd]: the CRD of `Cart` is older than the Go types: `x-kubernetes-validations` is missing"
    );
    assert_eq!(told(&sandbox, &["./api/..."]), [expected]);
}

#[test]
fn a_crd_that_is_older_is_written_again() {
    let sandbox = in_step();
    let path = sandbox.path().join(CRD);
    for (from, to, ..) in CHANGES {
        let in_step = fs::read_to_string(&path).expect("a CRD");
        let before = change(&sandbox, TYPES, from, to);
        let said = sandbox.run(&["check", "."]).stdout.contains("`--fix` repairs ");
        assert_eq!(said, !breaks_rule(from, to), "{to}");
        sandbox.run(&["check", "--fix", "."]);
        let fixed = fs::read_to_string(&path).expect("a CRD");
        if breaks_rule(from, to) {
            // The CRD stays.
            assert_eq!(fixed, in_step, "{to}");
        } else {
            let printed = sandbox.run(&["generate", "crd", "./api/..."]);
            assert_eq!(fixed, printed.stdout, "{to}");
            assert_eq!(told(&sandbox, &["."]), [] as [&str; 0], "{to}");
        }
        sandbox.write(TYPES, before);
        sandbox.run(&["check", "--fix", "."]);
    }
    // The text before the CRD is kept.
    let text = fs::read_to_string(&path).expect("a CRD");
    sandbox.write(CRD, text.replace("---\n", "# A licence.\n"));
    change(&sandbox, TYPES, "MaxItems=8", "MaxItems=9");
    sandbox.run(&["check", "--fix", "."]);
    let fixed = fs::read_to_string(&path).expect("a CRD");
    assert_eq!(
        fixed,
        text.replace("---\n", "# A licence.\n")
            .replace("maxItems: 8", "maxItems: 9")
    );
}

#[test]
fn a_mistake_in_the_crd_alone_is_none_of_the_types() {
    for (from, to) in [
        ("type: integer", "type: intger"),
        ("                type: integer\n", ""),
    ] {
        let sandbox = in_step();
        let types = fs::read_to_string(sandbox.path().join(TYPES)).expect("types");
        let in_step = change(&sandbox, CRD, from, to);
        sandbox
            .run(&["check", "."])
            .expect(1, &["shop.example.com_carts.yaml:", "warning[stale-crd]", "1 warning"]);
        sandbox.run(&["check", "./api/..."]).expect(0, &["0 errors, 1 warning"]);
        let fixed = sandbox.run(&["check", "--fix", "."]);
        assert_eq!(
            fs::read_to_string(sandbox.path().join(CRD)).expect("a CRD"),
            in_step,
            "{fixed:?}"
        );
        assert_eq!(fs::read_to_string(sandbox.path().join(TYPES)).expect("types"), types);
    }
}

#[test]
fn a_column_says_nothing_of_the_descriptions_in_schemas() {
    let sandbox = without_crd(SPEC);
    let column = "// +kubebuilder:printcolumn:name=Most,type=integer,JSONPath=`.spec.most`,description=\"The limit\"\n";
    let root = "// +kubebuilder:object:root=true\n";
    change(&sandbox, TYPES, root, &format!("{column}{root}"));
    let options = "\t$(CONTROLLER_GEN) $(OPTIONS) paths=./... output:crd:dir=config/crd\n";
    let version = "CONTROLLER_TOOLS_VERSION ?= v0.20.1\n";
    let short = format!(
        "{version}manifests:\n{}",
        options.replace("$(OPTIONS)", "crd:maxDescLen=0")
    );
    sandbox.write("Makefile", short);
    sandbox
        .run(&["generate", "crd", "./api/...", "--output-dir", "config/crd"])
        .expect(0, &[]);
    // The options are not known any more.
    sandbox.write("Makefile", format!("{version}manifests:\n{options}"));
    change(&sandbox, TYPES, "MaxItems=8", "MaxItems=9");
    sandbox.run(&["check", "--fix", "."]);
    let fixed = fs::read_to_string(sandbox.path().join(CRD)).expect("a CRD");
    assert!(fixed.contains("maxItems: 9"), "{fixed}");
    assert!(!fixed.contains("is the limit"), "{fixed}");
}

#[test]
fn a_crd_is_not_written_again_while_the_types_have_an_error() {
    let sandbox = in_step();
    let before = fs::read_to_string(sandbox.path().join(CRD)).expect("a CRD");
    change(&sandbox, TYPES, "self.most >=", "self.mots >=");
    sandbox.run(&["check", "--fix", "--unsafe-fixes", "."]);
    assert_eq!(fs::read_to_string(sandbox.path().join(CRD)).expect("a CRD"), before);
}

#[test]
fn what_scripts_change_is_not_older() {
    let sandbox = in_step();
    let maximum = "                type: array\n";
    for (from, to, in_go) in [
        // These changes affect a bound, an annotation or a conversion.
        (
            maximum,
            "                minItems: 1\n                type: array\n",
            "",
        ),
        (
            "metadata:\n  annotations:\n",
            "metadata:\n  annotations:\n    a: b\n",
            "MaxItems=9",
        ),
        (
            "spec:\n  group:",
            "spec:\n  conversion:\n    strategy: None\n  group:",
            "MaxItems=9",
        ),
        // These files only differ in their layout (for example that of yq) or in a description.
        (
            "            required:\n            - items\n",
            "            required: [items]\n",
            "MaxItems=9",
        ),
        ("Most is the limit.", "Most is it.", ""),
        // The release is unknown, or does not have the marker.
        ("version: v0.20.1", "version: v0.99.0", "MaxItems=9"),
        ("version: v0.20.1", "version: v0.21.0", ""),
    ] {
        let crd = change(&sandbox, CRD, from, to);
        let types = change(
            &sandbox,
            TYPES,
            "MaxItems=8",
            if in_go.is_empty() { "MaxItems=8" } else { in_go },
        );
        for paths in ["./api/...", "."] {
            assert_eq!(told(&sandbox, &[paths]), [] as [&str; 0], "{to}");
        }
        sandbox.write(CRD, crd);
        sandbox.write(TYPES, types);
    }
    // Differences that another release causes do not make a CRD stale.
    change(
        &sandbox,
        TYPES,
        "\t// +kubebuilder:default=8\n",
        "\t// +k8s:immutable\n",
    );
    sandbox.run(&["check", "--fix", "."]);
    sandbox.write("Makefile", "CONTROLLER_TOOLS_VERSION ?= v0.21.0\n");
    assert_eq!(told(&sandbox, &["./api/..."]), [] as [&str; 0]);
    // Other differences make the CRD stale.
    change(&sandbox, TYPES, "MaxItems=8", "MaxItems=9");
    let found = told(&sandbox, &["./api/..."]);
    assert!(
        matches!(&found[..], [it] if it.ends_with("`maxItems` in the CRD of `Cart` differs from the Go types")),
        "{found:?}"
    );
}

/// Go types with a list of allowed values, and with a limit that keeps the cost of a rule low.
const LIMITS: &str = "// +kubebuilder:validation:XValidation:rule=\"self.items.all(x, self.items.all(y, x <= y || x > y))\"\n\
    type CartSpec struct {\n\t// +kubebuilder:validation:Enum=a;b\n\tMost string `json:\"most,omitempty\"`\n\
    \t// +kubebuilder:validation:MaxItems=8\n\t// +kubebuilder:validation:items:MaxLength=9\n\tItems []string `json:\"items\"`\n}\n";

fn with_limits() -> Sandbox {
    let sandbox = without_crd(LIMITS);
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    sandbox
}

#[test]
fn values_of_a_list_that_are_gone_are_told() {
    let sandbox = with_limits();
    assert_eq!(told(&sandbox, &["."]), [] as [&str; 0]);
    let other = "`enum` in the CRD of `Cart` differs from the Go types";
    let changes = [
        (TYPES, "Enum=a;b", "Enum=a", other),
        (
            TYPES,
            "\t// +kubebuilder:validation:Enum=a;b\n",
            "",
            "no marker sets `enum`",
        ),
        (CRD, "                - a\n                - b\n", "", other),
        (
            CRD,
            "                enum:\n                - a\n                - b\n",
            "",
            "`enum` is missing",
        ),
    ];
    for (file, from, to, expected) in changes {
        let before = change(&sandbox, file, from, to);
        let found = told(&sandbox, &["."]);
        assert!(matches!(&found[..], [it] if it.contains(expected)), "{to}: {found:?}");
        sandbox.write(file, before);
    }
}

#[test]
fn a_limit_that_landed_elsewhere_is_told() {
    let sandbox = with_limits();
    sandbox.run(&["check", "."]).expect(0, &["1 CRD, 0 errors"]);
    let list = "                maxItems: 8\n                type: array\n";
    change(
        &sandbox,
        CRD,
        list,
        "                  maxItems: 8\n                type: array\n",
    );
    let found = told(&sandbox, &["."]);
    assert!(
        matches!(&found[..], [it] if it.contains("`maxItems` is missing")),
        "{found:?}"
    );
    // The types already have the limit that the rule needs, so no hint asks for one.
    let whole = sandbox.run(&["check", "."]).stdout;
    for expected in [
        "`CartSpec.Items` in Go has the limit",
        "= help: the Go types have the limits: generate the CRD again",
    ] {
        assert!(whole.contains(expected), "{whole}");
    }
    assert!(!whole.contains("make it `//"), "{whole}");
    sandbox.run(&["check", "--fix", "."]).expect(0, &["1 fix"]);
    assert_eq!(told(&sandbox, &["."]), [] as [&str; 0]);
}

#[test]
fn what_the_kind_declares_is_told_at_its_type() {
    for (from, to) in [("plural: carts", "plural: cart"), ("storage: true", "storage: false")] {
        let sandbox = in_step();
        change(&sandbox, CRD, from, to);
        sandbox
            .run(&["check", "."])
            .expect(1, &["differs from the Go types", "api/v1/types.go:17:6"]);
    }
}
