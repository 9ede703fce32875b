//! Files in folders of tests that are not complete, or not for the CRDs of the repository.

use crate::patches::overlay_with;

#[test]
fn tests_merge_patches_with_kustomizations_of_their_own() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let part = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {color: red}\n";
    sandbox.write("test/e2e/ci-kustomization.yaml", part);
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
    sandbox.write("test/e2e/ci-kustomization.yaml", part.replace("red", "1"));
    sandbox
        .run(&["check", "."])
        .expect(1, &[", 1 error,", "must be a string"]);
    sandbox.write("test/e2e/ci-kustomization.yaml", "");
    sandbox.write("test/e2e/widget.yaml", part);
    sandbox.run(&["check", "."]).expect(1, &[", 1 error,", "has no `size`"]);
}

#[test]
fn objects_of_an_older_release_are_not_refused_for_their_version() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let old = "apiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    sandbox.write("test/e2e/upgrades/v1alpha1/widget.yaml", old);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(
        0,
        &[
            "hint[unserved-version]",
            "an older release of the CRD may serve it",
            ", 0 errors,",
        ],
    );
    for path in ["config/v1alpha1/widget.yaml", "test/e2e/v1beta1/widget.yaml"] {
        let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
        sandbox.write(path, old);
        let outcome = sandbox.run(&["check", "."]);
        assert!(outcome.stdout.contains("error[unserved-version]"), "{outcome:#?}");
    }
}

#[test]
fn a_crd_of_tests_is_not_certain_for_other_resources() {
    let crd = crate::definition("              type: object\n              properties: {size: {type: integer}}\n");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: a, color: red}\n";
    for (crd_path, path, expected) in [
        ("test/crds/widgets.yaml", "config/a.yaml", ", 0 errors, 2 warnings,"),
        ("testcrds/widgets.yaml", "config/a.yaml", ", 0 errors, 2 warnings,"),
        ("test/crds/widgets.yaml", "test/a.yaml", ", 2 errors, 0 warnings,"),
        (
            "pkg/testdata/e2e/crds/widgets.yaml",
            "pkg/testdata/e2e/a.yaml",
            ", 2 errors, 0 warnings,",
        ),
        (
            "pkg/testdata/info/widgets.yaml",
            "pkg/testdata/info/a.yaml",
            ", 0 errors, 0 warnings,",
        ),
        ("crds/widgets.yaml", "config/a.yaml", ", 2 errors, 0 warnings,"),
    ] {
        let sandbox = crate::Sandbox::new(&[(crd_path, &crd), (path, widget)]);
        let outcome = sandbox.run(&["check", "."]);
        assert!(outcome.stdout.contains(expected), "{crd_path} {path}: {outcome:#?}");
        let is_doubted = outcome.stdout.contains("only tests use this CRD");
        assert_eq!(is_doubted, expected.contains(" 2 warnings"), "{outcome:#?}");
    }
    // What the CRD does not decide is an error.
    let twice = widget.replace("size: a", "size: 1, size: 2");
    let sandbox = crate::Sandbox::new(&[("test/crds/w.yaml", &crd), ("config/a.yaml", &twice)]);
    sandbox.run(&["check", "."]).expect(1, &[", 1 error, 1 warning,"]);
}

/// A whole Widget, and a part of it.
const WHOLE: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  size: 1\n  color: red\n";
const PART: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  color: blue\n";

#[test]
fn a_crd_of_another_example_is_not_certain() {
    let crd = crate::definition("              type: object\n              properties: {size: {type: integer}}\n");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: a, color: red}\n";
    for (crd_path, path, expected) in [
        (
            "examples/aws/one/crds/w.yaml",
            "examples/aws/two/a.yaml",
            ", 0 errors, 2 warnings,",
        ),
        (
            "examples/aws/one/crds/w.yaml",
            "examples/aws/one/a.yaml",
            ", 2 errors, 0 warnings,",
        ),
        ("examples/crds/w.yaml", "examples/two/a.yaml", ", 2 errors, 0 warnings,"),
        ("examples/one/w.yaml", "config/a.yaml", ", 2 errors, 0 warnings,"),
    ] {
        let sandbox = crate::Sandbox::new(&[(crd_path, &crd), (path, widget)]);
        let outcome = sandbox.run(&["check", "."]);
        assert!(outcome.stdout.contains(expected), "{crd_path} {path}: {outcome:#?}");
        let is_doubted = outcome.stdout.contains("this CRD belongs to another example");
        assert_eq!(is_doubted, expected.contains(" 2 warnings"), "{outcome:#?}");
    }
}

