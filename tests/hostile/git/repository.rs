//! A folder with a repository, and commands that run in this folder.

use std::{
    ffi::OsStr,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// The maximum time for an answer, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The reason why tests that need a program cannot run; `None` if they can run. In CI, the program must exist.
pub(crate) fn missing(program: &[&str]) -> Option<String> {
    let mut command = Command::new(program[0]);
    let output = command.args(&program[1..]).stdin(Stdio::null()).output();
    if output.is_ok_and(|it| it.status.success()) {
        return None;
    }
    assert!(std::env::var_os("CI").is_none(), "CI needs `{}`", program.join(" "));
    Some(format!("`{}` does not work here", program.join(" ")))
}

/// A CRD that every Kubernetes version accepts.
pub(crate) const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
";

/// The CRD with another scope, which an update must not change.
pub(crate) fn moved() -> String {
    CRD.replace("Namespaced", "Cluster")
}

/// The error for [`moved`] as an update of [`CRD`].
pub(crate) const IMMUTABLE: &str = "immutable-field";

/// A folder for a test. A successful attack writes the file `PWNED` into it.
pub(crate) struct Place {
    folder: TempDir,
    root: PathBuf,
}

impl Place {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a real path");
        std::fs::create_dir(root.join("cache")).expect("a folder");
        Self { folder, root }
    }

    /// Creates a repository `repo` with one commit on `main` that contains [`CRD`] as `crd.yaml`.
    pub(crate) fn with_repository() -> Self {
        let place = Self::new();
        place.git(".", ["init", "-q", "-b", "main", "repo"]);
        place.write("repo/crd.yaml", CRD);
        place.commit("repo");
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }

    pub(crate) fn append(&self, name: &str, text: &str) {
        let file = std::fs::OpenOptions::new().append(true).open(self.path(name));
        file.expect("the file is there")
            .write_all(text.as_bytes())
            .expect("the file can be written");
    }

    /// Creates a program that records that it ran.
    pub(crate) fn trap(&self, name: &str) {
        self.script(name, &format!("id > '{}'", self.path("PWNED").display()));
    }

    pub(crate) fn script(&self, name: &str, commands: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, format!("#!/bin/sh\n{commands}\n"));
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).expect("a program");
    }

    /// Checks that no trap ran.
    #[track_caller]
    pub(crate) fn expect_nothing_ran(&self) {
        assert!(!self.path("PWNED").exists(), "code of the repository ran");
    }

    /// Runs git as a user who trusts the repository.
    pub(crate) fn git<S: AsRef<OsStr>>(&self, folder: impl AsRef<Path>, args: impl IntoIterator<Item = S>) -> String {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        let output = command
            .args(args)
            .current_dir(self.path(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_ALLOW_PROTOCOL", "file")
            .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
            .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
            .stdin(Stdio::null())
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Commits all files of a repository.
    pub(crate) fn commit(&self, repository: &str) {
        self.git(repository, ["add", "-A", "."]);
        self.git(repository, ["commit", "-q", "-m", "a commit"]);
    }

    /// The command to run crd-analyzer in a folder.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        folder: impl AsRef<Path>,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"));
        command
            .args(args)
            .current_dir(self.path(folder))
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null());
        command
    }

    /// Runs crd-analyzer in a folder.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, folder: impl AsRef<Path>, args: impl IntoIterator<Item = S>) -> Outcome {
        Outcome::of(&mut self.command(folder, args))
    }

    /// Runs `check --old-ref REVISION FILE` in `repo`.
    pub(crate) fn check(&self, revision: &str, file: &str) -> Outcome {
        self.run("repo", ["check", &format!("--old-ref={revision}"), file])
    }

    /// The temporary folders in which git runs.
    fn folders_for_git(&self) -> Vec<std::ffi::OsString> {
        let entries = std::fs::read_dir(self.path("cache/crd-analyzer"));
        let names = entries.into_iter().flatten().flatten().map(|it| it.file_name());
        names.filter(|it| it.to_string_lossy().starts_with("git-")).collect()
    }

    /// Whether a git process is running.
    pub(crate) fn is_git_at_work(&self) -> bool {
        !self.folders_for_git().is_empty()
    }

    /// Checks that the temporary folders of git were removed.
    #[track_caller]
    pub(crate) fn expect_tidy_cache(&self) {
        let left = self.folders_for_git();
        assert!(left.is_empty(), "{left:?} in {}", self.folder.path().display());
    }
}

/// The exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    /// Both streams on one line, because long lines are wrapped.
    pub(crate) said: String,
    pub(crate) took: Duration,
}

impl Outcome {
    pub(crate) fn of(command: &mut Command) -> Self {
        let start = Instant::now();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("crd-analyzer runs");
        let output = child.wait_with_output().expect("crd-analyzer ends");
        Self {
            code: output.status.code(),
            said: [output.stdout, output.stderr]
                .iter()
                .flat_map(|it| {
                    String::from_utf8_lossy(it)
                        .split_whitespace()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .collect::<Vec<_>>()
                .join(" "),
            took: start.elapsed(),
        }
    }

    /// Checks the exit code and the output.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for text in texts {
            assert!(self.said.contains(text), "{text:?} is missing in {self:#?}");
        }
        assert!(self.took < PATIENCE, "{self:#?}");
    }
}
