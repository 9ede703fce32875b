//! Small repositories that resemble real ones, with the exact output of a command for each.
//!
//! A case is a text file: comments that describe it, the command, the files, and the output with the exit code.
//!
//! ```text
//! # An empty CRD is not a patch.
//! $ crd-analyzer check .
//! -- crd.yaml --
//! apiVersion: apiextensions.k8s.io/v1
//! -- crds/widgets.yaml = widgets.yaml --
//! -- output --
//! exit code 1
//! ```
//!
//! `-- FILE = SHARED --` uses the text of `shared/SHARED`. The lines after it are changes to this text: lines that start with `-` are replaced by
//! lines that start with `+`. `-- @commit --` commits the files before it. `$ ... < FILE` reads standard input from a file. `UPDATE_ADOPTION=1 cargo
//! test --test adoption` rewrites the outputs: review the diff.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::{fs, path::Path};

mod case;

use case::{Case, OUTPUT, cases, root};

fn check(folder: &str) {
    let updates = std::env::var_os("UPDATE_ADOPTION").is_some();
    let mut wrong = Vec::new();
    for path in cases(folder) {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
        let said = case.run();
        if said == case.output {
            continue;
        }
        if updates {
            let head = case.head.trim_end();
            fs::write(&path, format!("{head}\n{OUTPUT}{said}")).expect("the case can be written");
        } else {
            let name = path.strip_prefix(root()).unwrap_or(&path).display();
            wrong.push(format!("{name}\n\nexpected:\n{}\nfound:\n{said}", case.output));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ\n\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_that_would_fail_passes_in_silence() {
    check("false-green");
}

#[test]
fn nothing_that_is_completed_later_is_an_error() {
    check("false-red");
}

#[test]
fn options_of_pipelines_do_what_they_say() {
    check("pipeline");
}

#[test]
fn lines_fit_into_the_terminal() {
    for path in ["false-green", "false-red", "pipeline"].into_iter().flat_map(cases) {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
        // These formats print one line per diagnostic, so they have no continuation lines.
        if case.command.iter().any(|it| ["concise", "tap"].contains(&it.as_str())) {
            continue;
        }
        for line in case.output.lines() {
            let is_text = !line.starts_with('{') && !line.starts_with("error: ");
            assert!(
                !is_text || line.chars().count() <= 100,
                "{} has the line {line:?}",
                path.display()
            );
        }
    }
}

/// The text after the first `mark`, with its continuation lines, which start with `indent`.
fn after(output: &str, mark: &str, indent: &str) -> Option<String> {
    let mut lines = output.lines().skip_while(|it| !it.contains(mark));
    let begin = lines.next()?.split_once(mark)?.1;
    let rest = lines.take_while(|it| it.starts_with(indent));
    Some(rest.fold(begin.to_owned(), |all, it| format!("{all} {}", it.trim())))
}

/// Typical mistakes in a first CRD, one per case. The documentation page contains the first message of each case.
#[test]
fn first_mistakes_have_messages_that_teach() {
    check("first-mistakes");
    let mut rows = Vec::new();
    for path in cases("first-mistakes") {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
        let headline = after(&case.output, "]: ", "    ").expect("a message");
        let help = after(&case.output, " = help: ", "           ").expect("help");
        // A `|` ends a cell, even in code.
        let cells = [case.title().trim_end_matches('.'), &headline, &help].map(|it| it.replace('|', "\\|"));
        rows.push(format!("| {} |", cells.join(" | ")));
    }
    assert!(rows.len() >= 100, "only {} mistakes", rows.len());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/first-mistakes.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (head, old) = text.split_once("\n|-|-|-|\n").expect("a table");
    let fresh = rows.join("\n") + "\n";
    if std::env::var_os("UPDATE_ADOPTION").is_some() {
        fs::write(&page, format!("{head}\n|-|-|-|\n{fresh}")).expect("the page can be written");
    } else {
        assert_eq!(old, fresh, "run UPDATE_ADOPTION=1 cargo test --test adoption");
    }
}
