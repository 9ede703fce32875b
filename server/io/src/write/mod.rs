//! Writing the user's files: the new text whole, or the old one as it was.
//!
//! The new text goes into a file beside the target, onto the disk, and only then takes the target's name. A program that is killed on the way
//! leaves a file with a name like `.crd.yaml.crd-analyzer-123-0.tmp`, never a target that is cut. What somebody else wrote in the meantime is
//! not replaced.

mod attributes;
mod cached;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

pub use cached::CacheFolder;

use crate::{
    dotgit,
    read::{self, Access, Unread},
    roots::Roots,
};

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
pub fn replace(path: &Path, access: &Access, before: &[u8], after: &[u8]) -> Result<(), Unwritten> {
    let path = std::path::absolute(path).map_err(Unread::from)?;
    let folder = path.parent().unwrap_or(&path);
    let roots = match access {
        Access::Named => Roots::default().and_neighbours(folder),
        Access::Within(roots) => roots.and_neighbours(folder),
        Access::Elsewhere(_) => return Err(Unread::Special("a file that is not on disk").into()),
    };
    let target = roots.resolve(&path)?;
    let (mut file, found) = read::open(&target, &Access::Within(roots.into()), dotgit::refuse)?;
    attributes::lock(&file)?;
    attributes::may_be_replaced(&target, &found)?;
    is_still(&mut file, before)?;

    let unfinished = Unfinished::new(&target, after, OWN_MODE)?;
    attributes::keep(&file, &found, &unfinished.file).map_err(while_doing("cannot keep its mode"))?;
    unfinished.sync()?;

    // Once more, now that only the name has to change.
    if !attributes::is_same(&target, &found) {
        return Err(Unwritten::Changed);
    }
    is_still(&mut file, before)?;
    unfinished.replace(&target, &mut file, &found, before)?;
    sync_folder(&target);
    Ok(())
}

/// Writes a file where there is none.
pub fn create(path: &Path, text: &[u8]) -> Result<(), Unwritten> {
    let path = std::path::absolute(path).map_err(Unread::from)?;
    let folder = path.parent().unwrap_or(&path);
    let roots = Roots::default().and_neighbours(folder);
    let (Some(name), folder) = (path.file_name(), roots.resolve(folder)?) else {
        return Err(Unread::Special("a folder").into());
    };
    let target = folder.join(name);
    dotgit::refuse(&target)?;
    if read::exists(&target) {
        return Err(Unwritten::Exists);
    }
    let unfinished = Unfinished::new(&target, text, NEW_MODE)?;
    unfinished.sync()?;
    unfinished.name(&target)?;
    sync_folder(&target);
    Ok(())
}

/// Makes a folder in a folder that exists, if it is not there.
pub fn folder(path: &Path) -> Result<(), Unwritten> {
    let path = std::path::absolute(path).map_err(Unread::from)?;
    let around = path.parent().unwrap_or(&path);
    let roots = Roots::default().and_neighbours(around);
    let (Some(name), around) = (path.file_name(), roots.resolve(around)?) else {
        return Ok(());
    };
    let target = around.join(name);
    dotgit::refuse(&target)?;
    match fs::create_dir(&target) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && target.is_dir() => Ok(()),
        Err(error) => Err(while_doing("cannot make the folder")(error)),
    }
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
struct Unfinished {
    path: PathBuf,
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

impl Unfinished {
    fn new(target: &Path, text: &[u8], mode: u32) -> Result<Self, Unwritten> {
        let size = text.len() as u64;
        if let Some(limit) = attributes::size_limit().filter(|it| size > *it) {
            return Err(Unwritten::TooLarge { size, limit });
        }
        let mut unfinished = Self::begin(target, mode).map_err(while_doing("cannot write a new file beside it"))?;
        unfinished
            .file
            .write_all(text)
            .map_err(while_doing("cannot write the new text"))?;
        Ok(unfinished)
    }

    fn begin(target: &Path, mode: u32) -> io::Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name
            .char_indices()
            .take_while(|(at, char)| at + char.len_utf8() <= MAX_NAME)
            .map(|it| it.1)
            .collect();
        let process = std::process::id();
        loop {
            let number = BEGUN.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!(".{name}.crd-analyzer-{process}-{number}.tmp"));
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
            #[cfg(not(unix))]
            let _ = mode;
            match options.open(&path) {
                // A run that was killed had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => {
                    return Ok(Self {
                        path,
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
    fn replace(mut self, target: &Path, old: &mut File, found: &Metadata, before: &[u8]) -> Result<(), Unwritten> {
        let rename = while_doing("cannot give the new text its name");
        match attributes::exchange(&self.path, target) {
            None => {
                fs::rename(&self.path, target).map_err(rename)?;
                self.is_kept = true;
                return Ok(());
            }
            Some(exchanged) => exchanged.map_err(rename)?,
        }
        // Whatever had the target's name at this very moment has ours now: it may only go if it is what was read.
        if attributes::is_same(&self.path, found) && is_still(old, before).is_ok() {
            return Ok(());
        }
        if matches!(attributes::exchange(&self.path, target), Some(Ok(()))) {
            return Err(Unwritten::Changed);
        }
        self.is_kept = true;
        Err(Unwritten::Taken {
            kept: self.path.clone(),
        })
    }

    /// Takes a name that nothing has.
    fn name(mut self, target: &Path) -> Result<(), Unwritten> {
        let named = match attributes::rename_new(&self.path, target) {
            Some(renamed) => renamed.inspect(|()| self.is_kept = true),
            // Both names are there for a moment.
            None => fs::hard_link(&self.path, target),
        };
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Unwritten::Exists,
            _ => while_doing("cannot give the new file its name")(error),
        })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_kept {
            // Who may write it may remove it; if not, its name says what it is.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Brings the new name onto the disk. Both texts are there already, so that a failure only leaves open which of them a power cut leaves.
fn sync_folder(target: &Path) {
    if cfg!(unix)
        && let Some(folder) = target.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
