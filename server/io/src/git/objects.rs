//! Reads the objects of a repository through one `git cat-file --batch` process.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Instant,
};

use super::{
    Error,
    snapshot::{Snapshot, TIMEOUT},
    words,
};
use crate::program::{Failure, Running};

/// The maximum size of a file or tree object, in bytes.
pub(super) const MAX_BYTES: usize = 32 << 20;
/// The maximum length of a revision's name, in bytes.
const MAX_NAME: usize = 4 << 10;
/// The maximum length of a line from git, in bytes.
const MAX_LINE: usize = 16 << 10;
/// The maximum number of cached folder entries. When it is exceeded, the whole cache is cleared.
const MAX_ENTRIES: usize = 1_000_000;

/// The entries of a folder in a commit, by name.
type Folder = HashMap<Vec<u8>, Entry>;

/// An entry of a folder in a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    kind: Kind,
    id: String,
}

/// The kind of an entry in a commit's folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Submodule,
}

/// Git's header before the content of an object.
struct Header {
    id: String,
    kind: String,
    size: usize,
}

/// Git's answer to a request for an object, before the content.
enum Answer {
    Object(Header),
    Missing,
    /// The name is a prefix of several object ids.
    Ambiguous,
}

/// The objects of one repository.
#[derive(Debug)]
pub(super) struct Objects {
    snapshot: Snapshot,
    running: Option<Running>,
    /// Whether git has once failed to answer in time. If so, it is not asked again, because otherwise each file would have to wait as long.
    is_silent: bool,
    folders: HashMap<String, Arc<Folder>>,
    /// The number of entries in all `folders`.
    entries: usize,
}

