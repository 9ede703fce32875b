//! FIFOs and devices in a repository. Commands must neither wait for them nor read them to the end.

use std::{fs, os::unix::fs::symlink, process::Command};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::{
    Test,
    repository::{CRD, IMMUTABLE, Outcome, Place, moved},
};

pub(crate) const TESTS: &[Test] = &[
    ("files_of_git_that_are_not_files", files_of_git_that_are_not_files),
    ("a_git_file_that_leads_nowhere", a_git_file_that_leads_nowhere),
    ("included_devices_are_not_read", included_devices_are_not_read),
    ("objects_that_are_not_files", objects_that_are_not_files),
    ("objects_that_explode", objects_that_explode),
];

/// A time that is longer than the timeout for git on a busy machine. Reading from a FIFO would take forever.
const SOON: std::time::Duration = std::time::Duration::from_secs(30);

/// A replacement for a file.
#[derive(Clone, Copy, Debug)]
enum Instead {
    Fifo,
    Zero,
    Folder,
    Loop,
}

const ALL: [Instead; 4] = [Instead::Fifo, Instead::Zero, Instead::Folder, Instead::Loop];

impl Instead {
    fn put(self, place: &Place, name: &str) {
        let path = place.path(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        match self {
            Self::Fifo => {
                let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
                assert!(made.success());
            }
            Self::Zero => symlink("/dev/zero", path).expect("a link"),
            Self::Folder => fs::create_dir(path).expect("a folder"),
            Self::Loop => symlink(path.file_name().expect("a name"), &path).expect("a link"),
        }
    }

    fn take_away(place: &Place, name: &str) {
        let path = place.path(name);
        fs::remove_dir(&path)
            .or_else(|_| fs::remove_file(&path))
            .expect("it is there");
    }
}

/// Runs the check with limits on time and memory. The exit code must be in `codes`.
#[track_caller]
fn expect_an_end(place: &Place, what: &str, codes: &[i32]) {
    let program = env!("CARGO_BIN_EXE_crd-analyzer");
    let mut command = place.command("repo", ["x"]);
    let script = format!("ulimit -v 4000000; exec '{program}' check --old-ref=HEAD crd.yaml");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).current_dir(place.path("repo"));
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let outcome = Outcome::of(&mut limited);
    assert!(outcome.took < SOON, "{what}: {outcome:#?}");
    assert!(
        outcome.code.is_some_and(|it| codes.contains(&it)),
        "{what}: {outcome:#?}"
    );
    assert!(!outcome.said.contains("panicked"), "{what}: {outcome:#?}");
    let _ = &mut command;
    place.expect_tidy_cache();
}

fn files_of_git_that_are_not_files() {
    for (name, codes) in [
        // Some of these files do not matter. Without the others, the repository cannot be used.
        ("HEAD", &[2, 3][..]),
        ("config", &[3]),
        ("refs/heads/main", &[2, 3]),
        ("packed-refs", &[1, 2, 3]),
        ("shallow", &[3]),
        ("commondir", &[2, 3]),
        ("FETCH_HEAD", &[1]),
        ("index", &[1]),
        ("config.worktree", &[1]),
        ("info/attributes", &[1]),
        ("info/grafts", &[1]),
        ("logs/HEAD", &[1]),
        ("objects/info/alternates", &[3]),
        ("objects/info/commit-graph", &[1]),
        ("objects/pack/multi-pack-index", &[1, 3]),
        ("refs/replace/x", &[1]),
    ] {
        let place = Place::with_repository();
        place.write("repo/crd.yaml", moved());
        let name = format!("repo/.git/{name}");
        for instead in ALL {
            let kept = place.path("kept");
            let was_there = fs::rename(place.path(&name), &kept).is_ok();
            instead.put(&place, &name);
            expect_an_end(&place, &format!("{instead:?} as {name}"), codes);
            Instead::take_away(&place, &name);
            if was_there {
                fs::rename(kept, place.path(&name)).expect("it can be moved back");
            }
        }
    }
}

fn a_git_file_that_leads_nowhere() {
    let place = Place::with_repository();
    place.write("repo/crd.yaml", moved());
    fs::rename(place.path("repo/.git"), place.path("real")).expect("it can be moved");
    for instead in [Instead::Fifo, Instead::Zero, Instead::Loop] {
        instead.put(&place, "repo/.git");
        expect_an_end(&place, &format!("{instead:?} as .git"), &[2, 3]);
        Instead::take_away(&place, "repo/.git");
    }
    for text in [
        "gitdir: /dev/zero\n",
        "gitdir: /dev/stdin\n",
        "gitdir: \n",
        "gitdir: nowhere\n",
        "gitdir: a\nb\n",
        "something else\n",
        "",
        "\0\0",
        &format!("gitdir: {}\n", "x".repeat(100_000)),
        &"\n".repeat(100_000),
    ] {
        place.write("repo/.git", text);
        let run = place.check("HEAD", "crd.yaml");
        run.expect(3, &["git cannot use ", "/repo/.git: "]);
    }
    place.write("repo/.git", "gitdir: ../real\n");
    place.check("HEAD", "crd.yaml").expect(1, &[IMMUTABLE]);
    fs::remove_file(place.path("repo/.git")).expect("it is there");
    symlink("../real", place.path("repo/.git")).expect("a link");
    place.check("HEAD", "crd.yaml").expect(1, &[IMMUTABLE]);
    place.write("real/commondir", "/dev/zero\n");
    expect_an_end(&place, "a commondir", &[2, 3]);
}

