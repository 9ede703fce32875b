//! Tests of fields and types in Go files that controller-gen rejects.

use crate::{Sandbox, generate::without_crd};

const WITH_OPTIONS: &str = "CONTROLLER_TOOLS_VERSION ?= v0.23.0\n\nmanifests:\n\
                            \t$(CONTROLLER_GEN) rbac:roleName=manager crd paths=./... output:crd:dir=config/crd\n";

/// A module in which the kind `Cart` has these fields.
fn with_fields(fields: &str) -> Sandbox {
    let sandbox = without_crd(&format!("type CartSpec struct {{\n{fields}\n}}\n"));
    sandbox.write("Makefile", WITH_OPTIONS);
    sandbox
}

/// The errors about fields and types, without the file.
fn told(sandbox: &Sandbox) -> Vec<String> {
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    let lines = outcome.stdout.lines().filter(|it| it.contains("[go-type-refused]"));
    let line = |it: &str| {
        it.replace("api/v1/types.go:", "")
            .replace("error[go-type-refused]: ", "")
    };
    lines.map(line).collect()
}

#[test]
fn each_field_that_controller_gen_rejects_is_told() {
    for (field, expected) in [
        ("Name string", "7:2: the field `Name` has no JSON tag"),
        ("Name string `yaml:\"name\"`", "7:2: the field `Name` has no JSON tag"),
        (
            "Name string `json:\"name`",
            "7:14: the tag of `Name` is malformed, so Go finds no JSON name in it",
        ),
        (
            "Other `json: \",inline\"`",
            "7:8: the tag of `Other` is malformed, so Go finds no JSON name in it",
        ),
        ("name string", "7:2: the field `name` has no JSON tag"),
        ("Other", "7:2: the embedded type `Other` has no JSON tag"),
        (
            "A map[int]string `json:\"a\"`",
            "7:4: the keys of `map[int]string` must be strings",
        ),
        (
            "A []map[bool]int `json:\"a\"`",
            "7:4: the keys of `[]map[bool]int` must be strings",
        ),
        (
            "A any `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of `any`",
        ),
        (
            "A map[string]interface{} `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of `map[string]interface{}`",
        ),
        (
            "A struct{ B int } `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of a struct without a name",
        ),
        (
            "A func() `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of `func()`",
        ),
        (
            "A chan int `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of `chan int`",
        ),
        (
            "A List[int] `json:\"a\"`",
            "7:4: controller-gen cannot make a schema of `List[int]`",
        ),
        ("A []strin `json:\"a\"`", "7:6: undefined: `strin`"),
        ("A map[string]*Othr `json:\"a\"`", "7:16: undefined: `Othr`"),
        ("A []other.Unknown `json:\"a\"`", "7:6: undefined: `other`"),
        (
            "A float64 `json:\"a\"`",
            "7:4: controller-gen rejects the floating-point type `float64`",
        ),
        (
            "A *[]float32 `json:\"a\"`",
            "7:4: controller-gen rejects the floating-point type `*[]float32`",
        ),
    ] {
        let others = "\n}\ntype Other struct {\n\tB int `json:\"b\"`\n}\ntype List[T any] struct {\n\tItems []T `json:\"items\"`";
        assert_eq!(told(&with_fields(&format!("\t{field}{others}"))), [expected], "{field}");
    }
}

#[test]
fn fields_that_controller_gen_skips_are_silent() {
    for field in [
        "A func() `json:\"-\"`",
        "A string `json:\"a\"`\n}\ntype Unused struct {\n\tB string",
        "// +kubebuilder:validation:Schemaless\n\tA any `json:\"a\"`",
        "A func",
        "A",
        "// +crd-analyzer: ignore[go-type-refused] on purpose\n\tA any `json:\"a\"`",
    ] {
        assert_eq!(told(&with_fields(&format!("\t{field}"))), [] as [&str; 0], "{field}");
    }
}

#[test]
fn options_of_the_project_decide() {
    let sandbox = with_fields("\tA float64 `json:\"a\"`\n\tname string");
    assert_eq!(told(&sandbox).len(), 2);
    for (options, expected) in [
        ("crd:allowDangerousTypes=true", 1),
        ("crd:ignoreUnexportedFields=true", 1),
        ("crd:allowDangerousTypes=true,ignoreUnexportedFields=true", 0),
        ("$(CRD_OPTIONS)", 0),
        ("crd:maxDescLen=0", 2),
    ] {
        sandbox.write("Makefile", WITH_OPTIONS.replace(" crd ", &format!(" {options} ")));
        assert_eq!(told(&sandbox).len(), expected, "{options}");
    }
}

#[test]
fn nothing_is_told_without_controller_gen() {
    let sandbox = with_fields("\tA any `json:\"a\"`");
    sandbox.write("Makefile", "all:\n");
    // A marker at the kind shows that somebody wants its CRD.
    assert_eq!(told(&sandbox), ["7:4: controller-gen cannot make a schema of `any`"]);
    replace(&sandbox, "// +kubebuilder:object:root=true\n", "");
    assert_eq!(told(&sandbox), [] as [&str; 0]);
}

