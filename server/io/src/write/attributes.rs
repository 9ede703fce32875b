//! The attributes of a file besides its content, as far as the system supports them.

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(unix)]
mod unix {
    use std::{
        fs::{File, Metadata},
        io,
        os::unix::fs::MetadataExt as _,
    };

    use rustix::{
        fs::{FlockOperation, Gid, Mode, Uid},
        io::Errno,
        process::Resource,
    };

    use crate::write::Unwritten;

    /// Locks a file until it is closed. Only processes that lock it as well are affected. Succeeds without an effect on file systems that have no
    /// locks.
    pub(in crate::write) fn lock(file: &File) -> Result<(), Unwritten> {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Err(Unwritten::Locked),
            _ => Ok(()),
        }
    }

    /// Whether the mode of a file makes it read-only. The superuser could still write the file, but the mode means that it should not change.
    pub(in crate::write) fn is_read_only(found: &Metadata) -> bool {
        found.mode() & 0o222 == 0
    }

    /// The number of hard links to a file.
    pub(in crate::write) fn names(found: &Metadata) -> u64 {
        found.nlink()
    }

    /// Whether the file is executable.
    pub(in crate::write) fn is_executable(found: &Metadata) -> bool {
        found.mode() & 0o111 != 0
    }

    /// Gives a new file the owner, group, extended attributes and mode of an old one, as far as the user may set them.
    pub(in crate::write) fn keep(old: &File, found: &Metadata, new: &File) -> io::Result<()> {
        let own = new.metadata()?;
        let mut mode = found.mode() & 0o7777;
        if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
            let (uid, gid) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
            let has_group =
                rustix::fs::fchown(new, Some(uid), Some(gid)).or_else(|_| rustix::fs::fchown(new, None, Some(gid)));
            if has_group.is_err() {
                // The new file has another group, which must not get the old group's permissions.
                mode = mode & !0o070 | (mode & 0o007) << 3;
            }
        }
        keep_extended(old, new);
        Ok(rustix::fs::fchmod(new, Mode::from_raw_mode(mode as _))?)
    }

    /// Copies extended attributes such as access control lists and labels.
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
                // Ignore errors, because only privileged users can set some attributes.
                let _ = fsetxattr(new, name, &value, XattrFlags::empty());
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn keep_extended(_: &File, _: &File) {}

    /// The maximum size, in bytes, of a file that the process may write. If the process exceeded it, the system would kill the process.
    pub(in crate::write) fn size_limit() -> Option<u64> {
        rustix::process::getrlimit(Resource::Fsize).current
    }
}

#[cfg(not(unix))]
mod other {
    use std::{
        fs::{File, Metadata},
        io,
    };

    use crate::write::Unwritten;

    pub(in crate::write) fn lock(_: &File) -> Result<(), Unwritten> {
        Ok(())
    }

    pub(in crate::write) fn is_read_only(found: &Metadata) -> bool {
        found.permissions().readonly()
    }

    pub(in crate::write) fn names(_: &Metadata) -> u64 {
        1
    }

    /// On this system, the file name determines whether a file is executable, and output files have names of data files.
    pub(in crate::write) fn is_executable(_: &Metadata) -> bool {
        false
    }

    pub(in crate::write) fn keep(_: &File, found: &Metadata, new: &File) -> io::Result<()> {
        new.set_permissions(found.permissions())
    }

    pub(in crate::write) fn size_limit() -> Option<u64> {
        None
    }
}
