//! Reads git's index to find the hidden files and folders that git tracks, because these belong to the repository (gitformat-index(5)).

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::ignores::git_folders;
use crate::read::{self, Access};

/// The maximum size of an index, in bytes. The index of a repository with a million files has 100 MB.
const INDEX_BYTES: u64 = 256 << 20;

/// The number of bytes in an entry before its hash: for times, numbers, mode and size.
const BEFORE_HASH: usize = 40;

/// The possible lengths of hashes, in bytes: SHA-1 and SHA-256.
const HASHES: [usize; 2] = [20, 32];

/// The maximum length of a path, in bytes. Operating systems cannot open longer paths.
const MOST_PATH: usize = 4096;

/// The maximum total length of all hidden paths, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// The hidden files and folders that git tracks in a repository.
#[derive(Default, Debug)]
pub(super) struct Tracked {
    /// The real path of the repository's root folder.
    root: PathBuf,
    /// The hidden files and folders, relative to the root, in git's spelling.
    hidden: HashSet<String>,
}

impl Tracked {
    /// The hidden files that git tracks in the repository that contains a folder. `real` is the folder's path without links. Empty without a
    /// repository, or if its index cannot be read.
    pub(super) fn around(real: &Path, access: &Access) -> Arc<Self> {
        let root = real.ancestors().find(|it| read::exists(&it.join(".git")));
        root.map(|it| Self::of(it, access)).unwrap_or_default()
    }

    /// Like [`Self::around`], for a folder that itself contains a `.git`.
    pub(super) fn of(root: &Path, access: &Access) -> Arc<Self> {
        let index = || {
            let index = git_folders(root, access)?.own.join("index");
            read::bytes_of_git(&index, access, INDEX_BYTES).ok()
        };
        let hidden = index().and_then(|it| HASHES.iter().find_map(|hash| hidden(&it, *hash)));
        Arc::new(Self {
            root: root.to_owned(),
            hidden: hidden.unwrap_or_default(),
        })
    }

    /// Whether git tracks a hidden file, or any file in a hidden folder. `real` is its path without links.
    pub(super) fn holds(&self, real: &Path) -> bool {
        let written = |it: &Path| {
            Some(
                it.iter()
                    .map(|name| name.to_str())
                    .collect::<Option<Vec<_>>>()?
                    .join("/"),
            )
        };
        let below = || real.strip_prefix(&self.root).ok().and_then(written);
        !self.hidden.is_empty() && below().is_some_and(|it| self.hidden.contains(&it))
    }
}

/// The hidden files and folders in an index. `hash` is the length of a hash in bytes. `None` if it is not an index, if it stores its entries in
/// another file, or if its paths are too long.
fn hidden(index: &[u8], hash: usize) -> Option<HashSet<String>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|it| index.starts_with(b"DIRC") && (2..=4).contains(it))?;
    let mut found = Found::default();
    let mut at = 12;
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..number(8)? {
        let begin = at;
        let flags_at = begin + BEFORE_HASH + hash;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let is_extended = flags & 0x4000 != 0;
        at = flags_at + if is_extended { 4 } else { 2 };
        if version == 4 {
            path.truncate(path.len().checked_sub(shortened(index, &mut at)?)?);
        } else {
            path.clear();
        }
        let length = index.get(at..)?.iter().position(|it| *it == 0)?;
        path.extend_from_slice(&index[at..at + length]);
        at += length + 1;
        if version != 4 {
            // An entry is padded with 1 to 8 zeros, so that its length is a multiple of 8 bytes.
            let end = begin + (at - begin).next_multiple_of(8);
            if index.get(at..end)?.iter().any(|it| *it != 0) {
                return None;
            }
            at = end;
        }
        found.add(&path)?;
    }
    // The entries are followed by extensions, and by the hash of the whole index.
    let mut rest = index.get(at..index.len().checked_sub(hash)?)?;
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest.get(4..8)?.try_into().ok()?) as usize;
        // In a split index, the entries are in another file.
        if rest.starts_with(b"link") {
            return None;
        }
        rest = rest.get(8 + length..)?;
    }
    Some(found.hidden)
}

/// The number of bytes to remove from the end of the previous path. It is encoded like an offset in git's pack files.
fn shortened(index: &[u8], at: &mut usize) -> Option<usize> {
    let mut next = || {
        let byte = *index.get(*at)?;
        *at += 1;
        Some(byte)
    };
    let mut byte = next()?;
    let mut number = usize::from(byte & 0x7F);
    while byte & 0x80 != 0 {
        byte = next()?;
        number = number.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7F);
    }
    Some(number)
}

/// The hidden files and folders found so far.
#[derive(Default)]
struct Found {
    hidden: HashSet<String>,
    /// The total length of their paths.
    bytes: usize,
    /// The path of the last entry. Its folders are already in `paths`.
    last: Vec<u8>,
}

impl Found {
    /// Adds the hidden components of a path, each with the folders that contain it. `None` if the limit is exceeded, because an index can encode long
    /// paths in a few bytes.
    fn add(&mut self, path: &[u8]) -> Option<()> {
        if path.len() > MOST_PATH {
            return None;
        }
        let common = path.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
        let mut begin = path[..common].iter().rposition(|it| *it == b'/').map_or(0, |it| it + 1);
        for end in (begin..=path.len()).filter(|it| path.get(*it).is_none_or(|it| *it == b'/')) {
            if path.get(begin) == Some(&b'.')
                && let Ok(hidden) = std::str::from_utf8(&path[..end])
                && !self.hidden.contains(hidden)
            {
                self.bytes += hidden.len();
                self.hidden.insert(hidden.to_owned());
            }
            begin = end + 1;
        }
        self.last.clear();
        self.last.extend_from_slice(path);
        (self.bytes <= MOST_BYTES).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process::Command};

