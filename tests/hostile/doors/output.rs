//! Checks that output is never written through a link of the repository or into a program.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
};

use crate::sandbox::{CRD, RESOURCE, Sandbox};

/// The content of a file that must not be overwritten.
const KEPT: &str = "#!/bin/sh\n# kept\n";

/// A command that writes a file, and the name of that file.
struct Writer {
    args: &'static [&'static str],
    file: &'static str,
}

const WRITERS: &[Writer] = &[
    Writer {
        args: &["check", "-o", "sarif=FOLDER/crds.sarif", "wrong.yaml"],
        file: "crds.sarif",
    },
    Writer {
        args: &["check", "-o", "text", "-o", "junit=FOLDER/report.xml", "wrong.yaml"],
        file: "report.xml",
    },
    Writer {
        args: &["check", "--output-file", "FOLDER/report.txt", "wrong.yaml"],
        file: "report.txt",
    },
    Writer {
        args: &[
            "check",
            "--baseline",
            "FOLDER/baseline.json",
            "--update-baseline",
            "wrong.yaml",
        ],
        file: "baseline.json",
    },
    Writer {
        args: &["docs", "--output-dir", "FOLDER", "crd.yaml"],
        file: "README.md",
    },
    Writer {
        args: &["docs", "--output-dir", "FOLDER", "--format", "html", "crd.yaml"],
        file: "widgets.example.com.html",
    },
    Writer {
        args: &[
            "schema",
            "--format",
            "json-schema",
            "--output-dir",
            "FOLDER",
            "crd.yaml",
        ],
        file: "example.com/widget_v1.json",
    },
];

impl Writer {
    fn args(&self, folder: &str) -> Vec<String> {
        self.args.iter().map(|it| it.replace("FOLDER", folder)).collect()
    }

    /// A valid previous content. If the file is rejected, only its path or mode can be the reason.
    fn before(&self) -> &'static str {
        if self.file == "baseline.json" {
            "{\"version\": 1, \"diagnostics\": []}"
        } else {
            KEPT
        }
    }
}

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("crd.yaml", CRD),
        ("wrong.yaml", &RESOURCE.replace("size: 3", "size: x")),
        ("out/kept", ""),
    ])
}

/// Runs a command that writes. `refused` is the expected reason for not writing, or `None` if the command has to write.
#[track_caller]
fn check(sandbox: &Sandbox, args: &[String], refused: Option<&str>) {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = sandbox.run(&args);
    match refused {
        Some(words) => {
            let said = outcome.expect(3, &[]).on_one_line();
            let is_said = said.contains("cannot write") || said.contains("cannot read the baseline");
            assert!(is_said && said.contains(words), "{words:?} is missing in {outcome:#?}");
        }
        None => assert!(!outcome.on_one_line().contains("cannot write"), "{outcome:#?}"),
    }
    assert!(matches!(outcome.code, Some(0 | 1 | 3)), "{outcome:#?}");
}

#[test]
fn no_file_is_written_through_a_link() {
    for writer in WRITERS {
        for target in [
            ".git/hooks/pre-commit",
            ".git/config",
            "victim",
            "../victim",
            "none",
            ".git/hooks/none",
        ] {
            let sandbox = sandbox();
            let path = sandbox.path().join("out").join(writer.file);
            let target = sandbox.path().join(target);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::create_dir_all(sandbox.path().join(".git/hooks")).expect("folders");
            let is_there = !target.ends_with("none");
            if is_there {
                fs::write(&target, writer.before()).expect("a file");
            }
            symlink(&target, &path).expect("a link");
            let args = writer.args("out");
            let is_baseline = writer.file == "baseline.json";
            let is_of_git = target.starts_with(sandbox.path().join(".git"));
            let refused = match (is_baseline, is_there) {
                // The baseline is read before it is written.
                (true, true) if is_of_git => "belongs to git",
                (true, false) => "No such file",
                _ => "is a link",
            };
            check(&sandbox, &args, Some(refused));
            if is_there {
                assert_eq!(fs::read_to_string(&target).expect("a file"), writer.before());
            } else {
                assert!(!target.exists(), "{}", target.display());
            }
            assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
        }
    }
}

#[test]
fn a_report_never_becomes_a_hook() {
    // The field name is a command, and a report would contain it.
    let field = "\"`touch PWNED`\": 1\n";
    let sandbox = Sandbox::new(&[("crd.yaml", CRD), ("wrong.yaml", &(RESOURCE.to_owned() + field))]);
    sandbox.write(".git/hooks/pre-commit", KEPT);
    let hook = sandbox.path().join(".git/hooks/pre-commit");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("a mode");
    symlink(".git/hooks/pre-commit", sandbox.path().join("crds.sarif")).expect("a link");
    symlink(".git/hooks", sandbox.path().join("reports")).expect("a link");
    for path in [
        "crds.sarif",
        "./crds.sarif",
        "reports/pre-commit",
        "reports/post-commit",
        ".git/hooks/pre-commit",
    ] {
        for force in [&[][..], &["--replace-executable"]] {
            let output = format!("sarif={path}");
            let args = [&["check", "-o", &output, "."][..], force].concat();
            sandbox.run(&args).expect(3, &["cannot write"]);
            assert_eq!(fs::read_to_string(&hook).expect("a file"), KEPT);
            assert_eq!(
                fs::read_dir(hook.parent().expect("a folder"))
                    .expect("a folder")
                    .count(),
                1
            );
        }
    }
}

