//! Protects git's own files: the content of `.git`, and of folders to which a `.git` file or link leads. Other code never reads or writes them.
//!
//! A repository's file can name `.git/config`, which may contain a password, and a link can redirect a report to `.git/hooks`, where git runs it. The
//! names that mean `.git` on some file system are the same as in git: `is_hfs_dotgit` in its `utf8.c`, `is_ntfs_dotgit` in its `path.c`. Only two
//! parts of this crate read git's files: the walk, for `info/exclude` and `index`, and [`crate::git`].

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    absolute::absolute,
    gitlink,
    roots::{Roots, cleaned},
    unread::Unread,
};

/// Rejects a path that leads to git's own files.
///
/// # Errors
/// [`Unread::OfGit`] if the file or a folder on its path belongs to git. This is checked for the path as written, and for the path after following
/// links.
pub(crate) fn refuse(path: &Path) -> Result<(), Unread> {
    refuse_if(path, None)
}

/// Like [`refuse`], for a path that is known not to be a link itself.
///
/// # Errors
/// The same as [`refuse`].
pub(crate) fn refuse_plain(path: &Path) -> Result<(), Unread> {
    refuse_if(path, Some(false))
}

fn is_link_on_disk(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink())
}

/// Rejects a path that leads to git's own files. `is_link` says whether the path itself is a link, if that is known.
fn refuse_if(path: &Path, is_link: Option<bool>) -> Result<(), Unread> {
    let absolute = absolute(path)?;
    let written = cleaned(&absolute);
    let (Some(folder), Some(name)) = (written.parent(), written.file_name()) else {
        return Ok(());
    };
    let is_link = || is_link.unwrap_or_else(|| is_link_on_disk(&written));
    // If the path contains a link, `..` may lead to another folder than the one before it in the path.
    let (around, real) = if absolute == written && !is_link() {
        let around = Around::recent(folder)?;
        let real = around.real.join(name);
        (around, real)
    } else {
        let real = real(path, &written)?;
        (Arc::new(Around::of(folder, real.clone())), real)
    };
    let is_in = |git: &PathBuf| real.starts_with(git) || written.starts_with(git);
    if is_git_name(name) || around.is_of_git || around.led_to.iter().any(is_in) {
        return Err(Unread::OfGit(real));
    }
    Ok(())
}

impl Roots {
    /// Resolves the links in an absolute path, provided that they stay inside the roots. In the result, the path of the root is spelled as in `path`.
    ///
    /// # Errors
    /// [`Unread::Outside`] if the path or one of its links leads outside the roots. No file outside is accessed. [`Unread::OfGit`] if it leads to
    /// git's own files.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Unread> {
        let found = self.follow(path)?;
        refuse(path)?;
        Ok(found)
    }
}

/// How a folder is related to git's own files.
struct Around {
    /// The folder's path without links.
    real: PathBuf,
    /// Whether the folder's path contains a name that is reserved for git.
    is_of_git: bool,
    /// The folders to which a `.git` leads. The `.git` may be in the folder, in a folder above it, or in or above the current folder.
    led_to: Vec<PathBuf>,
}

/// How long a result about a folder is cached. During this time, a run may read many files from one folder.
const RECENT: Duration = Duration::from_secs(1);
/// The maximum number of cached folders.
const MAX_RECENT: usize = 16_384;

type Recent = HashMap<PathBuf, (Instant, Arc<Around>)>;

impl Around {
    /// The result for a folder, at most [`RECENT`] old.
    fn recent(folder: &Path) -> io::Result<Arc<Self>> {
        Self::since(folder).map(|it| it.1)
    }

