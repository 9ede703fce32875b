//! Tests builds of a few files.

mod missing;
mod plugins;
mod repeated;
mod strict;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{Build, Files, LIMITS, ProblemKind, Sources, Unread};

struct Memory(BTreeMap<PathBuf, Arc<str>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.keys().any(|it| it.starts_with(path) && it != path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let names = self
            .0
            .keys()
            .filter_map(|it| it.strip_prefix(folder).ok()?.iter().next());
        let mut names: Vec<String> = names.filter_map(|it| Some(it.to_str()?.to_owned())).collect();
        names.dedup();
        names
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        path.starts_with("/refused").then(|| "it is refused".to_owned())
    }
}

fn memory(files: &[(&str, &str)]) -> Memory {
    let files = files
        .iter()
        .map(|(path, text)| (Path::new("/").join(path), (*text).into()));
    Memory(files.collect())
}

fn build(files: &dyn Files, folder: &Path) -> Build {
    crate::build(files, folder, (LIMITS, &mut Sources::default()))
}

/// Checks the lines of the built objects' JSON, or the reason why the build failed.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &str) {
    let mut sources = Sources::default();
    let built = crate::build(&memory(files), Path::new("/o"), (LIMITS, &mut sources));
    let found = match &built.objects {
        Ok(objects) => objects
            .iter()
            .flat_map(|it| [it.node.to_json().to_string(), "\n".to_owned()])
            .collect(),
        Err(problem) => {
            let place = problem.place.map(|it| {
                let text = sources.text_of(it);
                text[sources.span(it).range()].to_owned()
            });
            format!("{} at {:?}", problem.message, place.unwrap_or_default())
        }
    };
    assert_eq!(found, expected, "of {files:?}");
}

const WIDGET: &str =
    "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  list: [1, 2]\n  size: 1\n";

#[test]
fn a_patch_replaces_lists_of_custom_resources() {
    let patch = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  list: [3]\n  size: null\n";
    check(
        &[
            (
                "o/kustomization.yaml",
                "resources: [../b]\npatches:\n- path: p.yaml\nnamePrefix: dev-\n",
            ),
            ("o/p.yaml", patch),
            ("b/kustomization.yaml", "resources: [w.yaml]\n"),
            ("b/w.yaml", WIDGET),
        ],
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"dev-w\"},\"spec\":{\"list\":[3]}}\n",
    );
}

#[test]
fn a_number_in_the_place_of_quoted_text_is_text_as_it_is_written() {
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    check(
        &[
            ("o/kustomization.yaml", "resources: [w.yaml]\npatches: [path: p.yaml]\n"),
            ("o/w.yaml", &format!("{head}spec: {{mode: \"3\", size: 1}}\n")),
            ("o/p.yaml", &format!("{head}spec: {{mode: 0644, size: 0644}}\n")),
        ],
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},\"spec\":{\"mode\":\"0644\",\"size\":420}}\n",
    );
}

