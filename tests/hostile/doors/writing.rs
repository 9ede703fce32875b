//! Checks `check --fix`, `test --update` and `test --init` when they cannot write, or when another program writes at the same time.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::sandbox::{CRD, Outcome, RESOURCE, SUITE, Sandbox};

/// A resource with a value that has one safe fix, and some kilobytes of comments.
pub(crate) fn broken(name: &str) -> String {
    let comments = format!("# {}\n", "x".repeat(98)).repeat(60);
    RESOURCE.replace("size: 3", "size: \"3\"").replace("one", name) + &comments
}

/// The resource after the fix.
pub(crate) fn repaired(text: &str) -> String {
    text.replace("size: \"3\"", "size: 3")
}

/// A test file with a wrong expectation.
pub(crate) fn wrong_suite() -> String {
    SUITE.replace("accepted", "rejected") + &format!("# {}\n", "x".repeat(98)).repeat(60)
}

/// A repository with a file to fix and a file to update.
fn repository() -> Sandbox {
    Sandbox::new(&[
        ("crd.yaml", CRD),
        ("a.yaml", &broken("a")),
        ("a.test.yaml", &wrong_suite()),
    ])
}

/// The commands that change a file, each with the file and the previous content of the file.
fn ways() -> [(&'static [&'static str], &'static str, String); 2] {
    [
        (
            &["check", "--fix", "a.yaml", "--crd", "crd.yaml"],
            "a.yaml",
            broken("a"),
        ),
        (&["test", "--update", "a.test.yaml"], "a.test.yaml", wrong_suite()),
    ]
}

const NAMES: [&str; 3] = ["a.test.yaml", "a.yaml", "crd.yaml"];

#[test]
fn a_limit_on_files() {
    for (args, file, before) in ways() {
        for blocks in [0, 4] {
            let sandbox = repository();
            let outcome = sandbox.run_in_shell(&format!("ulimit -f {blocks}; \"$@\""), args);
            outcome.expect(3, &[&format!("cannot write {file}"), "ulimit -f"]);
            assert_eq!(sandbox.read(file), before);
            assert_eq!(sandbox.names(), NAMES);
        }
        let sandbox = repository();
        sandbox.run_in_shell("ulimit -f 100; \"$@\"", args).expect(0, &[]);
        assert_ne!(sandbox.read(file), before);
    }
    let sandbox = repository();
    let outcome = sandbox.run_in_shell("ulimit -f 0; \"$@\"", &["test", "--init", "crd.yaml"]);
    outcome.expect(3, &["cannot write crd.test.yaml", "ulimit -f"]);
    assert_eq!(sandbox.names(), NAMES);
}

/// A script that runs the command in the mounted folder `disk`, with `free` kilobytes left on that disk.
fn on_full_disk(free: u32) -> String {
    format!(
        "set -e; mkdir disk; mount -t tmpfs -o size=100k none disk; cp *.yaml disk; cd disk
         head -c 200000 /dev/zero > filler 2> /dev/null || true; head -c {} /dev/zero > keep; true
         truncate -s -{}K filler; set +e; \"$@\"; code=$?; ls -A > ../names; cp -r . ../after; exit $code",
        0, free
    )
}

#[test]
fn a_full_disk() {
    let is_possible = |flags: &str| {
        let mut probe = Command::new("unshare");
        probe
            .args([flags, "mount", "-t", "tmpfs", "none", "/mnt"])
            .stderr(Stdio::null());
        probe.status().is_ok_and(|it| it.success())
    };
    let Some(flags) = ["-m", "-rm"].into_iter().find(|it| is_possible(it)) else {
        eprintln!("no disk of its own can be had here");
        return;
    };
    for free in [0, 4] {
        for (args, file, before) in ways() {
            let sandbox = repository();
            sandbox.write("script", on_full_disk(free));
            let outcome = sandbox.run_in_shell(&format!("unshare {flags} bash script \"$@\""), args);
            outcome.expect(3, &[&format!("cannot write {file}"), "No space left on device"]);
            assert_eq!(sandbox.read(&format!("after/{file}")), before);
            assert_eq!(sandbox.read("names"), "a.test.yaml\na.yaml\ncrd.yaml\nfiller\nkeep\n");
        }
        let sandbox = repository();
        sandbox.write("script", on_full_disk(0));
        let args = ["test", "--init", "crd.yaml"];
        let outcome = sandbox.run_in_shell(&format!("unshare {flags} bash script \"$@\""), &args);
        outcome.expect(3, &["cannot write crd.test.yaml"]);
        assert_eq!(sandbox.read("names"), "a.test.yaml\na.yaml\ncrd.yaml\nfiller\nkeep\n");
    }
}

