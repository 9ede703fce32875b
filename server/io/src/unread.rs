//! Why a file was not read.

use std::{io, path::PathBuf};

/// Why a file was not read, as a sentence for people (without the file's name).
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a regular file, but this.
    #[error("it is {0}, and crd-analyzer reads only regular files")]
    Special(&'static str),
    /// It is the program's own standard input, by another name.
    #[error("it is another name of standard input: use `-`")]
    StandardInput,
    /// It has more than this many bytes.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// A link, or a path in a file of a repository, leads elsewhere.
    #[error("it leads to `{}`, which is outside of {roots}", target.display())]
    Outside {
        /// Where to.
        target: PathBuf,
        /// Where it should have stayed.
        roots: String,
    },
    /// It belongs to git.
    #[error("it leads to `{}`, which belongs to git: crd-analyzer reads and writes no files of git", .0.display())]
    OfGit(PathBuf),
    /// Its links lead in a circle, or there are too many.
    #[error("its links lead in a circle")]
    Circle,
    /// It lies elsewhere than on disk, and that place says so.
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