impl Objects {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Self {
            snapshot,
            running: None,
            is_silent: false,
            folders: HashMap::new(),
            entries: 0,
        }
    }

    /// The id of the commit that a revision names. It must name exactly one commit.
    pub(super) fn commit(&mut self, revision: &str) -> Result<String, Error> {
        let refuse = |why: &str| Error::Revision(why.to_owned());
        if revision.is_empty() {
            return Err(refuse("is not a commit: the name is empty"));
        }
        if revision.len() > MAX_NAME {
            return Err(refuse("is not a commit: the name is too long"));
        }
        if revision.chars().any(char::is_control) {
            return Err(refuse(
                "is not a commit: the name has a line break or another control character",
            ));
        }
        // Everything after `:/` is a text for which git searches.
        let question = if revision.starts_with(":/") {
            revision.to_owned()
        } else {
            format!("{revision}^{{commit}}")
        };
        // Git may exit, for example if a reflog is shorter than the revision requires.
        let ended = |error: Error| match error {
            Error::Failed(why) => refuse(&format!("cannot be used: git reports: {why}")),
            error => error,
        };
        let other_kind = |kind: &str| {
            let kind = match kind {
                "blob" => "file",
                "tree" => "folder",
                other => other,
            };
            refuse(&format!("is a {kind}, not a commit"))
        };
        match self.header(&question).map_err(ended)? {
            Answer::Object(header) if header.kind == "commit" => {
                self.content(&header, Path::new("the commit"))?;
                return Ok(header.id);
            }
            Answer::Object(header) => return Err(other_kind(&header.kind)),
            Answer::Ambiguous => return Err(refuse("is ambiguous: it is the beginning of several ids")),
            Answer::Missing => {}
        }
        match self.header(revision).map_err(ended)? {
            Answer::Object(header) => Err(other_kind(&header.kind)),
            Answer::Ambiguous => Err(refuse("is ambiguous: it is the beginning of several ids")),
            Answer::Missing if self.snapshot.is_shallow => Err(refuse(
                "is not a commit in this shallow clone: `git fetch --unshallow` fetches the rest of the history",
            )),
            Answer::Missing => Err(refuse("is not a commit")),
        }
    }

    /// The entry for a path in a commit. `None` if the commit does not contain the path.
    fn entry(&mut self, commit: &str, path: &Path) -> Result<Option<Entry>, Error> {
        let mut entry = Entry {
            kind: Kind::Folder,
            id: format!("{commit}^{{tree}}"),
        };
        for name in path.iter().map(bytes_of) {
            if entry.kind != Kind::Folder {
                return Ok(None);
            }
            match self.folder(&entry.id, path)?.get(&name) {
                Some(found) => entry = found.clone(),
                None => return Ok(None),
            }
        }
        Ok(Some(entry))
    }

    /// The kind of a path in a commit. `None` if the commit does not contain the path.
    pub(super) fn kind(&mut self, commit: &str, path: &Path) -> Result<Option<Kind>, Error> {
        Ok(self.entry(commit, path)?.map(|it| it.kind))
    }

    /// The wanted files and links in a folder of a commit and in its subfolders, sorted by path. The paths are relative to the folder.
    pub(super) fn below(
        &mut self,
        commit: &str,
        path: &Path,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<(PathBuf, Kind)>, Error> {
        let mut found = Vec::new();
        let Some(Entry { kind: Kind::Folder, id }) = self.entry(commit, path)? else {
            return Ok(found);
        };
        // Limit the number of entries, because the same folder can occur at any number of places in a commit.
        let mut left = MAX_ENTRIES;
        let mut open = vec![(PathBuf::new(), id)];
        while let Some((below, id)) = open.pop() {
            let folder = self.folder(&id, path)?;
            left = left
                .checked_sub(folder.len())
                .ok_or_else(|| Error::Failed(format!("the revision has more than {MAX_ENTRIES} files")))?;
            for (name, entry) in &*folder {
                let Some(name) = name_of(name) else { continue };
                let path = below.join(name);
                match entry.kind {
                    Kind::Folder if path.as_os_str().len() <= MAX_NAME => open.push((path, entry.id.clone())),
                    Kind::File | Kind::Link if is_wanted(&path) => found.push((path, entry.kind)),
                    _ => {}
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The content of a file in a commit. `None` if the commit does not contain the file.
    pub(super) fn file(&mut self, commit: &str, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        match self.entry(commit, path)? {
            None => Ok(None),
            Some(Entry { kind: Kind::File, id }) => self.object(&id, "blob", path).map(Some),
            Some(Entry { kind, .. }) => Err(Error::NotAFile {
                path: path.to_owned(),
                what: match kind {
                    Kind::Link => "a symbolic link",
                    Kind::Folder => "a folder",
                    Kind::Submodule => "a submodule",
                    Kind::File => "a file",
                },
            }),
        }
    }

    /// The path to which a symbolic link in a commit points. `None` if the path is not a link.
    pub(super) fn link(&mut self, commit: &str, path: &Path) -> Result<Option<PathBuf>, Error> {
        match self.entry(commit, path)? {
            Some(Entry { kind: Kind::Link, id }) => {
                let target = self.object(&id, "blob", path)?;
                Ok(String::from_utf8(target).ok().map(PathBuf::from))
            }
            _ => Ok(None),
        }
    }

    /// The entries of the folder with this id. `path` is a path in the folder, for messages.
    fn folder(&mut self, name: &str, path: &Path) -> Result<Arc<Folder>, Error> {
        if let Some(known) = self.folders.get(name) {
            return Ok(known.clone());
        }
        let object = self.object(name, "tree", path)?;
        let id_length = if name.trim_end_matches("^{tree}").len() > 40 {
            32
        } else {
            20
        };
        let folder = parse_folder(&object, id_length).ok_or_else(|| Error::Failed("a folder is damaged".to_owned()))?;
        if self.entries + folder.len() > MAX_ENTRIES {
            self.folders.clear();
            self.entries = 0;
        }
        self.entries += folder.len();
        let folder = Arc::new(folder);
        self.folders.insert(name.to_owned(), folder.clone());
        Ok(folder)
    }

    /// Returns an object that has to exist. `path` is for messages.
    fn object(&mut self, name: &str, kind: &str, path: &Path) -> Result<Vec<u8>, Error> {
        self.check_loose(name)?;
        let Answer::Object(header) = self.header(name)? else {
            return Err(Error::NotInClone(path.to_owned()));
        };
        if header.kind != kind {
            self.running = None;
            return Err(Error::Failed(format!("git has a {} instead of a {kind}", header.kind)));
        }
        self.content(&header, path)
    }

    /// Checks that the file of a loose object is a regular file. If it were a FIFO, git would wait for a writer.
    fn check_loose(&self, name: &str) -> Result<(), Error> {
        let id = name.trim_end_matches("^{tree}");
        let (Some(start), Some(rest)) = (id.get(..2), id.get(2..)) else {
            return Ok(());
        };
        for folder in &self.snapshot.objects {
            let path = folder.join(start).join(rest);
            if path.metadata().is_ok_and(|it| !it.is_file()) {
                return Err(Error::Malformed {
                    path,
                    why: "it is not a regular file".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Requests an object and returns its header. The caller must read the content next.
    fn header(&mut self, name: &str) -> Result<Answer, Error> {
        let line = self.talk(|running, deadline| {
            running.send(format!("{name}\n").as_bytes())?;
            running.line(MAX_LINE, deadline)
        })?;
        let line = String::from_utf8_lossy(&line);
        match line.strip_prefix(name) {
            Some(" missing") => return Ok(Answer::Missing),
            Some(" ambiguous") => return Ok(Answer::Ambiguous),
            _ => {}
        }
        let mut words = line.split(' ');
        let header = (|| {
            Some(Header {
                id: words.next()?.to_owned(),
                kind: words.next()?.to_owned(),
                size: words.next()?.parse().ok()?,
            })
        })();
        header
            .map(Answer::Object)
            .ok_or_else(|| Error::Failed(format!("git answered {line:?}")))
    }

    fn content(&mut self, header: &Header, path: &Path) -> Result<Vec<u8>, Error> {
        if header.size > MAX_BYTES {
            // Git is about to write the whole object, so stop the process.
            self.running = None;
            return Err(Error::TooLarge {
                path: path.to_owned(),
                size: header.size,
            });
        }
        self.talk(|running, deadline| {
            let mut content = running.bytes(header.size + 1, deadline)?;
            content.pop();
            Ok(content)
        })
    }

    /// Runs one exchange with git. After a failure, the next exchange starts a new process.
    fn talk<T>(&mut self, part: impl FnOnce(&mut Running, Instant) -> Result<T, Failure>) -> Result<T, Error> {
        if self.is_silent {
            return Err(Error::Timeout);
        }
        let running = if let Some(running) = &mut self.running {
            running
        } else {
            let mut command = self.snapshot.command();
            command.args(["cat-file", "--batch"]).stdin(Stdio::piped());
            let started = Running::start(&mut command);
            let started = started.map_err(|error| Error::Failed(format!("git cannot be started: {error}")))?;
            self.running.insert(started)
        };
        part(running, Instant::now() + TIMEOUT).map_err(|failure| {
            self.is_silent = failure == Failure::Timeout;
            let said = match (&failure, self.running.take()) {
                (Failure::Ended, Some(running)) => words(&running.stderr()),
                _ => String::new(),
            };
            if said.is_empty() {
                Error::of_failure(failure)
            } else {
                Error::Failed(said)
            }
        })
    }
}

/// The bytes of a name in the form in which git stores them.
fn bytes_of(name: &std::ffi::OsStr) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        name.as_bytes().to_vec()
    }
    #[cfg(not(unix))]
    name.to_string_lossy().into_owned().into_bytes()
}

/// The file name that git has stored as these bytes. `None` if it is not a valid name of a single file.
fn name_of(bytes: &[u8]) -> Option<PathBuf> {
    if matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/') {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Parses a tree object, which repeats a mode, a space, a name, NUL and an id.
fn parse_folder(mut object: &[u8], id_length: usize) -> Option<Folder> {
    let mut folder = Folder::new();
    while !object.is_empty() {
        let space = object.iter().position(|it| *it == b' ')?;
        let end = object.iter().position(|it| *it == 0).filter(|it| *it > space)?;
        let id = object.get(end + 1..end + 1 + id_length)?;
        let kind = match &object[..space] {
            b"40000" | b"040000" => Kind::Folder,
            b"120000" => Kind::Link,
            b"160000" => Kind::Submodule,
            mode if mode.starts_with(b"100") => Kind::File,
            _ => return None,
        };
        let id = id.iter().fold(String::new(), |mut hex, byte| {
            hex.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            hex.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            hex
        });
        folder.insert(object[space + 1..end].to_vec(), Entry { kind, id });
        object = &object[end + 1 + id_length..];
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_by_their_modes() {
        let mut object = Vec::new();
        for (mode, name) in [
            ("100644", "a file"),
            ("40000", "b"),
            ("120000", "c\n"),
            ("160000", "d\u{e9}"),
            ("100755", "e"),
        ] {
            object.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            object.extend_from_slice(&[0xa5; 20]);
        }
        let folder = parse_folder(&object, 20).expect("a folder");
        let kind = |name: &str| folder.get(name.as_bytes()).map(|it| it.kind);
        assert_eq!(kind("a file"), Some(Kind::File));
        assert_eq!(kind("b"), Some(Kind::Folder));
        assert_eq!(kind("c\n"), Some(Kind::Link));
        assert_eq!(kind("d\u{e9}"), Some(Kind::Submodule));
        assert_eq!(folder[&b"e"[..]].id, "a5".repeat(20));
        for cut in [1, 7, 15, 30] {
            assert_eq!(parse_folder(&object[..cut], 20), None, "{cut}");
        }
        assert_eq!(parse_folder(b"", 20), Some(Folder::new()));
    }
}
