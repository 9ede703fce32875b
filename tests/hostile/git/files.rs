//! Files in a revision: the resolution of their paths, and entries that are not files.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

use crate::{
    Test,
    repository::{CRD, IMMUTABLE, Place, moved},
};

pub(crate) const TESTS: &[Test] = &[
    ("files_of_all_names_are_found", files_of_all_names_are_found),
    ("a_file_that_was_not_there_is_new", a_file_that_was_not_there_is_new),
    ("what_is_not_a_file_is_not_read", what_is_not_a_file_is_not_read),
    ("worktrees_and_submodules", worktrees_and_submodules),
    ("repositories_of_other_forms", repositories_of_other_forms),
    ("a_partial_clone_fetches_nothing", a_partial_clone_fetches_nothing),
    ("what_is_too_large_is_not_read", what_is_too_large_is_not_read),
];

fn files_of_all_names_are_found() {
    let place = Place::with_repository();
    let names: Vec<&[u8]> = vec![
        b"a/b/c/d.yaml",
        b"with space.yaml",
        b"-x.yaml",
        b"--help/x.yaml",
        b":(top)x.yaml",
        b"quo\"te.yaml",
        b"back\\slash.yaml",
        b"new\nline.yaml",
        "gr\u{fc}n \u{1f600}.yaml".as_bytes(),
        b"latin-\xe9.yaml",
        b"latin-\xe9/x.yaml",
        b"*.yaml",
    ];
    for name in &names {
        place.write(OsStr::from_bytes(&[b"repo/", *name].concat()), CRD);
    }
    place.commit("repo");
    for name in &names {
        let name = OsStr::from_bytes(name);
        place.write(std::path::Path::new("repo").join(name), moved());
        let below = OsStr::from_bytes(b"./").to_owned();
        let path = [below.as_os_str(), name].into_iter().collect::<std::ffi::OsString>();
        let outcome = place.run("repo", [OsStr::new("check"), "--old-ref=HEAD".as_ref(), &path]);
        assert_eq!(outcome.code, Some(1), "{}: {outcome:#?}", name.display());
        outcome.expect(1, &[IMMUTABLE]);
    }
    // The command runs from another folder, and uses a link to the folder.
    symlink(place.path("repo/a"), place.path("link")).expect("a link");
    for path in ["repo/a/b/c/d.yaml", "link/b/c/d.yaml", "link/../a/b/c/d.yaml"] {
        place
            .run(".", ["check", "--old-ref=HEAD", path])
            .expect(1, &[IMMUTABLE]);
    }
}

fn a_file_that_was_not_there_is_new() {
    let place = Place::with_repository();
    place.write("repo/new/a.yaml", moved());
    place.write("repo/b.yaml", moved());
    place.check("HEAD", ".").expect(0, &["3 files (2 new)"]);
    place.check("HEAD", "crd.yaml").expect(0, &["1 file, "]);
    let json = place.run("repo", ["check", "--old-ref=HEAD", "-o", "json", "b.yaml"]);
    json.expect(0, &["\"new\": 1"]);
}

fn what_is_not_a_file_is_not_read() {
    let place = Place::with_repository();
    place.write("repo/folder.yaml/x", "x");
    symlink("crd.yaml", place.path("repo/link.yaml")).expect("a link");
    symlink("/etc/passwd", place.path("repo/away.yaml")).expect("a link");
    let commit = place.git("repo", ["rev-parse", "HEAD"]);
    place.git("repo", ["add", "."]);
    let gitlink = format!("160000,{commit},gitlink.yaml");
    place.git("repo", ["update-index", "--add", "--cacheinfo", &gitlink]);
    place.git("repo", ["commit", "-q", "-m", "x"]);
    std::fs::remove_dir_all(place.path("repo/folder.yaml")).expect("it is there");
    for (name, what) in [
        ("folder.yaml", "is a folder, not a file"),
        ("link.yaml", "is a symbolic link, not a file"),
        ("away.yaml", "is a symbolic link, not a file"),
        ("gitlink.yaml", "is a submodule, not a file"),
    ] {
        let path = place.path("repo").join(name);
        // If the path is a link, writing to it would change the target of the link.
        let _ = std::fs::remove_file(&path);
        std::fs::write(path, moved()).expect("it can be written");
        place.check("HEAD", name).expect(3, &[what]);
    }
    // A file counts as new if it was a submodule or a link, or was behind one.
    for name in ["gitlink.yaml", "link.yaml"] {
        std::fs::remove_file(place.path("repo").join(name)).expect("it is there");
        place.write(format!("repo/{name}/crd.yaml"), CRD);
        place
            .check("HEAD", &format!("{name}/crd.yaml"))
            .expect(0, &["1 file (1 new)"]);
    }
}