    /// Like [`Around::recent`], and also returns the time at which the result was computed.
    fn since(folder: &Path) -> io::Result<(Instant, Arc<Self>)> {
        static RECENTLY: Mutex<Option<Recent>> = Mutex::new(None);
        let now = Instant::now();
        let is_fresh = |then: Instant| now.duration_since(then) < RECENT;
        let known = |recent: &Recent| recent.get(folder).filter(|it| is_fresh(it.0)).cloned();
        let lock = || RECENTLY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().as_ref().and_then(known) {
            return Ok(known);
        }
        // Use the result for the parent folder. Only on this system: on others, the case of a path may differ from the case on disk.
        let plain = folder.parent().zip(folder.file_name());
        let is_folder = || fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir());
        let plain = plain.filter(|_| cfg!(target_os = "linux") && is_folder());
        let found = if let Some((parent, name)) = plain {
            let (then, parent) = Self::since(parent)?;
            (then, Arc::new(parent.folder(folder, name)))
        } else {
            let real = real(folder, folder)?;
            (now, Arc::new(Self::of(folder, real)))
        };
        let mut recent = lock();
        let recent = recent.get_or_insert_default();
        if recent.len() >= MAX_RECENT {
            recent.retain(|_, it| is_fresh(it.0));
        }
        if recent.len() < MAX_RECENT {
            recent.insert(folder.to_owned(), found.clone());
        }
        Ok(found)
    }

    /// The result for a subfolder that is not a link.
    fn folder(&self, written: &Path, name: &OsStr) -> Self {
        let real = self.real.join(name);
        let mut led_to = gitlink::named_in(&real);
        led_to.extend(self.led_to.iter().cloned());
        if !real.starts_with(written) {
            led_to.extend(gitlink::named_in(written));
        }
        Self {
            is_of_git: self.is_of_git || is_git_name(name),
            led_to,
            real,
        }
    }

    /// Computes the result for a folder. `real` is the folder's path without links, or the target of a link in it.
    fn of(folder: &Path, real: PathBuf) -> Self {
        let current = std::env::current_dir().unwrap_or_default();
        let is_other = |it: &&Path| !real.starts_with(it);
        let written = folder.ancestors().filter(is_other);
        let current = current.ancestors().filter(is_other);
        let all = real.ancestors().chain(written).chain(current);
        let is_named = |path: &Path| path.iter().any(is_git_name);
        Self {
            is_of_git: is_named(folder) || is_named(&real),
            led_to: all.flat_map(gitlink::named_in).collect(),
            real,
        }
    }
}

/// Like [`refuse`], but checks only the last component of the path.
pub(crate) fn refuse_name(path: &Path) -> Result<(), Unread> {
    match path.file_name() {
        Some(name) if is_git_name(name) => Err(Unread::OfGit(path.to_owned())),
        _ => Ok(()),
    }
}

/// The path without links. Its last components need not exist.
fn real(path: &Path, written: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let found = written.ancestors().skip(1).find_map(|it| {
                let rest = written.strip_prefix(it).ok()?;
                Some(fs::canonicalize(it).ok()?.join(rest))
            });
            Ok(found.unwrap_or_else(|| written.to_owned()))
        }
        real => real,
    }
}

/// Whether some file system treats a name as `.git`. Case is ignored, NTFS has short names and streams and ignores dots and spaces at the end, and
/// HFS+ ignores some characters.
pub(crate) fn is_git_name(name: &OsStr) -> bool {
    let mut name = name.to_string_lossy();
    if !name.is_ascii() {
        name = name.chars().filter(|it| !is_ignored_on_hfs(*it)).collect();
    }
    name.split('\\').any(is_git_name_on_ntfs)
}

fn is_git_name_on_ntfs(name: &str) -> bool {
    let rest = [".git", "git~1"].iter().find_map(|it| {
        let (head, rest) = name.split_at_checked(it.len())?;
        head.eq_ignore_ascii_case(it).then_some(rest)
    });
    rest.is_some_and(|it| {
        let rest = it.trim_start_matches(['.', ' ']);
        rest.is_empty() || rest.starts_with(':')
    })
}

