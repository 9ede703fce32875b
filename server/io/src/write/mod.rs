//! Writing the user's files: the new text whole, or the old one as it was.
//!
//! The new text goes into a file beside the target, onto the disk, and only then takes the target's name. A program that is killed on the way
//! leaves a file with a name like `.crd.yaml.crd-analyzer-123-0.tmp`, never a target that is cut. What somebody else wrote in the meantime is
//! not replaced.
//!
//! A file that is changed ([`replace`]) may be named by a link inside the repository. Output ([`put`], [`create`], [`OutputFolder`]) goes through
//! no link that a repository can hold, because the link decides where it goes. Git's own files and programs are not written.

mod attributes;
mod cached;
mod folder;
mod place;
#[cfg(test)]
mod tests;

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

pub use cached::CacheFolder;
pub use place::OutputFolder;

use crate::{
    read::{Access, Unread},
    roots::Roots,
};
use folder::Folder;
use place::Place;

/// What a writer may replace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Replaceable {
    /// Regular files that the system does not run.
    #[default]
    Data,
    /// Executable files, too: the user says so.
    Executables,
}

/// Why a file was not written, as a sentence for people (without the file's name). The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum Unwritten {
    /// What is to be replaced cannot be read.
    #[error(transparent)]
    Unread(#[from] Unread),
    /// It is not what was read.
    #[error("somebody else has changed it in the meantime: it stays as it is")]
    Changed,
    /// Something has this name already.
    #[error("there is something of this name already")]
    Exists,
    /// It may not be written.
    #[error("it is read-only")]
    ReadOnly,
    /// It is a link, or lies below one.
    #[error("`{}` is a link, and output goes through no link: name the file or folder that is meant", .0.display())]
    Link(PathBuf),
    /// The system runs it.
    #[error("it is executable: remove it, or add `--replace-executable`")]
    Executable,
    /// It has other names, which would go on meaning the old text.
    #[error("it has {0} names (hard links), and the others would keep the old text")]
    HardLinks(u64),
    /// Another program says that it is working on it.
    #[error("another program has locked it")]
    Locked,
    /// The process may not write as much.
    #[error("it would have {size} bytes, and files may have {limit} (`ulimit -f`)")]
    TooLarge {
        /// The bytes of the new text.
        size: u64,
        /// What the process may write.
        limit: u64,
    },
    /// The system says so.
    #[error("{doing}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        error: io::Error,
    },
    /// Somebody else's text has been taken from its name, and cannot be given back.
    #[error("somebody else has changed it in the meantime: their text is now in `{}`", kept.display())]
    Taken {
        /// Where it is.
        kept: PathBuf,
    },
}

/// Says what was being done when the system refused.
fn while_doing(doing: &'static str) -> impl Fn(io::Error) -> Unwritten {
    move |error| Unwritten::Io { doing, error }
}

/// Replaces the text of a file that was read with `access`, if it still is `before`.
///
/// A link inside the folders that it may lead into is followed, and stays; any other is refused. Mode, owner, group, and extended attributes are
/// kept, as far as the system allows.
pub fn replace(
    path: &Path,
    access: &Access,
    before: &[u8],
    after: &[u8],
    replaceable: Replaceable,
) -> Result<(), Unwritten> {
    let path = std::path::absolute(path).map_err(Unread::from)?;
    let folder = path.parent().unwrap_or(&path);
    let roots = match access {
        Access::Named => Roots::default().and_neighbours(folder),
        Access::Within(roots) => roots.and_neighbours(folder),
        Access::Elsewhere(_) => return Err(Unread::Special("a file that is not on disk").into()),
    };
    Place::within(&roots, &path)?.replace(Some(before), after, replaceable)
}

/// Writes a file where there is none. The user has named its folder.
pub fn create(path: &Path, text: &[u8]) -> Result<(), Unwritten> {
    Place::named(path)?.create(text)
}

/// Writes a file that the user has named, whatever it had before.
pub fn put(path: &Path, text: &[u8], replaceable: Replaceable) -> Result<(), Unwritten> {
    Place::named(path)?.put(text, replaceable)
}