#[test]
fn one_file_that_cannot_be_written_does_not_stop_the_others() {
    let names = ["a.yaml", "b.yaml", "c.yaml", "d.yaml"];
    let sandbox = Sandbox::new(&[("crd.yaml", CRD)]);
    for name in names {
        sandbox.write(name, broken(name));
    }
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(sandbox.path().join("b.yaml"), read_only).expect("a mode");
    fs::hard_link(sandbox.path().join("c.yaml"), sandbox.path().join("../c.yaml")).expect("a name");
    let outcome = sandbox.run(&["check", "--fix", "."]);
    outcome.expect(
        3,
        &[
            "cannot write b.yaml: it is read-only",
            "cannot write c.yaml: it has 2 names",
        ],
    );
    outcome.never_says("cannot write a.yaml");
    for name in names {
        let expected = match name {
            "b.yaml" | "c.yaml" => broken(name),
            _ => repaired(&broken(name)),
        };
        assert_eq!(sandbox.read(name), expected);
    }
    // The same applies to test files.
    let sandbox = repository();
    sandbox.write("b.test.yaml", wrong_suite());
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(sandbox.path().join("a.test.yaml"), read_only).expect("a mode");
    let outcome = sandbox.run(&["test", "--update", "."]);
    outcome.expect(3, &["cannot write a.test.yaml: it is read-only", "1 updated"]);
    assert_eq!(sandbox.read("a.test.yaml"), wrong_suite());
    assert_eq!(
        sandbox.read("b.test.yaml"),
        wrong_suite().replace("rejected", "accepted")
    );
}

#[test]
fn a_folder_that_cannot_be_written() {
    let sandbox = repository();
    // root ignores permissions, so this test would not work.
    if fs::metadata("/proc/self").expect("it is there").uid() == 0 {
        return;
    }
    fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(0o555)).expect("a mode");
    for (args, file, before) in ways() {
        sandbox
            .run(args)
            .expect(3, &[&format!("cannot write {file}"), "ermission denied"]);
        assert_eq!(sandbox.read(file), before);
    }
    sandbox
        .run(&["test", "--init", "crd.yaml"])
        .expect(3, &["cannot write crd.test.yaml"]);
    fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn links() {
    for (args, file, before) in ways() {
        // The link leads to a file inside the repository: the target is changed, and the link stays.
        let sandbox = repository();
        let path = sandbox.path().join(file);
        fs::create_dir(sandbox.path().join("real")).expect("a folder");
        let real = sandbox.path().join("real").join(file);
        fs::rename(&path, &real).expect("it can be moved");
        fs::copy(sandbox.path().join("crd.yaml"), sandbox.path().join("real/crd.yaml")).expect("a copy");
        symlink(&real, &path).expect("a link");
        sandbox.run(args).expect(0, &[]);
        assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
        assert_ne!(fs::read_to_string(&real).expect("a file"), before);
        // The link leads outside of the repository: the target is not changed, even if the user named the link.
        let sandbox = repository();
        let path = sandbox.path().join(file);
        let real = sandbox.path().join("..").join(file);
        fs::rename(&path, &real).expect("it can be moved");
        symlink(&real, &path).expect("a link");
        sandbox
            .run(args)
            .expect(3, &[&format!("cannot write {file}"), "outside of"]);
        assert_eq!(fs::read_to_string(&real).expect("a file"), before);
    }
    let sandbox = repository();
    symlink("../elsewhere.yaml", sandbox.path().join("crd.test.yaml")).expect("a link");
    sandbox
        .run(&["test", "--init", "crd.yaml"])
        .expect(2, &["crd.test.yaml"]);
    assert!(!sandbox.path().join("../elsewhere.yaml").exists());
}

#[test]
fn only_the_text_changes() {
    for (args, file, _) in ways() {
        for change in [
            |it: &str| it.replace('\n', "\r\n"),
            |it: &str| format!("\u{FEFF}{it}"),
            str::to_owned,
        ] {
            let sandbox = repository();
            let before = change(&sandbox.read(file));
            sandbox.write(file, &before);
            let path = sandbox.path().join(file);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
            sandbox.run(args).expect(0, &[]);
            let after = sandbox.read(file);
            let expected = before.replace("rejected", "accepted");
            assert_eq!(
                after,
                if file == "a.yaml" {
                    repaired(&expected)
                } else {
                    expected
                }
            );
            assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o7777, 0o640);
            assert_eq!(sandbox.names(), NAMES);
        }
    }
}

#[test]
fn an_edit_that_comes_between_is_not_lost() {
    for (args, file, before) in ways() {
        let edited = format!("{before}# An edit.\n");
        for moment in 0..20 {
            let sandbox = repository();
            let mut child = sandbox
                .command(args)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("crd-analyzer runs");
            thread::sleep(Duration::from_millis(moment * 4));
            // A new file replaces the old one, as when an editor saves a file.
            sandbox.write("saved", &edited);
            fs::rename(sandbox.path().join("saved"), sandbox.path().join(file)).expect("it can be renamed");
            child.wait().expect("it ends");
            let after = sandbox.read(file);
            assert!(after.ends_with("# An edit.\n"), "after {moment} times 4 ms: {after}");
            assert_eq!(sandbox.names(), NAMES);
        }
    }
}

#[test]
fn an_edit_that_was_seen_is_said() {
    // A test cannot reliably change a file during a check, so this test locks the file instead.
    for (args, file, before) in ways() {
        let sandbox = repository();
        let path = sandbox.path().join(file);
        let script = format!("exec 9< {file}; flock -x 9; \"$@\"");
        let outcome: Outcome = sandbox.run_in_shell(&script, args);
        outcome.expect(3, &[&format!("cannot write {file}"), "has locked it"]);
        assert_eq!(fs::read_to_string(path).expect("a file"), before);
    }
}
