//! Access to files that are not on disk, such as those in a git revision.

use std::{
    fmt::Debug,
    path::{Path, PathBuf},
};

/// The kind of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// The content of a folder and its subfolders, sorted by path.
#[derive(Default, Debug)]
pub struct Listed {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Links, which are not followed.
    pub links: Vec<PathBuf>,
}

/// Files that are not on disk. They have the paths that they would have on disk. Errors are sentences for the user.
pub trait Elsewhere: Debug + Send + Sync {
    /// The kind of a path. `None` if it does not exist, or is neither a file nor a folder.
    fn kind(&self, path: &Path) -> Result<Option<Kind>, String>;

    /// The content of a file. `None` if it does not exist.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String>;

    /// The path to which a symbolic link points, as it is written in the link. `None` if the path is not a link.
    fn link(&self, path: &Path) -> Result<Option<PathBuf>, String>;

    /// The wanted files in a folder and its subfolders.
    fn files(&self, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Listed, String>;
}
