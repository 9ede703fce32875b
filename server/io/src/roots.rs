//! Limits where links, and paths in a repository's files, may lead.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use crate::unread::Unread;

/// The maximum number of links to follow on the way to a file, as in Linux.
const MAX_LINKS: usize = 40;

/// The folders into which a link, or a path in a file of a repository, may lead.
///
/// A path outside of them is rejected without accessing the disk, because even looking at it may start a device or connect to a network share.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Roots(Vec<Root>);

/// A folder into which links may lead.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Root {
    /// The folder's path without links.
    real: PathBuf,
    /// Other absolute paths of the folder, which contain links.
    aliases: Vec<PathBuf>,
}

impl Root {
    fn new(folder: &Path) -> Option<Self> {
        let written = std::path::absolute(folder).ok()?;
        let real = fs::canonicalize(&written).ok()?;
        let cleaned = cleaned(&written);
        let mut aliases = Vec::new();
        for alias in [cleaned, written] {
            let is_same = || fs::canonicalize(&alias).is_ok_and(|it| it == real);
            if alias != real && !aliases.contains(&alias) && is_same() {
                aliases.push(alias);
            }
        }
        Some(Self { real, aliases })
    }

    /// If a path starts with this root: the root as it is spelled in the path, and the rest of the path.
    fn split<'a>(&self, path: &'a Path) -> Option<(&Path, &'a Path)> {
        let spellings = std::iter::once(&self.real).chain(&self.aliases);
        spellings
            .filter_map(|it| Some((it.as_path(), path.strip_prefix(it).ok()?)))
            .max_by_key(|it| it.0.as_os_str().len())
    }
}

impl Roots {
    /// Creates roots from these folders. Skips folders that do not exist.
    pub fn new<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut roots = Self::default();
        folders.into_iter().for_each(|it| roots.add(it));
        roots
    }

    /// The repository that contains a folder. Without a repository, the folder itself.
    pub fn around(folder: &Path) -> Self {
        Self::default().and_around(folder)
    }

    /// Adds the repository that contains a folder. Without a repository, adds the folder itself.
    #[must_use]
    pub fn and_around(&self, folder: &Path) -> Self {
        let mut roots = self.clone();
        match repository(folder) {
            Some(repository) => roots.add(&repository),
            None => roots.add(folder),
        }
        roots
    }

    /// Adds the folders into which paths in a file of this folder may lead. That is the repository that contains it. Without a repository, it is the
    /// current folder, if that contains this folder, because people without git keep related files side by side.
    #[must_use]
    pub fn and_neighbours(&self, folder: &Path) -> Self {
        let mut roots = self.and_around(folder);
        if repository(folder).is_none()
            && let Ok(current) = std::env::current_dir()
            && is_of_one_owner(&current)
            && fs::canonicalize(folder).is_ok_and(|it| it.starts_with(&current))
        {
            roots.add(&current);
        }
        roots
    }

    fn add(&mut self, folder: &Path) {
        if let Some(root) = Root::new(folder)
            && !self.0.contains(&root)
        {
            self.0.push(root);
        }
    }

    /// Finds the innermost root that contains a path, by names alone. Returns the root, the root as it is spelled in the path, and the rest of the
    /// path.
    fn split<'a>(&self, path: &'a Path) -> Option<(&Root, &Path, &'a Path)> {
        let found = self.0.iter().filter_map(|root| {
            let (spelling, rest) = root.split(path)?;
            Some((root, spelling, rest))
        });
        found.min_by_key(|it| it.2.as_os_str().len())
    }

    /// Resolves the links in an absolute path, provided that they stay inside the roots. In the result, the path of the root is spelled as in `path`.
    /// The result may be one of git's own files.
    ///
    /// # Errors
    /// [`Unread::Outside`] if the path or one of its links leads outside the roots. Files there are not accessed.
    pub(crate) fn follow(&self, path: &Path) -> Result<PathBuf, Unread> {
        let mut links = 0;
        let mut outside = path.to_owned();
        let mut next = Some(path.to_owned());
        while let Some(path) = next.take() {
            let Some((root, spelling, rest)) = self.split(&path) else {
                break;
            };
            let mut below = PathBuf::new();
            let mut parts: VecDeque<OsString> = parts_of(rest).collect();
            while let Some(part) = parts.pop_front() {
                if part == ".." {
                    if !below.pop() {
                        // The path leads above this root, but may still be inside another one.
                        outside = above(&root.real, &parts);
                        next = Some(outside.clone());
                        break;
                    }
                    continue;
                }
                let here = root.real.join(&below).join(&part);
                if !fs::symlink_metadata(&here)?.is_symlink() {
                    below.push(part);
                    continue;
                }
                links += 1;
                if links > MAX_LINKS {
                    return Err(Unread::Circle);
                }
                let target = fs::read_link(&here)?;
                if target.has_root() || target.is_absolute() {
                    outside = parts.iter().fold(target, |path, part| path.join(part));
                    next = Some(outside.clone());
                    break;
                }
                for part in parts_of(&target).collect::<Vec<_>>().into_iter().rev() {
                    parts.push_front(part);
                }
            }
            if next.is_none() {
                return Ok(spelling.join(below));
            }
        }
        Err(Unread::Outside {
            target: outside,
            roots: self.to_string(),
        })
    }

    /// Whether a path is inside the roots, by its name. Links in it may still lead outside.
    pub fn hold(&self, path: &Path) -> bool {
        self.split(&cleaned(path)).is_some()
    }
}

