//! Files and folders that somebody names, of a repository whose kustomizations complete them.

use crate::{definition, sandbox::Sandbox};

const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: ";

/// A base without the field `size`, and an overlay that adds it.
fn repository(patch: &str) -> Sandbox {
    let schema =
        "                {type: object, required: [size], properties: {size: {type: integer}, color: {type: string}}}";
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &definition(schema)),
        ("apps/base/kustomization.yaml", "resources: [widget.yaml]\n"),
        ("apps/base/widget.yaml", &format!("{WIDGET}{{color: red}}\n")),
        (
            "apps/prod/kustomization.yaml",
            "resources: [../base]\npatches: [{path: patch.yaml}]\n",
        ),
        ("apps/prod/patch.yaml", &format!("{WIDGET}{patch}\n")),
    ]);
    sandbox.commit();
    sandbox
}

#[test]
fn a_base_is_checked_as_the_overlays_of_the_repository_build_it() {
    let sandbox = repository("{size: 1}");
    for named in ["apps/base", "apps/base/widget.yaml", "apps"] {
        sandbox.run(&["check", named]).expect(0, &["0 errors"]);
    }
    sandbox.write("apps/base/widget.yaml", format!("{WIDGET}{{color: 1}}\n"));
    let outcome = sandbox.run(&["check", "apps/base", "-o", "concise"]);
    outcome.expect(1, &["apps/base/widget.yaml:4:15: error[wrong-type]", ", 1 error,"]);
}

#[test]
fn a_patch_is_checked_in_the_object_that_it_changes() {
    let sandbox = repository("{size: big}");
    for named in ["apps/prod/patch.yaml", "apps/prod"] {
        let outcome = sandbox.run(&["check", named, "-o", "concise"]);
        outcome.expect(1, &["apps/prod/patch.yaml:4:14: error[wrong-type]", ", 1 error,"]);
    }
    // The mistake is in a file that is not named.
    sandbox.run(&["check", "apps/base"]).expect(0, &["0 errors"]);
}

#[test]
fn an_overlay_that_the_configuration_excludes_completes_no_base() {
    let sandbox = repository("{size: 1}");
    sandbox.write(".crd-analyzer.yaml", "exclude: [apps/prod]\n");
    sandbox
        .run(&["check", "apps/base"])
        .expect(1, &["error[missing-property]"]);
}

/// Standard input without a file name counts as a file in the current folder.
#[test]
fn standard_input_is_checked_with_the_crds_of_the_repository() {
    let sandbox = repository("{size: 1}");
    let widget = |spec: &str| format!("{WIDGET}{spec}\n");
    let check = |args: &[&str], spec: &str| {
        let all = [&["check", "-o", "concise"], args].concat();
        sandbox.run_with_input(&all, widget(spec).as_bytes())
    };
    check(&["-"], "{size: big}").expect(1, &["-:4:14: error[wrong-type]", "1 CR, 1 error,"]);
    check(&["-", "apps/base"], "{size: big}").expect(1, &["-:4:14: error[wrong-type]"]);
    check(&["-"], "{size: 1}").expect(0, &["1 CR, 0 errors"]);
    // No kustomization completes standard input.
    check(&["-"], "{}").expect(1, &["error[missing-property]"]);
    // A CRD that is named or that comes with the object is preferred.
    sandbox.write(
        "other/crd.yaml",
        definition("                {type: object, properties: {size: {type: string}}}"),
    );
    check(&["-", "--crd", "other/crd.yaml"], "{size: big}").expect(0, &["1 CR, 0 errors"]);
    let with_crd = format!(
        "{}\n---\n{}",
        definition("                {type: object, properties: {size: {type: string}}}"),
        widget("{size: big}")
    );
    sandbox
        .run_with_input(&["check", "-"], with_crd.as_bytes())
        .expect(0, &["1 CRD, 1 CR, 0 errors"]);
    // The requests of a list share only the CRDs of the command line.
    let request = serde_json::json!({"id": "a", "text": widget("{size: big}")});
    sandbox
        .run_with_input(&["check", "--list", "-"], format!("{request}\n").as_bytes())
        .expect(0, &[]);
    // Outside of a repository, no other files are searched.
    let elsewhere = Sandbox::new(&[(
        "crd.yaml",
        &definition("                {type: object, required: [size], properties: {size: {type: integer}}}"),
    )]);
    elsewhere
        .run_with_input(&["check", "-"], widget("{size: big}").as_bytes())
        .expect(0, &["no CRD here defines"]);
}

#[test]
fn fixes_leave_a_named_patch_alone() {
    let sandbox = repository("{size: \"1\"}");
    let patch = sandbox.path().join("apps/prod/patch.yaml");
    let before = std::fs::read(&patch).expect("a patch");
    sandbox
        .run(&["check", "--fix", "apps/prod/patch.yaml"])
        .expect(1, &["error[wrong-type]"]);
    assert_eq!(std::fs::read(&patch).expect("a patch"), before);
}
