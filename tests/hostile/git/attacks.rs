//! Repositories that name programs. These programs must not run, neither during a check nor when a file is opened.

use std::{path::Path, process::Command};

use crate::{
    Test,
    repository::{CRD, IMMUTABLE, Outcome, Place, moved},
    session,
};

pub(crate) const TESTS: &[Test] = &[
    (
        "an_embedded_bare_repository_is_only_files",
        an_embedded_bare_repository_is_only_files,
    ),
    ("a_configuration_runs_nothing", a_configuration_runs_nothing),
    ("a_signed_commit_behind_a_gitlink", a_signed_commit_behind_a_gitlink),
    (
        "the_caller_s_environment_does_not_count",
        the_caller_s_environment_does_not_count,
    ),
];

/// All settings of git that name a program, set to `program`.
pub(crate) fn programs(program: &str) -> String {
    format!(
        "[core]
\tfsmonitor = {program}
\tpager = {program}
\teditor = {program}
\tsshCommand = {program}
\taskPass = {program}
\tgitProxy = {program}
\thooksPath = {hooks}
\talternateRefsCommand = {program}
[log]
\tshowSignature = true
[gpg]
\tprogram = {program}
[gpg \"ssh\"]
\tprogram = {program}
\tdefaultKeyCommand = {program}
[gpg \"x509\"]
\tprogram = {program}
[diff]
\texternal = {program}
[diff \"d\"]
\ttextconv = {program}
\tcommand = {program}
[filter \"f\"]
\tsmudge = {program}
\tclean = {program}
\tprocess = {program}
\trequired = true
[merge \"m\"]
\tdriver = {program}
[pager]
\tcat-file = {program}
\trev-parse = {program}
\tshow = {program}
\tconfig = {program}
[alias]
\tcat-file = !{program}
\trev-parse = !{program}
\tshow = !{program}
[credential]
\thelper = {program}
[sequence]
\teditor = {program}
[trace2]
\teventTarget = {program}.trace
[extensions]
\tpartialClone = origin
[remote \"origin\"]
\turl = ext::{program}
\tpromisor = true
\tuploadpack = {program}
\tvcs = {program}
[protocol]
\tallow = always
[uploadpack]
\tpackObjectsHook = {program}
",
        hooks = Path::new(program).parent().unwrap_or(Path::new("/")).display(),
    )
}

/// Checks a file against `HEAD`, opens it in the language server, and checks that no program ran.
#[track_caller]
fn expect_harmless(place: &Place, workspace: &str, file: &str, code: i32, said: &[&str]) {
    let outcome = place.run(workspace, ["check", "--old-ref=HEAD", file]);
    place.expect_nothing_ran();
    outcome.expect(code, said);
    session::open(place, workspace, file);
    place.expect_nothing_ran();
    place.expect_tidy_cache();
}

/// Turns a folder of a repository into an embedded bare repository, whose commit contains `listing`.
pub(crate) fn embed(place: &Place, folder: &str, config: &str, listing: &str) {
    place.git(".", ["init", "-q", "-b", "main", "--bare", folder]);
    for name in ["hooks", "description", "info", "branches"] {
        let _ = std::fs::remove_dir_all(place.path(folder).join(name));
        let _ = std::fs::remove_file(place.path(folder).join(name));
    }
    place.write(format!("{folder}/listing"), listing);
    let tree = Command::new("git")
        .args(["mktree", "--missing"])
        .current_dir(place.path(folder))
        .stdin(std::fs::File::open(place.path(folder).join("listing")).expect("it is there"))
        .output()
        .expect("git runs");
    let tree = String::from_utf8_lossy(&tree.stdout).trim().to_owned();
    let commit = place.git(folder, ["commit-tree", &tree, "-m", "x"]);
    place.git(folder, ["update-ref", "refs/heads/main", &commit]);
    place.write(format!("{folder}/config"), config);
    place.write(format!("{folder}/crd.yaml"), moved());
}

/// A signed commit. To verify such a commit, git runs a program when it shows the commit.
pub(crate) fn signed_commit(place: &Place, repository: &str) -> String {
    let tree = place.git(repository, ["mktree", "--missing"]);
    let text = format!(
        "tree {tree}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\
         gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n =a\n -----END PGP SIGNATURE-----\n\nm\n"
    );
    place.write("commit", text);
    let file = place.path("commit").display().to_string();
    place.git(repository, ["hash-object", "-t", "commit", "-w", &file])
}

fn an_embedded_bare_repository_is_only_files() {
    let place = Place::with_repository();
    place.trap("trap/run.sh");
    let trap = place.path("trap/run.sh").display().to_string();
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n{}",
        programs(&trap)
    );
    place.git(".", ["init", "-q", "--bare", "spare"]);
    let commit = signed_commit(&place, "spare");
    embed(
        &place,
        "repo/x",
        &config,
        &format!("160000 commit {commit}\tcrd.yaml\n"),
    );
    place.write("repo/x/.gitattributes", "* diff=d filter=f\n");
    // The same attack in a folder with a name that git would try first.
    embed(
        &place,
        "repo/y.git",
        &config,
        &format!("160000 commit {commit}\tcrd.yaml\n"),
    );
    place.git("repo", ["add", "-f", "."]);
    place.git("repo", ["commit", "-q", "-m", "x"]);
    place.git(".", ["clone", "-q", "repo", "victim"]);
    for folder in ["x", "y.git"] {
        // The previous content comes from the commit of the clone itself.
        place.write(format!("victim/{folder}/crd.yaml"), CRD);
        let file = format!("{folder}/crd.yaml");
        expect_harmless(&place, "victim", &file, 1, &[IMMUTABLE]);
        expect_harmless(&place, &format!("victim/{folder}"), "crd.yaml", 1, &[IMMUTABLE]);
    }
    // Outside of a repository, this folder does not count as a repository.
    std::fs::rename(place.path("victim/x"), place.path("lone")).expect("it can be moved");
    expect_harmless(&place, "lone", "crd.yaml", 2, &["is not in a git repository"]);
}

fn a_configuration_runs_nothing() {
    let place = Place::with_repository();
    place.trap("trap/run.sh");
    let trap = place.path("trap/run.sh").display().to_string();
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        place.trap(&format!("trap/{hook}"));
        place.trap(&format!("repo/.git/hooks/{hook}"));
    }
    place.write("repo/.gitattributes", "* diff=d filter=f merge=m\n");
    place.write("repo/.git/info/attributes", "* diff=d filter=f merge=m\n");
    place.append("repo/.git/config", &programs(&trap));
    place.write("repo/crd.yaml", moved());
    expect_harmless(&place, "repo", "crd.yaml", 1, &[IMMUTABLE]);
    // The same settings are in included files.
    let plain = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n";
    place.write("repo/more", programs(&trap));
    for config in [
        "[include]\n\tpath = ../more\n",
        "[includeIf \"gitdir:**\"]\n\tpath = ../more\n",
        "[includeIf \"onbranch:main\"]\n\tpath = ../more\n",
        "[extensions]\n\tworktreeConfig = true\n",
    ] {
        place.write("repo/.git/config", format!("{plain}{config}"));
        place.write("repo/.git/config.worktree", programs(&trap));
        expect_harmless(&place, "repo", "crd.yaml", 1, &[IMMUTABLE]);
        // For this revision, git has to read the configuration.
        place.check("HEAD@{0}", "crd.yaml").expect(1, &[IMMUTABLE]);
        place.expect_nothing_ran();
    }
    // The work tree is in another folder.
    place.write(
        "repo/.git/config",
        format!("{plain}\tworktree = {}\n", place.path("trap").display()),
    );
    expect_harmless(&place, "repo", "crd.yaml", 1, &[IMMUTABLE]);
}

fn a_signed_commit_behind_a_gitlink() {
    let place = Place::with_repository();
    place.trap("run.sh");
    let commit = signed_commit(&place, "repo");
    let gitlink = format!("160000,{commit},sub.yaml");
    place.git("repo", ["update-index", "--add", "--cacheinfo", &gitlink]);
    place.git("repo", ["commit", "-q", "-m", "x"]);
    place.write("repo/sub.yaml", moved());
    place.append(
        "repo/.git/config",
        &programs(&place.path("run.sh").display().to_string()),
    );
    expect_harmless(&place, "repo", "sub.yaml", 3, &["sub.yaml is a submodule, not a file"]);
    // The revision is a signed commit.
    place.check(&commit, "crd.yaml").expect(0, &["(1 new)"]);
    place.expect_nothing_ran();
}

fn the_caller_s_environment_does_not_count() {
    let place = Place::with_repository();
    place.trap("run.sh");
    place.git(".", ["init", "-q", "-b", "main", "other"]);
    place.write("repo/crd.yaml", moved());
    let program = place.path("run.sh");
    let other = place.path("other/.git");
    for variables in [
        &[("GIT_DIR", &other), ("GIT_WORK_TREE", &other)][..],
        &[("GIT_OBJECT_DIRECTORY", &other), ("GIT_COMMON_DIR", &other)],
        &[("GIT_INDEX_FILE", &other), ("GIT_NAMESPACE", &other)],
        &[
            ("GIT_SSH_COMMAND", &program),
            ("GIT_EXTERNAL_DIFF", &program),
            ("GIT_PAGER", &program),
        ],
        &[
            ("GIT_TRACE", &place.path("trace")),
            ("GIT_TRACE2_EVENT", &place.path("trace")),
        ],
        &[("GIT_EXEC_PATH", &place.path("other"))],
    ] {
        let mut command = place.command("repo", ["check", "--old-ref=HEAD", "crd.yaml"]);
        command.envs(variables.iter().copied());
        Outcome::of(&mut command).expect(1, &[IMMUTABLE]);
    }
    place.expect_nothing_ran();
    assert!(!place.path("trace").exists());
}
