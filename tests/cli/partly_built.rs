//! Kustomizations that crd-analyzer builds only in part, because a file is not there.

use crate::patches::{HEAD, check};

/// If a kustomization builds only in part, a patch may be for an object that is not there, and is complete only with it.
#[test]
fn a_patch_of_an_object_that_a_program_makes_is_a_part() {
    let patch = format!("{HEAD}spec: {{size: x}}\n");
    let kustomization = "resources: [../base, made.yaml]\npatches: [path: patch.yaml]\n";
    let other = patch.replace("name: a", "name: made");
    let makefile = "generate:\n\tgo run ./make > prod/made.yaml\n";
    check(
        &[
            ("Makefile", makefile),
            ("prod/kustomization.yaml", kustomization),
            ("prod/patch.yaml", &other),
        ],
        &["prod/patch.yaml:4:14: error[wrong-type]"],
    );
}
