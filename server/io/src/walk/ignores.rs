//! Which files git would not see: `.ignore`, `.gitignore`, `.git/info/exclude` of a folder and of those above, and the user's own excludes.
//!
//! The rules are ripgrep's and its crate matches them; this reads the files, as [`crate::read`] reads.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::gitignore::gitconfig_excludes_path;

use super::{MAX_PROBLEMS, Problem};
use crate::{
    ignore_rules::{Rules, Spent},
    read::{self, Access, SETTINGS_BYTES},
};

/// What reading the rules took, and what to report about it.
pub(super) struct Reading<'w> {
    pub(super) access: &'w Access,
    pub(super) spent: &'w mut Spent,
    pub(super) notes: &'w mut Vec<Problem>,
}

/// The rules that hold in a folder.
#[derive(Debug)]
pub(super) struct Ignores {
    /// Of this folder, by how much they count: those of `.ignore`, `.gitignore`, `.git/info/exclude`.
    own: [Option<Rules>; 3],
    /// Of the folder above.
    above: Option<Arc<Ignores>>,
    /// The user's own. Count least.
    user: Arc<Option<Rules>>,
    /// The rules with wildcards of all of them.
    pub(super) wild: usize,
}

impl Ignores {
    /// Those of the folders above the one of this real path.
    pub(super) fn above(real: &Path, reading: &mut Reading<'_>) -> Arc<Self> {
        let user = of_user(reading);
        let mut ignores = Arc::new(Self {
            own: [const { None }; 3],
            above: None,
            wild: user.as_ref().map_or(0, |it| it.wild),
            user: Arc::new(user),
        });
        let mut folders: Vec<&Path> = real.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            ignores = Self::of(&ignores, folder, reading, |it| read::exists(&folder.join(it)));
        }
        ignores
    }

    /// Those of a folder, below those of the one above it. `has`: whether the folder has an entry of this name.
    pub(super) fn of(
        above: &Arc<Self>,
        folder: &Path,
        reading: &mut Reading<'_>,
        has: impl Fn(&str) -> bool,
    ) -> Arc<Self> {
        let mut wild = above.wild;
        let access = reading.access;
        let mut rules = |path: &Path| {
            let rules = reading.rules(folder, path, wild)?;
            wild += rules.wild;
            Some(rules)
        };
        let own = [
            has(".ignore").then(|| rules(&folder.join(".ignore"))).flatten(),
            has(".gitignore").then(|| rules(&folder.join(".gitignore"))).flatten(),
            has(".git")
                .then(|| rules(&git_folders(folder, access)?.shared?.join("info/exclude")))
                .flatten(),
        ];
        if own.iter().all(Option::is_none) {
            return above.clone();
        }
        Arc::new(Self {
            own,
            above: Some(above.clone()),
            user: above.user.clone(),
            wild,
        })
    }

    /// Whether a real path is left out: what the rules say, if they say something.
    pub(super) fn decide(&self, path: &Path, is_folder: bool) -> Option<bool> {
        // Of each sort of file the nearest one that says something decides.
        let of = |sort: usize| {
            let mut at = Some(self);
            while let Some(ignores) = at {
                let own = ignores.own[sort].as_ref();
                if let Some(found) = own.and_then(|it| it.matched(path, is_folder)) {
                    return Some(found);
                }
                at = ignores.above.as_deref();
            }
            None
        };
        let of_user = || self.user.as_ref().as_ref()?.matched(path, is_folder);
        of(0).or_else(|| of(1)).or_else(|| of(2)).or_else(of_user)
    }
}

impl Reading<'_> {
    /// The rules in a file, if there are any and they can be read. `above`: how many with wildcards hold in the folder without them.
    fn rules(&mut self, folder: &Path, path: &Path, above: usize) -> Option<Rules> {
        let bytes = match read::bytes_of_git(path, self.access, SETTINGS_BYTES) {
            Ok(bytes) => bytes,
            Err(why) if why.is_missing() => return None,
            Err(why) => return self.note(path, &why.to_string()),
        };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        match self.spent.rules(folder, text, above) {
            Ok(rules) => Some(rules).filter(|it| !it.is_empty()),
            Err(why) => self.note(path, &why),
        }
    }

    fn note(&mut self, path: &Path, why: &str) -> Option<Rules> {
        if self.notes.len() < MAX_PROBLEMS {
            self.notes.push(Problem {
                path: path.to_owned(),
                why: format!("its ignore rules are not used: {why}"),
            });
        }
        None
    }
}

/// The rules of the user's own configuration of git.
fn of_user(reading: &mut Reading<'_>) -> Option<Rules> {
    let (path, folder) = (gitconfig_excludes_path()?, std::env::current_dir().ok()?);
    let mut named = Reading {
        access: &Access::Named,
        spent: reading.spent,
        notes: reading.notes,
    };
    named.rules(&folder, &path, 0)
}

/// The folders that git keeps its own files in.
pub(super) struct GitFolders {
    /// What belongs to the files of one worktree.
    pub(super) own: PathBuf,
    /// What worktrees share.
    pub(super) shared: Option<PathBuf>,
}

/// The folders of git for a folder with a `.git`. A `.git` that is a file (of a worktree, of a submodule) names them.
pub(super) fn git_folders(folder: &Path, access: &Access) -> Option<GitFolders> {
    let git = folder.join(".git");
    if std::fs::symlink_metadata(&git).ok()?.is_dir() {
        return Some(GitFolders {
            own: git.clone(),
            shared: Some(git),
        });
    }
    let line = |path: &Path| {
        let text = String::from_utf8(read::bytes_of_git(path, access, 1 << 12).ok()?).ok()?;
        Some(text.lines().next()?.to_owned())
    };
    let folder_of = |path: PathBuf| match access {
        // Elsewhere nothing is looked at.
        Access::Within(roots) => roots.follow(&path).ok(),
        Access::Named => Some(path),
        Access::Elsewhere(_) => None,
    };
    let own = folder_of(folder.join(line(&git)?.strip_prefix("gitdir: ")?))?;
    let shared = line(&own.join("commondir")).and_then(|it| folder_of(own.join(it)));
    Some(GitFolders { own, shared })
}