fn replace(sandbox: &Sandbox, from: &str, to: &str) {
    let path = sandbox.path().join("api/v1/types.go");
    let before = std::fs::read_to_string(path).expect("a file");
    assert!(before.contains(from), "{from} in {before}");
    sandbox.write("api/v1/types.go", before.replace(from, to));
}

#[test]
fn structs_of_the_library_of_go_are_told() {
    let sandbox = with_fields("\tA []time.Time `json:\"a\"`\n\tB time.Duration `json:\"b\"`");
    let metav1 = "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n";
    replace(&sandbox, metav1, &format!("import \"time\"\n{metav1}"));
    let outcome = sandbox.run(&["check", "./api/..."]);
    outcome.expect(
        1,
        &["cannot make a schema of `time.Time`", "use `metav1.Time`", "1 error,"],
    );
}

#[test]
fn kinds_without_a_usable_crd_are_told() {
    let root = "// +kubebuilder:object:root=true\n";
    for (from, to, expected) in [
        (
            "// +groupName=shop.example.com\n",
            "// Package v1.\n",
            "11:6: the package of `Cart` sets no API group",
        ),
        (
            root,
            "// +kubebuilder:object:root=true\n// +kubebuilder:skipversion\n",
            "11:4: every version of this kind is left out, so it has no CRD",
        ),
        (
            root,
            "// +kubebuilder:object:root=true\n// +kubebuilder:unservedversion\n",
            "11:4: no version of this kind is served",
        ),
        (
            "metav1.TypeMeta `json:\",inline\"`",
            "metav1.TypeMeta",
            "12:2: the embedded type `metav1.TypeMeta` has no JSON tag",
        ),
    ] {
        let sandbox = with_fields("\tA string `json:\"a\"`");
        replace(&sandbox, from, to);
        assert_eq!(told(&sandbox), [expected], "{to}");
        sandbox
            .run(&["check", "./api/..."])
            .expect(1, &["1 error, 0 warnings, 0 hints"]);
        // Without a marker, the type may be one that no API server ever sees.
        replace(&sandbox, root, "");
        let markers = ["// +kubebuilder:skipversion\n", "// +kubebuilder:unservedversion\n"];
        if !markers.iter().any(|it| to.contains(it)) {
            assert_eq!(told(&sandbox), [] as [&str; 0], "{to}");
        }
    }
}

#[test]
fn generate_takes_the_options_of_the_project() {
    let sandbox = with_fields("\t// A is a number.\n\tA float64 `json:\"a\"`");
    let generate = |more: &[&str]| sandbox.run(&[&["generate", "crd", "./api/..."], more].concat());
    generate(&[]).expect(1, &["controller-gen rejects floating-point numbers"]);
    sandbox.write(
        "Makefile",
        WITH_OPTIONS.replace(" crd ", " crd:allowDangerousTypes=true,maxDescLen=0 "),
    );
    let outcome = generate(&[]);
    outcome.expect(0, &["type: number"]);
    assert!(!outcome.stdout.contains("A is a number."), "{}", outcome.stdout);
    // Options of the command take precedence.
    generate(&["--max-desc-len=100"]).expect(0, &["A is a number."]);
    generate(&["crd"]).expect(1, &["controller-gen rejects floating-point numbers"]);
}

#[test]
fn a_malformed_tag_is_told_with_what_is_meant() {
    for (tag, meant) in [
        ("json:\"inLine", "inLine"),
        ("json:\"inLine,omitempty", "inLine,omitempty"),
        ("json: \"inLine\"", "inLine"),
        ("yaml:\"a\", json:\"inLine\"", "inLine"),
    ] {
        let sandbox = with_fields(&format!("\tName string `{tag}`"));
        let help = format!("help: write `json:\"{meant}\"`, with");
        sandbox.run(&["check", "./api/..."]).expect(1, &[&help]);
    }
}

#[test]
fn types_that_no_package_declares_are_told_beside_generated_files() {
    let sandbox = with_fields("\tA Othr `json:\"a\"`\n\tB types.Siz `json:\"b\"`\n\tC typs.Size `json:\"c\"`");
    let generated =
        "//go:build !ignore_autogenerated\n\npackage v1\n\nfunc (in *CartSpec) DeepCopy() *CartSpec { return in }\n";
    sandbox.write("api/v1/zz_generated.deepcopy.go", generated);
    sandbox.write("types/size.go", "package types\n\ntype Size string\n");
    let text = std::fs::read_to_string(sandbox.path().join("api/v1/types.go")).expect("the types");
    let imports = "package v1\n\nimport \"example.com/shop/types\"\n";
    sandbox.write("api/v1/types.go", text.replacen("package v1\n", imports, 1));
    let found = told(&sandbox);
    let words = |it: &String| it.split_once(": ").map(|it| it.1.to_owned());
    let found: Vec<_> = found.iter().filter_map(words).collect();
    assert_eq!(found, ["undefined: `Othr`", "undefined: `Siz`", "undefined: `typs`"]);
}
