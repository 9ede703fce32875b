//! The interface through which this crate reads files. The crate does no I/O itself.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A source of files: the disk combined with the open documents, a git revision, or a map in memory.
pub trait Files: Send + Sync {
    /// The current bytes of the file with this absolute path. `None` if it does not exist or cannot be read.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
}

/// Files in memory.
#[derive(Clone, Default, Debug)]
pub struct MemoryFiles(pub BTreeMap<PathBuf, String>);

impl Files for MemoryFiles {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes())
    }
}
