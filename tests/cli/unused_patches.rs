//! Patches whose targets match no object.

use crate::{definition, sandbox::Sandbox};

const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n";

fn overlay_with(kustomization: &str) -> Sandbox {
    let crd = definition("                {type: object, properties: {size: {type: integer}, color: {type: string}}}");
    Sandbox::new(&[
        ("crd.yaml", &crd),
        ("base/kustomization.yaml", "resources: [widget.yaml]\n"),
        ("base/widget.yaml", WIDGET),
        ("prod/kustomization.yaml", kustomization),
    ])
}

#[test]
fn a_patch_whose_target_matches_no_object_has_a_hint() {
    let with = |target: &str| {
        format!(
            "resources: [../base]\npatches:\n- target: {target}\n  patch: |\n    - {{op: add, path: /spec/color, value: red}}\n"
        )
    };
    let sandbox = overlay_with("");
    let found = |kustomization: String| {
        sandbox.write("prod/kustomization.yaml", kustomization);
        sandbox.run(&["check", ".", "-o", "concise"])
    };
    for (target, place, why) in [
        ("{kind: Wigdet}", "3:18", "no object has the kind `Wigdet`"),
        ("{kind: Widget, name: b}", "3:32", "no Widget has the name `b`"),
        ("{kind: Widget, version: v2}", "3:35", "no Widget has the version `v2`"),
        ("{labelSelector: a=b}", "3:11", "no object matches its target"),
    ] {
        let expected = format!("prod/kustomization.yaml:{place}: hint[unused-patch]: the patch changes nothing: {why}");
        found(with(target)).expect(0, &[&expected, ", 1 hint"]);
    }
    found(with("{kind: Wid.*, name: a}")).expect(0, &[", 0 hints"]);
    // The objects of another base are unknown.
    let remote = with("{name: b}").replace("[../base]", "[../base, \"https://example.com/a?ref=v1\"]");
    let outcome = found(remote);
    assert!(!outcome.stdout.contains("unused-patch"), "{}", outcome.stdout);
}

/// A Component may have patches for objects that only some of its users have.
#[test]
fn a_patch_that_changes_an_object_in_one_of_several_builds_has_no_hint() {
    let component = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\npatches:\n- target: {name: a}\n  patch: |\n    - {op: add, path: /spec/color, value: red}\n";
    let sandbox = overlay_with("resources: [../base]\ncomponents: [../red]\n");
    sandbox.write("red/kustomization.yaml", component);
    sandbox.write("test/kustomization.yaml", "resources: [b.yaml]\ncomponents: [../red]\n");
    sandbox.write("test/b.yaml", WIDGET.replace("name: a", "name: b"));
    sandbox.run(&["check", "."]).expect(0, &[", 0 hints"]);
    sandbox.write("prod/kustomization.yaml", "resources: [../base]\n");
    sandbox
        .run(&["check", "."])
        .expect(0, &["hint[unused-patch]", ", 1 hint"]);
}