#[test]
fn vars_make_text_of_what_a_replacement_has_made() {
    let kustomization = "resources: [w.yaml]\n\
        replacements:\n- source: {kind: Widget, fieldPath: metadata.annotations.a}\n  targets:\n  \
        - {select: {kind: Widget}, fieldPaths: [metadata.labels.l], options: {create: true}}\n";
    let with_vars =
        format!("{kustomization}vars: [{{name: X, objref: {{apiVersion: example.com/v1, kind: Widget, name: w}}}}]\n");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, annotations: {a: \"1\"}}\n";
    for (kustomization, label) in [(kustomization, "1"), (&with_vars, "\"1\"")] {
        check(
            &[("o/kustomization.yaml", kustomization), ("o/w.yaml", widget)],
            &format!(
                "{{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{{\"annotations\":{{\"a\":\"1\"}},\"labels\":{{\"l\":{label}}},\"name\":\"w\"}}}}\n"
            ),
        );
    }
}

#[test]
fn what_begins_with_a_bracket_is_json() {
    let of = |patch: &str| format!("resources: [w.yaml]\npatches:\n- target: {{kind: Widget}}\n  patch: '{patch}'\n");
    let built = |patch: &str| {
        let files = memory(&[("o/kustomization.yaml", &of(patch)), ("o/w.yaml", WIDGET)]);
        build(&files, Path::new("/o")).objects.map(|it| it.len())
    };
    assert_eq!(built(r#"[{"op": "remove", "path": "/spec/size"}]"#).ok(), Some(1));
    assert_eq!(built("- {op: remove, path: /spec/size}").ok(), Some(1));
    assert_eq!(built(" [{op: remove, path: /spec/size}]").ok(), Some(1));
    let refused = built("[{op: remove, path: /spec/size}]").expect_err("it is not JSON");
    let said = "a patch that begins with `[` must be JSON: key must be a string";
    assert!(refused.message.starts_with(said), "{}", refused.message);
}

#[test]
fn remote_bases_are_named_and_left_out() {
    let files = memory(&[
        (
            "o/kustomization.yaml",
            "resources:\n- https://github.com/o/r//config?ref=v1\n- w.yaml\npatches:\n- path: p.yaml\n",
        ),
        ("o/w.yaml", WIDGET),
        ("o/p.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: far\n"),
    ]);
    let built = build(&files, Path::new("/o"));
    assert_eq!(built.objects.unwrap().len(), 1);
    assert_eq!(built.unread.len(), 1);
}

#[test]
fn only_patches_of_those_that_name_a_remote_base_may_be_for_its_objects() {
    let delete = "apiVersion: v1\nkind: Pod\nmetadata: {name: far}\n$patch: delete\n";
    let of = |inner: &str, outer: &str| {
        let files = memory(&[
            (
                "o/kustomization.yaml",
                &format!("resources: [../remote, ../near]\n{outer}"),
            ),
            ("o/p.yaml", delete),
            (
                "remote/kustomization.yaml",
                "resources: ['https://example.com/a.yaml']\n",
            ),
            ("near/kustomization.yaml", &format!("resources: [w.yaml]\n{inner}")),
            ("near/w.yaml", WIDGET),
            ("near/p.yaml", delete),
            (
                "c/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: p.yaml}]\n",
            ),
            ("c/p.yaml", delete),
        ]);
        let built = build(&files, Path::new("/o"));
        assert_eq!(built.unread.len(), 1);
        built.objects.map(|it| it.len()).map_err(|it| it.message)
    };
    let patch = "patches: [{path: p.yaml}]\n";
    let fails = Err("no object matches the patch for Pod `far`".to_owned());
    assert_eq!(of("", patch), Ok(1));
    assert_eq!(of("", "components: [../c]\n"), Ok(1));
    assert_eq!(of(patch, ""), fails);
    assert_eq!(of("components: [../c]\n", ""), fails);
}

#[test]
fn an_object_from_a_file_on_the_web_is_left_out() {
    let of = |more: &str| {
        let files = memory(&[
            ("o/kustomization.yaml", &format!("resources: [w.yaml]\n{more}")),
            ("o/w.yaml", WIDGET),
        ]);
        build(&files, Path::new("/o"))
    };
    let url = "https://example.com/a.json";
    for generator in [
        "{name: c, files: [URL]}",
        "{name: c, files: [a=URL]}",
        "{name: c, envs: [URL]}",
    ] {
        let generator = generator.replace("URL", url);
        let patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}'}]\n";
        let built = of(&format!("configMapGenerator: [{generator}]\n{patch}"));
        assert_eq!(
            built.objects.map(|it| it.len()).map_err(|it| it.message),
            Ok(1),
            "{generator}"
        );
        assert_eq!(built.unread.len(), 1, "{generator}");
        assert_eq!(built.unread[0].0, Unread::RemoteFile(url.to_owned()));
    }
    // A patch may change any object.
    let problem = of(&format!("patches: [{{path: '{url}'}}]\n")).objects.unwrap_err();
    assert_eq!(problem.kind, ProblemKind::NotSupported);
    let missing = of("configMapGenerator: [{name: c, files: [a.json]}]\n")
        .objects
        .unwrap_err();
    assert_eq!(missing.kind, ProblemKind::Fails);
}

#[test]
fn what_is_made_or_missing_is_left_out() {
    let of = |more: &str| {
        let files = memory(&[
            ("o/kustomization.yaml", &format!("resources: [w.yaml]\n{more}")),
            ("o/w.yaml", WIDGET),
        ]);
        build(&files, Path::new("/o"))
    };
    let missing = |path: &str| Unread::Missing(path.to_owned(), vec!["kustomization.yaml".into(), "w.yaml".into()]);
    for (more, unread) in [
        ("helmCharts: [{name: a}]\n", Unread::Made("helmCharts", None)),
        ("generators: [g.yaml]\n", missing("g.yaml")),
        ("bases: [gone.yaml]\n", missing("gone.yaml")),
    ] {
        let built = of(more);
        assert_eq!(built.objects.unwrap().len(), 1, "{more}");
        assert_eq!(built.unread.first().map(|it| &it.0), Some(&unread));
        assert!(built.changes.is_empty());
    }
    assert_eq!(
        of("validators: [v.yaml]\n").objects.unwrap_err().kind,
        ProblemKind::Fails
    );
    // If a field may change objects in an unknown way, the build fails, but its inputs are still listed.
    for (more, kind) in [
        (
            "transformers: [https://example.com/t.yaml]\n",
            ProblemKind::NotSupported,
        ),
        ("transformers: [t.yaml]\n", ProblemKind::Fails),
        ("components: [../c]\n", ProblemKind::Fails),
    ] {
        let built = of(more);
        assert_eq!(built.objects.unwrap_err().kind, kind);
        assert!(!built.changes.is_empty() && built.resources.len() == 1);
    }
}

#[test]
fn files_of_configurations_are_read_strictly() {
    for (file, said) in [
        (
            "nameReferences: []\n",
            Some("a file of `configurations` has no field `nameReferences`"),
        ),
        ("images: [{path: a, paths: b}]\n", Some("`paths` is not a field here")),
        (
            "nameReference: [{kind: Secret, fieldSpec: []}]\n",
            Some("`fieldSpec` is not a field here"),
        ),
        (
            "Images: [{path: a, Create: true}]\nnameReference: [{kind: Secret, fieldSpecs: [{path: a}]}]\n",
            None,
        ),
        ("", None),
    ] {
        let files = memory(&[
            (
                "o/kustomization.yaml",
                "resources: [w.yaml]\nconfigurations: [c.yaml]\n",
            ),
            ("o/w.yaml", WIDGET),
            ("o/c.yaml", file),
        ]);
        let problem = build(&files, Path::new("/o")).objects.err();
        assert_eq!(problem.map(|it| it.message).as_deref(), said, "{file}");
    }
}

#[test]
fn what_is_refused_is_not_said_to_be_missing() {
    let at = |more: &str| {
        let text = format!("resources: [w.yaml]\n{more}");
        build(
            &memory(&[("o/kustomization.yaml", &text), ("o/w.yaml", WIDGET)]),
            Path::new("/o"),
        )
    };
    for more in [
        "components: [../refused/x]\n",
        "patches: [{path: ../refused/x}]\n",
        "patchesStrategicMerge: [../refused/x]\n",
        "replacements: [{path: ../refused/x}]\n",
        "configurations: [../refused/x]\n",
        "openapi: {path: ../refused/x}\n",
        "configMapGenerator: [{name: c, files: [../refused/x]}]\n",
        "secretGenerator: [{name: c, envs: [../refused/x]}]\n",
    ] {
        let problem = at(more).objects.expect_err(more);
        assert_eq!(problem.kind, ProblemKind::NotSupported, "{more}");
        assert_eq!(problem.message, "`../refused/x` is not read: it is refused", "{more}");
        assert!(problem.place.is_some(), "{more}");
    }
    let built = at("bases: [../refused/x]\n");
    let refused = Unread::Refused("../refused/x".to_owned(), "it is refused".to_owned());
    assert_eq!(built.unread.first().map(|it| &it.0), Some(&refused));
    // Of a long path, only the end is shown, so that the reason fits into the message.
    let long = format!("patches: [{{path: ../refused/{}}}]\n", "folder/".repeat(9) + "x.yaml");
    let problem = at(&long).objects.expect_err("it is refused");
    assert_eq!(
        problem.message,
        "`…der/folder/folder/x.yaml` is not read: it is refused"
    );
}

/// Each kustomization names two folders of the next level, so the work doubles at each level. The build must end.
#[test]
fn what_doubles_ends() {
    let mut files = BTreeMap::new();
    let name = |side: &str, n: usize| PathBuf::from(format!("/o/{side}{n}/kustomization.yaml"));
    for n in 0..40 {
        for side in ["k", "l"] {
            let inner = n + 1;
            let text = format!("resources: [../k{inner}, ../l{inner}]\nnamePrefix: {side}\n");
            files.insert(name(side, n), Arc::from(text));
        }
    }
    for side in ["k", "l"] {
        let text = format!("configMapGenerator: [{{name: {side}}}]\n");
        files.insert(name(side, 40), Arc::from(text));
    }
    let built = build(&Memory(files), Path::new("/o/k0"));
    let problem = built.objects.expect_err("it is too large");
    assert_eq!(problem.kind, crate::ProblemKind::TooLarge, "{problem:?}");
}

#[test]
fn many_patches_of_many_objects_end() {
    let object = |n: usize| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{n}}}\n");
    let objects: Vec<String> = (0..1000).map(object).collect();
    let patch = "- target: {kind: ConfigMap}\n  patch: '- {op: add, path: /data, value: {a: b}}'\n";
    let kustomization = format!("resources: [x.yaml]\npatches:\n{}", patch.repeat(2000));
    let files = BTreeMap::from([
        (PathBuf::from("/o/kustomization.yaml"), Arc::from(kustomization)),
        (PathBuf::from("/o/x.yaml"), Arc::from(objects.join("---\n"))),
    ]);
    let built = build(&Memory(files), Path::new("/o"));
    let problem = built.objects.expect_err("it is too large");
    assert_eq!(problem.kind, crate::ProblemKind::TooLarge, "{problem:?}");
}

