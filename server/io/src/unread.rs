//! The reasons why a file was not read.

use std::{io, path::PathBuf};

/// The reason why a file was not read, as a sentence for the user. It does not contain the file's name.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// An error from the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is of this kind, and not a regular file.
    #[error("it is {0}, and crd-analyzer reads only regular files")]
    Special(&'static str),
    /// The path is another name of this program's standard input.
    #[error("it is another name of standard input: use `-`")]
    StandardInput,
    /// The file has more than this number of bytes.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// A link, or a path in a file of a repository, leads outside of the allowed folders.
    #[error("it leads to `{}`, which is outside of {roots}", target.display())]
    Outside {
        /// The path to which it leads.
        target: PathBuf,
        /// The folders into which it may lead.
        roots: String,
    },
    /// The file belongs to git.
    #[error("it leads to `{}`, which belongs to git: crd-analyzer reads and writes no files of git", .0.display())]
    OfGit(PathBuf),
    /// The links lead in a circle, or there are too many of them.
    #[error("its links lead in a circle")]
    Circle,
    /// The file is not on disk, and reading it failed.
    #[error("{0}")]
    Elsewhere(String),
    /// The content of the file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
}

impl Unread {
    /// Whether the reason is that the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}
