//! Which repository a file is in.
//!
//! Git also takes a folder for a repository that only looks like a bare one, and such a folder can be committed, with a configuration that runs
//! programs. Here only a `.git` makes a repository, which git refuses to commit.

use std::path::{Component, Path, PathBuf};

use super::Error;
use crate::{
    read,
    roots::{Roots, cleaned},
};

/// More bytes are not read of a `.git` file or a `commondir`: they hold one path.
const MAX_LINK_BYTES: u64 = 8 << 10;

/// Where a repository and its parts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Location {
    /// The folder with the `.git`.
    pub(super) root: PathBuf,
    /// The folder with `HEAD`: of a linked worktree, its own.
    pub(super) git_dir: PathBuf,
    /// The folder with objects, branches and configuration.
    pub(super) common_dir: PathBuf,
}

/// The repository of the files in a folder. `folder` is a real path: no part of it is a symbolic link.
pub(super) fn find(folder: &Path) -> Result<Option<Location>, Error> {
    for root in folder.ancestors() {
        let link = root.join(".git");
        let Ok(metadata) = link.metadata() else {
            continue;
        };
        let git_dir = if metadata.is_dir() {
            link
        } else {
            let path = linked(&link, "gitdir:")?;
            if !path.is_dir() {
                return Err(malformed(&link, &format!("{} is not a folder", path.display())));
            }
            path
        };
        let common = git_dir.join("commondir");
        let common_dir = match common.symlink_metadata() {
            Ok(_) => linked(&common, "")?,
            Err(_) => git_dir.clone(),
        };
        // As git does, go on where a `.git` folder is not a repository.
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

/// The folders that the `.git` of a folder leads to, if it is a file or a link: git's folder for the files there, and the one that it shares with
/// other worktrees. Nothing outside of `folder` is touched, so a folder elsewhere is taken as it is written.
pub(super) fn named_in(folder: &Path) -> Vec<PathBuf> {
    let link = folder.join(".git");
    let Some(of) = link.symlink_metadata().ok().filter(|it| !it.is_dir()) else {
        return Vec::new();
    };
    let roots = Roots::new([folder]);
    let led_to = |path: PathBuf| match roots.follow(&path) {
        Ok(path) => (path, true),
        Err(_) => (cleaned(&path), false),
    };
    let mut found = led_to(link.clone());
    if of.is_symlink() && !found.1 {
        let target = link.read_link().unwrap_or_default();
        found = (cleaned(&folder.join(target)), false);
    }
    if found.1 && !found.0.is_dir() {
        let Ok(named) = linked(&found.0, "gitdir:") else {
            return Vec::new();
        };
        found = led_to(named);
    }
    let (git, is_inside) = found;
    let named = if is_inside {
        linked(&git.join("commondir"), "").ok()
    } else {
        None
    };
    // As git lays it out.
    let around = || git.parent().filter(|it| it.ends_with("worktrees"))?.parent();
    let shared = named.map(|it| led_to(it).0).or_else(|| around().map(Path::to_owned));
    let all = std::iter::once(git.clone()).chain(shared);
    // What a folder is in does not belong to git because of what lies in the folder.
    all.filter(|it| !folder.starts_with(it)).collect()
}

/// The path that a file holds, behind a word.
fn linked(file: &Path, word: &str) -> Result<PathBuf, Error> {
    let text = read::plain(file, MAX_LINK_BYTES).map_err(|error| malformed(file, &error.to_string()))?;
    let text = String::from_utf8(text).map_err(|_| malformed(file, "it is not UTF-8"))?;
    let path = text.trim_end_matches(['\r', '\n']).strip_prefix(word);
    let path = path.map(|it| {
        if word.is_empty() {
            it
        } else {
            it.trim_start_matches(' ')
        }
    });
    let path = path.filter(|it| !it.is_empty() && !it.contains(['\n', '\0']));
    let path = Path::new(path.ok_or_else(|| malformed(file, "it does not hold one path"))?);
    let folder = file.parent().unwrap_or(Path::new("/"));
    if is_remote(path) && !is_remote(folder) {
        return Err(malformed(file, "it leads to another machine"));
    }
    Ok(folder.join(path))
}

/// Whether a path names another machine: looking at it would connect to that.
pub(super) fn is_remote(path: &Path) -> bool {
    match path.components().next() {
        Some(Component::Prefix(prefix)) => !matches!(
            prefix.kind(),
            std::path::Prefix::Disk(_) | std::path::Prefix::VerbatimDisk(_)
        ),
        _ => false,
    }
}

fn malformed(path: &Path, why: &str) -> Error {
    Error::Malformed {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}

/// Whether a repository belongs to the user, as git asks before it uses one.
#[cfg(unix)]
pub(super) fn is_own(location: &Location) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid();
    // As in git: under sudo, what belongs to the caller of sudo is their own, too.
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

/// Whether a repository belongs to the user. Not asked on this system.
#[cfg(not(unix))]
pub(super) fn is_own(_: &Location) -> bool {
    true
}
