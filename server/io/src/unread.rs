//! The reasons why a file was not read.

use std::{io, path::PathBuf};

/// The reason why a file was not read, as a sentence for the user (without the file's name).
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// An error from the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is of this kind, not a regular file.
    #[error("it is {0}, and crd-analyzer reads only regular files")]
    Special(&'static str),
    /// It is the program's own standard input, by another path.
    #[error("it is another name of standard input: use `-`")]
    StandardInput,
    /// It has more than this many bytes.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// A link, or a path in a file of a repository, leads outside.
    #[error("it leads to `{}`, which is outside of {roots}", target.display())]
    Outside {
        /// The path that it leads to.
        target: PathBuf,
        /// The folders that it may lead into.
        roots: String,
    },
    /// It belongs to git.
    #[error("it leads to `{}`, which belongs to git: crd-analyzer reads and writes no files of git", .0.display())]
    OfGit(PathBuf),
    /// Its links lead in a circle, or there are too many.
    #[error("its links lead in a circle")]
    Circle,
    /// It is not on disk, and reading it failed.
    #[error("{0}")]
    Elsewhere(String),
    /// It is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
}

impl Unread {
    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}
