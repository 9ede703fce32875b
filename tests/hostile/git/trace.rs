//! Traces the system calls of all commands in a repository that names programs in all places where git reads them. Only crd-analyzer and git may run,
//! no connection may be opened, and only files named by the user and the cache may be written.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Test,
    attacks::{embed, programs, signed_commit},
    programs::real_git,
    repository::{CRD, Outcome, Place, moved},
    session,
    strace::{self, Trace},
};

pub(crate) const TESTS: &[Test] = &[
    ("traces_are_read", strace::is_read),
    ("check_only_reads", check_only_reads),
    (
        "check_against_a_revision_runs_git_alone",
        check_against_a_revision_runs_git_alone,
    ),
    ("a_partial_clone_is_not_completed", a_partial_clone_is_not_completed),
    ("fix_writes_the_named_file", fix_writes_the_named_file),
    ("tests_write_the_named_file", tests_write_the_named_file),
    ("output_writes_the_named_files", output_writes_the_named_files),
    ("generators_read_nothing_of_git", generators_read_nothing_of_git),
    (
        "only_the_collected_crds_of_objects_are_opened",
        only_the_collected_crds_of_objects_are_opened,
    ),
    ("the_language_server_runs_git_alone", the_language_server_runs_git_alone),
    (
        "the_language_server_runs_nothing_without_trust",
        the_language_server_runs_nothing_without_trust,
    ),
    ("a_trace_shows_what_is_wrong", a_trace_shows_what_is_wrong),
];

const SUITE: &str = "crd: crd.yaml
tests:
- name: accepted
  create: {}
  expect: accepted
";

/// A CRD that a fix converts to the current API version.
const OLD: &str = "apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  version: v1
  validation: {openAPIV3Schema: {type: object}}
  preserveUnknownFields: false
";

/// A repository `repo` that names programs in its configuration, attributes, hooks, an embedded bare repository, a fake submodule and a
/// signed commit.
fn hostile() -> Place {
    let place = Place::with_repository();
    place.trap("trap/run.sh");
    let trap = place.path("trap/run.sh").display().to_string();
    let bare = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n{}",
        programs(&trap)
    );
    place.git(".", ["init", "-q", "--bare", "spare"]);
    let commit = signed_commit(&place, "spare");
    embed(&place, "repo/x", &bare, &format!("160000 commit {commit}\tcrd.yaml\n"));
    place.write("repo/x/.gitattributes", "* diff=d filter=f\n");
    for program in ["git", "kubectl", "sh", "go", "controller-gen", "crd-analyzer"] {
        place.trap(&format!("repo/{program}"));
        place.trap(&format!("repo/bin/{program}"));
    }
    place.write("repo/widget.test.yaml", SUITE);
    place.write("repo/go.mod", "module example.com/x\n");
    place.write("repo/api/v1/types.go", "package v1\n\n//go:generate ./run.sh\n");
    place.git("repo", ["add", "-f", "."]);
    let gitlink = format!("160000,{commit},sub.yaml");
    place.git("repo", ["update-index", "--add", "--cacheinfo", &gitlink]);
    place.git("repo", ["commit", "-q", "-m", "x"]);
    let signed = signed_commit(&place, "repo");
    place.write("repo/.git/refs/heads/signed", format!("{signed}\n"));
    place.write("repo/.gitattributes", "* diff=d filter=f merge=m\n");
    place.write("repo/.git/info/attributes", "* diff=d filter=f merge=m\n");
    place.write("repo/more", programs(&trap));
    place.append("repo/.git/config", &programs(&trap));
    place.append(
        "repo/.git/config",
        "[include]\n\tpath = ../more\n[includeIf \"gitdir:**\"]\n\tpath = ../more\n",
    );
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        place.trap(&format!("trap/{hook}"));
        place.trap(&format!("repo/.git/hooks/{hook}"));
    }
    place.expect_nothing_ran();
    place.write("repo/sub.yaml", moved());
    place.write("repo/x/crd.yaml", moved());
    place.write("repo/crd.yaml", moved());
    place
}

/// Runs the command in `repo` and reads its trace. The `PATH` starts with programs of the repository.
fn run(place: &Place, args: &[&str]) -> (Outcome, Trace) {
    let outcome = Outcome::of(&mut traced(place, args));
    (outcome, strace::read(place, &place.path("repo")))
}

fn traced(place: &Place, args: &[&str]) -> Command {
    let mut command = strace::traced(place, &place.command("repo", args));
    let others = std::env::var_os("PATH").unwrap_or_default();
    // strace itself is in a later folder of the `PATH`.
    let own = [PathBuf::new(), ".".into(), "bin".into(), place.path("repo/bin")];
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))).expect("a PATH");
    command.env("PATH", path);
    command
}

