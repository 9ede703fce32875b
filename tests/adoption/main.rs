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
//! `-- FILE = SHARED --` takes the text of `shared/SHARED`; the lines below it say what is different there: those that begin with `-` are
//! replaced by those that begin with `+`. `-- @commit --` commits the files before it. `$ ... < FILE` reads standard input from a file. `UPDATE_ADOPTION=1 cargo test
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
        // How much of each file is shared.
        let mut shared = Vec::new();
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
                shared.push(file.1.len());
                case.files.push(file);
            } else if let Some((_, text)) = case.files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
        for ((_, text), shared) in case.files.iter_mut().zip(shared) {
            *text = changed(&text[..shared], &text[shared..]);
        }
        case
    }

    /// The comment that the case begins with, without its mark.
    fn title(&self) -> &str {
        self.head.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// What the command prints, without times, and how it ends.
    fn run(&self) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // No configuration and no repository above counts.
        fs::create_dir(folder.path().join(".git")).expect("the folder can be made");
        for (name, text) in &self.files {
            if name == "@commit" {
                for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "one"]] {
                    let done = Command::new("git")
                        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
                        .args(args)
                        .current_dir(folder.path())
                        .env("GIT_CONFIG_GLOBAL", "/dev/null")
                        .status();
                    assert!(done.expect("git runs").success(), "git {args:?}");
                }
                continue;
            }
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
            fs::write(path, text).expect("the file can be written");
        }
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

/// A shared text after a change of some of its lines. A text of its own has no changes.
fn changed(shared: &str, rest: &str) -> String {
    if shared.is_empty() || rest.trim().is_empty() {
        return format!("{shared}{rest}");
    }
    let of = |mark: char| -> String {
        let lines = rest.lines().filter_map(|it| it.strip_prefix(mark));
        lines.flat_map(|it| [it, "\n"]).collect()
    };
    let (old, new) = (of('-'), of('+'));
    assert_eq!(
        shared.matches(&old).count(),
        1,
        "{old:?} is not once in the shared file"
    );
    shared.replace(&old, &new)
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
fn options_of_pipelines_do_what_they_say() {
    check("pipeline");
}

#[test]
fn lines_fit_into_the_terminal() {
    for path in ["false-green", "false-red", "pipeline"].into_iter().flat_map(cases) {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
        // One line each is what that format promises.
        if case.command.iter().any(|it| it == "concise") {
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

/// The text behind the first `mark`, with the lines that continue it: those that begin with `indent`.
fn after(output: &str, mark: &str, indent: &str) -> Option<String> {
    let mut lines = output.lines().skip_while(|it| !it.contains(mark));
    let begin = lines.next()?.split_once(mark)?.1;
    let rest = lines.take_while(|it| it.starts_with(indent));
    Some(rest.fold(begin.to_owned(), |all, it| format!("{all} {}", it.trim())))
}

/// Mistakes of somebody's first CRD, one each. The page shows what the first message says.
#[test]
fn first_mistakes_have_messages_that_teach() {
    check("first-mistakes");
    let mut rows = Vec::new();
    for path in cases("first-mistakes") {
        let case = Case::read(&fs::read_to_string(&path).expect("a case"));
        let headline = after(&case.output, "]: ", "    ").expect("a message");
        let help = after(&case.output, " = help: ", "           ").expect("help");
        rows.push(format!(
            "| {} | {headline} | {help} |",
            case.title().trim_end_matches('.')
        ));
    }
    assert!(rows.len() >= 30, "only {} mistakes", rows.len());
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
