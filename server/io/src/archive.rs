//! Reading files out of an archive that somebody made, such as a chart: a tar archive that gzip has compressed.
//!
//! Nothing is unpacked onto the disk. Only regular files are read, and no more of them than a bound, whatever the archive says of its size. Links are
//! left out. An archive that has what no chart has is refused as a whole: absolute paths, `..`, devices, the same file twice.

use std::{
    collections::BTreeSet,
    io::{self, Read},
};

use flate2::bufread::MultiGzDecoder;

/// The bytes that are decompressed, with those of archives inside.
const MOST_BYTES: u64 = 512 << 20;
/// The bytes of the files that are wanted.
const MOST_WANTED: u64 = 128 << 20;
/// The files and folders.
const MOST_ENTRIES: usize = 200_000;
/// The bytes of a path, which other tools bound, too.
const MOST_PATH: usize = 4 << 10;
/// The bytes of a block.
const BLOCK: usize = 512;
/// The first bytes of what gzip has compressed.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Why an archive is not read.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is cut, or no gzip.
    #[error("it is cut, or gzip did not make it: {0}")]
    Gzip(io::Error),
    /// It is not a tar archive.
    #[error("it is not a tar archive: {0}")]
    Tar(&'static str),
    /// It is too large.
    #[error("it has more than {0} when it is unpacked")]
    TooLarge(String),
    /// It has a path that leads elsewhere.
    #[error("it has a file {0:?}, and files of archives lie below the folder that an archive is unpacked to")]
    Path(String),
    /// It has something else than files, folders and links.
    #[error("it has {what} {path:?}")]
    Special {
        /// What it is.
        what: &'static str,
        /// Its path.
        path: String,
    },
    /// It has a file twice.
    #[error("it has two files {0:?}")]
    Twice(String),
}

/// What was read of an archive.
#[derive(Default, Debug)]
pub struct Unpacked {
    /// The files that are wanted, by their paths.
    pub files: Vec<(String, Vec<u8>)>,
    /// The links, which are left out.
    pub links: usize,
}

/// Whether bytes begin as gzip begins.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&GZIP)
}

/// What may still be read, of an archive and those inside.
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

/// The files of an archive whose paths are wanted.
///
/// # Errors
/// If it is refused as a whole.
pub fn unpack(archive: &[u8], room: &mut Room, is_wanted: &dyn Fn(&str) -> bool) -> Result<Unpacked, Refused> {
    let mut tar = Tar {
        from: MultiGzDecoder::new(archive),
        room,
    };
    let mut found = Unpacked::default();
    let mut seen = BTreeSet::new();
    let mut said = Said::default();
    let mut is_first = true;
    while let Some(header) = tar.header(is_first)? {
        is_first = false;
        tar.room.entries = tar
            .room
            .entries
            .checked_sub(1)
            .ok_or_else(|| too_many("files", MOST_ENTRIES))?;
        let size = match header.kind {
            // What is said of the file that follows does not count for what says it.
            b'x' | b'g' | b'L' | b'K' => header.size,
            _ => said.size.unwrap_or(header.size),
        };
        match header.kind {
            b'x' => {
                said.read_pax(&tar.small(size)?)?;
                continue;
            }
            b'L' => {
                said.path = Some(text(tar.small(size)?)?);
                continue;
            }
            b'g' | b'K' => {
                tar.skip(size)?;
                continue;
            }
            _ => {}
        }
        let path = match std::mem::take(&mut said).path {
            Some(path) => path,
            None => header.path()?,
        };
        let plain = plain(&path)?;
        let what = match header.kind {
            b'0' | b'\0' | b'7' if !path.ends_with('/') => {
                if plain.is_empty() || !seen.insert(plain.clone()) {
                    return Err(Refused::Twice(path));
                }
                if is_wanted(&plain) {
                    tar.room.wanted = tar
                        .room
                        .wanted
                        .checked_sub(size)
                        .ok_or_else(|| too_many("bytes of manifests", MOST_WANTED))?;
                    let bytes = tar.bytes(size)?;
                    found.files.push((plain, bytes));
                } else {
                    tar.skip(size)?;
                }
                continue;
            }
            b'0' | b'\0' | b'5' => {
                tar.skip(size)?;
                continue;
            }
            b'1' | b'2' => {
                found.links += 1;
                tar.skip(size)?;
                continue;
            }
            b'3' | b'4' => "a device",
            b'6' => "a FIFO",
            b'S' => "a file with holes",
            _ => "something of an unknown kind",
        };
        return Err(Refused::Special { what, path });
    }
    tar.end()?;
    Ok(found)
}

