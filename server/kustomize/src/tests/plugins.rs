//! Tests builds with plugins in `generators`, `transformers` and `validators`.

use std::path::Path;

use super::{WIDGET, build, check, memory};
use crate::{ProblemKind, Unread};

#[test]
fn transformers_that_are_built_in_change_objects() {
    let label = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n";
    let patch =
        "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: b}\npath: p.yaml\ntarget: {kind: Widget}\n";
    let files = memory(&[
        (
            "o/kustomization.yaml",
            &format!(
                "resources: [w.yaml]\ntransformers:\n- patch.yaml\n- |\n  {}\n",
                label.trim_end().replace('\n', "\n  ")
            ),
        ),
        ("o/patch.yaml", patch),
        ("o/p.yaml", "- {op: remove, path: /spec/size}\n"),
        ("o/w.yaml", WIDGET),
    ]);
    let built = build(&files, Path::new("/o"));
    assert!(built.unread.is_empty() && !built.changes.is_empty());
    let objects = built.objects.expect("it is built");
    let json = objects[0].node.to_json();
    assert_eq!(json["metadata"]["labels"]["a"], "b", "{json}");
    assert!(json["spec"].get("size").is_none(), "{json}");
    // The effect of a program is unknown.
    let files = memory(&[
        ("o/kustomization.yaml", "resources: [w.yaml]\ntransformers: [t.yaml]\n"),
        (
            "o/t.yaml",
            "apiVersion: example.com/v1\nkind: Mine\nmetadata: {name: a}\n",
        ),
        ("o/w.yaml", WIDGET),
    ]);
    assert!(build(&files, Path::new("/o")).objects.is_err());
}