/// Whether HFS+ ignores a character when it compares names.
fn is_ignored_on_hfs(c: char) -> bool {
    matches!(c, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_disk_takes_for_git() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~1",
            ".git.",
            ".git ",
            ".git . .",
            "git~1.",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            ".git .::$DATA",
            "git~1::$INDEX_ALLOCATION",
            ".g\u{200C}it",
            "\u{200D}.git",
            ".gi\u{FEFF}t\u{206F}",
            ".\u{202E}GIT",
            ".git\\config",
            "a\\.git",
            "a\\GIT~1\\hooks",
        ] {
            assert!(is_git_name(OsStr::new(name)), "{name:?}");
        }
        for name in [
            ".github",
            ".gitignore",
            ".gitmodules",
            ".gitattributes",
            "git",
            "git~2",
            "git~10",
            "a.git",
            ".git-credentials",
            ".git~1",
            ".gitx",
            ".gi",
            "",
            ".",
            "..",
            "x\u{200C}.git",
            ".gi\u{301}t",
        ] {
            assert!(!is_git_name(OsStr::new(name)), "{name:?}");
        }
    }

    /// Checks which paths are rejected in a folder with these files. In a file's text, `ROOT` is replaced with the folder's path.
    #[track_caller]
    fn check(files: &[(&str, &str)], refused: &[&str], allowed: &[&str]) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a real path");
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text.replace("ROOT", &root.display().to_string())).expect("a file");
        }
        for name in refused {
            let why = refuse(&root.join(name)).expect_err(name);
            assert!(matches!(why, Unread::OfGit(_)), "{name}: {why}");
        }
        for name in allowed {
            assert!(refuse(&root.join(name)).is_ok(), "{name}");
        }
    }

    #[test]
    fn folders_that_a_file_leads_to() {
        // `.git` leads to a folder beside this one, or elsewhere.
        check(
            &[
                ("repo/.git", "gitdir: store\n"),
                ("repo/store/config", ""),
                ("repo/a.yaml", ""),
            ],
            &[
                "repo/.git",
                "repo/store",
                "repo/store/config",
                "repo/x/../store/hooks/new",
            ],
            &["repo/a.yaml", "repo/new.yaml", "repo", "repo/stored"],
        );
        check(
            &[
                ("repo/sub/.git", "gitdir: ../.git/modules/sub\n"),
                ("repo/.git/modules/sub/config", ""),
            ],
            &["repo/.git/modules/sub/config", "repo/sub/.git"],
            &["repo/sub/a.yaml"],
        );
        // A worktree inside the folder of a bare repository. It has its own git folder, and one that it shares.
        let worktree = [
            ("all/.git", "gitdir: ./bare\n"),
            ("all/bare/config", ""),
            ("all/main/.git", "gitdir: ROOT/all/bare/worktrees/main\n"),
            ("all/bare/worktrees/main/commondir", "../..\n"),
        ];
        check(
            &worktree,
            &["all/bare/config", "all/bare/worktrees/main/HEAD"],
            &["all/main/a.yaml"],
        );
        // `commondir` names a shared folder that is elsewhere.
        let shared = [
            ("w/.git", "gitdir: own\n"),
            ("w/own/commondir", "../shared\n"),
            ("w/shared/config", ""),
        ];
        check(&shared, &["w/own/HEAD", "w/shared/config"], &["w/a.yaml"]);
        // A `.git` file with invalid content leads nowhere.
        for text in ["", "gitdir:", "gitdir: \n", "x: store\n", "gitdir: store\nmore\n"] {
            check(
                &[("repo/.git", text), ("repo/store/config", "")],
                &["repo/.git"],
                &["repo/store/config"],
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("repo/.git/hooks")).expect("folders");
        fs::create_dir_all(root.join("other/store")).expect("folders");
        fs::write(root.join("repo/.git/config"), "").expect("a file");
        for (target, name) in [
            (".git", "repo/folder"),
            (".git/config", "repo/file.yaml"),
            (".git/hooks/new", "repo/dangling"),
            ("folder/config", "repo/twice"),
            ("store", "other/.git"),
        ] {
            symlink(target, root.join(name)).expect("a link");
        }
        for name in [
            "repo/folder",
            "repo/folder/config",
            "repo/folder/new",
            "repo/file.yaml",
            "repo/twice",
            "other/.git/config",
            "other/store/config",
        ] {
            assert!(matches!(refuse(&root.join(name)), Err(Unread::OfGit(_))), "{name}");
        }
        assert!(refuse(&root.join("repo/a.yaml")).is_ok());
        assert!(refuse(&root.join("repo/.git/../a.yaml")).is_ok());
    }
}
