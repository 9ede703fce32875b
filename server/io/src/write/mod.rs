//! Writes the user's files. Afterwards, a file has either the complete new text or its old text.
//!
//! The new text is written to a temporary file beside the target, synced to disk, and renamed to the target's name. If the program is killed before
//! that, a file with a name like `.crd.yaml.crd-analyzer-123-0.tmp` is left over, but the target is never truncated. Changes that somebody else made
//! in the meantime are not overwritten.
//!
//! To change a file ([`replace`]), a link inside the repository may lead to it. Output ([`put`], [`create`], [`OutputFolder`]) follows no link that a
//! repository can contain, because such a link would determine where the output is written. Git's own files and programs are never written.

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

/// Which existing files a write may replace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Replaceable {
    /// Regular files that are not executable.
    #[default]
    Data,
    /// Executable files as well, because the user has allowed it.
    Executables,
}

/// The reason why a file was not written, as a sentence for the user. It does not contain the file's name. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum Unwritten {
    /// The file to replace cannot be read.
    #[error(transparent)]
    Unread(#[from] Unread),
    /// The file has changed since it was read.
    #[error("somebody else has changed it in the meantime: it stays as it is")]
    Changed,
    /// A file with this name already exists.
    #[error("there is something of this name already")]
    Exists,
    /// The file is read-only.
    #[error("it is read-only")]
    ReadOnly,
    /// The path is a link, or leads through a link.
    #[error("`{}` is a link, and output goes through no link: name the file or folder that is meant", .0.display())]
    Link(PathBuf),
    /// The file is executable.
    #[error("it is executable: remove it, or add `--replace-executable`")]
    Executable,
    /// The file has several hard links, and the others would keep the old text.
    #[error("it has {0} names (hard links), and the others would keep the old text")]
    HardLinks(u64),
    /// Another program has locked the file.
    #[error("another program has locked it")]
    Locked,
    /// The new text exceeds the process's limit for the size of files.
    #[error("it would have {size} bytes, and files may have {limit} (`ulimit -f`)")]
    TooLarge {
        /// The size of the new text in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// An error from the operating system.
    #[error("{doing}: {error}")]
    Io {
        /// What was being done when the error occurred.
        doing: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// A text that somebody else has written was moved to another name, and cannot be moved back.
    #[error("somebody else has changed it in the meantime: their text is now in `{}`", kept.display())]
    Taken {
        /// The path of the file that now has that text.
        kept: PathBuf,
    },
}

/// Adds to a system error what was being done.
fn while_doing(doing: &'static str) -> impl Fn(io::Error) -> Unwritten {
    move |error| Unwritten::Io { doing, error }
}

/// Replaces the text of a file, if it still equals `before`. `access` is the access with which the file was read.
///
/// A link that stays within the allowed folders is followed and kept. Any other link is rejected. Mode, owner, group, and extended attributes are
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

/// Writes a new file, which must not exist yet. The user has named the file's folder.
pub fn create(path: &Path, text: &[u8]) -> Result<(), Unwritten> {
    Place::named(path)?.create(text)
}

/// Writes a file that the user has named, and replaces any existing content.
pub fn put(path: &Path, text: &[u8], replaceable: Replaceable) -> Result<(), Unwritten> {
    Place::named(path)?.put(text, replaceable)
}

/// Returns an error unless an open file has this content.
fn is_still(file: &mut File, before: &[u8]) -> Result<(), Unwritten> {
    let mut now = Vec::with_capacity(before.len() + 1);
    let read = file
        .rewind()
        .and_then(|()| file.take(before.len() as u64 + 1).read_to_end(&mut now));
    read.map_err(while_doing("cannot read it again"))?;
    if now == before { Ok(()) } else { Err(Unwritten::Changed) }
}

/// A temporary file beside its target. When this is dropped, the file is removed, unless it was renamed to the target.
struct Unfinished<'a> {
    folder: &'a Folder,
    name: OsString,
    file: File,
    is_kept: bool,
}

/// The number of temporary files that this process has created.
static BEGUN: AtomicUsize = AtomicUsize::new(0);

/// The maximum number of bytes of the target's name in a temporary file's name. A file name has at most 255 bytes.
const MAX_NAME: usize = 160;

/// The initial mode of a new file that will get the mode of another file. Until then, other users must not be able to read it.
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
                // A killed process with the same id has left this file behind.
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

    /// Renames the temporary file to the target. The target must still be the open file `old` with the text `before`.
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
        // The temporary name now refers to the file that was at the target when the names were exchanged. Remove it only if it is the file that was
        // read.
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

    /// Renames the temporary file to a name that must not be taken.
    fn name(mut self, target: &OsStr) -> Result<(), Unwritten> {
        let named = match self.folder.rename_new(&self.name, target) {
            Some(renamed) => renamed.inspect(|()| self.is_kept = true),
            // For a moment, the file has both names.
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
            // Ignore errors. If the file cannot be removed, its name shows that it is temporary.
            let _ = self.folder.remove(&self.name);
        }
    }
}
