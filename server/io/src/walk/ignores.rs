//! Which files git would not see: `.ignore`, `.gitignore`, `.git/info/exclude` of a folder and of those above, and the user's own excludes.
//!
//! The rules are ripgrep's and its crate matches them; this reads the files, as [`crate::read`] reads.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use super::Problem;
use crate::read::{self, Access, SETTINGS_BYTES};

/// Rules of one file that count. One match may have to try each of them.
const MAX_RULES: usize = 5_000;

/// The rules that hold in a folder.
#[derive(Debug)]
pub(super) struct Ignores {
    /// Of this folder, by how much they count: those of `.ignore`, `.gitignore`, `.git/info/exclude`.
    own: [Option<Gitignore>; 3],
    /// Of the folder above.
    above: Option<Arc<Ignores>>,
    /// The user's own. Count least.
    user: Arc<Gitignore>,
}

impl Ignores {
    /// Those of the folders above the one of this real path.
    pub(super) fn above(real: &Path, access: &Access, notes: &mut Vec<Problem>) -> Arc<Self> {
        let mut ignores = Arc::new(Self {
            own: [const { None }; 3],
            above: None,
            user: Arc::new(of_user(notes)),
        });
        let mut folders: Vec<&Path> = real.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            ignores = Self::of(&ignores, folder, access, notes, |it| read::exists(&folder.join(it)));
        }
        ignores
    }

    /// Those of a folder, below those of the one above it. `has`: whether the folder has an entry of this name.
    pub(super) fn of(
        above: &Arc<Self>,
        folder: &Path,
        access: &Access,
        notes: &mut Vec<Problem>,
        has: impl Fn(&str) -> bool,
    ) -> Arc<Self> {
        let mut rules = |path: &Path| {
            let rules = rules(folder, path, access, notes);
            (!rules.is_empty()).then_some(rules)
        };
        let own = [
            has(".ignore").then(|| rules(&folder.join(".ignore"))).flatten(),
            has(".gitignore").then(|| rules(&folder.join(".gitignore"))).flatten(),
            has(".git")
                .then(|| rules(&git_folder(folder, access)?.join("info/exclude")))
                .flatten(),
        ];
        if own.iter().all(Option::is_none) {
            return above.clone();
        }
        Arc::new(Self {
            own,
            above: Some(above.clone()),
            user: above.user.clone(),
        })
    }

    /// Whether a real path is left out.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool, is_hidden: bool) -> bool {
        // Of each sort of file the nearest one that says something decides.
        let of = |sort: usize| {
            let mut at = Some(self);
            while let Some(ignores) = at {
                if let Some(own) = &ignores.own[sort] {
                    let found = own.matched(path, is_folder);
                    if !found.is_none() {
                        return Some(found.is_ignore());
                    }
                }
                at = ignores.above.as_deref();
            }
            None
        };
        let of_user = || match self.user.matched(path, is_folder) {
            Match::None => None,
            found => Some(found.is_ignore()),
        };
        let decided = of(0).or_else(|| of(1)).or_else(|| of(2)).or_else(of_user);
        // What a rule wants is seen even if it is hidden.
        decided.unwrap_or(is_hidden)
    }
}

/// The rules in a file, as far as it can be read; there need not be one.
fn rules(folder: &Path, path: &Path, access: &Access, notes: &mut Vec<Problem>) -> Gitignore {
    let mut note = |why: String| {
        notes.push(Problem {
            path: path.to_owned(),
            why: format!("its ignore rules are not used: {why}"),
        });
        Gitignore::empty()
    };
    let bytes = match read::bytes_of_git(path, access, SETTINGS_BYTES) {
        Ok(bytes) => bytes,
        Err(why) if why.is_missing() => return Gitignore::empty(),
        Err(why) => return note(why.to_string()),
    };
    let text = String::from_utf8_lossy(&bytes);
    if text.lines().count() > MAX_RULES {
        return note(format!("there are more than {MAX_RULES}"));
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.strip_prefix('\u{FEFF}').unwrap_or(&text).lines() {
        // A rule that is not one leaves nothing out, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|why| note(why.to_string()))
}

/// The rules of the user's own configuration of git.
fn of_user(notes: &mut Vec<Problem>) -> Gitignore {
    let (Some(path), Ok(folder)) = (gitconfig_excludes_path(), std::env::current_dir()) else {
        return Gitignore::empty();
    };
    rules(&folder, &path, &Access::Named, notes)
}

/// The folder that git keeps its own files in. A `.git` that is a file (of a worktree, of a submodule) names it.
fn git_folder(folder: &Path, access: &Access) -> Option<PathBuf> {
    let git = folder.join(".git");
    if std::fs::symlink_metadata(&git).ok()?.is_dir() {
        return Some(git);
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
    let named = folder_of(folder.join(line(&git)?.strip_prefix("gitdir: ")?))?;
    let common = line(&named.join("commondir"))?;
    folder_of(named.join(common))
}
