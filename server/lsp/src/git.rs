//! What git has of a file.

use std::{
    fmt,
    path::Path,
    process::{Command, Output, Stdio},
};

/// Why git does not say what a file was.
#[derive(Debug)]
pub enum Error {
    /// It cannot be run.
    NoGit(std::io::Error),
    /// There is no such revision, or no repository: its words.
    NoRevision(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit(error) => write!(f, "cannot run git: {error}"),
            Self::NoRevision(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Whether git may get from elsewhere what a clone left there, for which it connects and runs what the repository's configuration says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fetch {
    /// The user asked for the revision.
    Allowed,
    /// A file was opened, no more: nothing is contacted for that.
    Never,
}

fn git(path: &Path, fetch: Fetch, args: &[&str]) -> Result<Output, Error> {
    let mut command = Command::new("git");
    if fetch == Fetch::Never {
        command.env("GIT_NO_LAZY_FETCH", "1");
    }
    command.args(args).current_dir(folder_of(path)).stdin(Stdio::null());
    command.env("GIT_OPTIONAL_LOCKS", "0").output().map_err(Error::NoGit)
}

/// The commit that a revision is at the moment in the repository of a file.
pub fn commit(path: &Path, revision: &str, fetch: Fetch) -> Result<String, Error> {
    let commit = format!("{revision}^{{commit}}");
    let found = git(
        path,
        fetch,
        &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit],
    )?;
    if found.status.success() {
        return Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned());
    }
    Err(Error::NoRevision(format!("there is no revision {revision}")))
}

/// The file as it was in a revision; `None` if it did not exist there.
pub fn show(path: &Path, revision: &str, fetch: Fetch) -> Result<Option<Vec<u8>>, Error> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let blob = format!("{revision}:./{}", name.unwrap_or_default());
    let shown = git(path, fetch, &["show", "--end-of-options", &blob])?;
    if shown.status.success() {
        return Ok(Some(shown.stdout));
    }
    // A file that is new has no previous revision; a revision that does not exist is a mistake.
    match commit(path, revision, fetch) {
        Ok(_) => Ok(None),
        Err(Error::NoRevision(_)) => {
            let why = String::from_utf8_lossy(&shown.stderr).trim().to_owned();
            Err(Error::NoRevision(why))
        }
        Err(error) => Err(error),
    }
}