fn too_many(what: &str, most: impl std::fmt::Display) -> Refused {
    Refused::TooLarge(format!("{most} {what}"))
}

/// The path of a file without `.` and empty parts.
fn plain(path: &str) -> Result<String, Refused> {
    let refused = || Refused::Path(path.chars().take(200).collect());
    // A drive of Windows, or its separator.
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
    String::from_utf8(bytes).map_err(|_| Refused::Tar("the name of a file is not UTF-8"))
}

/// The path and the size of a file that an entry before its header gives.
#[derive(Default)]
struct Said {
    path: Option<String>,
    size: Option<u64>,
}

impl Said {
    /// Reads the records of POSIX: `LENGTH KEY=VALUE` and a line break, where the length counts itself.
    fn read_pax(&mut self, mut records: &[u8]) -> Result<(), Refused> {
        let wrong = || Refused::Tar("what it says of a file cannot be read");
        while !records.is_empty() {
            let blank = records.iter().take(20).position(|it| *it == b' ').ok_or_else(wrong)?;
            let length = std::str::from_utf8(&records[..blank])
                .ok()
                .and_then(|it| it.parse::<usize>().ok());
            let length = length
                .filter(|it| (blank + 2..=records.len()).contains(it))
                .ok_or_else(wrong)?;
            let record = records[blank + 1..length].strip_suffix(b"\n").ok_or_else(wrong)?;
            let equals = record.iter().position(|it| *it == b'=').ok_or_else(wrong)?;
            let value = || text(record[equals + 1..].to_vec());
            match &record[..equals] {
                b"path" => self.path = Some(value()?),
                b"size" => self.size = Some(value()?.parse().map_err(|_| wrong())?),
                key if key.starts_with(b"GNU.sparse.") => return Err(Refused::Tar("a file has holes")),
                _ => {}
            }
            records = &records[length..];
        }
        Ok(())
    }
}

/// The header of a file.
struct Header {
    block: [u8; BLOCK],
    kind: u8,
    size: u64,
}

impl Header {
    fn read(block: &[u8; BLOCK]) -> Result<Self, Refused> {
        let sum = |from: &[u8]| from.iter().map(|it| u64::from(*it)).sum::<u64>();
        let blanks = 8 * u64::from(b' ');
        let expected = sum(block) - sum(&block[148..156]) + blanks;
        if number(&block[148..156]) != Some(expected) {
            return Err(Refused::Tar("a checksum is wrong"));
        }
        let size = number(&block[124..136]).ok_or(Refused::Tar("the size of a file cannot be read"))?;
        // Folders and links have no bytes, whatever their size says.
        let size = if matches!(block[156], b'1'..=b'6') { 0 } else { size };
        Ok(Self {
            kind: block[156],
            size,
            block: *block,
        })
    }

    fn path(&self) -> Result<String, Refused> {
        let until_nul = |from: &[u8]| {
            let end = from.iter().position(|it| *it == 0).unwrap_or(from.len());
            text(from[..end].to_vec())
        };
        let name = until_nul(&self.block[..100])?;
        // Old archives of GNU have times there.
        let prefix = if &self.block[257..263] == b"ustar\0" {
            until_nul(&self.block[345..500])?
        } else {
            String::new()
        };
        Ok(if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        })
    }
}