#[test]
fn lists_are_merged_by_the_file_that_the_kustomization_names() {
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    let file = r#"{"definitions": {"w": {
        "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}],
        "properties": {"spec": {"additionalProperties": {"type": "array",
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}}}}},
        "paths": {"/apis/example.com/v1/widgets": {"get": {"x-kubernetes-group-version-kind":
            {"group": "example.com", "version": "v1", "kind": "Widget"}}}}}"#;
    let kustomization = "resources: [../b]\nnamespace: x\npatches: [path: p.yaml]\nopenapi: {path: s.json}\n";
    let patch = format!("{head}spec: {{list: [{{name: b, size: 2}}]}}\n");
    let base = format!("{head}spec: {{list: [{{name: a}}, {{name: b, y: 1}}], y: []}}\n");
    let files = |of_base: &'static str| {
        [
            ("o/kustomization.yaml", kustomization),
            ("o/p.yaml", &patch),
            ("b/kustomization.yaml", of_base),
            ("b/w.yaml", &base),
        ]
        .map(|(path, text)| (path, text.to_owned()))
    };
    let check = |of_base, schema: Option<&str>, expected: &str| {
        let mut all: Vec<(&str, String)> = files(of_base).to_vec();
        all.extend(schema.map(|it| ("o/s.json", it.to_owned())));
        let all: Vec<(&str, &str)> = all.iter().map(|it| (it.0, it.1.as_str())).collect();
        check(&all, expected);
    };
    let built = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},\
        \"spec\":{\"list\":[{\"name\":\"b\",\"size\":2,\"y\":1},{\"name\":\"a\"}],\"y\":[]}}\n";
    check("resources: [w.yaml]\n", Some(file), built);
    // The OpenAPI file of a base has no effect in this case, but it must exist.
    check("resources: [w.yaml]\nopenapi: {path: w.yaml}\n", Some(file), built);
    check(
        "resources: [w.yaml]\nopenapi: {path: none.json}\n",
        Some(file),
        "the file `none.json` does not exist at \"none.json\"",
    );
    check(
        "resources: [w.yaml]\n",
        None,
        "the file `s.json` does not exist at \"s.json\"",
    );
    check(
        "resources: [w.yaml]\n",
        Some("[]"),
        "`s.json` is not an OpenAPI file: it is not an object at \"s.json\"",
    );
}

