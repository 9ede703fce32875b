//! Tests of `check --since`, which checks the files that changed since a revision and the files that depend on them.

use std::{collections::BTreeMap, fs, process::Command};

use crate::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              properties:
                size: {type: integer, maximum: 5}
";

/// A resource that the CRD rejects.
fn widget(name: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {{size: 7}}\n")
}

fn git(sandbox: &Sandbox, args: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(sandbox.path())
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args);
    assert!(command.status().expect("git runs").success(), "{args:?}");
}

/// A repository with CRDs, resources, and a base with two overlays.
fn repository() -> Sandbox {
    let gadget = definition(SCHEMA)
        .replace("widgets", "gadgets")
        .replace("Widget", "Gadget");
    let gadget_of = |name: &str| widget(name).replace("Widget", "Gadget");
    let overlay = "resources: [../base]\npatches: [{path: p.yaml}]\n";
    let patch = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: b}\nspec: {size: 8}\n";
    let sandbox = Sandbox::new(&[
        ("config/crd/widgets.yaml", &definition(SCHEMA)),
        ("config/crd/gadgets.yaml", &gadget),
        ("kustomization.yaml", "resources: [config/crd, apps/two.yaml]\n"),
        (
            "config/crd/kustomization.yaml",
            "resources: [widgets.yaml, gadgets.yaml]\n",
        ),
        ("apps/one.yaml", &widget("one")),
        ("apps/two.yaml", &widget("two")),
        ("apps/three.yaml", &gadget_of("three")),
        ("base/kustomization.yaml", "resources: [b.yaml]\n"),
        ("base/b.yaml", &gadget_of("b")),
        ("prod/kustomization.yaml", overlay),
        ("prod/p.yaml", patch),
        ("dev/kustomization.yaml", overlay),
        ("dev/p.yaml", &patch.replace('8', "3")),
        ("hack/run", "#!/bin/sh\n"),
        ("Makefile", "all:\n"),
        ("README.md", "# a\n"),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "a"]);
    sandbox
}

/// The output lines of each file.
fn by_file(outcome: &Outcome) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (line, json) in outcome.stdout.lines().zip(outcome.json()) {
        let file = json["file"].as_str().unwrap_or_default().to_owned();
        found.entry(file).or_default().push(line.to_owned());
    }
    found
}

/// Changes a repository, and compares the diagnostics of `--since HEAD` with those of all files.
#[track_caller]
fn check(change: impl FnOnce(&Sandbox), reached: &[&str]) {
    let sandbox = repository();
    let before = by_file(&sandbox.run(&["check", ".", "-o", "jsonl"]));
    change(&sandbox);
    let since = sandbox.run(&["check", ".", "--since", "HEAD", "-o", "jsonl"]);
    let all = by_file(&sandbox.run(&["check", ".", "-o", "jsonl"]));
    let found = by_file(&since);
    let expected: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(expected, reached, "{since:#?}");
    for (file, lines) in &found {
        assert_eq!(Some(lines), all.get(file), "{file}");
    }
    // Files that were not checked must have no new diagnostics.
    for (file, lines) in all.iter().filter(|it| !found.contains_key(it.0)) {
        assert_eq!(Some(lines), before.get(file), "{file}");
    }
}

fn edit(sandbox: &Sandbox, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(sandbox.path().join(name)).expect("it is there");
    assert!(text.contains(from), "{text}");
    sandbox.write(name, text.replace(from, to));
}

/// Symbolic links and the sources of other projects are the same as in git, so nothing has changed.
#[cfg(unix)]
#[test]
fn a_clean_repository_has_no_changes() {
    use std::os::unix::fs::symlink;
    let sandbox = repository();
    sandbox.write("vendor/a/cert.go", "package a\n\n// MutatingWebhookConfiguration\n");
    sandbox.write("vendor/modules.txt", "# a v1.0.0\n");
    sandbox.write("hack/tool.py", "import os\n");
    for (target, link) in [
        ("../hack/run.sh", "apps/run.sh"),
        ("../hack/tool.py", "apps/tool.sh"),
        ("one.yaml", "apps/link.yaml"),
        ("link.yaml", "apps/link2.yaml"),
        ("../hack", "apps/hack"),
        ("../hack/a_test.go", "apps/a_test.go"),
    ] {
        symlink(target, sandbox.path().join(link)).expect("a link");
    }
    sandbox.write("hack/run.sh", "echo a\n");
    sandbox.write("hack/a_test.go", "package a\n");
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "b"]);
    let since = || sandbox.run(&["check", ".", "--since", "HEAD"]);
    let outcome = since();
    assert!(outcome.stderr.contains("note: 0 of "), "{outcome:#?}");
    // A change of the file behind a link is a change at the link.
    sandbox.write("hack/a_test.go", "package b\n");
    let outcome = since();
    assert!(outcome.stderr.contains("note: 3 of "), "{outcome:#?}");
}

