//! Tests of the command line, as a user or a CI job runs it.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod agents;
#[cfg(target_os = "linux")]
mod budgets;
#[path = "../hostile/built.rs"]
mod built;
mod check;
mod cluster;
mod compat;
mod convert;
mod cost;
mod crds;
mod docs;
mod doctor;
mod eval;
mod exit_code;
mod explain;
mod fix;
mod formats;
mod generate;
mod generated;
mod help;
mod hostile;
mod hostile_output;
#[path = "../hostile/rules.rs"]
mod hostile_rules;
mod init;
mod installed;
#[path = "../hostile/limits.rs"]
mod limits;
mod markdown;
mod patches;
mod pipeline;
mod published;
mod resources;
mod schema;
mod since;
mod stale;
mod start;
mod storage;
mod suites;
mod update;
mod wrapped;

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

/// A CRD that every Kubernetes version accepts. `spec` is the schema of `.spec`, indented by 16.
fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
{spec}"
    )
}

/// A folder with files in which commands run.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new(files: &[(&str, &str)]) -> Self {
        let sandbox = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            sandbox.write(name, text);
        }
        sandbox
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }

    fn command(&self, args: &[&str]) -> Command {
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

    fn run(&self, args: &[&str]) -> Outcome {
        Outcome::new(self.command(args).output().expect("crd-analyzer runs"))
    }

    fn run_with_input(&self, args: &[&str], input: &[u8]) -> Outcome {
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
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Checks the exit code, and that each text occurs in one of the streams.
    #[track_caller]
    fn expect(&self, code: i32, texts: &[&str]) -> &Self {
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
    fn json(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }
}