impl std::fmt::Display for Roots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, root) in self.0.iter().enumerate() {
            let written = root.aliases.first().unwrap_or(&root.real);
            write!(f, "{}`{}`", if n > 0 { " and " } else { "" }, written.display())?;
        }
        Ok(())
    }
}

/// The path above a root to which the rest of a path leads.
fn above(root: &Path, rest: &VecDeque<OsString>) -> PathBuf {
    let parent = root.parent().unwrap_or(root);
    cleaned(&rest.iter().fold(parent.to_owned(), |path, part| path.join(part)))
}

/// The components of a path, including `..`.
fn parts_of(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

/// Removes `.` and `..` from a path without looking at links.
pub fn cleaned(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if cleaned.file_name().is_some() => {
                cleaned.pop();
            }
            Component::ParentDir if cleaned.has_root() => {}
            other => cleaned.push(other),
        }
    }
    cleaned
}

/// The repository that contains a folder: the nearest folder with a `.git`, starting with the folder itself.
///
/// The user's home folder and the root of the disk are ignored. People may keep their settings in git there, but the folders below are not part of
/// that repository.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    let written = std::path::absolute(folder).ok()?;
    let real = fs::canonicalize(&written).ok()?;
    let cleaned = cleaned(&written);
    // If the path contains links, `..` may lead to another folder than the path suggests.
    let from = if fs::canonicalize(&cleaned).is_ok_and(|it| it == real) {
        cleaned
    } else {
        real
    };
    let found = from.ancestors().find(|it| exists(&it.join(".git")))?;
    is_of_one_owner(found).then(|| found.to_owned())
}

/// Whether the files in a folder may belong together. False for the user's home folder and the root of the disk.
fn is_of_one_owner(folder: &Path) -> bool {
    let home = std::env::home_dir().and_then(|it| fs::canonicalize(it).ok());
    let is_home = home.is_some() && fs::canonicalize(folder).ok() == home;
    folder.parent().is_some() && !is_home
}

/// Whether somebody other than the user may have created the files in a folder, because it is in a repository or below the current folder. The path
/// must be real.
pub(crate) fn may_be_untrusted(folder: &Path) -> bool {
    let is_below = |current: PathBuf| is_of_one_owner(&current) && folder.starts_with(current);
    repository(folder).is_some() || std::env::current_dir().and_then(fs::canonicalize).is_ok_and(is_below)
}

/// Whether a path exists, even if it is a broken link.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_the_nearest_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("outer/.git")).expect("folders");
        fs::create_dir_all(root.join("outer/inner/deep")).expect("folders");
        // In a submodule or a worktree, `.git` is a file.
        fs::write(root.join("outer/inner/.git"), "gitdir: elsewhere\n").expect("a file");
        let of = |path: &str| repository(&root.join(path));
        assert_eq!(of("outer/inner/deep"), Some(root.join("outer/inner")));
        assert_eq!(of("outer/inner/deep/../.."), Some(root.join("outer")));
        assert_eq!(of("outer"), Some(root.join("outer")));
        assert_eq!(of("none"), None);
        if let Some(home) = std::env::home_dir() {
            assert_ne!(
                repository(&home),
                Some(home),
                "settings in git make no repository of all"
            );
        }
        assert_eq!(repository(Path::new("/")), None);
    }

    #[test]
    fn paths_are_inside_or_not_by_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots::around(folder.path());
        assert!(roots.hold(&folder.path().join("a/../b")));
        assert!(!roots.hold(&folder.path().join("a/../../b")));
        assert!(!roots.hold(Path::new("/")));
        assert_eq!(roots.to_string(), format!("`{}`", folder.path().display()));
    }

    #[test]
    fn cleaned_paths_have_no_steps_back() {
        assert_eq!(cleaned(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(cleaned(Path::new("/../../a")), Path::new("/a"));
        assert_eq!(cleaned(Path::new("../a")), Path::new("../a"));
    }
}
