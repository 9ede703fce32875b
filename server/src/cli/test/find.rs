//! Finds the CRDs of test files on the command line.

use std::{path::Path, sync::Arc};

use crd_analyzer_io::{
    read::Access,
    roots::Roots,
    test_crds::{self, File, World},
};

use crate::{input::expand, output::label_of_path};

/// The files on disk, named relative to the current folder.
pub(super) struct Disk;

/// The CRDs, found on demand.
pub(super) type Finder = test_crds::Finder<Disk>;

/// Creates a finder of CRDs. `given` has the paths of `--crd`.
pub(super) fn finder(given: &[String]) -> anyhow::Result<Finder> {
    let folder = std::env::current_dir()?;
    let mut files = Vec::new();
    for written in given {
        files.extend(expand(written, &folder, "--crd", &Access::Named)?);
    }
    Ok(Finder::new(Disk, files))
}

impl World for Disk {
    fn expand(&self, written: &str, folder: &Path, roots: Arc<Roots>) -> Result<Vec<File>, String> {
        expand(written, folder, "the CRD", &Access::Within(roots)).map_err(|error| error.to_string())
    }

    fn label(&self, path: &Path) -> String {
        label_of_path(path)
    }
}
