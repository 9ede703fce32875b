//! What the names of folders say about the resources in them.

use crate::{definition, sandbox::Sandbox};

/// A resource below a folder `patches` is merged into another one, even if no kustomization in the repository says so.
#[test]
fn resources_in_a_folder_of_patches_may_lack_fields() {
    let crd = definition("                {type: object, required: [size], properties: {size: {type: integer}}}");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("nas/patches/apps/a.yaml", widget)]);
    sandbox.run(&["check", "."]).expect(0, &["0 errors"]);
    sandbox.write("nas/patches/apps/a.yaml", &widget.replace("{}", "{size: big}"));
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
