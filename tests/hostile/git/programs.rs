//! Tests of the git program that is used, and of the number of times that it runs.

use std::{fs, path::PathBuf, time::Duration};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::{
    Test,
    repository::{CRD, IMMUTABLE, Outcome, Place, moved},
};

pub(crate) const TESTS: &[Test] = &[
    (
        "git_is_not_taken_from_the_workspace",
        git_is_not_taken_from_the_workspace,
    ),
    ("one_git_serves_all_files", one_git_serves_all_files),
    (
        "a_git_that_misbehaves_is_not_waited_for",
        a_git_that_misbehaves_is_not_waited_for,
    ),
];

/// The timeout for an answer of git.
const TIMEOUT: Duration = Duration::from_secs(4);

/// The path of the installed git.
pub(crate) fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let folders = std::env::split_paths(&path);
    let mut all = folders.map(|it| it.join("git"));
    all.find(|it| it.is_file()).expect("git is installed")
}

fn git_is_not_taken_from_the_workspace() {
    let place = Place::with_repository();
    place.write("repo/crd.yaml", moved());
    place.trap("repo/git");
    place.trap("repo/bin/git");
    let run = |entries: &[&str]| {
        let path = std::env::join_paths(entries).expect("a PATH");
        let mut command = place.command("repo", ["check", "--old-ref=HEAD", "crd.yaml"]);
        Outcome::of(command.env("PATH", path))
    };
    let inside = place.path("repo/bin").display().to_string();
    let real = real_git();
    let real = real.parent().expect("a folder").display().to_string();
    run(&["", ".", "bin", "./bin", &inside, &real]).expect(1, &[IMMUTABLE]);
    run(&["", ".", "bin", &inside]).expect(
        3,
        &[
            "git cannot be run",
            "is in the workspace, so crd-analyzer does not run it",
        ],
    );
    run(&["", ".", "bin"]).expect(3, &["the program `git` is not in PATH"]);
    place.expect_nothing_ran();
}

fn one_git_serves_all_files() {
    let place = Place::with_repository();
    for folder in 0..5 {
        for file in 0..20 {
            place.write(format!("repo/{folder}/{file}.yaml"), CRD);
        }
    }
    place.commit("repo");
    for folder in 0..5 {
        for file in 0..20 {
            place.write(format!("repo/{folder}/{file}.yaml"), moved());
        }
    }
    let count = place.path("count");
    place.script(
        "bin/git",
        &format!(
            "echo x >> '{}'\nexec '{}' \"$@\"",
            count.display(),
            real_git().display()
        ),
    );
    // The files are copies of one CRD, and other formats would print its errors only once.
    let mut command = place.command("repo", ["check", "--old-ref=HEAD", "-o", "tap", "."]);
    let outcome = Outcome::of(command.env("PATH", place.path("bin")));
    outcome.expect(1, &["1..101"]);
    let refused = outcome.said.matches("not ok ").count();
    assert_eq!(refused, 100, "each file has its previous text");
    let runs = fs::read_to_string(count).expect("git was run");
    assert_eq!(runs.lines().count(), 1);
}

fn a_git_that_misbehaves_is_not_waited_for() {
    let misbehaving = [
        ("sleep 1000", "git did not answer within 4 s"),
        (
            "read x; printf '%040d commit 1\\nx\\n' 0; sleep 1000",
            "git did not answer within 4 s",
        ),
        ("exec cat /dev/zero", "git"),
        ("exit 1", "git exited without output"),
        ("echo 'a problem \u{1b}[31m' >&2; exit 1", "a problem \\u{1b}[31m"),
        ("echo nonsense; sleep 1000", "git answered"),
        (
            "read x; echo 0123456789 commit 99999999999999999999; sleep 1000",
            "git answered",
        ),
        (
            "read x; echo 0123456789 commit 99999999999; sleep 1000",
            "has 99999999999 bytes",
        ),
    ];
    misbehaving.into_par_iter().for_each(|(script, said)| {
        let place = Place::with_repository();
        place.write("repo/crd.yaml", moved());
        place.write("repo/a.yaml", CRD);
        place.write("repo/b.yaml", CRD);
        place.script("bin/git", script);
        let mut command = place.command("repo", ["check", "--old-ref=HEAD", "."]);
        let path = std::env::join_paths([place.path("bin"), "/bin".into(), "/usr/bin".into()]).expect("a PATH");
        let outcome = Outcome::of(command.env("PATH", path));
        assert!(matches!(outcome.code, Some(2 | 3)), "{script}: {outcome:#?}");
        assert!(
            outcome.took < 2 * TIMEOUT,
            "{script}: all files wait together, {outcome:#?}"
        );
        assert!(outcome.said.contains(said), "{script}: {outcome:#?}");
    });
}
