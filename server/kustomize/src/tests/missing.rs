//! Tests of the words that say which object, field, file or folder is missing.

use std::path::Path;

use super::{WIDGET, build, check, memory};
use crate::Unread;

#[test]
fn a_replacement_names_what_no_object_has() {
    let of = |source: &str, select: &str, path: &str| {
        let kustomization = format!(
            "resources: [w.yaml]\nreplacements:\n- source: {{{source}}}\n  targets:\n  - select: {{{select}}}\n    fieldPaths: [{path}]\n"
        );
        build(
            &memory(&[("o/kustomization.yaml", &kustomization), ("o/w.yaml", WIDGET)]),
            Path::new("/o"),
        )
    };
    let fails = |source: &str, select: &str, path: &str| {
        let problem = of(source, select, path).objects.expect_err("it fails");
        (problem.message, problem.unknown.expect("a word").known)
    };
    let (kind, size) = ("kind: Widget", "spec.size");
    assert_eq!(
        fails("kind: Widget, name: v", kind, size),
        (
            "the `source` of the replacement is absent: no Widget has the name `v`".to_owned(),
            vec!["w".into()]
        )
    );
    let (message, known) = fails("kind: Widget, fieldPath: spec.size", kind, "spec.sise");
    assert_eq!(message, "Widget `w` has no `spec.sise`");
    assert_eq!(known, ["spec.list".into(), "spec.size".into()]);
    // kustomize says nothing.
    let built = of(kind, "kind: Wigdet", size);
    assert_eq!(built.objects.map(|it| it.len()), Ok(1));
    let [unmatched] = built.targets.unmatched.as_slice() else {
        panic!("{:?}", built.targets)
    };
    assert_eq!(unmatched.message, "no object has the kind `Wigdet`");
    assert!(of(kind, kind, size).targets.unmatched.is_empty());
}

#[test]
fn a_missing_path_is_compared_with_those_that_exist() {
    let of = |path: &str| {
        let kustomization = format!("resources: [{path}]\n");
        let files = [
            ("o/kustomization.yaml", kustomization.as_str()),
            ("o/a/b/w.yaml", WIDGET),
            ("o/a/b/v.yaml", WIDGET),
            ("o/x/c/u.yaml", WIDGET),
        ];
        let unread = build(&memory(&files), Path::new("/o")).unread;
        let Some((Unread::Missing(_, like), _)) = unread.into_iter().next() else {
            panic!("{path} is not missing")
        };
        like.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(of("a/b/ww.yaml"), ["a/b/v.yaml", "a/b/w.yaml"]);
    assert_eq!(of("./aa/b/w.yaml"), ["./a/b/w.yaml"]);
    assert_eq!(of("../o/a/c/w.yaml"), ["../o/a/b/w.yaml"]);
}

#[test]
fn a_failure_names_its_place() {
    let patch = WIDGET.replace("name: w", "name: other");
    check(
        &[
            (
                "o/kustomization.yaml",
                "resources: [w.yaml]\npatches:\n- path: p.yaml\n",
            ),
            ("o/p.yaml", &patch),
            ("o/w.yaml", WIDGET),
        ],
        &format!("no object matches the patch for Widget `other` at {:?}", "other"),
    );
    check(
        &[
            (
                "o/kustomization.yaml",
                "resources: [w.yaml]\npatches:\n- target: {kind: Widget}\n  patch: |-\n    - op: remove\n      path: /spec/gone\n",
            ),
            ("o/w.yaml", WIDGET),
        ],
        "`remove` fails: Widget `w` has no `/spec/gone` at \"/spec/gone\"",
    );
}

#[test]
fn few_missing_paths_get_suggestions() {
    let paths: Vec<String> = (0..100).map(|n| format!("- w{n}.yaml\n")).collect();
    let files = [
        ("o/kustomization.yaml", &*format!("resources:\n{}", paths.concat())),
        ("o/w.yaml", WIDGET),
    ];
    let unread = build(&memory(&files), Path::new("/o")).unread;
    let has_words = |it: &&(Unread, _)| matches!(&it.0, Unread::Missing(_, like) if !like.is_empty());
    assert_eq!((unread.len(), unread.iter().filter(has_words).count()), (100, 10));
}

#[test]
fn a_long_missing_path_ends() {
    let path = format!("{}w.yaml", "./".repeat(100_000));
    let kustomization = format!("resources: ['{path}']\n");
    let built = build(&memory(&[("o/kustomization.yaml", &kustomization)]), Path::new("/o"));
    assert!(built.objects.is_err() || built.unread.len() == 1);
}
