//! Devices, pipes, sockets and endless files instead of regular files.

use std::fs;

use crate::sandbox::{CRD, RESOURCE, SUITE, Sandbox, TRAPS, Trap};

/// A repository in which each file is read by some command.
fn repository() -> Sandbox {
    Sandbox::new(&[
        ("crd.yaml", CRD),
        ("api/resource.yaml", RESOURCE),
        ("api/v1/widget_types.go", "package v1\n\ntype Widget struct{}\n"),
        ("api/crd.test.yaml", &SUITE.replace("crd.yaml", "../crd.yaml")),
        ("go.mod", "module example.com/widgets\n"),
    ])
}

/// Replaces a file by each trap in turn and runs all commands, which must end within the limits. `is_right` returns whether an exit code is valid for
/// a command and a trap.
#[track_caller]
fn check(name: &str, is_right: impl Fn(&str, Trap, i32) -> bool) {
    for trap in TRAPS {
        let sandbox = repository();
        let path = sandbox.path().join(name);
        if path.exists() {
            fs::remove_file(&path).expect("it can be removed");
        }
        sandbox.trap(name, *trap);
        for args in [
            &["check", "."][..],
            &["check", "-o", "jsonl", "crd.yaml", "api/resource.yaml"],
            &["check", "--fix", "."],
            &["cost", "."],
            &["test", "."],
            &["test", "--update", "api"],
        ] {
            let outcome = sandbox.run(args);
            let code = outcome.code.unwrap_or_else(|| panic!("{trap:?} {outcome:#?}"));
            assert!(
                is_right(args[0], *trap, code),
                "{name}, {trap:?}, {args:?}: {outcome:#?}"
            );
        }
        // The document contains an error, so that the language server also looks for its Go sources.
        let outcome = sandbox.session("crd.yaml", &CRD.replace("type: integer", "type: strng"));
        outcome.expect(0, &["unknown-type"]);
    }
}

#[test]
fn a_configuration() {
    // An unreadable configuration is an error, because it applies to all users of the repository.
    check(".crd-analyzer.yaml", |_, _, code| code == 2);
    check("api/.crd-analyzer.yaml", |_, _, code| code == 2);
}

#[test]
fn ignore_rules() {
    for name in [".ignore", ".gitignore", "api/.gitignore", ".git/info/exclude"] {
        check(name, |_, _, code| code == 0);
    }
}

#[test]
fn go_sources() {
    for name in ["go.mod", "api/go.mod", "api/v1/widget_types.go", "api/v1/other.go"] {
        check(name, |_, _, code| code == 0);
    }
}

#[test]
fn git_itself() {
    // In a submodule, `.git` is a file.
    check("api/.git", |command, _, code| match command {
        // A file or folder named `.git` ends a repository, so the CRD above it belongs to another repository.
        "test" => code == 0 || code == 3,
        _ => code == 0,
    });
}

/// Whether a walk skips this kind of trap, like git, instead of reporting an unreadable file.
fn is_passed_over(trap: Trap) -> bool {
    matches!(trap, Trap::Fifo | Trap::Socket | Trap::Folder | Trap::Link("fifo"))
}

#[test]
fn manifests() {
    for name in ["other.yaml", "api/other.json"] {
        check(name, |command, trap, code| {
            let named = code == 0;
            match command {
                "check" | "cost" => named || code == 3 && !is_passed_over(trap),
                // `test` only reads files that may be test files, but it reports links that lead elsewhere.
                _ => named || code == 3,
            }
        });
    }
}

#[test]
fn test_files() {
    check("api/other.test.yaml", |_, trap, code| {
        code == 0 || code == 3 && !is_passed_over(trap)
    });
    check("api/crd.test.yaml", |command, trap, code| match command {
        // The folder contains no other test file.
        "test" => code == if is_passed_over(trap) { 2 } else { 3 },
        _ => code == 0 || code == 3 && !is_passed_over(trap),
    });
}

#[test]
fn crds_that_a_configuration_names() {
    for trap in TRAPS {
        let sandbox = repository();
        sandbox.write(".crd-analyzer.yaml", "crds: [trap]\n");
        sandbox.trap("trap", *trap);
        let outcome = sandbox.run(&["check", "api"]);
        let code = outcome.code.expect("it ends by itself");
        // A folder as a trap is empty, and a file without CRDs has no effect.
        let is_right = match trap {
            Trap::Folder | Trap::Huge => code == 0,
            Trap::Link("nowhere" | "fifo") | Trap::Loop | Trap::Fifo | Trap::Socket => code == 3,
            Trap::Link(_) => code == 2,
        };
        assert!(is_right, "{trap:?}: {outcome:#?}");
        sandbox.session("crd.yaml", CRD).expect(0, &[]);
    }
}