#[test]
fn a_value_left_out_in_brackets_is_an_empty_text() {
    let kustomization = "resources: [w.yaml]\npatches:\n- path: p.yaml\n  target: {kind: Widget}\n";
    let head = "apiVersion: a/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n";
    let widget = format!("{head}  list: [1]\n  block:\n  - 1\n  own: [{{x: }}]\n  y: 1\n");
    let patch = format!("{head}  list:\n  - x:\n  block:\n  - x:\n");
    check(
        &[
            ("o/kustomization.yaml", kustomization),
            ("o/w.yaml", &widget),
            ("o/p.yaml", &patch),
        ],
        "{\"apiVersion\":\"a/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},\"spec\":{\"block\":[{\"x\":null}],\"list\":[{\"x\":\"\"}],\"own\":[{\"x\":\"\"}],\"y\":1}}\n",
    );
}

#[test]
fn what_is_replaced_is_of_the_kind_that_it_was() {
    let base = "resources: [c.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    apiVersion: v1\n    kind: Other\n    metadata: {name: c}\n  options: {allowKindChange: true}\n";
    check(
        &[
            ("b/kustomization.yaml", base),
            ("b/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"),
            (
                "o/kustomization.yaml",
                "resources: [../b]\nconfigMapGenerator:\n- {name: c, behavior: replace, literals: [a=b]}\n",
            ),
        ],
        "ConfigMap `c`, to replace, does not exist at \"{name: c, behavior: replace, literals: [a=b]}\"",
    );
}

