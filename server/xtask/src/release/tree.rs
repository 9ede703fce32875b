//! The files and folders of an artefact, before they are written to an archive.

use std::collections::BTreeMap;

/// A file or a folder.
pub(super) struct Entry {
    pub(super) mode: u32,
    /// The content of a file; `None` for a folder.
    pub(super) bytes: Option<Vec<u8>>,
}

/// Entries by path, without leading and trailing slashes. Archives use the order of the paths.
#[derive(Default)]
pub(super) struct Tree {
    entries: BTreeMap<String, Entry>,
}

impl Tree {
    /// Adds a file that everyone can read.
    pub(super) fn file(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.add(path, 0o644, Some(bytes.into()));
    }

    /// Adds a file that everyone can execute.
    pub(super) fn program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.add(path, 0o755, Some(bytes.into()));
    }

    /// Adds a folder.
    pub(super) fn folder(&mut self, path: impl Into<String>, mode: u32) {
        self.add(path, mode, None);
    }

    fn add(&mut self, path: impl Into<String>, mode: u32, bytes: Option<Vec<u8>>) {
        self.entries.insert(path.into(), Entry { mode, bytes });
    }

    /// Adds the parent folders of all files.
    pub(super) fn with_folders(mut self) -> Self {
        let paths: Vec<String> = self.entries.keys().cloned().collect();
        for path in paths {
            for (at, _) in path.match_indices('/') {
                let folder = path[..at].to_owned();
                self.entries.entry(folder).or_insert(Entry {
                    mode: 0o755,
                    bytes: None,
                });
            }
        }
        self
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (&**path, entry))
    }

    /// The files with their content.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.entries()
            .filter_map(|(path, entry)| Some((path, entry.bytes.as_deref()?)))
    }
}
