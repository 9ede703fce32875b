//! Small repositories as they are found in the field, and the exact answer to each.
//!
//! A case is a text file: comments that say what it is about, the command, the files, and the output with the exit code.
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
//! `-- FILE = SHARED --` takes the text of `shared/SHARED`. `$ ... < FILE` reads standard input from a file. `UPDATE_ADOPTION=1 cargo test
//! --test adoption` rewrites the outputs: read the difference.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::{
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A case, as its file has it.
struct Case {
    /// Everything before the output.
    head: String,
    command: Vec<String>,
    /// What standard input is read from.
    input: Option<String>,
    files: Vec<(String, String)>,
    output: String,
}

const OUTPUT: &str = "-- output --\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adoption")
}

impl Case {
    fn read(text: &str) -> Self {
        let (head, output) = text.split_once(OUTPUT).unwrap_or((text, ""));
        let mut case = Self {
            head: head.to_owned(),
            command: Vec::new(),
            input: None,
            files: Vec::new(),
            output: output.to_owned(),
        };
        for line in head.lines() {
            if let Some(command) = line.strip_prefix("$ crd-analyzer ").filter(|_| case.files.is_empty()) {
                let (command, input) = command.split_once(" < ").unwrap_or((command, ""));
                case.input = (!input.is_empty()).then(|| input.to_owned());
                case.command = command.split(' ').map(|it| it.trim_matches('\'').to_owned()).collect();
            } else if let Some(name) = line.strip_prefix("-- ").and_then(|it| it.strip_suffix(" --")) {
                let file = match name.split_once(" = ") {
                    Some((name, shared)) => {
                        let text = fs::read_to_string(root().join("shared").join(shared)).expect("a shared file");
                        (name.to_owned(), text)
                    }
                    None => (name.to_owned(), String::new()),
                };
                case.files.push(file);
            } else if let Some((_, text)) = case.files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
        case
    }

    /// What the command prints, without times, and how it ends.
    fn run(&self) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in &self.files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
            fs::write(path, text).expect("the file can be written");
        }
        // No configuration and no repository above counts.
        fs::create_dir(folder.path().join(".git")).expect("the folder can be made");
        let input = match &self.input {
            Some(name) => Stdio::from(File::open(folder.path().join(name)).expect("the input")),
            None => Stdio::null(),
        };
        let output = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"))
            .args(&self.command)
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(input)
            .output()
            .expect("crd-analyzer runs");
        let code = output.status.code().expect("an exit code");
        let mut said = format!("exit code {code}\n");
        let place = format!("{}/", folder.path().display());
        for stream in [output.stderr, output.stdout] {
            for line in String::from_utf8(stream).expect("UTF-8").replace(&place, "").lines() {
                let line = match line.rsplit_once(" in ") {
                    Some((before, time)) if time.ends_with(" ms") => before,
                    _ => line,
                };
                let _ = writeln!(said, "{line}");
            }
        }
        said
    }
}

/// The files of the cases of a folder.
fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("a file").path()).collect();
    paths.sort();
    paths
}

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
fn lines_fit_into_the_terminal() {
    for path in ["false-green", "false-red"].into_iter().flat_map(cases) {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
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
