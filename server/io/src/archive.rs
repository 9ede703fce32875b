//! Reads files from an untrusted archive such as a chart: a tar archive compressed with gzip.
//!
//! Nothing is unpacked to disk. Only regular files are read, within fixed limits that do not depend on the sizes that the archive declares. Links are
//! skipped. If an archive contains something that no chart has (an absolute path, `..`, a device, a duplicate file), the whole archive is rejected.

use std::{
    collections::BTreeSet,
    io::{self, Read},
};

use flate2::bufread::MultiGzDecoder;
use tar::{Archive, Entry, EntryType, PaxExtensions};

/// The maximum number of decompressed bytes of an archive and the archives in it.
const MOST_BYTES: u64 = 512 << 20;
/// The maximum total size of the wanted files, in bytes.
const MOST_WANTED: u64 = 128 << 20;
/// The maximum number of files and folders.
const MOST_ENTRIES: usize = 200_000;
/// The maximum length of a path, in bytes. Other tools have such a limit as well.
const MOST_PATH: usize = 4 << 10;
/// The maximum size, in bytes, of an entry that describes the next file, such as its long path.
const MOST_SAID: u64 = 16 * MOST_PATH as u64;
/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The reason why an archive is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The archive is truncated, or is not gzip data.
    #[error("it is cut, or gzip did not make it: {0}")]
    Gzip(io::Error),
    /// The archive is not a tar archive.
    #[error("it is not a tar archive: {0}")]
    Tar(String),
    /// The archive is too large.
    #[error("it has more than {0} when it is unpacked")]
    TooLarge(String),
    /// The archive contains a path that leads outside of it.
    #[error("it has a file {0:?}, and files of archives lie below the folder that an archive is unpacked to")]
    Path(String),
    /// The archive contains something other than files, folders and links.
    #[error("it has {what} {path:?}")]
    Special {
        /// The kind of the entry.
        what: &'static str,
        /// The path of the entry.
        path: String,
    },
    /// The archive contains the same file twice.
    #[error("it has two files {0:?}")]
    Twice(String),
}

/// The content of an archive.
#[derive(Default, Debug)]
pub struct Unpacked {
    /// The wanted files, each with its path and content.
    pub files: Vec<(String, Vec<u8>)>,
    /// The number of links that were skipped.
    pub links: usize,
}

/// Whether the bytes start like gzip data.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&GZIP)
}

/// The remaining limits for an archive and the archives inside it.
#[derive(Debug)]
pub struct Room {
    bytes: u64,
    wanted: u64,
    entries: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            bytes: MOST_BYTES,
            wanted: MOST_WANTED,
            entries: MOST_ENTRIES,
        }
    }
}

/// Returns the files of an archive whose paths are wanted.
///
/// # Errors
/// If the archive is rejected as a whole.
pub fn unpack(archive: &[u8], room: &mut Room, is_wanted: &dyn Fn(&str) -> bool) -> Result<Unpacked, Refused> {
    let mut from = Bounded {
        from: MultiGzDecoder::new(archive),
        left: room.bytes,
    };
    let found = entries(&mut from, room, is_wanted);
    let is_empty = from.left == room.bytes;
    // Read the rest after the last file as well, to detect a truncated archive.
    let rest = io::copy(&mut from, &mut io::sink()).map_err(refusal);
    room.bytes = from.left;
    let found = found?;
    rest?;
    if is_empty {
        return Err(Refused::Tar("it is empty".to_owned()));
    }
    Ok(found)
}

