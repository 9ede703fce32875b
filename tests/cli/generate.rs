//! Tests of CRDs generated from Go types.

use crate::{Sandbox, definition};

/// A module with a kind whose CRD does not exist yet.
pub(crate) fn without_crd(spec: &str) -> Sandbox {
    let types = format!(
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{spec}\n\
         // +kubebuilder:object:root=true\ntype Cart struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
         \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec CartSpec `json:\"spec\"`\n}}\n"
    );
    Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("go.mod", "module example.com/shop\n\ngo 1.24\n"),
        ("Makefile", "CONTROLLER_TOOLS_VERSION ?= v0.20.1\n"),
        ("config/README.md", "CRDs\n"),
        ("vendor/modules.txt", "# k8s.io/apimachinery v0.35.0\n"),
        (
            "vendor/k8s.io/apimachinery/pkg/apis/meta/v1/types.go",
            "package v1\n\n// TypeMeta says what it is.\ntype TypeMeta struct {\n\tKind string `json:\"kind,omitempty\"`\n\
             \tAPIVersion string `json:\"apiVersion,omitempty\"`\n}\n\ntype ObjectMeta struct{}\n",
        ),
        ("api/v1/types.go", &types),
    ])
}

pub(crate) const SPEC: &str = "// CartSpec is what is in it.\n\
    // +kubebuilder:validation:XValidation:rule=\"self.most >= self.items.size()\"\n\
    type CartSpec struct {\n\
    \t// Most is the limit.\n\t// +kubebuilder:default=8\n\tMost int32 `json:\"most,omitempty\"`\n\
    \t// +kubebuilder:validation:MaxItems=8\n\tItems []string `json:\"items\"`\n}\n";

#[test]
fn kinds_without_a_crd_are_checked_as_their_types_make_it() {
    let sandbox = without_crd(&SPEC.replace("self.most >=", "self.mots >="));
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    let expected = "api/v1/types.go:7:51: error[undefined-field]: `mots` is not a property of `spec`";
    outcome.expect(1, &[expected, "1 file, 1 CRD, 1 error"]);
    without_crd(SPEC)
        .run(&["check", "./api/..."])
        .expect(0, &["1 CRD, 0 errors"]);
}

#[test]
fn a_makefile_that_another_one_includes_names_the_release() {
    let sandbox = without_crd(SPEC);
    sandbox.write("Makefile", "include tools.mk\n");
    sandbox.write("tools.mk", "CONTROLLER_GEN_VERSION = v0.21.0\n");
    let generate = ["generate", "crd", "./api/..."];
    sandbox.run(&generate).expect(0, &["kubebuilder.io/version: v0.21.0"]);
}

#[test]
fn a_kind_without_a_crd_is_not_checked_if_controller_gen_wrote_no_crd() {
    let sandbox = without_crd(&SPEC.replace("self.most >=", "self.mots >="));
    let widgets = definition("              type: object\n");
    sandbox.write("config/crd/widgets.yaml", &widgets);
    let outcome = sandbox.run(&["check", "./api/..."]);
    outcome.expect(0, &["1 file, 0 CRDs, 0 errors"]);
    assert!(!outcome.stdout.contains("Not checked"), "{}", outcome.stdout);
    let annotated = widgets.replacen(
        "metadata:\n",
        "metadata:\n  annotations: {controller-gen.kubebuilder.io/version: v0.20.1}\n",
        1,
    );
    sandbox.write("config/crd/widgets.yaml", &annotated);
    sandbox.run(&["check", "./api/..."]).expect(1, &["undefined-field"]);
}

#[test]
fn crds_are_made_of_types() {
    let sandbox = without_crd(SPEC);
    let printed = sandbox.run(&["generate", "crd", "./api/..."]);
    let lines = [
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
        "    controller-gen.kubebuilder.io/version: v0.20.1\n  name: carts.shop.example.com\n",
        "              most:\n                default: 8\n                description: Most is the limit.\n",
        "            x-kubernetes-validations:\n            - rule: self.most >= self.items.size()\n",
    ];
    printed.expect(0, &lines);
    let out = ["--output-dir", "config/crd"];
    let check = [&["generate", "crd", "./api/...", "--check"], &out[..]].concat();
    sandbox.run(&check).expect(1, &["1 of 1 CRD does not match the types"]);
    let write = [&["generate", "crd", "./api/..."], &out[..]].concat();
    sandbox.run(&write).expect(0, &[]);
    let path = sandbox.path().join("config/crd/shop.example.com_carts.yaml");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), printed.stdout);
    sandbox.run(&check).expect(0, &["1 CRD matches the types"]);
    // The command also accepts arguments of controller-gen. The release then comes from the existing file.
    sandbox.write("Makefile", "");
    let own = [
        "generate",
        "crd",
        "rbac:roleName=a",
        "crd:maxDescLen=0",
        "paths=./api/...",
        "output:crd:dir=config/crd",
        "--check",
    ];
    let outcome = sandbox.run(&own);
    outcome.expect(1, &["-                description: Most is the limit."]);
    assert!(
        !outcome.stdout.contains("controller-gen.kubebuilder.io/version"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn rules_keep_the_order_that_controller_gen_wrote_last() {
    // The order in which controller-gen applies markers with different names changes between runs.
    let two = "type CartSpec struct {\n\t// +k8s:immutable\n\t// +kubebuilder:validation:XValidation:rule=\"self > 1\"\n\
               \tMost int32 `json:\"most\"`\n}\n";
    let sandbox = without_crd(two);
    sandbox.write("Makefile", "CONTROLLER_TOOLS_VERSION ?= v0.21.0\n");
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    let check = [&write[..], &["--check"]].concat();
    sandbox.run(&write).expect(0, &[]);
    let path = sandbox.path().join("config/crd/shop.example.com_carts.yaml");
    let text = std::fs::read_to_string(&path).expect("a file");
    let immutable = "                - message: field is immutable\n                  rule: self == oldSelf\n";
    let rule = "                - rule: self > 1\n";
    let (one, other) = ([immutable, rule].concat(), [rule, immutable].concat());
    assert!(text.contains(&one), "{text}");
    let turned = text.replace(&one, &other);
    sandbox.write("config/crd/shop.example.com_carts.yaml", &turned);
    sandbox.run(&check).expect(0, &["1 CRD matches the types"]);
    sandbox.run(&write).expect(0, &[]);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), turned);
    // A changed rule is a difference.
    sandbox.write(
        "config/crd/shop.example.com_carts.yaml",
        turned.replace("self > 1", "self > 2"),
    );
    sandbox.run(&check).expect(1, &["+                - rule: self > 1"]);
}

