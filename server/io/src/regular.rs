//! Regular files: opened and read without waiting, and no more of them than a bound.
//!
//! What a file is, is asked of the open file before a byte is read. Whether it may be read at all is decided above.

use std::{
    fs::{self, File, FileType, Metadata},
    io,
    path::Path,
};

use crate::unread::Unread;

/// The bytes of a file that only a regular file can be, wherever links lead: not a pipe that was handed to this program either.
pub(crate) fn plain(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    regular(fs::metadata(path)?.file_type())?;
    let (file, found) = opened(path, true)?;
    contents(&file, found.len(), most)
}

/// Opens a file that is regular by its name, and sees that it is.
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

/// What an open file is.
///
/// # Errors
/// If it is not a regular one.
pub(crate) fn is_regular(file: &File) -> Result<Metadata, Unread> {
    let found = file.metadata()?;
    regular(found.file_type())?;
    if is_made_up(file, &found) {
        return Err(Unread::Special("a virtual file of the kernel"));
    }
    Ok(found)
}

/// An error unless it is a regular file.
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

/// Reads an open file to its end, or one byte more than is allowed. `size`: what the file said of itself, which may be nothing.
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

/// What is read at a time of a file that is longer than it said.
const READ_BYTES: usize = 1 << 16;

/// Reads into the room that a buffer has left.
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

/// Whether the kernel makes the file up when it is read: such a file is not what anybody wrote, may wait, or may be spent by reading.
#[cfg(target_os = "linux")]
fn is_made_up(file: &File, found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const SYSFS: u64 = 0x6265_6572;
    const DEBUGFS: u64 = 0x6462_6720;
    const TRACEFS: u64 = 0x7472_6163;
    const CGROUP: u64 = 0x6367_7270;
    // What lies on a disk has blocks there, except for the smallest files of some.
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
