//! Tests for which CRD applies to which object.

use std::{collections::BTreeSet, path::Path};

use crd_analyzer_syntax::paths::Step;

use super::*;
use crate::roles::{GeneratedInto, Vendored};

fn definition(kind: &str, field: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\nspec:\n  group: example.com\n  names:\n    \
         kind: {kind}\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          {field}:\n            type: string\n"
    )
}

fn resource(kind: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: {kind}\nmetadata:\n  name: one\n")
}

fn kind(kind: &str) -> GroupKind {
    GroupKind {
        group: "example.com".to_owned(),
        kind: kind.to_owned(),
    }
}

/// Adds texts as open documents. Returns the kinds that changed with the last one.
fn put(catalog: &Catalog, files: &[(&str, &str)]) -> Vec<String> {
    let mut changed = BTreeSet::new();
    for (path, text) in files {
        let (text, objects) = objects(text.as_bytes().to_vec());
        let file = NewFile {
            path: Path::new(path),
            origin: Origin::Workspace,
            text: &text,
            objects: &objects,
            keep_text: true,
        };
        changed = catalog.change(|index| index.set(&file));
    }
    changed
        .into_iter()
        .filter(|it| it.kind != CRD.name)
        .map(|it| it.kind)
        .collect()
}

fn catalog(files: &[(&str, &str)]) -> Catalog {
    let catalog = Catalog::new(MemoryFiles::default());
    put(&catalog, files);
    catalog
}

fn found(catalog: &Catalog, near: &str) -> Option<(String, usize)> {
    let found = catalog.with(|index| index.find(&kind("A"), Path::new(near)))?;
    Some((found.definition.path.display().to_string(), found.all_others().count()))
}

#[test]
fn tells_what_each_object_is() {
    let text = [
        definition("A", "x"),
        resource("A"),
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: A\n- apiVersion: apps/v1\n  kind: Deployment\n".to_owned(),
        "apiVersion: apps/v1\nkind: Deployment\n".to_owned(),
        "apiVersion: example.com/v1\nkind: B\n".to_owned(),
        "just: text\n".to_owned(),
    ]
    .join("---\n");
    let catalog = catalog(&[("/a.yaml", &text)]);
    let (_, objects) = objects(text.into_bytes());
    let things: Vec<_> = objects
        .iter()
        .map(|it| match catalog.thing(&it.written, Path::new("/a.yaml")) {
            Thing::Definition => 'd',
            Thing::Resource(_) => 'r',
            Thing::Native => 'n',
            Thing::Unknown => '?',
        })
        .collect();
    assert_eq!(things, ['d', 'r', 'r', 'n', 'n', '?', '?']);
    assert_eq!(objects[2].item(), Some(0));
    assert_eq!(objects[0].defines, Some(kind("A")));
}

#[test]
fn names_are_found_wherever_they_stand() {
    let after = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec:\n  versions:\n  - name: v1\n  names: {kind: A}\n  group: \
                 example.com\n";
    let flow = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"names": {"kind": "A"}, "group": "example.com"}}"#;
    let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  names:\n    kind: A\n  version: v1\n";
    let broken = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  names:\n    kind: A\n  group: example.com\n  versions\n  x: [\n";
    let list = "kind: List\napiVersion: v1\nitems:\n- kind: CustomResourceDefinition\n  apiVersion: apiextensions.k8s.io/v1\n  spec: {group: example.com, \
                names: {kind: A}}\n";
    for text in [after, flow, old, broken, list] {
        assert_eq!(
            found(&catalog(&[("/a.yaml", text)]), "/x"),
            Some(("/a.yaml".to_owned(), 0)),
            "{text}"
        );
    }
}

