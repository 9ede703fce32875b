//! Opens and reads regular files without blocking, up to a size limit.
//!
//! The type of a file is checked on the open file, before a byte is read. Callers must check whether the file may be read at all.

use std::{
    fs::{self, File, FileType, Metadata},
    io,
    path::Path,
};

use crate::unread::Unread;

/// The content of a regular file, wherever links lead. Rejects everything else, even a pipe that this program has inherited.
pub(crate) fn plain(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    regular(fs::metadata(path)?.file_type())?;
    let (file, found) = opened(path, true)?;
    contents(&file, found.len(), most)
}

/// Opens a file whose path leads to a regular file, and checks that the open file is a regular file, too.
pub(crate) fn opened(path: &Path, follow: bool) -> Result<(File, Metadata), Unread> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let follow = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | follow;
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = follow;
    let file = options.open(path)?;
    let found = is_regular(&file)?;
    Ok((file, found))
}

/// The metadata of an open file.
///
/// # Errors
/// If the file is not a regular file.
pub(crate) fn is_regular(file: &File) -> Result<Metadata, Unread> {
    let found = file.metadata()?;
    regular(found.file_type())?;
    if is_made_up(file, &found) {
        return Err(Unread::Special("a virtual file of the kernel"));
    }
    Ok(found)
}

/// Returns an error unless the type is that of a regular file.
pub(crate) fn regular(of: FileType) -> Result<(), Unread> {
    if of.is_file() {
        return Ok(());
    }
    if of.is_dir() {
        return Err(Unread::Special("a folder"));
    }
    if of.is_symlink() {
        return Err(Unread::Special("a link"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let what = [
            (of.is_fifo(), "a FIFO"),
            (of.is_socket(), "a socket"),
            (of.is_char_device() || of.is_block_device(), "a device"),
        ];
        if let Some((_, what)) = what.into_iter().find(|it| it.0) {
            return Err(Unread::Special(what));
        }
    }
    Err(Unread::Special("not a file"))
}

/// Reads an open file to its end, or to one byte beyond the limit. `size` is the size according to the metadata, which may be wrong.
pub(crate) fn contents(file: &File, size: u64, most: u64) -> Result<Vec<u8>, Unread> {
    if size > most {
        return Err(Unread::TooLarge(most));
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    loop {
        let read = match read_some(file, &mut bytes) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if bytes.len() as u64 > most {
            return Err(Unread::TooLarge(most));
        }
        if read == 0 {
            return Ok(bytes);
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(READ_BYTES);
        }
    }
}

/// The number of bytes to read at a time from a file that is longer than its metadata says.
const READ_BYTES: usize = 1 << 16;

/// Reads into the spare capacity of a buffer.
#[cfg(unix)]
fn read_some(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    Ok(rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?)
}

#[cfg(not(unix))]
fn read_some(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    use std::io::Read as _;
    let room = bytes.capacity() - bytes.len();
    file.take(room as u64).read_to_end(bytes)
}

/// Whether the kernel generates the file's content when it is read. Such a file is not a manifest, reading it may block, and it may change when read.
#[cfg(target_os = "linux")]
fn is_made_up(file: &File, found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const SYSFS: u64 = 0x6265_6572;
    const DEBUGFS: u64 = 0x6462_6720;
    const TRACEFS: u64 = 0x7472_6163;
    const CGROUP: u64 = 0x6367_7270;
    // A file on disk occupies blocks. The smallest files may not, on some file systems.
    if found.blocks() > 0 {
        return false;
    }
    let of = rustix::fs::fstatfs(file).map(|it| it.f_type.cast_unsigned());
    of.is_ok_and(|it| it == rustix::fs::PROC_SUPER_MAGIC as u64 || [SYSFS, DEBUGFS, TRACEFS, CGROUP].contains(&it))
}

#[cfg(not(target_os = "linux"))]
fn is_made_up(_: &File, _: &Metadata) -> bool {
    false
}
