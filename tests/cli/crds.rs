//! Tests of `crds`: copies of other projects' CRDs in a repository.

use std::{io::Write as _, process::Command};

use crd_analyzer_fixtures::cluster::{Answer, Kubectl};
use flate2::{Compression, write::GzEncoder};

use crate::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              properties:
                size: {type: integer, maximum: 5}
";
const RESOURCE: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 7}\n";
const LOCK: &str = ".crd-analyzer/crds.lock";
const CRD: &str = ".crd-analyzer/crds/widgets.example.com.yaml";

fn crd() -> String {
    definition(SCHEMA)
}

/// The same CRD with another name.
fn gadget() -> String {
    crd().replace("widgets", "gadgets").replace("Widget", "Gadget")
}

/// A repository with a resource but without CRDs.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new(&[("repo/apps/one.yaml", RESOURCE)]);
    git(&sandbox, &["init", "-q"]);
    sandbox
}

fn git(sandbox: &Sandbox, args: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(sandbox.path().join("repo"))
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args);
    assert!(command.status().expect("git runs").success(), "{args:?}");
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(args);
    command.current_dir(sandbox.path().join("repo"));
    Outcome::new(command.output().expect("crd-analyzer runs"))
}

fn read(sandbox: &Sandbox, name: &str) -> Option<String> {
    std::fs::read_to_string(sandbox.path().join("repo").join(name)).ok()
}