/// An error unless an open file has these bytes.
fn is_still(file: &mut File, before: &[u8]) -> Result<(), Unwritten> {
    let mut now = Vec::with_capacity(before.len() + 1);
    let read = file
        .rewind()
        .and_then(|()| file.take(before.len() as u64 + 1).read_to_end(&mut now));
    read.map_err(while_doing("cannot read it again"))?;
    if now == before { Ok(()) } else { Err(Unwritten::Changed) }
}

/// A file beside its target, which is removed unless it gets the target's name.
struct Unfinished<'a> {
    folder: &'a Folder,
    name: OsString,
    file: File,
    is_kept: bool,
}

/// Files that were begun in this process.
static BEGUN: AtomicUsize = AtomicUsize::new(0);

/// Bytes of the target's name in that of a file beside it: names may have 255.
const MAX_NAME: usize = 160;

/// The first mode of a file that will get the mode of another file. Until then, other users cannot read it.
const OWN_MODE: u32 = 0o600;
/// The mode of a new file, before the system applies the user's umask.
const NEW_MODE: u32 = 0o666;

impl<'a> Unfinished<'a> {
    fn new(folder: &'a Folder, target: &OsStr, text: &[u8], mode: u32) -> Result<Self, Unwritten> {
        let size = text.len() as u64;
        if let Some(limit) = attributes::size_limit().filter(|it| size > *it) {
            return Err(Unwritten::TooLarge { size, limit });
        }
        let begun = Self::begin(folder, target, mode);
        let mut unfinished = begun.map_err(while_doing("cannot write a new file beside it"))?;
        unfinished
            .file
            .write_all(text)
            .map_err(while_doing("cannot write the new text"))?;
        Ok(unfinished)
    }

    fn begin(folder: &'a Folder, target: &OsStr, mode: u32) -> io::Result<Self> {
        let name = target.to_string_lossy();
        let name: String = name
            .char_indices()
            .take_while(|(at, char)| at + char.len_utf8() <= MAX_NAME)
            .map(|it| it.1)
            .collect();
        let process = std::process::id();
        loop {
            let number = BEGUN.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".{name}.crd-analyzer-{process}-{number}.tmp"));
            match folder.begin(&name, mode) {
                // A run that was killed had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => {
                    return Ok(Self {
                        folder,
                        name,
                        file: file?,
                        is_kept: false,
                    });
                }
            }
        }
    }

    fn sync(&self) -> Result<(), Unwritten> {
        self.file
            .sync_all()
            .map_err(while_doing("cannot bring the new text onto the disk"))
    }

    /// Takes the name of a target that is still the open file `old` with the text `before`.
    fn replace(mut self, target: &OsStr, old: &mut File, found: &Metadata, before: &[u8]) -> Result<(), Unwritten> {
        let rename = while_doing("cannot give the new text its name");
        match self.folder.exchange(&self.name, target) {
            None => {
                self.folder.rename(&self.name, target).map_err(rename)?;
                self.is_kept = true;
                return Ok(());
            }
            Some(exchanged) => exchanged.map_err(rename)?,
        }
        // Whatever had the target's name at this very moment has ours now: it may only go if it is what was read.
        if self.folder.is_same(&self.name, found) && is_still(old, before).is_ok() {
            return Ok(());
        }
        if matches!(self.folder.exchange(&self.name, target), Some(Ok(()))) {
            return Err(Unwritten::Changed);
        }
        self.is_kept = true;
        Err(Unwritten::Taken {
            kept: self.folder.path_of(&self.name),
        })
    }

    /// Takes a name that nothing has.
    fn name(mut self, target: &OsStr) -> Result<(), Unwritten> {
        let named = match self.folder.rename_new(&self.name, target) {
            Some(renamed) => renamed.inspect(|()| self.is_kept = true),
            // Both names are there for a moment.
            None => self.folder.link(&self.name, target),
        };
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Unwritten::Exists,
            _ => while_doing("cannot give the new file its name")(error),
        })
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // Who may write it may remove it; if not, its name says what it is.
            let _ = self.folder.remove(&self.name);
        }
    }
}