/// A number of a header: octal digits, or the bytes of a large one after a mark.
fn number(field: &[u8]) -> Option<u64> {
    if field.first() == Some(&0x80) {
        let bytes = field.get(1..)?;
        let (high, low) = bytes.split_at(bytes.len().checked_sub(8)?);
        return (high.iter().all(|it| *it == 0)).then(|| low.iter().fold(0, |number, it| number << 8 | u64::from(*it)));
    }
    let digits: Vec<u8> = field
        .iter()
        .copied()
        .skip_while(|it| *it == b' ')
        .take_while(|it| !matches!(it, b' ' | 0))
        .collect();
    let digits = std::str::from_utf8(&digits).ok()?;
    if digits.is_empty() {
        return Some(0);
    }
    if !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    u64::from_str_radix(digits, 8).ok()
}

/// The bytes of an archive as they are decompressed.
struct Tar<'a> {
    from: MultiGzDecoder<&'a [u8]>,
    room: &'a mut Room,
}

impl Tar<'_> {
    /// The next header; `None` at the end.
    fn header(&mut self, is_first: bool) -> Result<Option<Header>, Refused> {
        let mut block = [0; BLOCK];
        let mut read = 0;
        while read < BLOCK {
            match self.from.read(&mut block[read..]).map_err(Refused::Gzip)? {
                0 => break,
                more => read += more,
            }
        }
        self.spend(read as u64)?;
        match read {
            0 if !is_first => Ok(None),
            BLOCK if block.iter().all(|it| *it == 0) => Ok(None),
            BLOCK => Header::read(&block).map(Some),
            0 => Err(Refused::Tar("it is empty")),
            _ => Err(Refused::Tar("it ends in the middle of a file")),
        }
    }

    fn spend(&mut self, bytes: u64) -> Result<(), Refused> {
        self.room.bytes = self
            .room
            .bytes
            .checked_sub(bytes)
            .ok_or_else(|| too_many("bytes", MOST_BYTES))?;
        Ok(())
    }

    /// The bytes of what says something of a file.
    fn small(&mut self, size: u64) -> Result<Vec<u8>, Refused> {
        if size > 16 * MOST_PATH as u64 {
            return Err(Refused::Tar("what it says of a file is too long"));
        }
        self.bytes(size)
    }

    /// The bytes of a file, and those up to the next header.
    fn bytes(&mut self, size: u64) -> Result<Vec<u8>, Refused> {
        let padded = size.checked_next_multiple_of(BLOCK as u64);
        self.spend(padded.unwrap_or(u64::MAX))?;
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(size).read_to_end(&mut bytes);
        if (read.map_err(Refused::Gzip)? as u64) < size {
            return Err(Refused::Tar("it ends in the middle of a file"));
        }
        self.pass(padded.unwrap_or(size) - size)?;
        Ok(bytes)
    }

    /// Leaves the bytes of a file out.
    fn skip(&mut self, size: u64) -> Result<(), Refused> {
        let padded = size.checked_next_multiple_of(BLOCK as u64).unwrap_or(u64::MAX);
        self.spend(padded)?;
        self.pass(padded)
    }

    fn pass(&mut self, bytes: u64) -> Result<(), Refused> {
        let passed = io::copy(&mut self.from.by_ref().take(bytes), &mut io::sink()).map_err(Refused::Gzip)?;
        if passed < bytes {
            return Err(Refused::Tar("it ends in the middle of a file"));
        }
        Ok(())
    }

    /// Reads what is after the last file, so that a cut archive is noticed.
    fn end(&mut self) -> Result<(), Refused> {
        let mut rest = self.from.by_ref().take(self.room.bytes.saturating_add(1));
        let rest = io::copy(&mut rest, &mut io::sink()).map_err(Refused::Gzip)?;
        self.spend(rest)
    }
}

#[cfg(test)]
mod tests;