/// Checks that only `programs` ran, that no connection was opened, and that only paths allowed by `is_allowed` were written.
#[track_caller]
fn expect(place: &Place, trace: &Trace, programs: &[PathBuf], is_allowed: impl Fn(&Path) -> bool) {
    place.expect_nothing_ran();
    let ran: Vec<_> = trace.programs.iter().cloned().collect();
    assert_eq!(ran, programs, "{trace:#?}");
    assert!(trace.network.is_empty(), "{trace:#?}");
    let changed = trace.changed_besides(is_allowed);
    assert!(changed.is_empty(), "{changed:?}");
    place.expect_tidy_cache();
}

/// Whether a path is in our cache folder, or one of its parents.
fn is_cache(place: &Place) -> impl Fn(&Path) -> bool {
    let cache = place.path("cache/crd-analyzer");
    move |path: &Path| path.starts_with(&cache)
}

/// Whether a path is a file named by the user, or a temporary file in the same folder that no longer exists.
fn is_named(place: &Place, name: &str) -> impl Fn(&Path) -> bool {
    let file = place.path("repo").join(name);
    move |path: &Path| path == file || path.parent() == file.parent() && !path.exists()
}

fn check_only_reads() {
    let place = hostile();
    for args in [
        &["check", "."][..],
        &["check", "x/crd.yaml", "crd.yaml"],
        &["cost", "."],
        &["test", "."],
    ] {
        let (outcome, trace) = run(&place, args);
        assert!(matches!(outcome.code, Some(0 | 1)), "{args:?}: {outcome:#?}");
        expect(&place, &trace, &[], |_| false);
    }
}

fn check_against_a_revision_runs_git_alone() {
    let place = hostile();
    for revision in ["HEAD", "HEAD@{0}", "signed", "HEAD~1", "main@{upstream}", ":/x"] {
        for path in [".", "crd.yaml", "x/crd.yaml", "sub.yaml"] {
            let (outcome, trace) = run(&place, &["check", "--old-ref", revision, path]);
            assert!(matches!(outcome.code, Some(0..=3)), "{outcome:#?}");
            expect(&place, &trace, &[real_git()], is_cache(&place));
        }
    }
}

fn a_partial_clone_is_not_completed() {
    let place = hostile();
    let blob = place.git("repo", ["-c", "core.fsmonitor=false", "rev-parse", "HEAD:crd.yaml"]);
    fs::remove_file(place.path(format!("repo/.git/objects/{}/{}", &blob[..2], &blob[2..]))).expect("it is there");
    let (outcome, trace) = run(&place, &["check", "--old-ref=HEAD", "crd.yaml"]);
    outcome.expect(3, &["crd-analyzer fetches nothing"]);
    expect(&place, &trace, &[real_git()], is_cache(&place));
}

fn fix_writes_the_named_file() {
    let place = hostile();
    place.write("repo/crd.yaml", OLD);
    let (outcome, trace) = run(&place, &["check", "--fix", "crd.yaml"]);
    outcome.expect(0, &[]);
    expect(&place, &trace, &[], is_named(&place, "crd.yaml"));
    assert!(!trace.changed.is_empty(), "the file was to be written: {outcome:#?}");
}