#[test]
fn the_nearest_counts_and_others_are_named() {
    let (one, two, three) = (definition("A", "x"), definition("A", "y"), definition("A", "z"));
    let catalog = catalog(&[
        ("/a/crds/deep/down/a.yaml", &one),
        ("/a/crds/a.yaml", &two),
        ("/b/a.yaml", &three),
        ("/b/copy.yaml", &three),
    ]);
    for (near, path, others) in [
        ("/a/samples/one.yaml", "/a/crds/a.yaml", 2),
        ("/a/crds/deep/x.yaml", "/a/crds/deep/down/a.yaml", 2),
        ("/b/one.yaml", "/b/a.yaml", 2),
        ("/b/copy.yaml", "/b/copy.yaml", 2),
        ("/c/one.yaml", "/b/a.yaml", 2),
    ] {
        assert_eq!(found(&catalog, near), Some((path.to_owned(), others)), "{near}");
    }
    let (text, objects) = objects(two.into_bytes());
    let file = NewFile {
        path: Path::new("/given.yaml"),
        origin: Origin::Given,
        text: &text,
        objects: &objects,
        keep_text: false,
    };
    catalog.change(|index| index.set(&file));
    // A CRD that the user gave explicitly excludes others.
    assert_eq!(found(&catalog, "/b/one.yaml"), Some(("/given.yaml".to_owned(), 0)));
}

/// The CRD that is chosen for a resource at `near` from different CRDs at `paths`, the other CRDs of the same rank, and the reason.
fn chosen(paths: &[&str], near: &str) -> (String, Vec<String>, Chosen) {
    let texts: Vec<_> = paths.iter().map(|it| definition("A", &it.len().to_string())).collect();
    let texts = texts.iter().zip(paths).map(|(text, path)| format!("{text}# {path}\n"));
    let texts: Vec<_> = texts.collect();
    let catalog = Catalog::new(MemoryFiles::default());
    let repository = Repository {
        root: "/tests".into(),
        generated: vec![GeneratedInto {
            folder: "/tests/deploy/charts/crds".into(),
            by: "Makefile".to_owned(),
        }],
        vendored: Vendored::of("common/** linguist-vendored\n", Path::new("/tests")),
    };
    catalog.change(|index| index.set_repositories(vec![repository]));
    let path = |it: &str| format!("/tests/{it}");
    for (name, text) in paths.iter().zip(&texts) {
        put(&catalog, &[(&path(name), text)]);
    }
    let found = catalog.with(|index| index.find(&kind("A"), Path::new(&path(near))));
    let found = found.expect("one of them");
    let name = |it: &Arc<KnownCrd>| it.path.strip_prefix("/tests").unwrap().display().to_string();
    let mut equals: Vec<_> = found.equals.iter().map(name).collect();
    equals.sort();
    (name(&found.definition), equals, found.chosen)
}