#[test]
fn chainsaw_merges_an_object_into_the_one_that_it_applied_before() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\nspec:\n  steps:\n  - try:\n    - apply: {file: one.yaml}\n  - try:\n    - apply: {file: two.yaml}\n";
    sandbox.write("e2e/a/chainsaw-test.yaml", test);
    sandbox.write("e2e/a/one.yaml", WHOLE);
    sandbox.write("e2e/a/two.yaml", PART);
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
    sandbox.write("e2e/a/two.yaml", PART.replace("blue", "1"));
    sandbox
        .run(&["check", "."])
        .expect(1, &[", 1 error,", "must be a string"]);
    // The first file creates the object.
    sandbox.write("e2e/a/one.yaml", PART);
    sandbox.write("e2e/a/two.yaml", WHOLE);
    sandbox.run(&["check", "."]).expect(1, &[", 1 error,", "has no `size`"]);
}

#[test]
fn kuttl_merges_an_object_into_the_one_of_a_template() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let filled_in = WHOLE.replace("  size: 1\n", "{% if a %}\n  size: {{ a }}\n{% endif %}\n");
    for (name, text) in [
        ("00-install.yaml.j2", &*filled_in),
        ("00-assert.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
        ("10-update.yaml", PART),
    ] {
        sandbox.write(&format!("e2e/a/{name}"), text);
    }
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
    sandbox.write("e2e/a/00-install.yaml.j2", filled_in.replace("name: w", "name: v"));
    sandbox.run(&["check", "."]).expect(1, &[", 1 error,", "has no `size`"]);
}

const CONFIG: &str = "apiVersion: example.com/v1\nkind: Widget\nspec: {size: 3}\n";

#[test]
fn a_file_in_a_config_map_is_read_by_a_program() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    sandbox.write("manager/config.yaml", CONFIG);
    sandbox
        .run(&["check", "."])
        .expect(1, &["error[missing-metadata-name]"]);
    sandbox.write(
        "manager/kustomization.yaml",
        "configMapGenerator:\n- name: config\n  files:\n  - config.yaml\n",
    );
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
    // An object with a name may be applied by the program.
    sandbox.write(
        "manager/config.yaml",
        CONFIG.replace("spec: {size: 3}", "metadata: {name: b}\nspec: {size: a}"),
    );
    sandbox
        .run(&["check", "."])
        .expect(1, &["`spec.size` must be an integer"]);
}

#[test]
fn files_of_test_programs_are_not_resources() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    let crd = crate::definition("              type: object\n");
    sandbox.write(
        "crds/steps.yaml",
        crd.replace("example.com", "kuttl.dev").replace("Widget", "TestStep"),
    );
    sandbox.write("a/step.yaml", "apiVersion: kuttl.dev/v1\nkind: TestStep\ntimeout: 3\n");
    sandbox.write("kind.yaml", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n");
    sandbox
        .run(&["check", "."])
        .expect(0, &[", 0 errors,", "2 documents without a Kubernetes object"]);
    sandbox.run(&["check", "kind.yaml"]).expect(
        1,
        &["this Cluster is not checked: a program reads it, not an API server"],
    );
}

#[test]
fn data_that_only_unit_tests_read_beside_a_suite_with_an_api_server() {
    let sandbox = overlay_with("resources: [../base]\npatches: [{path: patch.yaml}]\n");
    sandbox.write("pkg/testdata/a.yaml", CONFIG.replace("size: 3", "size: a"));
    sandbox.write(
        "pkg/suite_test.go",
        "package pkg\n\nvar k8sClient client.Client\n\nvar _ = BeforeSuite(func() {\n\tenv := &envtest.Environment{}\n})\n",
    );
    let test = "package pkg\n\nvar _ = It(\"reads\", func() {\n\tb, err := os.ReadFile(\"testdata/a.yaml\")\n})\n";
    sandbox.write("pkg/widget_test.go", test);
    sandbox
        .run(&["check", "."])
        .expect(0, &["error in test data", ", 0 errors,"]);
    sandbox.write(
        "pkg/widget_test.go",
        test.replace("err := os", "err := k8sClient.Create(ctx, w); os"),
    );
    sandbox.run(&["check", "."]).expect(1, &["error[wrong-type]"]);
}
