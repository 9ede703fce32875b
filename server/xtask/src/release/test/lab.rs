//! Shared parts of the tests: the artefacts, a broken CRD, and running programs without this machine's environment variables.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context as _, bail};

use crate::release::{
    release_folder,
    table::{Table, Target, VERSION},
};

/// The outcome of a test.
pub(super) enum Outcome {
    /// The test passed. `bytes` is the size of the installed artefact.
    Passed { bytes: u64 },
    /// The test was skipped, because this machine lacks something.
    NotRun { why: String },
}

pub(super) struct Lab<'t> {
    pub(super) table: &'t Table,
    /// The target of this machine.
    pub(super) target: &'t Target,
    /// The output folder.
    pub(super) out: PathBuf,
    /// The folder of the artefacts.
    pub(super) release: PathBuf,
    /// The root of the repository.
    pub(super) root: PathBuf,
    work: tempfile::TempDir,
}

/// The name of a file that the API server rejects.
pub(super) const BROKEN: &str = "broken.crd.yaml";

/// A code that the output has to contain.
pub(super) const CODE: &str = "unknown-column-type";

impl<'t> Lab<'t> {
    pub(super) fn new(table: &'t Table, out: &Path, root: &Path) -> anyhow::Result<Self> {
        let release = release_folder(out);
        if !release.join("SHA256SUMS").is_file() {
            bail!(
                "{} has no release: run `cargo xtask release pack` first",
                release.display()
            );
        }
        Ok(Self {
            table,
            target: table.host()?,
            out: out.to_path_buf(),
            release,
            root: root.to_path_buf(),
            work: tempfile::tempdir()?,
        })
    }

    /// The path of an artefact.
    pub(super) fn artifact(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.release.join(name);
        if !path.is_file() {
            bail!("{} is missing", path.display());
        }
        Ok(path)
    }

    /// Creates an empty folder with this name.
    pub(super) fn folder(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.work.path().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// Writes the broken CRD into a folder.
    pub(super) fn put_broken(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::copy(self.root.join("examples").join(BROKEN), folder.join(BROKEN))?;
        Ok(())
    }

    /// Creates a folder with the broken CRD in it.
    pub(super) fn broken(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.folder(name)?;
        self.put_broken(&folder)?;
        Ok(folder)
    }

    /// The wheel of this machine.
    pub(super) fn wheel(&self) -> anyhow::Result<PathBuf> {
        let tags = self.target.python.join(".");
        self.artifact(&format!("{}-{VERSION}-py3-none-{tags}.whl", self.table.names.python))
    }

    /// Creates a Python virtual environment in a new folder.
    pub(super) fn python(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.folder(name)?;
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        Ok(folder.join("bin"))
    }
}

/// Whether this machine has a program.
pub(super) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|it| it.join(program).is_file())
}

/// The outcome of a test whose program is missing.
pub(super) fn without(program: &str) -> Outcome {
    Outcome::NotRun {
        why: format!("there is no {program}"),
    }
}

/// Runs a program that has to succeed, and returns its output.
pub(super) fn succeed(command: &mut Command) -> anyhow::Result<String> {
    let output = run(command)?;
    if !output.status.success() {
        bail!("{command:?} fails: {}", said(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(super) fn run(command: &mut Command) -> anyhow::Result<Output> {
    command
        .output()
        .with_context(|| format!("cannot run {}", command.get_program().display()))
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Runs a check of the broken CRD, which has to reject it with exit code 1.
pub(super) fn rejects(command: &mut Command) -> anyhow::Result<()> {
    let output = run(command)?;
    let said = said(&output);
    if output.status.code() != Some(1) || !said.contains(CODE) {
        bail!("{command:?} ends with {}: {said}", output.status);
    }
    Ok(())
}

/// Runs the installed program with `--version`, and checks the broken CRD of the folder.
pub(super) fn works(program: impl AsRef<OsStr>, folder: &Path) -> anyhow::Result<()> {
    let program = program.as_ref();
    let version = succeed(Command::new(program).arg("--version").current_dir(folder))?;
    if !version.starts_with(&format!("crd-analyzer {VERSION} (commit ")) {
        bail!("another version: {version}");
    }
    rejects(Command::new(program).args(["check", "."]).current_dir(folder))
}

/// The outcome of a passed test, with the size of its artefact.
pub(super) fn passed(artifact: &Path) -> anyhow::Result<Outcome> {
    let bytes = std::fs::metadata(artifact)?.len();
    Ok(Outcome::Passed { bytes })
}
