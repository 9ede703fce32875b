//! The folders to compare, and the files in them that are checked individually.

use std::path::{Path, PathBuf};

use crd_analyzer_conformance::peers;

/// The maximum size of an individually checked file, in bytes. For larger files, the language server takes seconds.
const MOST_BYTES: u64 = 500_000;

/// The repository's own manifests, and the corpus if available.
pub(super) fn usual() -> anyhow::Result<Vec<PathBuf>> {
    let root = peers::root();
    let mut folders = vec![root.join("examples")];
    for part in ["false-green", "false-red", "first-mistakes", "pipeline"] {
        folders.push(root.join("tests/adoption").join(part));
    }
    for folder in &folders {
        anyhow::ensure!(folder.is_dir(), "{} is gone: name its successor here", folder.display());
    }
    folders.extend(peers::corpus().ok());
    Ok(folders)
}

/// A random sample of the manifests in a folder, as sorted relative paths. The same seed gives the same sample.
pub(super) fn sample(folder: &Path, most: usize, seed: u64) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(below) = open.pop() {
        for entry in std::fs::read_dir(below)? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            let name = entry.file_name();
            if kind.is_dir() && name != ".git" {
                open.push(path);
            } else if kind.is_file()
                && path
                    .extension()
                    .is_some_and(|it| it == "yaml" || it == "yml" || it == "json")
                && entry.metadata()?.len() <= MOST_BYTES
            {
                found.push(path.strip_prefix(folder)?.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    fastrand::Rng::with_seed(seed).shuffle(&mut found);
    found.truncate(most);
    found.sort();
    Ok(found)
}