fn included_devices_are_not_read() {
    let place = Place::with_repository();
    place.write("repo/crd.yaml", moved());
    Instead::Fifo.put(&place, "fifo");
    let config = fs::read_to_string(place.path("repo/.git/config")).expect("it is there");
    for path in ["../../fifo", "/dev/zero", "/dev/stdin", "../../nowhere"] {
        let text = format!("{config}[include]\n\tpath = {path}\n[includeIf \"gitdir:/\"]\n\tpath = {path}\n");
        place.write("repo/.git/config", text);
        for revision in ["HEAD", "HEAD@{0}"] {
            place.check(revision, "crd.yaml").expect(1, &[IMMUTABLE]);
        }
    }
    for text in [
        "[",
        "x",
        "[core]\n\tbare = \"",
        "[extensions]\n\tobjectFormat = \"sha",
        "\0\0\0",
    ] {
        place.write("repo/.git/config", text);
        expect_an_end(&place, text, &[1, 3]);
    }
    let huge = format!("[{}]\n{}objectformat\n", "s".repeat(300_000), "a\n".repeat(300_000));
    place.write("repo/.git/config", huge);
    expect_an_end(&place, "a configuration that git would write at length", &[3]);
    for form in ["md5", "sha256"] {
        place.write("repo/.git/config", format!("[extensions]\n\tobjectFormat = {form}\n"));
        expect_an_end(&place, form, &[2, 3]);
    }
}

fn objects_that_are_not_files() {
    ALL.into_par_iter().for_each(|instead| {
        for name in ["HEAD", "HEAD^{tree}", "HEAD:crd.yaml"] {
            let place = Place::with_repository();
            place.write("repo/crd.yaml", moved());
            let id = place.git("repo", ["rev-parse", name]);
            let path = format!("repo/.git/objects/{}/{}", &id[..2], &id[2..]);
            instead.put(&place, &path);
            expect_an_end(&place, &format!("{instead:?} as {name}"), &[2, 3]);
        }
        let place = Place::with_repository();
        place.write("repo/crd.yaml", moved());
        place.git("repo", ["gc", "-q"]);
        for entry in place
            .path("repo/.git/objects/pack")
            .read_dir()
            .expect("a folder")
            .flatten()
        {
            let name = entry.file_name().into_string().expect("UTF-8");
            let name = format!("repo/.git/objects/pack/{name}");
            fs::rename(place.path(&name), place.path("kept")).expect("it can be moved");
            instead.put(&place, &name);
            expect_an_end(&place, &format!("{instead:?} as {name}"), &[1, 2, 3]);
            Instead::take_away(&place, &name);
            fs::rename(place.path("kept"), place.path(&name)).expect("it can be moved back");
        }
        // This is a chain of alternate object folders.
        instead.put(&place, "far/objects/info/alternates");
        fs::create_dir_all(place.path("near/objects/info")).expect("a folder");
        place.write("near/objects/info/alternates", "../../far/objects\n");
        for line in [
            "../../../near/objects",
            "../../../far/objects",
            "/dev",
            "/dev/zero",
            "/proc/self/fd",
            "\"x\\",
        ] {
            place.write("repo/.git/objects/info/alternates", format!("{line}\n"));
            expect_an_end(&place, &format!("{instead:?} behind {line}"), &[1, 3]);
        }
    });
}

fn objects_that_explode() {
    let place = Place::with_repository();
    place.write("repo/crd.yaml", moved());
    // The tree, the commit or the tag is a compressed object of 100 MB that needs 100 KB on disk.
    place.write("large", vec![b' '; 100_000_000]);
    for kind in ["tree", "commit", "tag"] {
        let id = place.git("repo", ["hash-object", "-w", "--literally", "-t", kind, "../large"]);
        let commit = if kind == "tree" {
            let text = format!("tree {id}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nm\n");
            place.write("commit", text);
            place.git(
                "repo",
                ["hash-object", "-w", "--literally", "-t", "commit", "../commit"],
            )
        } else {
            id
        };
        place.write("repo/.git/refs/heads/main", format!("{commit}\n"));
        // git's memory limit prevents it from reading the object.
        let outcome = place.check("HEAD", "crd.yaml");
        assert!(matches!(outcome.code, Some(2 | 3)), "{kind}: {outcome:#?}");
        assert!(outcome.said.contains("over limit"), "{kind}: {outcome:#?}");
    }
    let place = Place::with_repository();
    place.write("repo/crd.yaml", CRD);
    place.write("repo/.git/refs/heads/main", "ref: refs/heads/main\n");
    expect_an_end(&place, "a branch that leads to itself", &[2]);
    place.write("repo/.git/HEAD", "ref: refs/../../../../../../dev/zero\n");
    expect_an_end(&place, "a head that leads away", &[2, 3]);
}