#[test]
fn a_port_without_a_protocol_is_the_last_with_its_number() {
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: w\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n        ports:\n";
    let port = |number: u16, protocol: &str| {
        let protocol = if protocol.is_empty() {
            String::new()
        } else {
            format!(", protocol: {protocol}")
        };
        format!("        - {{containerPort: {number}{protocol}}}\n")
    };
    let patch = [port(80, ""), port(8080, "TCP"), port(80, "UDP")].concat();
    check(
        &[
            (
                "o/kustomization.yaml",
                "resources: [d.yaml]\npatches:\n- path: p.yaml\n",
            ),
            ("o/d.yaml", &format!("{head}{}", port(80, "TCP"))),
            ("o/p.yaml", &format!("{head}{patch}")),
        ],
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"w\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"ports\":[{\"containerPort\":8080,\"protocol\":\"TCP\"},{\"containerPort\":80,\"protocol\":\"UDP\"},{\"containerPort\":80,\"protocol\":\"TCP\"}]}]}}}}\n",
    );
}

/// A source of files with an identity.
struct Same(Memory);

impl Files for Same {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        self.0.read(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.is_folder(path)
    }

    fn identity(&self) -> Option<usize> {
        Some(1)
    }
}

/// A description of a build that does not contain indices of documents.
fn said(build: &Build) -> String {
    let objects = build.objects.as_ref().map(|objects| {
        let json = objects.iter().map(|it| it.node.to_json().to_string());
        json.collect::<Vec<_>>()
    });
    let mut files = build.files.clone();
    files.sort();
    format!(
        "{:#?}",
        (
            objects.map_err(|it| it.message.clone()),
            files,
            &build.folders,
            &build.resources,
            build.taken.len(),
            &build.patches,
            &build.changes,
            build.unread.len(),
        )
    )
}

#[test]
fn a_base_of_many_overlays_is_built_as_if_each_had_it_alone() {
    let vars = "vars: [{name: X, objref: {apiVersion: example.com/v1, kind: Widget, name: w}}]\n";
    let other = WIDGET.replace("name: w", "name: x");
    let mut files = vec![
        // This base has a base, a component and a var.
        (
            "b/kustomization.yaml".to_owned(),
            format!("resources: [w.yaml, ../c]\ncomponents: [../k]\n{vars}"),
        ),
        ("b/w.yaml".to_owned(), WIDGET.to_owned()),
        (
            "c/kustomization.yaml".to_owned(),
            "resources: [x.yaml]\nnamePrefix: c-\npatches: [path: p.yaml]\n".to_owned(),
        ),
        ("c/x.yaml".to_owned(), other.clone()),
        ("c/p.yaml".to_owned(), other.replace("size: 1", "size: 2")),
        (
            "k/kustomization.yaml".to_owned(),
            "kind: Component\nnameSuffix: -k\n".to_owned(),
        ),
        // This base cannot be kept, because a part of it is remote.
        (
            "r/kustomization.yaml".to_owned(),
            "resources: [w.yaml, https://example.com/r]\n".to_owned(),
        ),
        ("r/w.yaml".to_owned(), WIDGET.to_owned()),
        // This base fails.
        (
            "f/kustomization.yaml".to_owned(),
            "resources: [w.yaml, w.yaml]\n".to_owned(),
        ),
        ("f/w.yaml".to_owned(), WIDGET.to_owned()),
        // These two form a cycle.
        ("y/kustomization.yaml".to_owned(), "resources: [../z]\n".to_owned()),
        ("z/kustomization.yaml".to_owned(), "resources: [../y]\n".to_owned()),
    ];
    let mut overlays = vec!["/y".to_owned(), "/z".to_owned()];
    for n in 0..5 {
        for base in ["b", "r", "f", "c", "y"] {
            let patch = format!("- target: {{name: .*}}\n  patch: '[{{op: add, path: /spec/size, value: {n}}}]'\n");
            let folder = format!("o{n}{base}");
            let text = format!("resources: [../{base}]\nnamePrefix: p{n}-\npatches:\n{patch}");
            files.push((format!("{folder}/kustomization.yaml"), text));
            overlays.push(format!("/{folder}"));
        }
        // Two bases in one kustomization.
        let text = format!("resources: [../c, ../r]\nnameSuffix: -{n}\n");
        files.push((format!("two{n}/kustomization.yaml"), text));
        overlays.push(format!("/two{n}"));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|it| (&*it.0, &*it.1)).collect();
    let files = Same(memory(&files));
    let mut sources = Sources::default();
    let mut works = Vec::new();
    for overlay in &overlays {
        let shared = crate::build(&files, Path::new(overlay), (LIMITS, &mut sources));
        let alone = build(&files, Path::new(overlay));
        assert_eq!(said(&shared), said(&alone), "{overlay}");
        if overlay.ends_with('b') {
            works.push(LIMITS.work - shared.left.work);
        }
    }
    assert!(works[4] < works[0] * 2 / 3, "{works:?}");
}