/// The tar header of an entry. A link points outside of the archive.
fn header(kind: u8, path: &str, size: usize) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, path.as_bytes());
    put(124, format!("{size:011o}").as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(157, b"/etc/passwd");
    put(257, b"ustar\x0000");
    let sum: u64 = block.iter().map(|it| u64::from(*it)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn gzip(blocks: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    for block in blocks {
        to.write_all(&block).expect("memory");
    }
    to.finish().expect("memory")
}

/// A tar.gz archive. Each entry has its type, its path and its content.
fn tgz(entries: &[(u8, &str, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (kind, path, bytes) in entries {
        all.extend(header(*kind, path, bytes.len()));
        all.extend(*bytes);
        all.resize(all.len().next_multiple_of(512), 0);
    }
    all.resize(all.len() + 1024, 0);
    gzip([all])
}

#[test]
fn crds_are_added_and_used_without_a_setting() {
    let sandbox = repository();
    sandbox.write("elsewhere/crd.yaml", crd());
    run(&sandbox, &["check"]).expect(0, &["Add its CRD to the repository with `crd-analyzer crds add`"]);
    let shown = [
        "new: widgets.example.com (Widget), from crd.yaml",
        "nothing is written: 1 CRD (1 new",
    ];
    run(&sandbox, &["crds", "add", "../elsewhere/crd.yaml", "--dry-run"]).expect(1, &shown);
    assert_eq!(read(&sandbox, LOCK), None);
    run(&sandbox, &["crds", "verify"]).expect(2, &["has no `.crd-analyzer/crds.lock`"]);
    run(&sandbox, &["crds", "add", "../elsewhere/crd.yaml"]).expect(0, &["added: 1 CRD (1 new"]);
    assert_eq!(read(&sandbox, CRD), Some(crd()));
    // The commands run before and after the files are added to git.
    for _ in 0..2 {
        for args in [&["check"][..], &["check", "apps/one.yaml"], &["check", ".", "--hidden"]] {
            let texts = [
                "must be at most 5",
                ".crd-analyzer/crds/widgets.example.com.yaml:",
                "1 file, 0 CRDs, 1 CR",
            ];
            run(&sandbox, args).expect(1, &texts);
        }
        git(&sandbox, &["add", "."]);
    }
    run(&sandbox, &["explain", "widget.spec.size"]).expect(0, &["<integer>"]);
    git(&sandbox, &["commit", "-qm", "a"]);
    run(&sandbox, &["check", "--ref", "HEAD", "."]).expect(1, &["must be at most 5", "1 file, 0 CRDs"]);
    run(&sandbox, &["check", "apps/one.yaml", "--why", "apps/one.yaml"]).expect(0, &[CRD]);
    run(&sandbox, &["crds", "list"]).expect(0, &["widgets.example.com  Widget  crd.yaml"]);
    run(&sandbox, &["crds", "verify"]).expect(0, &["1 CRD: as the lock lists them"]);
    // In a subfolder without `--folder`, the lock of the parent folder is used.
    let mut below = sandbox.command(&["crds", "add", "../../elsewhere/crd.yaml"]);
    below.current_dir(sandbox.path().join("repo/apps"));
    Outcome::new(below.output().expect("it runs")).expect(0, &["(0 new, 0 changed, 1 unchanged)"]);
    assert_eq!(read(&sandbox, "apps/.crd-analyzer/crds.lock"), None);
}

#[test]
fn crds_of_the_repository_count_for_more() {
    let sandbox = repository();
    sandbox.write("elsewhere/crd.yaml", crd());
    run(&sandbox, &["crds", "add", "../elsewhere"]).expect(0, &["1 new"]);
    sandbox.write("repo/config/crd.yaml", crd().replace("maximum: 5", "maximum: 9"));
    for args in [&["check"][..], &["check", "apps/one.yaml"]] {
        let outcome = run(&sandbox, args);
        outcome.expect(0, &["0 errors"]);
        assert!(!outcome.stdout.contains("several-crds"), "{outcome:#?}");
    }
}

#[test]
fn a_changed_crd_is_compared() {
    let sandbox = repository();
    let add = |text: &str, args: &[&str]| {
        let mut all = vec!["crds", "add", "-", "--folder", "repo"];
        all.extend(args);
        sandbox.run_with_input(&all, text.as_bytes())
    };
    add(&format!("{}---\n{}", crd(), gadget()), &[]).expect(0, &["added: 2 CRDs (2 new"]);
    let smaller = crd().replace("maximum: 5", "maximum: 3");
    let texts = [
        "changed: widgets.example.com, from standard input",
        "maximum-changed",
        "breaks writers (refused)",
        "(0 new, 1 changed, 0 unchanged)",
    ];
    add(&smaller, &["--dry-run"]).expect(1, &texts);
    assert_eq!(read(&sandbox, CRD), Some(crd()));
    add(&smaller, &[]).expect(0, &texts);
    assert_eq!(read(&sandbox, CRD), Some(smaller.clone()));
    add(&smaller, &["--dry-run"]).expect(0, &["(0 new, 0 changed, 1 unchanged)"]);
    run(&sandbox, &["crds", "verify"]).expect(0, &["2 CRDs: as the lock lists them"]);
    add(&format!("{}---\n{}", crd(), gadget()), &["--only", "gadgets.*"]).expect(0, &["1 unchanged"]);
    assert_eq!(read(&sandbox, CRD), Some(smaller));
}

#[test]
fn an_older_crd_replaces_a_newer_one_only_on_request() {
    let sandbox = repository();
    let more = SCHEMA.replace("maximum: 5}\n", "maximum: 5}\n                color: {type: string}\n");
    let version = |name: &str| {
        format!(
            "    - name: {name}\n      served: true\n      storage: false\n      schema: {{openAPIV3Schema: {{type: object}}}}\n"
        )
    };
    let newer = definition(&more) + &version("v2");
    let add = |text: &str, args: &[&str]| {
        let all = [&["crds", "add", "-", "--folder", "repo"], args].concat();
        sandbox.run_with_input(&all, text.as_bytes())
    };
    add(&newer, &[]).expect(0, &["1 new"]);
    let lock = read(&sandbox, LOCK);
    let kept = [
        "kept: widgets.example.com: the CRD from standard input is older: it lacks the version v2, `spec.color` of v1, and has no new \
         field; `--replace-newer` adds it",
        "added: 1 CRD (1 new, 0 changed, 0 unchanged, 1 kept)",
    ];
    add(&format!("{}---\n{}", crd(), gadget()), &[]).expect(1, &kept);
    assert_eq!(read(&sandbox, CRD), Some(newer.clone()));
    assert_ne!(read(&sandbox, LOCK), lock, "the other CRD is in the lock");
    run(&sandbox, &["crds", "verify"]).expect(0, &["2 CRDs: as the lock lists them"]);
    // A CRD with something new is an update.
    let other = crd() + &version("v3");
    add(&other, &["--dry-run"]).expect(1, &["(0 new, 1 changed, 0 unchanged)", "property-removed"]);
    add(&crd(), &["--replace-newer"]).expect(0, &["property-removed", "version-removed", "1 changed"]);
    assert_eq!(read(&sandbox, CRD), Some(crd()));
}

#[test]
fn what_differs_from_the_lock_is_told() {
    let sandbox = repository();
    sandbox.write("crds.yaml", format!("{}---\n{}", crd(), gadget()));
    run(&sandbox, &["crds", "add", "../crds.yaml"]).expect(0, &["2 new"]);
    let lock = read(&sandbox, LOCK).expect("a lock");
    sandbox.write(&format!("repo/{CRD}"), crd().replace("maximum: 5", "maximum: 6"));
    std::fs::remove_file(sandbox.path().join("repo/.crd-analyzer/crds/gadgets.example.com.yaml")).expect("it is there");
    sandbox.write("repo/.crd-analyzer/crds/other.yaml", "a: b\n");
    let texts = [
        "widgets.example.com.yaml: it has changed since it was added",
        "gadgets.example.com.yaml: it is missing",
        "other.yaml: the lock does not list it",
        "2 CRDs: 3 differences",
    ];
    run(&sandbox, &["crds", "verify"]).expect(1, &texts);
    // `check` uses the current content of the file.
    run(&sandbox, &["check"]).expect(1, &["must be at most 6"]);
    // After a git conflict in the lock, the CRDs in the lists of both sides are still used.
    let line = lock.lines().last().expect("a line");
    sandbox.write(
        &format!("repo/{LOCK}"),
        format!(
            "<<<<<<< HEAD\n{line}\n=======\n{}\n>>>>>>> b\n",
            line.replace("sha256:", "sha257:")
        ),
    );
    run(&sandbox, &["check"]).expect(1, &["crds.lock:1: it is not a line of a lock", "must be at most 6"]);
    run(&sandbox, &["crds", "verify"]).expect(1, &["crds.lock:1: it is not a line of a lock"]);
    // A lock entry must not name a file elsewhere, or a kind that its file does not contain.
    let gadget_of_widget = line.replace(" Widget ", " Gadget ");
    sandbox.write(
        &format!("repo/{LOCK}"),
        format!("../../../etc/x.yaml{}\n{gadget_of_widget}\n", &line[5..]),
    );
    sandbox.write("repo/apps/two.yaml", RESOURCE.replace("Widget", "Gadget"));
    let outcome = run(&sandbox, &["check"]);
    assert!(
        !outcome.stdout.contains("panicked") && outcome.code.is_some_and(|it| it < 4),
        "{outcome:#?}"
    );
    run(&sandbox, &["crds", "verify"]).expect(1, &["crds.lock:1: it is not a line of a lock"]);
}

#[test]
fn charts_revisions_and_clusters_are_sources() {
    let sandbox = repository();
    let nested = tgz(&[(b'0', "sub/crds/g.yaml", gadget().as_bytes())]);
    let template = crd()
        .replace("widgets", "things")
        .replace("name: v1\n", "name: {{ .Values.v }}\n");
    let chart = tgz(&[
        (b'0', "op-1.2.3/Chart.yaml", b"name: op\n"),
        (b'0', "op-1.2.3/crds/w.yaml", crd().as_bytes()),
        (b'0', "op-1.2.3/templates/t.yaml", template.as_bytes()),
        (b'0', "op-1.2.3/charts/sub-1.0.tgz", &nested),
        (b'2', "op-1.2.3/crds/link.yaml", b""),
    ]);
    sandbox.write("op.tgz", &chart);
    let texts = [
        "new: gadgets.example.com (Gadget), from op.tgz:op-1.2.3/charts/sub-1.0.tgz:sub/crds/g.yaml",
        "new: widgets.example.com (Widget), from op.tgz:op-1.2.3/crds/w.yaml",
        "op.tgz: 1 link in the archive is left out",
        "things.example.com in op.tgz:op-1.2.3/templates/t.yaml is left out: it is a template",
    ];
    run(&sandbox, &["crds", "add", "../op.tgz"]).expect(0, &texts);
    sandbox
        .run_with_input(&["crds", "add", "-", "--folder", "repo"], &chart)
        .expect(0, &["2 unchanged"]);
    // The source is a git revision.
    sandbox.write(
        "repo/old/crd.yaml",
        crd().replace("widgets", "cogs").replace("Widget", "Cog"),
    );
    git(&sandbox, &["add", "old"]);
    git(&sandbox, &["commit", "-qm", "a"]);
    std::fs::remove_file(sandbox.path().join("repo/old/crd.yaml")).expect("it is there");
    run(&sandbox, &["crds", "add", "HEAD:old"]).expect(0, &["new: cogs.example.com (Cog), from HEAD:old/crd.yaml"]);
    run(&sandbox, &["crds", "add", "nothing:old"]).expect(2, &["nothing:old: the revision is not a commit"]);
    // The source is a cluster.
    let stored = r#"{"metadata": {"name": "pins.x.io", "uid": "u"}, "spec": {"group": "x.io", "scope": "Cluster",
        "names": {"plural": "pins", "kind": "Pin"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object"}}}]}, "status": {}}"#;
    let kubectl = Kubectl::new(sandbox.path(), &Answer::Definitions(vec![stored.to_owned()]));
    kubectl.kubeconfig(sandbox.path(), "prod");
    let mut command = sandbox.command(&["crds", "add", "--from-cluster"]);
    command
        .current_dir(sandbox.path().join("repo"))
        .env("PATH", kubectl.path())
        .env("KUBECONFIG", sandbox.path().join("kubeconfig"));
    Outcome::new(command.output().expect("it runs")).expect(0, &["new: pins.x.io (Pin), from cluster prod"]);
    run(&sandbox, &["crds", "verify"]).expect(0, &["4 CRDs: as the lock lists them"]);
}

#[test]
fn nothing_is_downloaded() {
    let sandbox = repository();
    let add = |source: &str, text: &str| {
        run(&sandbox, &["crds", "add", source]).expect(2, &[text]);
    };
    add(
        "https://example.com/crds.yaml",
        "`curl -L https://example.com/crds.yaml | crd-analyzer crds add -`",
    );
    add("oci://example.com/chart", "`helm pull oci://example.com/chart`");
    run(&sandbox, &["crds", "add", "none.yaml"]).expect(3, &["it does not exist"]);
    run(&sandbox, &["crds", "add", "apps"]).expect(2, &["nothing to add: no CRD was found"]);
    run(&sandbox, &["crds", "add"]).expect(2, &["SOURCE"]);
    assert_eq!(read(&sandbox, LOCK), None);
}

#[test]
fn hostile_sources_add_nothing() {
    let sandbox = repository();
    let crd = crd();
    let file = |path: &'static str| (b'0', path, crd.as_bytes());
    let good = tgz(&[file("a/crds/w.yaml")]);
    let bomb = [header(b'0', "w.txt", 600 << 20)].into_iter();
    let bomb = gzip(bomb.chain((0..600).map(|_| vec![0; 1 << 20])));
    for (archive, why) in [
        (
            tgz(&[file("../../../.git/hooks/w.yaml")]),
            "files of archives lie below",
        ),
        (tgz(&[file("/etc/w.yaml")]), "files of archives lie below"),
        (tgz(&[(b'3', "w.yaml", b""), file("x.yaml")]), "it has a device"),
        (tgz(&[(b'6', "w.yaml", b"")]), "it has a FIFO"),
        (tgz(&[file("w.yaml"), file("./w.yaml")]), "it has two files"),
        (good[..good.len() / 2].to_vec(), "it is cut"),
        (good[..good.len() - 4].to_vec(), "it is cut"),
        (bomb, "when it is unpacked"),
    ] {
        sandbox.write("x.tgz", archive);
        run(&sandbox, &["crds", "add", "../x.tgz"]).expect(3, &[why]);
        assert_eq!(read(&sandbox, LOCK), None, "{why}");
    }
    // These names are invalid, and are written in various ways.
    for name in [
        "../x.example.com",
        "widgets.example.com/../../x",
        "con\\x.example.com",
        "a.b\\u0000c.d",
        "widgets",
    ] {
        let text = crd.replace(
            "name: widgets.example.com",
            &format!("name: \"{}\"", name.replace('\\', "\\\\")),
        );
        sandbox.write("x.yaml", text);
        run(&sandbox, &["crds", "add", "../x.yaml"]).expect(2, &["the name is not PLURAL.GROUP"]);
    }
    let long = format!("{}.example.com", "w".repeat(400));
    sandbox.write("x.yaml", crd.replace("widgets.example.com", &long));
    run(&sandbox, &["crds", "add", "../x.yaml"]).expect(2, &["the name is not PLURAL.GROUP"]);
    for bytes in [
        b"\0\0\0".as_slice(),
        b"\xFF\xFE",
        b"kind: CustomResourceDefinition\n\0",
        b"\x1F\x8B",
        b"",
    ] {
        sandbox.write("x.yaml", bytes);
        let outcome = run(&sandbox, &["crds", "add", "../x.yaml"]);
        assert!(matches!(outcome.code, Some(2 | 3)), "{outcome:#?}");
    }
    assert_eq!(read(&sandbox, LOCK), None);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    use std::os::unix::fs::symlink;
    let sandbox = repository();
    sandbox.write("crd.yaml", crd());
    sandbox.write("outside/kept", "x");
    let repo = sandbox.path().join("repo");
    symlink("../outside", repo.join(".crd-analyzer")).expect("a link");
    run(&sandbox, &["crds", "add", "../crd.yaml"]).expect(3, &["outside of"]);
    std::fs::remove_file(repo.join(".crd-analyzer")).expect("it is there");
    std::fs::create_dir(repo.join(".crd-analyzer")).expect("a folder");
    symlink("../../outside", repo.join(".crd-analyzer/crds")).expect("a link");
    run(&sandbox, &["crds", "add", "../crd.yaml"]).expect(3, &["is a link"]);
    std::fs::remove_file(repo.join(".crd-analyzer/crds")).expect("it is there");
    std::fs::create_dir(repo.join(".crd-analyzer/crds")).expect("a folder");
    symlink("../../../outside/kept", repo.join(CRD)).expect("a link");
    run(&sandbox, &["crds", "add", "../crd.yaml"]).expect(3, &[]);
    symlink("../../outside/kept", repo.join(LOCK)).expect("a link");
    run(&sandbox, &["crds", "add", "../crd.yaml"]).expect(3, &["outside of"]);
    let there: Vec<_> = std::fs::read_dir(sandbox.path().join("outside"))
        .expect("a folder")
        .collect();
    assert_eq!(
        (there.len(), read(&sandbox, "../outside/kept").as_deref()),
        (1, Some("x"))
    );
}