#[test]
fn no_folder_on_the_way_is_a_link() {
    for writer in WRITERS {
        let sandbox = sandbox();
        let victim = sandbox.path().join("victim");
        fs::create_dir(&victim).expect("a folder");
        fs::create_dir(sandbox.path().join("../outside")).expect("a folder");
        symlink("victim", sandbox.path().join("inside")).expect("a link");
        symlink("../outside", sandbox.path().join("away")).expect("a link");
        let is_folder = writer.args.contains(&"--output-dir");
        check(
            &sandbox,
            &writer.args("away"),
            Some(if is_folder { "outside of" } else { "is a link" }),
        );
        // The folder of `--output-dir` may be a link inside the repository, because the user gave it.
        check(&sandbox, &writer.args("inside"), (!is_folder).then_some("is a link"));
        assert_eq!(fs::read_dir(&victim).expect("a folder").count() > 0, is_folder);
        assert_eq!(
            fs::read_dir(sandbox.path().join("../outside"))
                .expect("a folder")
                .count(),
            0
        );
    }
    // The folders inside it must not be links.
    let sandbox = sandbox();
    fs::create_dir(sandbox.path().join("victim")).expect("a folder");
    symlink("../victim", sandbox.path().join("out/example.com")).expect("a link");
    let args = ["schema", "--format", "json-schema", "--output-dir", "out", "crd.yaml"];
    sandbox.run(&args).expect(3, &["cannot write", "is a link"]);
    assert_eq!(
        fs::read_dir(sandbox.path().join("victim")).expect("a folder").count(),
        0
    );
}

#[test]
fn links_of_the_user_are_followed() {
    // The repository is behind a link, as with some home folders. The current folder is elsewhere.
    let sandbox = sandbox();
    let elsewhere = sandbox.path().join("../elsewhere");
    fs::create_dir_all(elsewhere.join("real/out")).expect("folders");
    symlink("real", elsewhere.join("link")).expect("a link");
    let folder = elsewhere.join("link/out").display().to_string();
    for writer in WRITERS {
        check(&sandbox, &writer.args(&folder), None);
        assert!(
            elsewhere.join("real/out").join(writer.file).is_file(),
            "{}",
            writer.file
        );
    }
}

#[test]
fn programs_are_replaced_only_if_the_user_says_so() {
    for writer in WRITERS {
        let sandbox = sandbox();
        let path = sandbox.path().join("out").join(writer.file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, writer.before()).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        let mut args = writer.args("out");
        check(
            &sandbox,
            &args,
            Some("it is executable: remove it, or add `--replace-executable`"),
        );
        assert_eq!(fs::read_to_string(&path).expect("a file"), writer.before());
        args.push("--replace-executable".to_owned());
        check(&sandbox, &args, None);
        assert_ne!(fs::read_to_string(&path).expect("a file"), writer.before());
        assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o777, 0o755);
    }
    // Links are also followed for files that are changed.
    for (args, file, text) in [
        (
            &["check", "--fix", "a.yaml", "--crd", "crd.yaml"][..],
            "a.yaml",
            crate::writing::broken("a"),
        ),
        (
            &["test", "--update", "a.test.yaml"],
            "a.test.yaml",
            crate::writing::wrong_suite(),
        ),
    ] {
        let sandbox = sandbox();
        sandbox.write(file, &text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(sandbox.path().join(file), mode).expect("a mode");
        sandbox
            .run(args)
            .expect(3, &[&format!("cannot write {file}: it is executable")]);
        assert_eq!(sandbox.read(file), text);
        sandbox.run(&[args, &["--replace-executable"]].concat()).expect(0, &[]);
        assert_ne!(sandbox.read(file), text);
    }
}

#[test]
fn what_is_no_file_is_not_replaced() {
    for writer in WRITERS {
        let sandbox = sandbox();
        let path = sandbox.path().join("out").join(writer.file);
        fs::create_dir_all(&path).expect("folders");
        let args = writer.args("out");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        sandbox.run(&args).expect(3, &["it is a folder"]);
        fs::remove_dir(&path).expect("it is empty");
        crate::sandbox::fifo(&path);
        sandbox.run(&args).expect(3, &["it is a FIFO"]);
    }
}