fn worktrees_and_submodules() {
    let place = Place::with_repository();
    place.git("repo", ["worktree", "add", "-q", "-b", "side", "../tree"]);
    place.write("tree/side.yaml", CRD);
    place.commit("tree");
    place.write("tree/side.yaml", moved());
    for revision in ["HEAD", "side", "@{0}"] {
        place
            .run("tree", ["check", "--old-ref", revision, "side.yaml"])
            .expect(1, &[IMMUTABLE]);
    }
    // The branch of the worktree is not the branch of the main repository.
    place
        .run("tree", ["check", "--old-ref", "main", "side.yaml"])
        .expect(0, &["1 file (1 new)"]);
    place.git(
        "repo",
        [
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            "../repo",
            "sub",
        ],
    );
    place.commit("repo");
    place.write("repo/sub/crd.yaml", moved());
    place.check("HEAD", "sub/crd.yaml").expect(1, &[IMMUTABLE]);
    place.git("repo", ["init", "-q", "--separate-git-dir", "../elsewhere", "."]);
    place.write("repo/crd.yaml", moved());
    place.check("HEAD", "crd.yaml").expect(1, &[IMMUTABLE]);
}

fn repositories_of_other_forms() {
    let place = Place::new();
    for (name, args) in [
        ("sha256", &["--object-format=sha256"][..]),
        ("reftable", &["--ref-format=reftable"]),
        ("both", &["--ref-format=reftable", "--object-format=sha256"]),
    ] {
        let init = [&["init", "-q", "-b", "main"], args, &[name]].concat();
        let is_known = std::process::Command::new("git")
            .args(&init)
            .current_dir(place.path("."))
            .output()
            .is_ok_and(|it| it.status.success());
        if !is_known {
            // The installed git does not support this format, so this git cannot read the repository either.
            assert_ne!(name, "sha256");
            continue;
        }
        place.write(format!("{name}/crd.yaml"), CRD);
        place.write(format!("{name}/a/b.yaml"), CRD);
        place.commit(name);
        place.git(
            name,
            ["worktree", "add", "-q", "-b", "side", &format!("../{name}-tree")],
        );
        place.write(format!("{name}/a/b.yaml"), moved());
        for revision in ["HEAD", "main", "HEAD@{0}", "side"] {
            place
                .run(name, ["check", "--old-ref", revision, "a/b.yaml"])
                .expect(1, &[IMMUTABLE]);
        }
        let tree = format!("{name}-tree");
        place.write(format!("{tree}/crd.yaml"), moved());
        place
            .run(&tree, ["check", "--old-ref=side", "."])
            .expect(1, &[IMMUTABLE]);
    }
    // The objects are shared with another repository.
    let place = Place::with_repository();
    place.git(".", ["clone", "-q", "--shared", "repo", "second"]);
    place.git(".", ["clone", "-q", "--shared", "second", "third"]);
    place.write("third/crd.yaml", moved());
    place
        .run("third", ["check", "--old-ref=HEAD", "."])
        .expect(1, &[IMMUTABLE]);
    // Replacement refs are ignored: a commit keeps its content.
    let commit = place.git("repo", ["rev-parse", "HEAD"]);
    place.write("repo/crd.yaml", moved());
    place.commit("repo");
    place.git("repo", ["replace", &commit, "HEAD"]);
    place.check("HEAD~1", "crd.yaml").expect(1, &[IMMUTABLE]);
    assert_eq!(place.git("repo", ["show", "HEAD~1:crd.yaml"]), moved().trim());
}

fn a_partial_clone_fetches_nothing() {
    let place = Place::with_repository();
    place.git("repo", ["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", place.path("repo").display());
    place.git(
        ".",
        ["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "partial"],
    );
    place.write("partial/crd.yaml", moved());
    let run = || place.run("partial", ["check", "--old-ref=HEAD", "crd.yaml"]);
    run().expect(3, &["does not have the content of crd.yaml", "fetches nothing"]);
    run().expect(3, &["does not have the content of crd.yaml"]);
    // Other programs that access a remote do not run either.
    place.trap("run.sh");
    let ext = format!("ext::sh -c {}", place.path("run.sh").display());
    for (key, value) in [
        ("remote.origin.url", ext.as_str()),
        ("protocol.allow", "always"),
        ("protocol.ext.allow", "always"),
        ("fetch.bundleURI", "https://127.0.0.1:1/x"),
        ("remote.origin.uploadpack", &place.path("run.sh").display().to_string()),
    ] {
        place.git("partial", ["config", key, value]);
    }
    run().expect(3, &["fetches nothing"]);
    place.expect_nothing_ran();
    place.git("partial", ["config", "remote.origin.url", &url]);
    run().expect(3, &["fetches nothing"]);
    place.expect_nothing_ran();
    let objects = place.git("partial", ["count-objects", "-v"]);
    assert!(objects.contains("count: 0"), "{objects}");
}

fn what_is_too_large_is_not_read() {
    let place = Place::with_repository();
    // This is a file of 300 MB that needs 300 KB when compressed.
    place.write("repo/large.yaml", vec![b' '; 300_000_000]);
    place.commit("repo");
    place.write("repo/large.yaml", CRD);
    place.write("repo/crd.yaml", moved());
    let outcome = place.check("HEAD", ".");
    outcome.expect(
        3,
        &["large.yaml has 300000000 bytes, but crd-analyzer reads at most 33554432"],
    );
    outcome.expect(3, &[IMMUTABLE]);
    place.git("repo", ["gc", "-q"]);
    place
        .check("HEAD", ".")
        .expect(3, &["large.yaml has 300000000 bytes", IMMUTABLE]);
}