#[test]
fn what_cannot_be_made_is_told() {
    let sandbox = without_crd(&SPEC.replace("Most int32", "Most float64"));
    let outcome = sandbox.run(&["generate", "crd", "./api/..."]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("api/v1/types.go:11:7: controller-gen rejects floating-point numbers"),
        "{}",
        outcome.stderr
    );
    let unknown = SPEC.replace("Most int32", "Most nowhere.Number");
    let sandbox = without_crd(&format!("import \"example.org/nowhere\"\n\n{unknown}"));
    let outcome = sandbox.run(&["generate", "crd", "./api/...", "--output-dir", "out"]);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("nowhere.Number: the type is not on this machine"),
        "{}",
        outcome.stderr
    );
    assert!(!sandbox.path().join("out/shop.example.com_carts.yaml").exists());
    for (args, why) in [
        (&["generate", "crd", "./nothing"][..], "the folder does not exist"),
        (&["generate", "crd", "./api/...", "--check"], "add `--output-dir DIR`"),
        (
            &["generate", "crd", "crd:maxDescLen=x", "./api/..."],
            "`crd:maxDescLen=x` is not an option of controller-gen",
        ),
        (
            &["generate", "crd", "./api/...", "--controller-gen-version", "v0.9.0"],
            "known are v0.16.0 to v0.23.0",
        ),
    ] {
        let outcome = sandbox.run(args);
        assert!(
            outcome.stderr.contains(why) && outcome.code != Some(0),
            "{args:?}: {outcome:?}"
        );
    }
}

/// controller-gen succeeds and prints nothing, so a pipeline would not notice.
#[test]
fn patterns_without_types_are_told() {
    let sandbox = without_crd(SPEC);
    sandbox.write("api/go.mod", "module example.com/shop/api\n\ngo 1.24\n");
    sandbox.write("main.go", "package main\n");
    let outcome = sandbox.run(&["generate", "crd", "./...", "--output-dir", "config/crd", "--check"]);
    assert_eq!((outcome.code, &*outcome.stdout), (Some(3), ""), "{outcome:?}");
    let why = "no CRD is made: the packages have no API types. A pattern does not reach into other modules: `api`. \
               Name the module with the types, such as `./api/...`";
    assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
}

#[test]
fn what_differs_because_of_an_error_is_not_compared() {
    let sandbox = without_crd(SPEC);
    let other = "// +groupName=shop.example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
        // +kubebuilder:object:root=true\ntype Shelf struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size\"`\n}\n";
    sandbox.write("api/v2/types.go", other);
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    let check = [&write[..], &["--check"]].concat();
    sandbox.run(&write).expect(0, &[]);
    sandbox.run(&check).expect(0, &["2 CRDs match the types"]);
    let types = sandbox.read("api/v1/types.go");
    sandbox.write("api/v1/types.go", types.replace("Most int32", "Most float64"));
    sandbox.write("api/v2/types.go", other.replace("size", "length"));
    let outcome = sandbox.run(&check);
    outcome.expect(1, &["+          length:", "1 of 1 CRD does not match the types"]);
    assert!(!outcome.stdout.contains("carts.yaml"), "{}", outcome.stdout);
    let why = "shop.example.com_carts.yaml: not compared, because controller-gen rejects a type or marker of it";
    assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
    // If a marker cannot be parsed, controller-gen discards the whole package.
    sandbox.write("api/v1/types.go", types.replace("MaxItems=8", "MaxItems=x"));
    std::fs::remove_file(sandbox.path().join("api/v2/types.go")).expect("a file");
    let outcome = sandbox.run(&check);
    assert_eq!((outcome.code, &*outcome.stdout), (Some(1), ""), "{outcome:?}");
}
