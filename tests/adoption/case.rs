//! A test case: a small tree of files, a command, and its expected output.

use std::{
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A case that was read from its file.
pub(crate) struct Case {
    /// The part of the case file before the output.
    pub(crate) head: String,
    pub(crate) command: Vec<String>,
    /// The file whose content is standard input.
    input: Option<String>,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) output: String,
}

pub(crate) const OUTPUT: &str = "-- output --\n";

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adoption")
}

impl Case {
    pub(crate) fn read(text: &str) -> Self {
        let (head, output) = text.split_once(OUTPUT).unwrap_or((text, ""));
        let mut case = Self {
            head: head.to_owned(),
            command: Vec::new(),
            input: None,
            files: Vec::new(),
            output: output.to_owned(),
        };
        // For each file, whether it uses a shared text, and which one.
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

    /// The comment at the start of the case, without the `#`.
    pub(crate) fn title(&self) -> &str {
        self.head.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// Creates a folder with the files.
    pub(crate) fn tree(&self) -> TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The folder `.git` isolates the case from configurations and repositories in parent folders.
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
        folder
    }

    /// The output of the command, without times, and its exit code.
    pub(crate) fn run(&self) -> String {
        let folder = self.tree();
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

/// A shared text with some lines changed. A text that is not shared has no changes.
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

/// The case files in a folder.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("a file").path()).collect();
    paths.sort();
    paths
}