#[test]
fn crds_that_a_test_file_names() {
    for trap in TRAPS {
        let sandbox = repository();
        sandbox.write("api/crd.test.yaml", SUITE.replace("crd.yaml", "trap"));
        sandbox.trap("api/trap", *trap);
        for args in [
            &["test", "."][..],
            &["test", "api/crd.test.yaml"],
            &["test", "--update", "."],
        ] {
            sandbox.run(args).expect(3, &["api/crd.test.yaml"]);
        }
    }
}

#[test]
fn what_the_user_names() {
    for trap in TRAPS {
        let sandbox = repository();
        sandbox.trap("trap", *trap);
        if matches!(trap, Trap::Folder | Trap::Link("/")) {
            continue;
        }
        for args in [
            &["check", "trap"][..],
            &["check", "--fix", "trap"],
            &["cost", "trap"],
            &["test", "trap"],
            &["test", "--init", "trap"],
            &["check", "--list", "trap"],
            &["check", "--old", "trap", "crd.yaml"],
            &["check", "--config", "trap", "crd.yaml"],
            &["check", "--crd", "trap", "api/resource.yaml"],
            &["eval", "--crd", "trap", "--value", "{}"],
            &["eval", "self", "--value", "trap"],
            &["eval", "@trap"],
            &["eval", "--list", "trap"],
        ] {
            let outcome = sandbox.run(args);
            let code = outcome.code.unwrap_or_else(|| panic!("{trap:?} {outcome:#?}"));
            // If the argument of `--value` is not a file, the argument itself is the value. A file without CRDs has no effect.
            let is_right = code == 3 || code == 2 || args.contains(&"--value") || args.contains(&"--crd");
            assert!(is_right, "{trap:?}, {args:?}: {outcome:#?}");
        }
    }
}

#[test]
fn what_a_shell_hands_over_is_read() {
    let sandbox = repository();
    let outcome = sandbox.run_in_shell("\"$@\" <(cat crd.yaml)", &["check"]);
    outcome.expect(0, &["1 file, 1 CRD"]);
    let outcome = sandbox.run_in_shell("\"$@\" --list <(echo crd.yaml)", &["check"]);
    outcome.expect(0, &["1 file, 1 CRD"]);
    sandbox
        .run_in_shell("\"$@\" /dev/stdin < crd.yaml", &["check"])
        .expect(3, &["use `-`"]);
    sandbox
        .run_in_shell("\"$@\" - < crd.yaml", &["check"])
        .expect(0, &["1 file, 1 CRD"]);
}

#[test]
fn configurations_that_would_take_long() {
    for text in [
        "[".repeat(200_000),
        "{a: ".repeat(30_000),
        "a: ".repeat(30_000),
        "- ".repeat(60_000),
    ] {
        let sandbox = repository();
        sandbox.write(".crd-analyzer.yaml", &text);
        sandbox.run(&["check", "."]).expect(2, &[".crd-analyzer.yaml"]);
        sandbox.session("crd.yaml", CRD).expect(0, &[".crd-analyzer.yaml"]);
    }
}

/// Braces may be an action of a template. One line may have very many.
#[test]
fn many_braces_in_a_line() {
    for braces in ["{{a: 1} : b}, ", "{{a: 1}: b}, "] {
        let text = format!("{RESOURCE}a: [{}]\n", braces.repeat(20_000));
        let sandbox = Sandbox::new(&[("crd.yaml", CRD), ("a.yaml", &text)]);
        sandbox.run(&["check", "a.yaml"]).expect(1, &["1 file"]);
    }
    let text = format!("{RESOURCE}a: \"{}\"\n", "{{".repeat(500_000));
    let sandbox = Sandbox::new(&[("crd.yaml", CRD), ("a.yaml", &text)]);
    sandbox.run(&["check", "a.yaml"]).expect(1, &["1 file"]);
}

#[test]
fn many_globs_over_many_files() {
    let sandbox = repository();
    for folder in 0..60 {
        fs::create_dir(sandbox.path().join(folder.to_string())).expect("a folder");
        for file in 0..60 {
            let path = sandbox.path().join(format!("{folder}/{file}.yaml"));
            fs::write(path, "a: b\n").expect("a file");
        }
    }
    let globs: Vec<String> = (0..300).map(|it| format!("  - '**/x{it}*/**/y*{it}.yaml'\n")).collect();
    sandbox.write(".crd-analyzer.yaml", format!("exclude:\n{}", globs.concat()));
    sandbox.run(&["check", "."]).expect(0, &["3602 files"]);
    sandbox.session("crd.yaml", CRD).expect(0, &[]);
}
