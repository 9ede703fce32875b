//! Tests of `storage`: stored versions, and the remaining steps of a migration.

use serde_json::{Value, json};

use crate::Sandbox;

fn crd(versions: &[(&str, bool, bool)], rest: &str) -> String {
    let versions = versions.iter().map(|(name, served, storage)| {
        format!(
            "    - name: {name}
      served: {served}
      storage: {storage}
      schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{name}: {{type: string}}}}}}}}}}}}
"
        )
    });
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
{}{rest}",
        versions.collect::<String>()
    )
}

const BOTH: &[(&str, bool, bool)] = &[("v1", true, true), ("v1beta1", true, false)];

fn steps(sandbox: &Sandbox, args: &[&str], code: i32) -> (Value, Vec<(String, String)>) {
    let args = [&["storage", "crd.yaml", "-o", "json"], args].concat();
    let outcome = sandbox.run(&args);
    let document: Value = serde_json::from_str(&outcome.expect(code, &[]).stdout).expect("JSON");
    let plan = document[0].clone();
    let text = |it: &Value| it.as_str().expect("a text").to_owned();
    let steps = plan["steps"].as_array().expect("steps");
    let states = steps.iter().map(|it| (text(&it["step"]), text(&it["state"]))).collect();
    (plan, states)
}

fn states(names: &[(&str, &str)]) -> Vec<(String, String)> {
    names.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn objects_of_an_old_version_are_migrated() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(BOTH, ""))]);
    let (plan, found) = steps(&sandbox, &["--stored", "v1beta1,v1"], 1);
    assert_eq!(plan["refusals"], json!([]));
    assert_eq!(plan["loses_fields"], true);
    let expected = [
        ("store", "done"),
        ("migrate", "due"),
        ("forget", "later"),
        ("unserve", "unknown"),
        ("remove", "later"),
    ];
    assert_eq!(found, states(&expected));
    assert_eq!(
        plan["steps"][1]["object"],
        json!({"apiVersion": "storagemigration.k8s.io/v1", "kind": "StorageVersionMigration",
            "metadata": {"name": "widgets.example.com"}, "spec": {"resource": {"group": "example.com", "resource": "widgets"}}})
    );
    for (kubernetes, version, resource) in [
        (
            "1.36",
            "v1beta1",
            json!({"group": "example.com", "resource": "widgets"}),
        ),
        (
            "1.30",
            "v1alpha1",
            json!({"group": "example.com", "resource": "widgets", "version": "v1"}),
        ),
    ] {
        let (plan, _) = steps(
            &sandbox,
            &["--stored", "v1beta1,v1", "--kubernetes-version", kubernetes],
            1,
        );
        let object = &plan["steps"][1]["object"];
        assert_eq!(object["apiVersion"], format!("storagemigration.k8s.io/{version}"));
        assert_eq!(object["spec"]["resource"], resource);
    }
    // The CRD has not been applied yet.
    let (_, found) = steps(&sandbox, &["--stored", "v1beta1"], 1);
    assert_eq!(found[..2], states(&[("store", "due"), ("migrate", "later")]));
    sandbox.run(&["storage", "crd.yaml", "--stored", "v1beta1,v1"]).expect(
        1,
        &[
            "the API server writes objects as `v1`, and may have stored objects as `v1beta1`, `v1`",
            "2. [ ] write every object again, so that it is stored as `v1`",
            "       kind: StorageVersionMigration",
            r#"         --subresource=status --type=merge --patch '{"status":{"storedVersions":["v1"]}}'"#,
        ],
    );
}

#[test]
fn a_version_that_is_still_stored_must_stay() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(&[("v1", true, true)], ""))]);
    let (plan, found) = steps(&sandbox, &["--stored", "v1beta1,v1"], 1);
    let refusal = plan["refusals"][0].as_str().expect("words");
    assert!(
        refusal.starts_with("status.storedVersions[0]: Invalid value: \"v1beta1\": missing from spec.versions"),
        "{refusal}"
    );
    let expected = [("restore-version", "due"), ("store", "done"), ("migrate", "later")];
    assert_eq!(found[..3], states(&expected));
}

#[test]
fn nothing_is_due_when_all_is_stored_in_one_version() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(BOTH, "status: {storedVersions: [v1]}\n"))]);
    let (plan, found) = steps(&sandbox, &[], 0);
    assert_eq!((found, &plan["removable"]), (Vec::new(), &json!(["v1beta1"])));
    sandbox
        .run_with_input(
            &["storage", "-"],
            crd(BOTH, "status: {storedVersions: [v1]}\n").as_bytes(),
        )
        .expect(0, &["nothing to migrate"]);
}

#[test]
fn what_is_missing_is_asked_for() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(BOTH, "")), ("a.yaml", "a: 1\n")]);
    sandbox
        .run(&["storage", "crd.yaml"])
        .expect(2, &["give the versions with `--stored`"]);
    sandbox
        .run(&["storage", "nothing.yaml", "--stored", "v1"])
        .expect(3, &["cannot read nothing.yaml"]);
}

#[test]
fn a_folder_has_several_crds() {
    let other = crd(BOTH, "status: {storedVersions: [v1]}\n")
        .replace("widgets", "gadgets")
        .replace("Widget", "Gadget");
    let sandbox = Sandbox::new(&[
        ("crds/a.yaml", &crd(BOTH, "")),
        ("crds/b.yaml", &other),
        ("crds/c.yaml", "a: 1\n"),
    ]);
    let texts = [
        "gadgets.example.com: the API server writes objects as",
        "note: widgets.example.com does not have `status.storedVersions`",
    ];
    let outcome = sandbox.run(&["storage", "crds"]);
    outcome.expect(0, &texts);
    let both = [
        "gadgets.example.com: the API server writes objects as",
        "widgets.example.com: the API server writes objects as",
    ];
    sandbox.run(&["storage", "crds", "--stored", "v1"]).expect(0, &both);
    std::fs::remove_file(sandbox.path().join("crds/b.yaml")).expect("it is there");
    sandbox
        .run(&["storage", "crds"])
        .expect(2, &["give the versions with `--stored`"]);
}
