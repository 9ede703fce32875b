//! Finds the repository of a file.
//!
//! Git also accepts a folder that only looks like a bare repository. An attacker can commit such a folder, with a configuration that runs programs.
//! So this module only accepts a repository with a `.git`, because git refuses to commit a `.git`.

use std::path::{Path, PathBuf};

use super::Error;
use crate::gitlink::linked;

/// The folders of a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Location {
    /// The folder that contains `.git`.
    pub(super) root: PathBuf,
    /// The folder that contains `HEAD`. A linked worktree has its own.
    pub(super) git_dir: PathBuf,
    /// The folder that contains objects, branches and configuration.
    pub(super) common_dir: PathBuf,
}

/// Finds the repository that contains a folder. `folder` must be a real path, without symbolic links in it.
pub(super) fn find(folder: &Path) -> Result<Option<Location>, Error> {
    for root in folder.ancestors() {
        let link = root.join(".git");
        let Ok(metadata) = link.metadata() else {
            continue;
        };
        let git_dir = if metadata.is_dir() {
            link
        } else {
            let path = linked(&link, "gitdir:").map_err(|it| malformed(&link, &it))?;
            if !path.is_dir() {
                return Err(malformed(&link, &format!("{} is not a folder", path.display())));
            }
            path
        };
        let common = git_dir.join("commondir");
        let common_dir = match common.symlink_metadata() {
            Ok(_) => linked(&common, "").map_err(|it| malformed(&common, &it))?,
            Err(_) => git_dir.clone(),
        };
        // If a `.git` folder is not a repository, continue the search, as git does.
        let is_repository = git_dir.join("HEAD").symlink_metadata().is_ok()
            && ["objects", "refs"].iter().all(|it| common_dir.join(it).is_dir());
        if is_repository {
            return Ok(Some(Location {
                root: root.to_owned(),
                git_dir,
                common_dir,
            }));
        }
    }
    Ok(None)
}

fn malformed(path: &Path, why: &str) -> Error {
    Error::Malformed {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}

/// Whether the user owns the repository. Git uses only repositories that the user owns.
#[cfg(unix)]
pub(super) fn is_own(location: &Location) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid();
    // Under sudo, files of the calling user are treated as the user's own, as in git.
    let caller = std::env::var("SUDO_UID").ok().and_then(|it| it.parse().ok());
    let caller: Option<u32> = caller.filter(|_| user.is_root());
    let link = location.root.join(".git");
    [
        location.root.metadata(),
        link.symlink_metadata(),
        location.git_dir.metadata(),
    ]
    .iter()
    .all(|it| {
        it.as_ref()
            .is_ok_and(|it| it.uid() == user.as_raw() || Some(it.uid()) == caller)
    })
}

/// Whether the user owns the repository. Not checked on this system.
#[cfg(not(unix))]
pub(super) fn is_own(_: &Location) -> bool {
    true
}
