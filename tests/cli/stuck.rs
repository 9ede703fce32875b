//! Tests of CRDs that cannot follow the Go types from which they were generated, because these have an error.

use crate::{
    generate::without_crd,
    stale::{CRD, TYPES, change, in_step, told},
};

const KEPT: &str = "is kept";

/// Changes of the types with which controller-gen fails, or that the API server rejects, each with the place of the error and a part of the help.
const ERRORS: [(&str, &str, &str, &str); 5] = [
    (
        "MaxItems=8",
        "MaxItems=8\n\t// +listType=maps",
        "13:5",
        "controller-gen stops",
    ),
    ("MaxItems=8", "MaxItems=many", "12:5", "controller-gen stops"),
    ("`json:\"most,omitempty\"`", "", "11:2", "controller-gen stops"),
    ("self.most >=", "self.mots >=", "7:51", "the API server would reject"),
    ("default=8", "default=many", "10:26", "the API server would reject"),
];

#[test]
fn an_error_of_the_types_is_told_instead_of_generating_again() {
    let sandbox = in_step();
    let in_step = sandbox.read(CRD);
    for (from, to, at, why) in ERRORS {
        let before = change(&sandbox, TYPES, from, to);
        let plain = sandbox.run(&["check", "."]).stdout;
        for part in [
            &format!("{TYPES}:{at}\n"),
            "the error\n",
            "correct the Go types first",
            why,
            "the Go types",
        ] {
            assert!(plain.contains(part), "{part} for {to} in {plain}");
        }
        assert!(!plain.contains("generate the CRD again"), "{to}: {plain}");
        sandbox.run(&["check", "./api/..."]).expect(1, &["error["]);
        for fix in [&["--fix"][..], &["--fix", "--unsafe-fixes"]] {
            sandbox.run(&[&["check", "."], fix].concat());
            assert_eq!(sandbox.read(CRD), in_step, "{to} {KEPT}");
        }
        sandbox.write(TYPES, before);
        assert_eq!(told(&sandbox, &["."]), [] as [&str; 0]);
    }
}

#[test]
fn a_type_with_a_wrong_marker_does_not_lose_the_markers_of_others() {
    // The CRD of `Cart` is stale, and a marker of another type in its package cannot be parsed: controller-gen leaves out the package.
    let sandbox = in_step();
    let in_step = sandbox.read(CRD);
    let types = change(&sandbox, TYPES, "MaxItems=8", "MaxItems=9");
    let other = "\n// +kubebuilder:validation:MaxLength=many\ntype Other string\n";
    let edited = sandbox.read(TYPES);
    sandbox.write(TYPES, format!("{edited}{other}"));
    sandbox.run(&["check", ".", "--fix"]);
    assert_eq!(sandbox.read(CRD), in_step);
    let plain = sandbox.run(&["check", "."]).stdout;
    assert!(plain.contains("correct the Go types first"), "{plain}");
    // Without a difference, the other type says nothing of this CRD.
    sandbox.write(TYPES, format!("{types}{other}"));
    assert_eq!(told(&sandbox, &["."]), [] as [&str; 0]);
}

#[test]
fn generate_keeps_the_files_of_crds_that_controller_gen_rejects() {
    let sandbox = in_step();
    let other = sandbox.read(TYPES).replace("package v1", "package v2");
    sandbox.write(
        "api/v2/types.go",
        other.replace("root=true", "root=true\n// +kubebuilder:storageversion"),
    );
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    let in_step = sandbox.read(CRD);
    assert!(in_step.contains("name: v2"), "{in_step}");
    for (from, to) in [
        ("MaxItems=8", "MaxItems=8\n\t// +listType=maps"),
        ("MaxItems=8", "MaxItems=many"),
        ("`json:\"most,omitempty\"`", ""),
    ] {
        let before = change(&sandbox, TYPES, from, to);
        let outcome = sandbox.run(&write);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        let why = "shop.example.com_carts.yaml: not written, because controller-gen rejects a type or marker of it";
        assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
        assert_eq!(sandbox.read(CRD), in_step, "{to} {KEPT}");
        sandbox.write(TYPES, before);
    }
}

#[test]
fn a_name_that_one_of_several_versions_sets_is_told_at_its_marker() {
    let sandbox = in_step();
    let other = sandbox.read(TYPES).replace("package v1", "package v2");
    let root = "root=true\n// +kubebuilder:resource:scope=Cluster,shortName=ca";
    change(&sandbox, TYPES, "root=true", root);
    let other = other.replace("root=true", &format!("{root}\n// +kubebuilder:storageversion"));
    sandbox.write("api/v2/types.go", &other);
    let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
    sandbox.run(&write).expect(0, &[]);
    for (from, to, code) in [
        ("Cluster,", "Clustered,", "unknown-scope"),
        ("shortName=ca", "shortName=Ca", "error["),
        ("scope=Cluster", "path=Carts,scope=Cluster", "error["),
    ] {
        for file in [TYPES, "api/v2/types.go"] {
            let before = change(&sandbox, file, from, to);
            let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
            let is_it = |it: &str| it.starts_with(&format!("{file}:1")) && it.contains(code);
            assert!(outcome.stdout.lines().any(is_it), "{file} {to}: {}", outcome.stdout);
            // We assume that the marker of the last version applies. controller-gen takes them in any order.
            if file != TYPES {
                sandbox.run(&["check", "."]).expect(0, &["correct the Go types first"]);
            }
            sandbox.write(file, before);
        }
    }
    // Different names are no error by themselves.
    change(&sandbox, TYPES, "shortName=ca", "shortName=cb");
    let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
    assert!(!outcome.stdout.contains("error["), "{}", outcome.stdout);
}

#[test]
fn a_field_that_a_marker_of_alternatives_misspells_is_told_at_the_marker() {
    let one_of = "// +kubebuilder:validation:ExactlyOneOf=most;least\ntype CartSpec struct {\n\
        \tMost int32 `json:\"most,omitempty\"`\n\tLeast int32 `json:\"least,omitempty\"`\n}\n";
    for release in ["v0.20.1", "v0.23.0"] {
        let sandbox = without_crd(one_of);
        sandbox.write("Makefile", format!("CONTROLLER_TOOLS_VERSION ?= {release}\n"));
        let write = ["generate", "crd", "./api/...", "--output-dir", "config/crd"];
        sandbox.run(&write).expect(0, &[]);
        sandbox.run(&["check", "./api/..."]).expect(0, &["1 CRD, 0 errors"]);
        for name in ["ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf"] {
            let to = format!("{name}=most;leest");
            let before = change(&sandbox, TYPES, "ExactlyOneOf=most;least", &to);
            let outcome = sandbox.run(&["check", "./api/...", "-o", "concise"]);
            let is_it = |it: &str| it.starts_with(&format!("{TYPES}:6:")) && it.contains("error[undefined-field]");
            assert!(outcome.stdout.lines().any(is_it), "{release} {to}: {}", outcome.stdout);
            sandbox.run(&["check", "."]).expect(0, &["correct the Go types first"]);
            sandbox.write(TYPES, before);
        }
    }
}