fn entries(from: &mut Bounded<'_>, room: &mut Room, is_wanted: &dyn Fn(&str) -> bool) -> Result<Unpacked, Refused> {
    let most = room.bytes;
    let mut archive = Archive::new(from);
    let mut found = Unpacked::default();
    let mut seen = BTreeSet::new();
    let mut said = Said::default();
    // Use raw entries, because otherwise the library would read the entries that describe a file as a whole, however long they are.
    for entry in archive.entries().map_err(refusal)?.raw(true) {
        let mut entry = entry.map_err(refusal)?;
        room.entries = room
            .entries
            .checked_sub(1)
            .ok_or_else(|| too_many("files", MOST_ENTRIES))?;
        if entry.size() > most {
            return Err(too_many("bytes", MOST_BYTES));
        }
        let kind = entry.header().entry_type();
        match kind {
            EntryType::XHeader => {
                said.read_pax(&small(&mut entry)?)?;
                continue;
            }
            EntryType::GNULongName => {
                said.path = Some(text(small(&mut entry)?)?);
                continue;
            }
            EntryType::XGlobalHeader | EntryType::GNULongLink => continue,
            _ => {}
        }
        let said = std::mem::take(&mut said);
        // A size outside the header is only needed for a file that is too large anyway. If the two sizes differ, programs disagree on which one
        // applies.
        if said.size.is_some_and(|it| it != entry.size()) {
            return Err(Refused::Tar("it gives the size of a file twice".to_owned()));
        }
        let path = match said.path {
            Some(path) => path,
            None => text(entry.header().path_bytes().into_owned())?,
        };
        let plain = plain(&path)?;
        let what = match kind {
            EntryType::Regular | EntryType::Continuous if !path.ends_with('/') => {
                if plain.is_empty() || !seen.insert(plain.clone()) {
                    return Err(Refused::Twice(path));
                }
                if is_wanted(&plain) {
                    room.wanted = room
                        .wanted
                        .checked_sub(entry.size())
                        .ok_or_else(|| too_many("bytes of manifests", MOST_WANTED))?;
                    found.files.push((plain, bytes(&mut entry)?));
                }
                continue;
            }
            EntryType::Regular | EntryType::Directory => continue,
            EntryType::Link | EntryType::Symlink => {
                found.links += 1;
                continue;
            }
            EntryType::Char | EntryType::Block => "a device",
            EntryType::Fifo => "a FIFO",
            EntryType::GNUSparse => "a file with holes",
            _ => "something of an unknown kind",
        };
        return Err(Refused::Special { what, path });
    }
    Ok(found)
}

/// The content of an entry.
fn bytes(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(refusal)?;
    if (bytes.len() as u64) < entry.size() {
        return Err(Refused::Tar("it ends in the middle of a file".to_owned()));
    }
    Ok(bytes)
}

/// The bytes of an entry that describes the next file.
fn small(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, Refused> {
    if entry.size() > MOST_SAID {
        return Err(Refused::Tar("what it says of a file is too long".to_owned()));
    }
    bytes(entry)
}

/// The path and the size of a file, as far as an entry before it gives them.
#[derive(Default)]
struct Said {
    path: Option<String>,
    size: Option<u64>,
}

impl Said {
    /// Parses the records of a POSIX (pax) header.
    fn read_pax(&mut self, records: &[u8]) -> Result<(), Refused> {
        let wrong = || Refused::Tar("what it says of a file cannot be read".to_owned());
        for record in PaxExtensions::new(records) {
            let record = record.map_err(|_| wrong())?;
            let value = || text(record.value_bytes().to_vec());
            match record.key_bytes() {
                b"path" => self.path = Some(value()?),
                b"size" => self.size = Some(value()?.parse().map_err(|_| wrong())?),
                key if key.starts_with(b"GNU.sparse.") => return Err(Refused::Tar("a file has holes".to_owned())),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The reason why reading has stopped.
fn refusal(error: io::Error) -> Refused {
    match error.downcast::<Refused>() {
        Ok(refused) => refused,
        Err(error) => {
            // The library's message may contain bytes of the archive.
            let words: String = error
                .to_string()
                .chars()
                .flat_map(char::escape_debug)
                .take(200)
                .collect();
            Refused::Tar(format!("it is cut, or a header is wrong ({words})"))
        }
    }
}

/// The decompressed content of an archive, up to a limit.
struct Bounded<'a> {
    from: MultiGzDecoder<&'a [u8]>,
    left: u64,
}

impl Read for Bounded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into).map_err(|it| io::Error::other(Refused::Gzip(it)))?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| io::Error::other(too_many("bytes", MOST_BYTES)))?;
        Ok(read)
    }
}

fn too_many(what: &str, most: impl std::fmt::Display) -> Refused {
    Refused::TooLarge(format!("{most} {what}"))
}

/// The path of a file without `.` and empty components.
fn plain(path: &str) -> Result<String, Refused> {
    let refused = || Refused::Path(path.chars().take(200).collect());
    // Reject Windows drives and Windows path separators as well.
    if path.starts_with('/')
        || path.contains(['\0', '\\'])
        || path.as_bytes().get(1) == Some(&b':')
        || path.len() > MOST_PATH
    {
        return Err(refused());
    }
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
    if parts.contains(&"..") {
        return Err(refused());
    }
    Ok(parts.join("/"))
}

fn text(mut bytes: Vec<u8>) -> Result<String, Refused> {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|_| Refused::Tar("the name of a file is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests;