#[test]
fn the_source_of_truth_checks_resources_and_copies_do_not() {
    let releases = ["releases/v1.15.0.yaml", "releases/v1.30.0.yaml", "releases/v1.9.0.yaml"];
    let source = "config/crd/bases/a.yaml";
    for (paths, near, expected, why) in [
        // The nearest copy belongs to an old release.
        (
            &["releases/v1.15.0.yaml", "releases/v1.30.0.yaml", "config/crd/crd.yaml"][..],
            "docs/w.yaml",
            "config/crd/crd.yaml",
            Chosen::Standing,
        ),
        (&releases[..], "docs/w.yaml", "releases/v1.30.0.yaml", Chosen::Newest),
        (
            &releases[..],
            "releases/w.yaml",
            "releases/v1.30.0.yaml",
            Chosen::Newest,
        ),
        (&["a.yaml", source], "w.yaml", source, Chosen::Standing),
        (
            &["test/a.yaml", "docs/a.yaml"],
            "test/w.yaml",
            "docs/a.yaml",
            Chosen::Standing,
        ),
        (
            &["charts/a/crds/a.yaml", source],
            "charts/a/templates/w.yaml",
            source,
            Chosen::Standing,
        ),
        // The nearer CRD is a template that Helm must fill in first.
        (
            &["charts/a/templates/a.yaml", "charts/b/charts/c/crds/a.yaml"],
            "charts/a/templates/w.yaml",
            "charts/b/charts/c/crds/a.yaml",
            Chosen::Standing,
        ),
        (
            &["charts/a/crds/a.yaml", "charts/b/crds/a.yaml"],
            "charts/b/templates/w.yaml",
            "charts/b/crds/a.yaml",
            Chosen::Nearest,
        ),
        (
            &["crds/v1beta1/a.yaml", "vendor/x/a.yaml"],
            "vendor/w.yaml",
            "crds/v1beta1/a.yaml",
            Chosen::Standing,
        ),
        // A Makefile shows that a generator writes into this folder.
        (
            &["crds/a.yaml", "deploy/charts/crds/a.yaml"],
            "crds/w.yaml",
            "deploy/charts/crds/a.yaml",
            Chosen::Standing,
        ),
        // `.gitattributes` marks the folder as vendored.
        (
            &["common/crds/a.yaml", "apps/crds/a.yaml"],
            "common/w.yaml",
            "apps/crds/a.yaml",
            Chosen::Standing,
        ),
        // The resource's release has a CRD of its own.
        (
            &["olm/0.1.0/a.yaml", "olm/0.2.0/a.yaml", source],
            "olm/0.1.0/samples/w.yaml",
            "olm/0.1.0/a.yaml",
            Chosen::SameRelease,
        ),
        (
            &["a-v1.2.0.yaml", source],
            "w-v1.2.0.yaml",
            "a-v1.2.0.yaml",
            Chosen::SameRelease,
        ),
        (&["test/w.yaml", source], "test/w.yaml", "test/w.yaml", Chosen::SameFile),
        (&["test/a.yaml"], "w.yaml", "test/a.yaml", Chosen::Only),
        (
            &["infra/a-1.2/a.yaml", "apps/a-1.9/a.yaml"],
            "infra/w.yaml",
            "infra/a-1.2/a.yaml",
            Chosen::Nearest,
        ),
    ] {
        assert_eq!(
            chosen(paths, near),
            (expected.to_owned(), Vec::new(), why),
            "{paths:?} {near}"
        );
    }
}

#[test]
fn a_newer_release_concerns_the_older_one_beside_it() {
    let catalog = Catalog::new(MemoryFiles::default());
    put(&catalog, &[("/deploy/1.4.0/a.yaml", &definition("A", "x"))]);
    let changed = put(&catalog, &[("/deploy/1.5.0/b.yaml", &definition("B", "x"))]);
    assert!(changed.iter().any(|it| it.contains("releases")), "{changed:?}");
    let key = release_in(Path::new("/deploy"));
    let concerned: Vec<_> = catalog.with(|index| index.files_with(&key).cloned().collect());
    assert!(concerned.iter().any(|it| it.ends_with("1.4.0/a.yaml")), "{concerned:?}");
}

#[test]
fn equals_are_those_that_nothing_tells_apart() {
    let (path, equals, why) = chosen(&["crds/full/a.yaml", "crds/min/a.yaml", "docs/a.yaml"], "w.yaml");
    assert_eq!((path.as_str(), why), ("crds/full/a.yaml", Chosen::Order));
    assert_eq!(equals, ["crds/min/a.yaml"]);
}

#[test]
fn an_expectation_of_a_test_is_no_schema() {
    let catalog = catalog(&[("/test/a-assert.yaml", &definition("A", "x"))]);
    assert_eq!(found(&catalog, "/test/w.yaml"), None);
}

#[test]
fn a_part_checks_nothing_if_there_is_a_whole_crd() {
    let whole =
        format!("{}    scope: Namespaced\n", definition("A", "x")).replace("  group:", "  scope: Namespaced\n  group:");
    let part = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\nspec:\n  group: example.com\n  names: {kind: A}\n";
    let catalog = catalog(&[("/config/crd/bases/part.yaml", part), ("/old/a.yaml", &whole)]);
    assert_eq!(found(&catalog, "/w.yaml").expect("one").0, "/old/a.yaml");
    let whole = |path: &str| catalog.with(|index| Some(index.whole("x", Path::new(path))?.path.clone()));
    assert_eq!(
        whole("/config/crd/bases/part.yaml").as_deref(),
        Some(Path::new("/old/a.yaml"))
    );
    assert_eq!(whole("/old/a.yaml"), None);
}

