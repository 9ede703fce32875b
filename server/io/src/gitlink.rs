//! Finds the folders to which a `.git` leads that is a file or a link.

use std::path::{Component, Path, PathBuf};

use crate::{
    regular::plain,
    roots::{Roots, cleaned},
};

/// The maximum size, in bytes, of a `.git` file or a `commondir`. Each contains just one path.
const MAX_LINK_BYTES: u64 = 8 << 10;

/// The folders to which the `.git` of a folder leads, if it is a file or a link: the git folder of this worktree, and the one that it shares with
/// other worktrees. Nothing outside of `folder` is accessed, so the path of a folder elsewhere is returned as it is written.
pub(crate) fn named_in(folder: &Path) -> Vec<PathBuf> {
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
    // Assume the layout that git uses.
    let around = || git.parent().filter(|it| it.ends_with("worktrees"))?.parent();
    let shared = named.map(|it| led_to(it).0).or_else(|| around().map(Path::to_owned));
    let all = std::iter::once(git.clone()).chain(shared);
    // If the link leads to a folder that contains `folder`, ignore it: that folder does not belong to git because of the link.
    all.filter(|it| !folder.starts_with(it)).collect()
}

/// The path in a file after a word such as `gitdir:`. The error says what is wrong with the file.
pub(crate) fn linked(file: &Path, word: &str) -> Result<PathBuf, String> {
    let text = plain(file, MAX_LINK_BYTES).map_err(|error| error.to_string())?;
    let text = String::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let path = text.trim_end_matches(['\r', '\n']).strip_prefix(word);
    let path = path.map(|it| {
        if word.is_empty() {
            it
        } else {
            it.trim_start_matches(' ')
        }
    });
    let path = path.filter(|it| !it.is_empty() && !it.contains(['\n', '\0']));
    let path = Path::new(path.ok_or_else(|| "it does not contain exactly one path".to_owned())?);
    let folder = file.parent().unwrap_or(Path::new("/"));
    if is_remote(path) && !is_remote(folder) {
        return Err("it leads to another machine".to_owned());
    }
    Ok(folder.join(path))
}

/// Whether a path names another machine, so that accessing it would open a connection.
pub(crate) fn is_remote(path: &Path) -> bool {
    match path.components().next() {
        Some(Component::Prefix(prefix)) => !matches!(
            prefix.kind(),
            std::path::Prefix::Disk(_) | std::path::Prefix::VerbatimDisk(_)
        ),
        _ => false,
    }
}
