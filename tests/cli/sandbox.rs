//! A folder with files, in which commands run.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

/// A folder with files in which commands run.
pub(crate) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let sandbox = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            sandbox.write(name, text);
        }
        sandbox
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }

    /// Makes a git repository of the folder, with all files in a commit.
    pub(crate) fn commit(&self) {
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
            command.args(args).current_dir(self.path());
            assert!(command.status().expect("git runs").success(), "{args:?}");
        }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"));
        command
            .args(args)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            // A wide terminal avoids line wraps in the texts that tests search for.
            .env("COLUMNS", "1000")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome::new(self.command(args).output().expect("crd-analyzer runs"))
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Outcome {
        use std::io::Write as _;
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("crd-analyzer runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("crd-analyzer ends");
        drop(writer.join());
        Outcome::new(output)
    }
}

/// The exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Checks the exit code, and that each text occurs in one of the streams.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for text in texts {
            assert!(
                self.stdout.contains(text) || self.stderr.contains(text),
                "{text:?} is missing in {self:#?}"
            );
        }
        self
    }

    /// The lines of standard output as JSON.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }
}