#[test]
fn says_which_kinds_an_edit_changes() {
    let (a, b) = (definition("A", "x"), definition("B", "x"));
    let both = format!("{a}---\n{b}");
    let catalog = catalog(&[]);
    assert_eq!(put(&catalog, &[("/a.yaml", &both)]), ["A", "B"]);
    assert!(put(&catalog, &[("/a.yaml", &both)]).is_empty());
    assert!(put(&catalog, &[("/cr.yaml", &resource("A"))]).is_empty());
    assert_eq!(
        put(&catalog, &[("/a.yaml", &format!("{a}---\n{}", definition("B", "y")))]),
        ["B"]
    );
    // CRD `A` changes. `B`, which is below it, moves but does not change.
    assert_eq!(
        put(
            &catalog,
            &[(
                "/a.yaml",
                &format!("{}---\n{}", definition("A", "yyy"), definition("B", "y"))
            )]
        ),
        ["A"]
    );
    assert_eq!(put(&catalog, &[("/a.yaml", &definition("A", "yyy"))]), ["B"]);
    let files: Vec<_> = catalog.with(|index| index.files_with(&kind("A")).cloned().collect());
    assert_eq!(files, [Path::new("/cr.yaml").into()]);
    let removed = catalog.change(|index| index.remove(Path::new("/a.yaml")));
    assert!(removed.contains(&kind("A")));
    assert_eq!(found(&catalog, "/cr.yaml"), None);
}

#[test]
fn a_text_that_is_broken_right_now_leaves_the_last_one() {
    let good = definition("A", "x");
    let catalog = catalog(&[("/a.yaml", &good)]);
    let text = |catalog: &Catalog| {
        let found = catalog
            .with(|index| index.find(&kind("A"), Path::new("/")))
            .expect("known");
        catalog.text(&found.definition).expect("a text")
    };
    assert!(text(&catalog).is_readable);
    for broken in [format!("{good}  bad: [\n"), format!("{good}  worse: [\n")] {
        put(&catalog, &[("/a.yaml", &broken)]);
        assert_eq!(&*text(&catalog).source.text, good);
    }
    put(&catalog, &[("/a.yaml", &definition("A", "z"))]);
    assert!(text(&catalog).source.text.contains("          z:"));
}

#[test]
fn finds_schemas_by_paths_of_objects() {
    let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  names:\n    kind: A\n  versions:\n  - \
                name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          list:\n            items:\n              additionalProperties:\n                \
                type: string\n  - name: v2\n";
    let files = MemoryFiles([("/a.yaml".into(), text.to_owned())].into());
    let catalog = Catalog::new(files);
    let (content, objects) = objects(text.as_bytes().to_vec());
    let file = NewFile {
        path: Path::new("/a.yaml"),
        origin: Origin::Workspace,
        text: &content,
        objects: &objects,
        keep_text: false,
    };
    catalog.change(|index| index.set(&file));
    let found = catalog
        .with(|index| index.find(&kind("A"), Path::new("/x")))
        .expect("known");
    let definition = catalog.text(&found.definition).expect("a text");
    assert_eq!(definition.versions(), ["v1", "v2"]);
    assert_eq!(&text[definition.kind_span().range()], "A");
    let at = |version: &str, path: &[Step<'_>]| {
        let place = definition.schema_at(version, path)?;
        Some(text[place.key_span(&definition.tree).range()].to_owned())
    };
    let list = || Step::key("list");
    assert_eq!(at("v1", &[list()]).as_deref(), Some("list"));
    assert_eq!(
        at("v1", &[list(), Step::Index(3), Step::key("any")]).as_deref(),
        Some("additionalProperties")
    );
    assert_eq!(at("v1", &[Step::key("other")]), None);
    assert_eq!(at("v2", &[]), None);
}

