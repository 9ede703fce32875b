//! Reads Go files from disk.

use std::{fs, path::Path};

use crd_analyzer_gosource::Folders;

/// The file system. Lists a folder's files sorted by name.
pub(crate) struct Disk;

impl Folders for Disk {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter_map(|it| Some((it.file_name().into_string().ok()?, it.file_type().ok()?.is_dir())));
        let mut names: Vec<_> = named.collect();
        names.sort();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        fs::read_to_string(file).ok()
    }
}