#[test]
fn a_change_reaches_what_depends_on_it() {
    check(|_| {}, &[]);
    check(|it| it.write("README.md", "# b\n"), &[]);
    check(|it| edit(it, "apps/one.yaml", "size: 7", "size: 9"), &["apps/one.yaml"]);
    check(|it| it.write("apps/new.yaml", widget("new")), &["apps/new.yaml"]);
    // A change of a CRD affects its resources.
    let of_widgets = |crd| ["apps/one.yaml", "apps/two.yaml", crd];
    let smaller = |it: &Sandbox| edit(it, "config/crd/widgets.yaml", "maximum: 5", "maximum: 2");
    check(smaller, &of_widgets("config/crd/widgets.yaml"));
    let moved = |it: &Sandbox| git(it, &["mv", "config/crd/widgets.yaml", "config/crd/w.yaml"]);
    // The kustomization fails, which may affect everything that it names.
    let of_build = [
        "apps/one.yaml",
        "apps/two.yaml",
        "config/crd/gadgets.yaml",
        "config/crd/kustomization.yaml",
    ];
    check(moved, &[&of_build[..], &["config/crd/w.yaml"]].concat());
    let removed = |it: &Sandbox| git(it, &["rm", "-q", "config/crd/widgets.yaml"]);
    check(removed, &of_build);
    let built = [
        "apps/three.yaml",
        "base/b.yaml",
        "config/crd/gadgets.yaml",
        "dev/p.yaml",
        "prod/p.yaml",
    ];
    let larger = |it: &Sandbox| edit(it, "config/crd/gadgets.yaml", "maximum: 5", "maximum: 6");
    check(larger, &built);
    // A change of a base affects its overlays, and a change of an overlay affects its base.
    let of_builds = ["base/b.yaml", "dev/p.yaml", "prod/p.yaml"];
    check(|it| edit(it, "base/b.yaml", "size: 7", "size: 9"), &of_builds);
    check(
        |it| edit(it, "dev/p.yaml", "size: 3", "size: 30"),
        &["base/b.yaml", "dev/p.yaml"],
    );
    let emptied = |it: &Sandbox| it.write("base/kustomization.yaml", "resources: []\n");
    check(emptied, &of_builds);
}

/// A smaller maximum of Widget affects what files of builds put into widgets, and examples in other objects.
#[test]
fn a_change_of_a_crd_reaches_patches_and_examples() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: flux-system}\nspec:\n  path: ./flux\n  sourceRef: {kind: GitRepository, name: flux-system}\n  patches:\n  - patch: |\n      - {op: replace, path: /spec/size, value: 4}\n    target: {kind: Widget}\n  - patch: |\n      apiVersion: example.com/v1\n      kind: Widget\n      metadata: {name: f, labels: {a: b}}\n";
    let crd_of_flux =
        definition("              type: object\n              x-kubernetes-preserve-unknown-fields: true\n")
            .replace("widgets", "kustomizations")
            .replace("Widget", "Kustomization")
            .replace("example.com", "kustomize.toolkit.fluxcd.io");
    let bundle = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: a\n  annotations:\n    alm-examples: '[{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"size\": 4}}]'\n";
    let inline = "resources: [../small]\npatches:\n- patch: |\n    - {op: replace, path: /spec/size, value: 4}\n  target: {kind: Widget}\n";
    let sandbox = Sandbox::new(&[
        ("crds/widgets.yaml", &definition(SCHEMA)),
        ("crds/flux.yaml", &crd_of_flux),
        ("small/kustomization.yaml", "resources: [w.yaml]\n"),
        ("small/w.yaml", &widget("w").replace('7', "1")),
        ("inline/kustomization.yaml", inline),
        (
            "json/kustomization.yaml",
            "resources: [../small]\npatches: [{path: p.yaml, target: {kind: Widget}}]\n",
        ),
        ("json/p.yaml", "- {op: replace, path: /spec/size, value: 4}\n"),
        ("flux/w.yaml", &widget("f").replace('7', "1")),
        ("flux/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"),
        ("cluster/all.yaml", flux),
        ("bundle/a.clusterserviceversion.yaml", bundle),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "a"]);
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
    edit(&sandbox, "crds/widgets.yaml", "maximum: 5", "maximum: 3");
    let places = [
        "bundle/a.",
        "cluster/all.yaml:9",
        "inline/kustomization.yaml:4",
        "json/p.yaml:1",
    ];
    sandbox
        .run(&["check", "."])
        .expect(1, &places)
        .expect(1, &[", 4 errors,"]);
    sandbox
        .run(&["check", ".", "--since", "HEAD"])
        .expect(1, &places)
        .expect(1, &[", 4 errors,"]);
    // A file that Flux takes without a kustomization is gone.
    edit(&sandbox, "crds/widgets.yaml", "maximum: 3", "maximum: 5");
    git(&sandbox, &["rm", "-q", "flux/w.yaml"]);
    let gone = ["cluster/all.yaml", "no object matches the patch for Widget `f`"];
    sandbox.run(&["check", "."]).expect(1, &gone);
    sandbox.run(&["check", ".", "--since", "HEAD"]).expect(1, &gone);
}

