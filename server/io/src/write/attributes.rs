//! What a file has besides its text, and what can be done to names, as far as the system knows it.

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, File, Metadata},
        io,
        os::unix::fs::MetadataExt as _,
        path::Path,
    };

    use rustix::{
        fs::{Access, FlockOperation, Gid, Mode, Uid},
        io::Errno,
        process::Resource,
    };

    use crate::write::Unwritten;

    /// Locks a file until it is closed, against other processes that also lock it. Succeeds on file systems without locks.
    pub(in crate::write) fn lock(file: &File) -> Result<(), Unwritten> {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Err(Unwritten::Locked),
            _ => Ok(()),
        }
    }

    /// An error if a file is not to be replaced, though its folder may be written.
    pub(in crate::write) fn may_be_replaced(path: &Path, found: &Metadata) -> Result<(), Unwritten> {
        // The superuser may write everything, and has said by the mode that it is not to be written.
        if found.mode() & 0o222 == 0 || rustix::fs::access(path, Access::WRITE_OK).is_err() {
            return Err(Unwritten::ReadOnly);
        }
        if found.nlink() > 1 {
            return Err(Unwritten::HardLinks(found.nlink()));
        }
        Ok(())
    }

    /// Gives a new file the owner, group, attributes and mode of an old one, as far as it is allowed.
    pub(in crate::write) fn keep(old: &File, found: &Metadata, new: &File) -> io::Result<()> {
        let own = new.metadata()?;
        let mut mode = found.mode() & 0o7777;
        if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
            let (uid, gid) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
            let has_group =
                rustix::fs::fchown(new, Some(uid), Some(gid)).or_else(|_| rustix::fs::fchown(new, None, Some(gid)));
            if has_group.is_err() {
                // What the old group might do, another must not.
                mode = mode & !0o070 | (mode & 0o007) << 3;
            }
        }
        keep_extended(old, new);
        Ok(rustix::fs::fchmod(new, Mode::from_raw_mode(mode as _))?)
    }

    /// Lists of rights, labels and what else lies beside a file.
    #[cfg(target_os = "linux")]
    fn keep_extended(old: &File, new: &File) {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
        let mut names = Vec::with_capacity(1 << 16);
        if flistxattr(old, rustix::buffer::spare_capacity(&mut names)).is_err() {
            return;
        }
        for name in names.split(|it| *it == 0).filter(|it| !it.is_empty()) {
            let mut value = Vec::with_capacity(1 << 16);
            if fgetxattr(old, name, rustix::buffer::spare_capacity(&mut value)).is_ok() {
                // Some are not for everybody to set.
                let _ = fsetxattr(new, name, &value, XattrFlags::empty());
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn keep_extended(_: &File, _: &File) {}

    /// Whether a path still leads to the same, unchanged file.
    pub(in crate::write) fn is_same(path: &Path, found: &Metadata) -> bool {
        let of = |it: &Metadata| (it.dev(), it.ino(), it.size(), it.mtime(), it.mtime_nsec());
        fs::symlink_metadata(path).is_ok_and(|now| of(&now) == of(found))
    }

    /// The bytes that the process may write into a file. More would end it.
    pub(in crate::write) fn size_limit() -> Option<u64> {
        rustix::process::getrlimit(Resource::Fsize).current
    }

    /// Exchanges what two names mean; `None` where that cannot be done.
    pub(in crate::write) fn exchange(one: &Path, other: &Path) -> Option<io::Result<()>> {
        renamed(one, other, Flags::Exchange)
    }

    /// Renames a file to a name that nothing has; `None` where that cannot be done at once.
    pub(in crate::write) fn rename_new(from: &Path, to: &Path) -> Option<io::Result<()>> {
        renamed(from, to, Flags::New)
    }

    #[derive(Clone, Copy)]
    enum Flags {
        Exchange,
        New,
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn renamed(from: &Path, to: &Path, flags: Flags) -> Option<io::Result<()>> {
        use rustix::fs::{CWD, RenameFlags};
        let flags = match flags {
            Flags::Exchange => RenameFlags::EXCHANGE,
            Flags::New => RenameFlags::NOREPLACE,
        };
        match rustix::fs::renameat_with(CWD, from, CWD, to, flags) {
            // Not every file system can.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => None,
            done => Some(done.map_err(io::Error::from)),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn renamed(_: &Path, _: &Path, _: Flags) -> Option<io::Result<()>> {
        None
    }
}

#[cfg(not(unix))]
mod other {
    use std::{
        fs::{self, File, Metadata},
        io,
        path::Path,
    };

    use crate::write::Unwritten;

    pub(in crate::write) fn lock(_: &File) -> Result<(), Unwritten> {
        Ok(())
    }

    pub(in crate::write) fn may_be_replaced(_: &Path, found: &Metadata) -> Result<(), Unwritten> {
        if found.permissions().readonly() {
            return Err(Unwritten::ReadOnly);
        }
        Ok(())
    }

    pub(in crate::write) fn keep(_: &File, found: &Metadata, new: &File) -> io::Result<()> {
        new.set_permissions(found.permissions())
    }

    pub(in crate::write) fn is_same(path: &Path, found: &Metadata) -> bool {
        let of = |it: &Metadata| (it.len(), it.modified().ok());
        fs::symlink_metadata(path).is_ok_and(|now| now.is_file() && of(&now) == of(found))
    }

    pub(in crate::write) fn size_limit() -> Option<u64> {
        None
    }

    pub(in crate::write) fn exchange(_: &Path, _: &Path) -> Option<io::Result<()>> {
        None
    }

    pub(in crate::write) fn rename_new(_: &Path, _: &Path) -> Option<io::Result<()>> {
        None
    }
}