    fn git(folder: &Path, args: &[&str]) {
        let run = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output();
        let run = run.expect("git runs");
        assert!(
            run.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }

    fn repository(init: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        git(folder.path(), init);
        for path in [".a/b.yaml", "c/.d/e/.f.yaml", "c/g.yaml", ".h.yaml", ".i/j.yaml"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, "").expect("a file");
        }
        git(folder.path(), &["add", ".a", "c", ".h.yaml"]);
        folder
    }

    #[track_caller]
    fn check(folder: &Path, expected: &[&str]) {
        let root = fs::canonicalize(folder).expect("a real path");
        let tracked = Tracked::around(&root.join("c"), &Access::Named);
        let mut found: Vec<_> = tracked.hidden.iter().cloned().collect();
        found.sort();
        assert_eq!(found, expected);
        for hidden in expected {
            assert!(tracked.holds(&root.join(hidden)));
        }
        assert!(!tracked.holds(&root.join(".i")) && !tracked.holds(&root.join("c")));
    }

    const ALL: [&str; 4] = [".a", ".h.yaml", "c/.d", "c/.d/e/.f.yaml"];

    #[test]
    fn every_version_of_an_index_is_read() {
        for version in ["2", "3", "4"] {
            let folder = repository(&["init", "-q"]);
            // An intent-to-add entry has extended flags, which version 2 lacks.
            if version == "3" {
                git(folder.path(), &["rm", "-q", "--cached", ".h.yaml"]);
                git(folder.path(), &["add", "-N", ".h.yaml"]);
            }
            git(folder.path(), &["update-index", "--index-version", version]);
            let index = fs::read(folder.path().join(".git/index")).expect("an index");
            assert_eq!(index[7].to_string(), version);
            check(folder.path(), &ALL);
        }
    }

    #[test]
    fn hashes_may_be_long() {
        check(repository(&["init", "-q", "--object-format=sha256"]).path(), &ALL);
    }

    #[test]
    fn worktrees_have_indexes_of_their_own() {
        let folder = repository(&["init", "-q"]);
        git(folder.path(), &["commit", "-q", "-m", "one"]);
        git(folder.path(), &["worktree", "add", "-q", "worktree", "HEAD"]);
        let worktree = folder.path().join("worktree");
        git(&worktree, &["rm", "-q", ".h.yaml"]);
        check(&worktree, &[".a", "c/.d", "c/.d/e/.f.yaml"]);
    }

    #[test]
    fn what_is_no_index_tracks_nothing() {
        let folder = repository(&["init", "-q"]);
        let path = folder.path().join(".git/index");
        let index = fs::read(&path).expect("an index");
        for length in 0..index.len() {
            assert_eq!(hidden(&index[..length], 20), None, "{length} bytes");
        }
        for text in [&b""[..], b"DIRC\0\0\0\x02\xFF\xFF\xFF\xFF", b"DIRC\0\0\0\x09\0\0\0\0"] {
            fs::write(&path, text).expect("a file");
            check(folder.path(), &[]);
        }
        git(folder.path(), &["read-tree", "--empty"]);
        git(folder.path(), &["add", ".a"]);
        git(folder.path(), &["update-index", "--split-index"]);
        check(folder.path(), &[]);
    }

    /// An index of version 4. Each entry says how many bytes to remove from the end of the previous path, and which bytes to append.
    fn index(entries: impl Iterator<Item = (u8, Vec<u8>)>) -> Vec<u8> {
        let mut text = Vec::new();
        let mut count = 0_u32;
        for (off, more) in entries {
            text.extend([0; BEFORE_HASH + 20 + 2]);
            text.push(off);
            text.extend(more);
            text.push(0);
            count += 1;
        }
        let head = [&b"DIRC"[..], &4_u32.to_be_bytes(), &count.to_be_bytes()].concat();
        [head, text, vec![0; 20]].concat()
    }

    #[test]
    fn paths_that_grow_end_the_reading() {
        let named = index([(0, b"a/.b/c".to_vec()), (1, b".d".to_vec())].into_iter());
        let mut found: Vec<_> = hidden(&named, 20).expect("an index").into_iter().collect();
        found.sort();
        assert_eq!(found, ["a/.b", "a/.b/.d"]);
        let growing = index((0..10_000).map(|_| (0, b"/.a".to_vec())));
        assert_eq!(hidden(&growing, 20), None);
        // Each entry is in a thousand folders of its own.
        let folders = |n: usize| (0, format!("{n}{}", "/.a".repeat(1_000)).into_bytes());
        let wide = index((0..1_000).map(folders));
        assert_eq!(hidden(&wide, 20), None);
        let mut plain = index((0..1_000).map(|n| (0, format!("/{n}").into_bytes())).take(500));
        assert!(hidden(&plain, 20).is_some());
        plain.truncate(plain.len() / 2);
        assert_eq!(hidden(&plain, 20), None);
    }
}
