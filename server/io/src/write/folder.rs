//! An open folder. All operations apply to this folder, even if its path leads to another folder in the meantime.

#[cfg(not(unix))]
pub(super) use other::Folder;
#[cfg(unix)]
pub(super) use unix::Folder;

#[cfg(unix)]
mod unix {
    use std::{
        ffi::OsStr,
        fs::{File, Metadata},
        io,
        os::{fd::OwnedFd, unix::fs::MetadataExt as _},
        path::{Component, Path, PathBuf},
    };

    use rustix::{
        fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, linkat, mkdirat, openat, renameat, statat, unlinkat},
        io::Errno,
    };

    /// The flag for opening a folder on a path. Such a folder is only traversed, and need not be readable.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const PASS: OFlags = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const PASS: OFlags = OFlags::RDONLY;

    /// An open folder, and the path that it had when it was opened.
    pub(in crate::write) struct Folder {
        path: PathBuf,
        open: OwnedFd,
    }

    impl Folder {
        /// Opens a folder by its path without links, one component after the other. If a component has become a link in the meantime, it is not
        /// followed.
        pub(in crate::write) fn at(real: &Path) -> io::Result<Self> {
            let flags = PASS | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let mut folder = Self {
                path: PathBuf::from("/"),
                open: openat(CWD, "/", flags, Mode::empty())?,
            };
            for part in real.components() {
                if let Component::Normal(name) = part {
                    folder = folder.below(name)?;
                }
            }
            Ok(folder)
        }

        /// Opens a subfolder, unless the name is a link.
        pub(in crate::write) fn below(&self, name: &OsStr) -> io::Result<Self> {
            let flags = PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(Self {
                path: self.path.join(name),
                open: openat(&self.open, name, flags, Mode::empty())?,
            })
        }

        /// Creates a subfolder, if the name is not taken.
        pub(in crate::write) fn make(&self, name: &OsStr) -> io::Result<()> {
            match mkdirat(&self.open, name, Mode::from_raw_mode(0o777)) {
                Err(Errno::EXIST) => Ok(()),
                made => Ok(made?),
            }
        }

        /// The path of an entry, according to the folder's path when it was opened.
        pub(in crate::write) fn path_of(&self, name: &OsStr) -> PathBuf {
            self.path.join(name)
        }

        /// Creates a file. Fails if the name is taken.
        pub(in crate::write) fn begin(&self, name: &OsStr, mode: u32) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(openat(&self.open, name, flags, Mode::from_raw_mode(mode as _))?.into())
        }

        /// Opens a file for reading, unless the name is a link. Never blocks.
        pub(in crate::write) fn open(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            Ok(openat(&self.open, name, flags, Mode::empty())?.into())
        }

        /// Whether the user may write a file.
        pub(in crate::write) fn may_write(&self, name: &OsStr) -> bool {
            accessat(&self.open, name, Access::WRITE_OK, AtFlags::empty()).is_ok()
        }

        /// Whether a name still refers to the same, unchanged file.
        #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
        pub(in crate::write) fn is_same(&self, name: &OsStr, found: &Metadata) -> bool {
            statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|now| {
                let is_one = (now.st_dev as u64, now.st_ino as u64) == (found.dev(), found.ino());
                let time = (now.st_mtime as i64, now.st_mtime_nsec as i64);
                is_one && now.st_size as u64 == found.size() && time == (found.mtime(), found.mtime_nsec())
            })
        }

        /// Removes a file.
        pub(in crate::write) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(unlinkat(&self.open, name, AtFlags::empty())?)
        }

        /// Renames a file, and replaces any file that has the new name.
        pub(in crate::write) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(renameat(&self.open, from, &self.open, to)?)
        }

        /// Gives a file a second name. Fails if the name is taken.
        pub(in crate::write) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(linkat(&self.open, from, &self.open, to, AtFlags::empty())?)
        }

        /// Exchanges the names of two files atomically. `None` if the system does not support this.
        pub(in crate::write) fn exchange(&self, one: &OsStr, other: &OsStr) -> Option<io::Result<()>> {
            self.renamed(one, other, Flags::Exchange)
        }

        /// Renames a file atomically. Fails if the new name is taken. `None` if the system does not support this.
        pub(in crate::write) fn rename_new(&self, from: &OsStr, to: &OsStr) -> Option<io::Result<()>> {
            self.renamed(from, to, Flags::New)
        }

        #[cfg(any(target_os = "linux", target_os = "macos"))]
        fn renamed(&self, from: &OsStr, to: &OsStr, flags: Flags) -> Option<io::Result<()>> {
            use rustix::fs::RenameFlags;
            let flags = match flags {
                Flags::Exchange => RenameFlags::EXCHANGE,
                Flags::New => RenameFlags::NOREPLACE,
            };
            match rustix::fs::renameat_with(&self.open, from, &self.open, to, flags) {
                // This file system does not support the operation.
                Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => None,
                done => Some(done.map_err(io::Error::from)),
            }
        }

        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        fn renamed(&self, _: &OsStr, _: &OsStr, _: Flags) -> Option<io::Result<()>> {
            None
        }

        /// Syncs the names in the folder to disk. The contents of files are already synced, so if this fails, a power cut leaves either the old or
        /// the new name.
        pub(in crate::write) fn sync(&self) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            if let Ok(folder) = openat(&self.open, ".", flags, Mode::empty()) {
                let _ = File::from(folder).sync_all();
            }
        }
    }

    #[derive(Clone, Copy)]
    enum Flags {
        Exchange,
        New,
    }
}

#[cfg(not(unix))]
mod other {
    use std::{
        ffi::OsStr,
        fs::{self, File, Metadata},
        io,
        path::{Path, PathBuf},
    };

    /// The path of the folder.
    pub(in crate::write) struct Folder(PathBuf);

    impl Folder {
        pub(in crate::write) fn at(real: &Path) -> io::Result<Self> {
            fs::read_dir(real)?;
            Ok(Self(real.to_owned()))
        }

        pub(in crate::write) fn below(&self, name: &OsStr) -> io::Result<Self> {
            let path = self.0.join(name);
            if !fs::symlink_metadata(&path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Self(path))
        }

        pub(in crate::write) fn make(&self, name: &OsStr) -> io::Result<()> {
            match fs::create_dir(self.0.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                made => made,
            }
        }

        pub(in crate::write) fn path_of(&self, name: &OsStr) -> PathBuf {
            self.0.join(name)
        }

        pub(in crate::write) fn begin(&self, name: &OsStr, _: u32) -> io::Result<File> {
            File::create_new(self.0.join(name))
        }

        pub(in crate::write) fn open(&self, name: &OsStr) -> io::Result<File> {
            File::open(self.0.join(name))
        }

        pub(in crate::write) fn may_write(&self, _: &OsStr) -> bool {
            true
        }

        #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
        pub(in crate::write) fn is_same(&self, name: &OsStr, found: &Metadata) -> bool {
            let of = |it: &Metadata| (it.len(), it.modified().ok());
            fs::symlink_metadata(self.0.join(name)).is_ok_and(|now| now.is_file() && of(&now) == of(found))
        }

        pub(in crate::write) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(in crate::write) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(in crate::write) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::hard_link(self.0.join(from), self.0.join(to))
        }

        pub(in crate::write) fn exchange(&self, _: &OsStr, _: &OsStr) -> Option<io::Result<()>> {
            None
        }

        pub(in crate::write) fn rename_new(&self, _: &OsStr, _: &OsStr) -> Option<io::Result<()>> {
            None
        }

        pub(in crate::write) fn sync(&self) {}
    }
}