#[test]
fn what_was_read_is_forgotten_and_read_again() {
    let text = definition("A", "x");
    let (read, open) = (Path::new("/a/x.yaml"), Path::new("/b/x.yaml"));
    let catalog = Catalog::new(MemoryFiles([(read.to_owned(), text.clone())].into()));
    for (path, keep_text) in [(read, false), (open, true)] {
        let (text, objects) = objects(text.clone().into_bytes());
        let file = NewFile {
            path,
            origin: Origin::Workspace,
            text: &text,
            objects: &objects,
            keep_text,
        };
        catalog.change(|index| index.set(&file));
    }
    let of = |path: &Path| {
        catalog
            .with(|index| index.find(&kind("A"), path))
            .expect("it")
            .definition
    };
    let text_of = |path: &Path| catalog.text(&of(path)).expect("a text");
    let (first, kept) = (text_of(read), text_of(open));
    let limit = text.len() as u64;
    catalog.release(limit);
    assert!(Arc::ptr_eq(&first, &text_of(read)), "as much may be kept");
    catalog.release(limit - 1);
    assert!(of(read).loaded.get().is_none());
    let again = text_of(read);
    assert!(!Arc::ptr_eq(&first, &again));
    assert_eq!(first.source.text, again.source.text);
    assert!(Arc::ptr_eq(&kept, &text_of(open)), "it is open");
}

#[test]
fn crds_of_many_resources_stay_read() {
    let path_of = |name: &str| Path::new("/a").join(format!("{name}.yaml"));
    let names = ["A", "B", "C", "D"];
    let texts = names.map(|it| (path_of(it), definition(it, "x")));
    let bytes = texts[0].1.len() as u64;
    let catalog = Catalog::new(MemoryFiles(texts.clone().into()));
    for (path, text) in texts {
        let (text, objects) = objects(text.into_bytes());
        let file = NewFile {
            path: &path,
            origin: Origin::Workspace,
            text: &text,
            objects: &objects,
            keep_text: false,
        };
        catalog.change(|index| index.set(&file));
    }
    let of = |name: &str| {
        let found = catalog.with(|index| index.find(&kind(name), &path_of(name)));
        found.expect("it").definition
    };
    let ask = |name: &str| assert!(catalog.text(&of(name)).is_some());
    let read = || names.map(|it| of(it).loaded.get().is_some());
    for name in ["A", "B", "C", "C", "D"] {
        ask(name);
    }
    catalog.release(3 * bytes);
    assert_eq!(read(), [false, false, true, false], "two resources asked for C");
    for name in ["A", "B", "D"] {
        ask(name);
    }
    catalog.release(3 * bytes);
    assert_eq!(read(), [false; 4], "nobody asked for C since");
    for name in names.iter().chain(&names) {
        ask(name);
    }
    catalog.release(3 * bytes);
    assert_eq!(read(), [false; 4], "all of them are too many");
}

#[test]
fn tells_whose_objects_depend_on_a_webhook() {
    let webhooks = |resources: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {{name: m}}\nwebhooks:\n- name: m.example.com\n  \
             rules:\n  - {{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [{resources}]}}\n"
        )
    };
    let catalog = catalog(&[
        ("/crd.yaml", &definition("A", "x")),
        ("/other.yaml", &definition("B", "x")),
    ]);
    let asked = |group: &str, plural: &str| {
        let resource = Resource {
            group,
            version: "v1",
            plural,
        };
        catalog.with(|index| index.webhook(&resource).is_some())
    };
    assert!(!asked("example.com", "as"));
    assert_eq!(put(&catalog, &[("/webhooks.yaml", &webhooks("as"))]), ["A", "B"]);
    assert!(asked("example.com", "as") && !asked("example.com", "bs") && !asked("example.org", "as"));
    assert_eq!(
        put(&catalog, &[("/webhooks.yaml", &webhooks("as"))]),
        <[&str; 0]>::default()
    );
    assert_eq!(put(&catalog, &[("/webhooks.yaml", &webhooks("as/status"))]), ["A", "B"]);
    assert!(!asked("example.com", "as"));
    assert_eq!(put(&catalog, &[("/webhooks.yaml", "a: 1\n")]), ["A", "B"]);
    put(&catalog, &[("/pkg/testdata/webhooks.yaml", &webhooks("as"))]);
    assert!(!asked("example.com", "as"));
}
