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