#[test]
fn some_changes_reach_all_files() {
    let sandbox = repository();
    let run = || sandbox.run(&["check", ".", "--since", "HEAD"]);
    run().expect(0, &["0 of ", "0 errors"]);
    edit(
        &sandbox,
        "Makefile",
        "all:",
        "all:\n\tcontroller-gen crd output:crd:dir=config/crd",
    );
    run().expect(1, &["all files are checked: Makefile has changed since HEAD"]);
    git(&sandbox, &["checkout", "-q", "Makefile"]);
    sandbox.write(".crd-analyzer.yaml", "rules: {number-too-large: off}\n");
    run().expect(0, &[" of "]);
    // A change of a lock file.
    std::fs::remove_file(sandbox.path().join(".crd-analyzer.yaml")).expect("it is there");
    let cog = definition(SCHEMA).replace("widgets", "cogs").replace("Widget", "Cog");
    sandbox.write("apps/cog.yaml", widget("cog").replace("Widget", "Cog"));
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "b"]);
    sandbox
        .run_with_input(&["crds", "add", "-"], cog.as_bytes())
        .expect(0, &["1 new"]);
    run().expect(1, &["1 of ", "apps/cog.yaml:4:"]);
}

#[test]
fn wrong_questions_get_clear_answers() {
    let sandbox = repository();
    sandbox
        .run(&["check", ".", "--since", "nowhere"])
        .expect(2, &["--since nowhere: the revision is not a commit"]);
    sandbox
        .run(&["check", ".", "--since", "HEAD", "--fix"])
        .expect(2, &["cannot be used with"]);
    let outside = Sandbox::new(&[("one.yaml", &widget("one"))]);
    outside
        .run(&["check", ".", "--since", "HEAD"])
        .expect(2, &["is not in a git repository"]);
    // Only the files in the arguments are checked.
    edit(&sandbox, "apps/one.yaml", "size: 7", "size: 9");
    let outcome = sandbox.run(&["check", "apps/two.yaml", "apps/one.yaml", "--since", "HEAD"]);
    outcome.expect(1, &["1 of 2 files", "apps/one.yaml:4:"]);
    assert!(!outcome.stdout.contains("apps/two.yaml"), "{outcome:#?}");
    sandbox
        .run_with_input(&["check", "-", "config", "--since", "HEAD"], widget("in").as_bytes())
        .expect(1, &["must be at most 5"]);
}

/// Makes random edits to a repository. `--since` must only report diagnostics that a full check also reports, and must not miss new ones.
#[test]
fn random_changes_are_reached() {
    let sandbox = repository();
    let before = by_file(&sandbox.run(&["check", ".", "-o", "jsonl"]));
    let mut random = fastrand::Rng::with_seed(11);
    let files = Command::new("git")
        .arg("ls-files")
        .current_dir(sandbox.path())
        .output()
        .expect("git runs");
    let files = String::from_utf8(files.stdout).expect("text");
    let files: Vec<&str> = files.lines().collect();
    for round in 0..25 {
        let mut done = Vec::new();
        for _ in 0..random.usize(1..3) {
            let file = files[random.usize(..files.len())];
            let path = sandbox.path().join(file);
            let Ok(text) = fs::read_to_string(&path) else { continue };
            match random.u8(..6) {
                0 => fs::remove_file(&path).expect("it is there"),
                1 => fs::rename(&path, path.with_file_name("renamed.yaml")).expect("it is there"),
                _ => {
                    let mut lines: Vec<&str> = text.lines().collect();
                    let (at, from) = (random.usize(..lines.len()), random.usize(..lines.len()));
                    lines[at] = lines[from];
                    fs::write(&path, lines.join("\n")).expect("it can be written");
                }
            }
            done.push(file);
        }
        let since = sandbox.run(&["check", ".", "--since", "HEAD", "-o", "jsonl"]);
        let (found, all) = (by_file(&since), by_file(&sandbox.run(&["check", ".", "-o", "jsonl"])));
        for (file, lines) in &found {
            assert_eq!(Some(lines), all.get(file), "{round}: {done:?}, {file}");
        }
        let is_all = since.stderr.contains("all files are checked");
        for (file, lines) in all.iter().filter(|it| !is_all && !found.contains_key(it.0)) {
            assert_eq!(Some(lines), before.get(file), "{round}: {done:?}, {file}");
        }
        git(&sandbox, &["checkout", "-q", "."]);
        git(&sandbox, &["clean", "-qfd"]);
    }
}
