//! Files that do not lie on disk.

use std::{
    fmt::Debug,
    path::{Path, PathBuf},
};

/// What can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// What is below a folder, in the order of paths.
#[derive(Default, Debug)]
pub struct Listed {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Links, which are not followed.
    pub links: Vec<PathBuf>,
}

/// Files that do not lie on disk, by the paths that they would have there. Errors are sentences for people.
pub trait Elsewhere: Debug + Send + Sync {
    /// What a path is. `None` if there is nothing, or neither a file nor a folder.
    fn kind(&self, path: &Path) -> Result<Option<Kind>, String>;

    /// The bytes of a file; `None` if there is none.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String>;

    /// What is below a folder and wanted.
    fn files(&self, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Listed, String>;
}
