//! What the names of folders say about the resources in them.

use crate::{definition, sandbox::Sandbox};

/// A resource below a folder `patches` is merged into another one, even if no kustomization in the repository says so.
#[test]
fn resources_in_a_folder_of_patches_may_lack_fields() {
    let crd = definition("                {type: object, required: [size], properties: {size: {type: integer}}}");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("nas/patches/apps/a.yaml", widget)]);
    sandbox.run(&["check", "."]).expect(0, &["0 errors"]);
    sandbox.write("nas/patches/apps/a.yaml", widget.replace("{}", "{size: big}"));
    sandbox.run(&["check", "."]).expect(1, &["error[wrong-type]"]);
    sandbox.write("nas/apps/a.yaml", widget);
    sandbox
        .run(&["check", "nas/apps", "--crd", "crd.yaml"])
        .expect(1, &["error[missing-property]"]);
}

/// Examples for a release show an API that may differ from the one in the repository.
#[test]
fn examples_of_a_release_without_its_crds_get_hints() {
    let crd = definition("                {type: object, required: [size], properties: {size: {type: integer}}}");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    let sandbox = Sandbox::new(&[
        ("config/crd/bases/crd.yaml", &crd),
        ("docs/versions/v0.6.0/a.yaml", widget),
    ]);
    sandbox.run(&["check", "."]).expect(0, &["hint[missing-property]"]);
    sandbox.write("docs/versions/v0.6.0/crd.yaml", &crd);
    sandbox.run(&["check", "."]).expect(1, &["error[missing-property]"]);
}

/// A test names the objects that it reads from files.
#[test]
fn resources_in_a_folder_of_tests_may_lack_a_name() {
    let crd = definition("                {type: object, properties: {size: {type: integer}}}");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {labels: {a: b}}\nspec: {size: 1}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("test/e2e/manifests/a.yaml", widget)]);
    sandbox.run(&["check", "."]).expect(0, &["0 errors"]);
    sandbox.write("test/e2e/manifests/a.yaml", widget.replace("size: 1", "size: big"));
    sandbox
        .run(&["check", "."])
        .expect(1, &["error[wrong-type]", "1 error,"]);
    sandbox.write("deploy/a.yaml", widget);
    sandbox
        .run(&["check", "deploy", "--crd", "crd.yaml"])
        .expect(1, &["error[missing-metadata-name]"]);
}

/// chainsaw merges an object that it applies into the object that exists.
#[test]
fn what_a_chainsaw_test_applies_again_may_lack_fields() {
    let crd = definition(
        "                {type: object, required: [size], properties: {size: {type: integer}, color: {type: string}}}",
    );
    let step = |operation: &str, name: &str, spec: &str| {
        format!(
            "  - try:\n    - {operation}:\n        resource:\n          apiVersion: example.com/v1\n          kind: Widget\n          metadata: {{name: {name}}}\n          spec: {spec}\n"
        )
    };
    let test = |steps: &[String]| {
        let head = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\nspec:\n  steps:\n";
        format!("{head}{}", steps.concat())
    };
    let sandbox = Sandbox::new(&[("crd.yaml", &crd)]);
    let check = |steps: &[String], code: i32, expected: &str| {
        sandbox.write("test/chainsaw/a/chainsaw-test.yaml", test(steps));
        sandbox.run(&["check", "."]).expect(code, &[expected]);
    };
    let whole = step("create", "a", "{size: 1}");
    check(&[whole.clone(), step("apply", "a", "{color: red}")], 0, "0 errors");
    check(
        &[whole.clone(), step("apply", "a", "{color: 1}")],
        1,
        "error[wrong-type]",
    );
    check(
        &[whole.clone(), step("apply", "b", "{color: red}")],
        1,
        "error[missing-property]",
    );
    check(
        &[step("apply", "a", "{color: red}"), whole.clone()],
        1,
        "error[missing-property]",
    );
    check(
        &[whole, step("create", "a", "{color: red}")],
        1,
        "error[missing-property]",
    );
}

/// The core group has no kind of this name, so the group of the CRD is missing.
#[test]
fn a_kind_of_a_crd_needs_the_group_of_the_crd() {
    let crd = definition("                {type: object}").replace("v1\n      served", "v1alpha1\n      served");
    let widget = "apiVersion: v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("a.yaml", widget)]);
    sandbox
        .run(&["check", "."])
        .expect(1, &["error[unknown-kind]", "example.com/v1alpha1"]);
}
