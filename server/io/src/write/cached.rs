//! Writes files into the user's cache folder, for data that can be computed again. They must not be written anywhere else.
//!
//! The folder that contains the cache folder belongs to the user and may be a link. Nothing inside it may be a link. Each folder is opened relative
//! to its parent and must belong to the user, so that another user cannot redirect a write.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

/// The cache folder.
#[derive(Clone, Debug)]
pub struct CacheFolder(PathBuf);

impl CacheFolder {
    /// Creates the cache folder at a path on the first write.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, unless the file already has this content. Returns its path. `below` is the path inside the folder, which must consist of plain
    /// names.
    pub fn keep(&self, below: &Path, text: &[u8]) -> io::Result<PathBuf> {
        let (folder, name) = parts(below)?;
        let folder = open(&self.0, folder, true)?;
        if !folder.has(name, text) {
            folder.write(name, text)?;
        }
        Ok(self.0.join(below))
    }

    /// Removes the files in a subfolder for which `is_wanted` returns false. The subfolder need not exist.
    pub fn retain(&self, below: &Path, is_wanted: impl Fn(&OsStr) -> bool) -> io::Result<()> {
        match open(&self.0, below, false) {
            Ok(folder) => folder.retain(is_wanted),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Splits a path inside the cache folder into a folder and a file name.
fn parts(below: &Path) -> io::Result<(&Path, &OsStr)> {
    below.parent().zip(below.file_name()).ok_or_else(not_plain)
}

fn not_plain() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a plain name")
}

/// The name of a temporary file. It includes the process id, so that other processes use other names.
fn unfinished(name: &OsStr) -> String {
    format!(".{}.crd-analyzer-{}.tmp", name.display(), std::process::id())
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, File},
        io::{Read as _, Write as _},
        os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
        path::Component,
    };

    use rustix::{
        fs::{AtFlags, Dir, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat},
        io::Errno,
    };

    use super::{OsStr, Path, io, not_plain, unfinished};

    /// An open folder inside the cache folder.
    pub(super) struct Folder(OwnedFd);

    /// Opens a folder inside the cache folder. `make` says whether to create missing folders.
    pub(super) fn open(cache: &Path, below: &Path, make: bool) -> io::Result<Folder> {
        let (Some(above), Some(name)) = (cache.parent(), cache.file_name()) else {
            return Err(not_plain());
        };
        if make {
            fs::create_dir_all(above)?;
        }
        let mut folder = OwnedFd::from(File::open(above)?);
        let names = below.components().map(|it| match it {
            Component::Normal(name) => Ok(name),
            _ => Err(not_plain()),
        });
        for name in std::iter::once(Ok(name)).chain(names) {
            let name = name?;
            if make
                && let Err(error) = mkdirat(&folder, name, Mode::from_raw_mode(0o777))
                && error != Errno::EXIST
            {
                return Err(error.into());
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            folder = openat(&folder, name, flags, Mode::empty())?;
            let found = fstat(&folder)?;
            let is_own = found.st_uid == rustix::process::geteuid().as_raw();
            if !is_own || found.st_mode as u32 & 0o002 != 0 {
                let why = format!("the folder `{}` does not belong to the user alone", name.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
        }
        Ok(Folder(folder))
    }

    impl Folder {
        /// Whether a file has this content.
        pub(super) fn has(&self, name: &OsStr, text: &[u8]) -> bool {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            let Ok(file) = openat(&self.0, name, flags, Mode::empty()).map(File::from) else {
                return false;
            };
            let is_file = file.metadata().is_ok_and(|it| it.is_file());
            let mut found = Vec::new();
            is_file && file.take(text.len() as u64 + 1).read_to_end(&mut found).is_ok() && found == text
        }

        /// Writes a file, and replaces an existing one.
        pub(super) fn write(&self, name: &OsStr, text: &[u8]) -> io::Result<()> {
            let limit = crate::write::attributes::size_limit();
            if limit.is_some_and(|it| text.len() as u64 > it) {
                return Err(Errno::FBIG.into());
            }
            let unfinished = unfinished(name);
            // A killed process with the same id may have left the temporary file behind.
            let _ = unlinkat(&self.0, unfinished.as_str(), AtFlags::empty());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = openat(&self.0, unfinished.as_str(), flags, Mode::from_raw_mode(0o666))?;
            let written = File::from(file)
                .write_all(text)
                .and_then(|()| Ok(renameat(&self.0, unfinished.as_str(), &self.0, name)?));
            if written.is_err() {
                let _ = unlinkat(&self.0, unfinished.as_str(), AtFlags::empty());
            }
            written
        }

        /// Removes the files for which `is_wanted` returns false.
        pub(super) fn retain(&self, is_wanted: impl Fn(&OsStr) -> bool) -> io::Result<()> {
            for entry in Dir::read_from(&self.0)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name != "." && name != ".." && !is_wanted(name) {
                    unlinkat(&self.0, name, AtFlags::empty())?;
                }
            }
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::{fs, path::PathBuf};

    use super::{OsStr, Path, io, unfinished};

    /// The path of a folder.
    pub(super) struct Folder(PathBuf);

    pub(super) fn open(cache: &Path, below: &Path, make: bool) -> io::Result<Folder> {
        let path = cache.join(below);
        if make {
            fs::create_dir_all(&path)?;
        }
        let mut at = Some(path.as_path());
        while let Some(folder) = at.filter(|it| it.starts_with(cache)) {
            if fs::symlink_metadata(folder)?.is_symlink() {
                let why = format!("the folder `{}` is a link", folder.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
            at = folder.parent();
        }
        Ok(Folder(path))
    }

    impl Folder {
        pub(super) fn has(&self, name: &OsStr, text: &[u8]) -> bool {
            let path = self.0.join(name);
            fs::symlink_metadata(&path).is_ok_and(|it| it.is_file() && it.len() == text.len() as u64)
                && fs::read(path).is_ok_and(|it| it == text)
        }

        pub(super) fn write(&self, name: &OsStr, text: &[u8]) -> io::Result<()> {
            let unfinished = self.0.join(unfinished(name));
            fs::write(&unfinished, text)?;
            fs::rename(&unfinished, self.0.join(name))
        }

        pub(super) fn retain(&self, is_wanted: impl Fn(&OsStr) -> bool) -> io::Result<()> {
            for entry in fs::read_dir(&self.0)? {
                let entry = entry?;
                if !is_wanted(&entry.file_name()) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        }
    }
}

#[cfg(not(unix))]
use other::open;
#[cfg(unix)]
use unix::open;