fn tests_write_the_named_file() {
    let place = hostile();
    place.write(
        "repo/widget.test.yaml",
        SUITE.replace("expect: accepted", "expect: {defaulted: {a: 1}}"),
    );
    let (outcome, trace) = run(&place, &["test", "--update", "widget.test.yaml"]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    expect(&place, &trace, &[], is_named(&place, "widget.test.yaml"));
    assert!(!trace.changed.is_empty(), "the file was to be written: {outcome:#?}");
}

/// Reports, baselines, documentation and schemas are only written to the paths that the user named.
fn output_writes_the_named_files() {
    let runs: [(&[&str], &str); 6] = [
        (&["check", "-o", "text", "-o", "sarif=out.sarif", "."], "out.sarif"),
        (&["check", "--output-file", "x/report.txt", "."], "x/report.txt"),
        (
            &["check", "--baseline", "old.json", "--update-baseline", "."],
            "old.json",
        ),
        (&["docs", "--output-dir", "docs", "crd.yaml"], "docs"),
        (
            &[
                "schema",
                "--format",
                "json-schema",
                "--output-dir",
                "schemas",
                "crd.yaml",
            ],
            "schemas",
        ),
        (&["test", "--init", "crd.yaml"], "crd.test.yaml"),
    ];
    let place = hostile();
    for (args, name) in runs {
        let named = place.path("repo").join(name);
        let is_allowed = |path: &Path| path.starts_with(&named) || is_named(&place, name)(path);
        // The command runs once for a new file, and once for an existing file.
        for _ in 0..if args.contains(&"--init") { 1 } else { 2 } {
            let (outcome, trace) = run(&place, args);
            assert!(matches!(outcome.code, Some(0 | 1)), "{args:?}: {outcome:#?}");
            expect(&place, &trace, &[], is_allowed);
            assert!(named.exists() && !trace.changed.is_empty(), "{args:?}: {outcome:#?}");
            assert_eq!(opened_of_git(&trace), [] as [&Path; 0], "{args:?}");
        }
    }
    // Links are not followed, and no file is created at their targets.
    for (target, name) in [
        (".git/hooks/pre-commit", "link.sarif"),
        ("../.git/config", "docs/README.md"),
        (".git/config", "report.txt"),
    ] {
        let path = place.path("repo").join(name);
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(target, path).expect("a link");
    }
    let runs: [&[&str]; 3] = [
        &["check", "-o", "sarif=link.sarif", "."],
        &["docs", "--output-dir", "docs", "crd.yaml"],
        &["check", "--output-file", "report.txt", "."],
    ];
    for args in runs {
        let (outcome, trace) = run(&place, args);
        outcome.expect(3, &["is a link"]);
        expect(&place, &trace, &[], |_| false);
        assert_eq!(opened_of_git(&trace), [] as [&Path; 0], "{args:?}");
    }
}

/// A kustomization that includes git's configuration in an object.
fn only_the_collected_crds_of_objects_are_opened() {
    let place = Place::with_repository();
    let crds: Vec<_> = (0..50)
        .map(|n| {
            let text = CRD.replace("widgets", &format!("w{n}s"));
            text.replace("Widget", &format!("W{n}"))
        })
        .collect();
    place.write("all.yaml", crds.join("---\n"));
    place.run("repo", ["crds", "add", "../all.yaml"]).expect(0, &["50 new"]);
    let object = "apiVersion: example.com/v1\nkind: W7\nmetadata: {name: one}\nspec: {size: 3}\n";
    place.write("repo/one.yaml", object);
    let opened = |args: &[&str]| {
        let (outcome, trace) = run(&place, args);
        outcome.expect(1, &["`spec` is not a field"]);
        let is_crd = |it: &&PathBuf| it.to_string_lossy().contains("/.crd-analyzer/crds/");
        trace.opened.iter().filter(is_crd).count()
    };
    assert_eq!(opened(&["check", "one.yaml"]), 1, "the lock names the file");
    assert_eq!(opened(&["check", "one.yaml", "--crd", ".crd-analyzer/crds"]), 50);
}

fn generators_read_nothing_of_git() {
    let place = hostile();
    place.append("repo/.git/config", "[credential]\n\tpassword = hunter2\n");
    place.write(
        "repo/k/kustomization.yaml",
        "resources: [one.yaml]\nconfigMapGenerator:\n- name: c\n  files: [c=../.git/config]\n  envs: [../.git/HEAD]\n",
    );
    place.write(
        "repo/k/one.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\n",
    );
    for args in [
        &["check", "."][..],
        &["check", "-o", "jsonl", "k"],
        &["check", "k/kustomization.yaml"],
    ] {
        let (outcome, trace) = run(&place, args);
        assert!(!outcome.said.contains("hunter2"), "{outcome:#?}");
        assert!(outcome.said.contains("belongs to git"), "{outcome:#?}");
        expect(&place, &trace, &[], |_| false);
        assert_eq!(opened_of_git(&trace), [] as [&Path; 0], "{args:?}");
    }
}

/// The opened files of git, except those that the walk needs: ignore rules, and the index for hidden files.
fn opened_of_git(trace: &Trace) -> Vec<&Path> {
    let opened = trace.opened.iter().map(PathBuf::as_path);
    opened
        .filter(|it| it.iter().any(|name| name == ".git"))
        .filter(|it| {
            !["info/exclude", ".git/index"]
                .iter()
                .any(|of_walk| it.ends_with(of_walk))
        })
        .collect()
}

fn the_language_server_runs_git_alone() {
    let place = hostile();
    for file in ["crd.yaml", "x/crd.yaml", "sub.yaml"] {
        session::run(&place, traced(&place, &["lsp"]), "repo", file, true);
        let trace = strace::read(&place, &place.path("repo"));
        expect(&place, &trace, &[real_git()], is_cache(&place));
    }
}

fn the_language_server_runs_nothing_without_trust() {
    let place = hostile();
    session::run(&place, traced(&place, &["lsp"]), "repo", "crd.yaml", false);
    let trace = strace::read(&place, &place.path("repo"));
    expect(&place, &trace, &[], is_cache(&place));
}

/// Checks that the trace contains a program, a connection and a file, by tracing git itself in this repository.
fn a_trace_shows_what_is_wrong() {
    let place = hostile();
    let _ = fs::remove_dir_all(place.path("trace"));
    fs::create_dir(place.path("trace")).expect("a folder");
    let program = env!("CARGO_BIN_EXE_crd-analyzer");
    let script = format!("'{program}' --version > /dev/null; git --no-pager show HEAD:./crd.yaml");
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &script])
        .current_dir(place.path("repo/x"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let mut command = strace::traced(&place, &shell);
    command.output().expect("strace runs");
    let trace = strace::read(&place, &place.path("repo/x"));
    assert!(trace.programs.contains(&place.path("trap/run.sh")), "{trace:#?}");
    assert!(trace.changed.contains(&place.path("PWNED")), "{trace:#?}");
}
