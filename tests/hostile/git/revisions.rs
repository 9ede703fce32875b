//! Names of revisions. Each name must be a commit or a usage error.

use crate::{
    Test,
    repository::{IMMUTABLE, Place, moved},
};

pub(crate) const TESTS: &[Test] = &[
    ("names_of_one_commit_are_used", names_of_one_commit_are_used),
    ("other_names_are_usage_errors", other_names_are_usage_errors),
    ("a_shallow_clone_says_so", a_shallow_clone_says_so),
    ("questions_that_git_cannot_answer", questions_that_git_cannot_answer),
];

/// A clone with a second commit on a branch, and a file that changed since.
fn clone() -> Place {
    let place = Place::with_repository();
    place.git(".", ["clone", "-q", "repo", "clone"]);
    std::fs::rename(place.path("repo"), place.path("origin")).expect("it can be renamed");
    std::fs::rename(place.path("clone"), place.path("repo")).expect("it can be renamed");
    place.git("repo", ["switch", "-q", "-c", "topic/a"]);
    place.write("repo/other", "x");
    place.commit("repo");
    place.git("repo", ["tag", "-a", "-m", "x", "annotated"]);
    place.git("repo", ["tag", "light"]);
    place.git("repo", ["branch", "-q", "--set-upstream-to", "origin/main"]);
    place.git("repo", ["fetch", "-q", "../origin", "main"]);
    place.write("repo/crd.yaml", moved());
    place
}

fn names_of_one_commit_are_used() {
    let place = clone();
    let id = place.git("repo", ["rev-parse", "HEAD"]);
    for revision in [
        "HEAD",
        "@",
        "HEAD~1",
        "HEAD^",
        "HEAD~0^1",
        "topic/a",
        "heads/topic/a",
        "refs/heads/main",
        "origin/main",
        "origin/HEAD",
        "origin",
        "annotated",
        "annotated^{}",
        "light^{commit}",
        "FETCH_HEAD",
        "HEAD@{1}",
        "main@{0}",
        "@{-1}",
        "@{upstream}",
        "topic/a@{u}",
        "HEAD@{2 days ago}",
        ":/a commit",
        "HEAD^{/a com}",
        &id,
        &id[..7],
        &format!("x-1-g{}", &id[..9]),
    ] {
        let outcome = place.check(revision, "crd.yaml");
        assert_eq!(outcome.code, Some(1), "{revision}: {outcome:#?}");
        outcome.expect(1, &[IMMUTABLE]);
    }
    place.git("repo", ["pack-refs", "--all"]);
    place.git("repo", ["gc", "-q"]);
    for revision in ["HEAD", "annotated~1", "origin/main", "origin"] {
        place.check(revision, "crd.yaml").expect(1, &[IMMUTABLE]);
    }
    place.expect_tidy_cache();
}

fn other_names_are_usage_errors() {
    let place = clone();
    place.git("repo", ["tag", "tree", "HEAD^{tree}"]);
    place.git("repo", ["tag", "file", "HEAD:crd.yaml"]);
    let long = "x".repeat(5_000);
    for (revision, why) in [
        ("", "the name is empty"),
        (" ", "is not a commit"),
        (" main", "is not a commit"),
        ("main ", "is not a commit"),
        ("main topic/a", "is not a commit"),
        ("main\n", "a line break"),
        ("main\nHEAD", "a line break"),
        ("main\t", "control character"),
        ("main*", "is not a commit"),
        ("mai?", "is not a commit"),
        ("nosuch[1]", "is not a commit"),
        ("main[1]", "is not a commit"),
        ("main..main", "is not a commit"),
        ("main...main", "is not a commit"),
        ("main..", "is not a commit"),
        ("^main", "is not a commit"),
        ("main^@", "is not a commit"),
        ("main^!", "is not a commit"),
        ("main^-", "is not a commit"),
        ("main^{", "is not a commit"),
        ("main^{commit", "is not a commit"),
        ("main~99", "is not a commit"),
        ("--all", "is not a commit"),
        ("--branches", "is not a commit"),
        ("--", "is not a commit"),
        ("-x", "is not a commit"),
        ("--output=x", "is not a commit"),
        (":/a subject that does not exist", "is not a commit"),
        ("HEAD^{/absent}", "is not a commit"),
        ("@{-9}", "is not a commit"),
        ("HEAD@{99}", "HEAD@{99}"),
        ("main@{push}{", "is not a commit"),
        ("HEAD^{tree}", "is a folder, not a commit"),
        ("HEAD:crd.yaml", "is a file, not a commit"),
        (":crd.yaml", "is not a commit"),
        ("tree", "is a folder, not a commit"),
        ("file", "is a file, not a commit"),
        ("../../x", "is not a commit"),
        ("refs/heads", "is not a commit"),
        ("0000000000000000000000000000000000000000", "is not a commit"),
        ("annotated-0-g0000000", "is not a commit"),
        (&long, "too long"),
    ] {
        let outcome = place.check(revision, "crd.yaml");
        assert_eq!(outcome.code, Some(2), "{revision:?}: {outcome:#?}");
        outcome.expect(2, &["--old-ref ", why]);
        // The error is also reported if no manifest is found.
        place.write("repo/empty/x", "");
        place.check(revision, "empty").expect(2, &["--old-ref"]);
    }
    assert!(!place.path("repo/x").exists());
}

fn a_shallow_clone_says_so() {
    let place = clone();
    let url = format!("file://{}", place.path("repo").display());
    place.git(".", ["clone", "-q", "--depth=1", &url, "shallow"]);
    let run = |revision: &str| place.run("shallow", ["check", "--old-ref", revision, "crd.yaml"]);
    run("HEAD~1").expect(2, &["shallow clone", "git fetch --unshallow"]);
    run("HEAD").expect(0, &[]);
}

fn questions_that_git_cannot_answer() {
    let place = Place::new();
    place.write("crd.yaml", moved());
    place
        .run(".", ["check", "--old-ref", "HEAD", "crd.yaml"])
        .expect(2, &["crd.yaml is not in a git repository"]);
    place.git(".", ["init", "-q", "-b", "main", "repo"]);
    place.write("repo/crd.yaml", moved());
    place.check("HEAD", "crd.yaml").expect(2, &["is not a commit"]);
    place
        .run("repo", ["check", "--old-ref", "HEAD", "-"])
        .expect(2, &["git has no previous version of standard input"]);
}
