//! Finds the files that git ignores. The rules are in `.ignore`, `.gitignore` and `.git/info/exclude` of a folder and the folders above it, and in
//! the user's own excludes.
//!
//! The rules mean the same as in ripgrep, whose crate matches them. This module reads the files, with the protections of [`crate::read`].

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

/// The state of reading rules: the part of the limits that is used, and notes to report.
pub(super) struct Reading<'w> {
    pub(super) access: &'w Access,
    pub(super) spent: &'w mut Spent,
    pub(super) notes: &'w mut Vec<Problem>,
}

/// The rules that apply in a folder.
#[derive(Debug)]
pub(super) struct Ignores {
    /// The folder's own rules, in order of precedence: `.ignore`, `.gitignore`, `.git/info/exclude`.
    own: [Option<Rules>; 3],
    /// The rules of the folder above.
    above: Option<Arc<Ignores>>,
    /// The user's own rules, which have the lowest precedence.
    user: Arc<Option<Rules>>,
    /// The total number of rules with wildcards that apply in the folder.
    pub(super) wild: usize,
}

impl Ignores {
    /// The rules of all folders above this real path.
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

    /// The rules of a folder, in addition to those of the folder above it. `has` returns whether the folder has an entry with a name.
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

    /// Whether a path without links is ignored. `None` if no rule matches.
    pub(super) fn decide(&self, path: &Path, is_folder: bool) -> Option<bool> {
        // Among files with the same name, such as `.gitignore`, the nearest one with a matching rule applies.
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
    /// The rules in a file. `None` if it does not exist or cannot be read. `above` is the number of rules with wildcards that already apply in the
    /// folder.
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

/// The rules in the excludes file of the user's git configuration.
fn of_user(reading: &mut Reading<'_>) -> Option<Rules> {
    let (path, folder) = (gitconfig_excludes_path()?, std::env::current_dir().ok()?);
    let mut named = Reading {
        access: &Access::Named,
        spent: reading.spent,
        notes: reading.notes,
    };
    named.rules(&folder, &path, 0)
}

/// The folders in which git keeps its own files.
pub(super) struct GitFolders {
    /// The folder with the files of one worktree.
    pub(super) own: PathBuf,
    /// The folder with the files that all worktrees share.
    pub(super) shared: Option<PathBuf>,
}

/// The folders with git's own files, for a folder with a `.git`. If `.git` is a file, as in a worktree or submodule, the file names them.
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
        // Do not access a path that leads outside.
        Access::Within(roots) => roots.follow(&path).ok(),
        Access::Named => Some(path),
        Access::Elsewhere(_) => None,
    };
    let own = folder_of(folder.join(line(&git)?.strip_prefix("gitdir: ")?))?;
    let shared = line(&own.join("commondir")).and_then(|it| folder_of(own.join(it)));
    Some(GitFolders { own, shared })
}