#[test]
fn plugins_of_files_folders_and_texts_are_run() {
    let widget = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{";
    let spec = "\"spec\":{\"list\":[1,2],\"size\":1}}\n";
    let kustomization = "resources: [w.yaml]\ngenerators: [g.yaml]\ntransformers:\n- ./t\n- n.yaml\n";
    check(
        &[
            ("o/kustomization.yaml", kustomization),
            ("o/w.yaml", WIDGET),
            (
                "o/g.yaml",
                "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: g}\nfiles: [f.txt]\nignored: 1\noptions: {disableNameSuffixHash: true}\n",
            ),
            ("o/f.txt", "text"),
            ("o/t/kustomization.yaml", "resources: [t.yaml]\n"),
            (
                "o/t/t.yaml",
                "apiVersion: builtin\nkind: PatchStrategicMergeTransformer\nmetadata: {name: t}\npaths: [p.yaml]\n",
            ),
            // Paths are relative to the folder whose kustomization lists the transformers, not to that of the transformers.
            ("o/p.yaml", &WIDGET.replace("size: 1", "size: 2")),
            (
                "o/n.yaml",
                "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: n, namespace: here}\nunsetOnly: true\n",
            ),
        ],
        &format!(
            "{widget}\"name\":\"w\",\"namespace\":\"here\"}},{}{}",
            spec.replace(":1}", ":2}"),
            "{\"apiVersion\":\"v1\",\"data\":{\"f.txt\":\"text\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"g\",\"namespace\":\"here\"}}\n"
        ),
    );
    let value = "resources: [w.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: ValueAddTransformer\n  metadata: {name: v}\n  targets:\n  - {fieldPath: metadata/labels/folder}\n  - {fieldPath: 'spec/[name=x]/y', selector: {kind: Other}}\n";
    check(
        &[("o/kustomization.yaml", value), ("o/w.yaml", WIDGET)],
        &format!("{widget}\"labels\":{{\"folder\":\"o\"}},\"name\":\"w\"}},{spec}"),
    );
}

#[test]
fn plugins_that_kustomize_refuses() {
    let of = |field: &str, kind: &str, more: &str| {
        let plugin = format!("apiVersion: builtin\n  kind: {kind}\n  metadata: {{name: p}}\n{more}");
        let files = memory(&[
            (
                "o/kustomization.yaml",
                &format!("resources: [w.yaml]\n{field}:\n- |\n  {plugin}"),
            ),
            ("o/w.yaml", WIDGET),
        ]);
        let problem = build(&files, Path::new("/o")).objects.expect_err("it fails");
        assert_eq!(problem.kind, ProblemKind::Fails, "{}", problem.message);
        problem.message
    };
    for (field, kind, more, expected) in [
        (
            "transformers",
            "Nothing",
            "",
            "kustomize has no builtin plugin `Nothing`",
        ),
        (
            "transformers",
            "SecretGenerator",
            "",
            "the plugin `SecretGenerator` is not a transformer",
        ),
        (
            "generators",
            "LabelTransformer",
            "",
            "the plugin `LabelTransformer` is not a generator",
        ),
        (
            "transformers",
            "PrefixTransformer",
            "  prefix: a\n",
            "fieldSpecs is not expected to be nil",
        ),
        (
            "validators",
            "LabelTransformer",
            "  labels: {a: b}\n  fieldSpecs: [{path: metadata/labels, create: true}]\n",
            "validator shouldn't modify the resource map",
        ),
    ] {
        assert_eq!(of(field, kind, more), expected);
    }
}

#[test]
fn a_generator_that_needs_a_program_is_named() {
    let files = memory(&[
        ("o/kustomization.yaml", "resources: [w.yaml]\ngenerators: [g.yaml]\n"),
        (
            "o/g.yaml",
            "apiVersion: example.com/v1\nkind: Mine\nmetadata: {name: a}\n",
        ),
        ("o/w.yaml", WIDGET),
    ]);
    let built = build(&files, Path::new("/o"));
    let named = Unread::Made("generators", Some("Mine".to_owned()));
    assert_eq!(built.unread.first().map(|it| &it.0), Some(&named));
    assert_eq!(built.objects.expect("the others are built").len(), 1);
}

#[test]
fn validators_do_not_copy_shared_strings_without_end() {
    // A string of 1 MiB that 200 fields share. To compare it by value takes 200 MiB.
    let aliases = ", *a".repeat(199);
    let text = "x".repeat(1 << 20);
    let widget = format!("{WIDGET}more: [&a {text}{aliases}]\n");
    let files = memory(&[
        ("o/kustomization.yaml", "resources: [w.yaml]\nvalidators: [v.yaml]\n"),
        (
            "o/v.yaml",
            "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: v}\n",
        ),
        ("o/w.yaml", &widget),
    ]);
    let problem = build(&files, Path::new("/o")).objects.expect_err("it is too large");
    assert_eq!(problem.kind, ProblemKind::TooLarge, "{problem:?}");
    // Without a validator, nothing is copied.
    let files = memory(&[("o/kustomization.yaml", "resources: [w.yaml]\n"), ("o/w.yaml", &widget)]);
    assert!(build(&files, Path::new("/o")).objects.is_ok());
}

#[test]
fn values_that_many_objects_get_are_counted() {
    let object = |n: usize| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{n}}}\n");
    let objects: Vec<String> = (0..200).map(object).collect();
    let objects = objects.join("---\n");
    let long = "x".repeat(1 << 20);
    for target in [
        "fieldPath: data/key".to_owned(),
        format!("fieldPath: data/{long}"),
        format!("fieldPath: 'data/list/[name={long}]/key'"),
    ] {
        let value = if target.len() < 100 { &long } else { "short" };
        let transformer = format!(
            "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {{name: t}}\nvalue: {value}\ntargets:\n- {target}\n"
        );
        let files = memory(&[
            ("o/kustomization.yaml", "resources: [x.yaml]\ntransformers: [t.yaml]\n"),
            ("o/t.yaml", &transformer),
            ("o/x.yaml", &objects),
        ]);
        let problem = build(&files, Path::new("/o"));
        let problem = problem.objects.expect_err("it is too large");
        assert_eq!(problem.kind, ProblemKind::TooLarge, "{} {problem:?}", &target[..20]);
    }
}
