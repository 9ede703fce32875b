//! Files as this crate gets them: whoever does I/O reads, the index asks.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Where texts come from: a disk with the open documents over it, a git revision, a map in memory.
pub trait Files: Send + Sync {
    /// The bytes of the file of this absolute path as they are now; `None` if there is none, or it cannot be read.
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
