//! How a command ends: its exit code, and errors of the caller.

use std::{io, process::ExitCode};

/// How a command ended, as its exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// Nothing wrong.
    Clean = 0,
    /// Diagnostics were reported.
    Findings = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Some input could not be read, or crd-analyzer failed.
    Failed = 3,
    /// The output was closed early: the exit code of a program that SIGPIPE ends.
    Unheard = 141,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// A wrong argument or configuration.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// The exit code of an error.
pub(crate) fn status_of(error: &anyhow::Error) -> Status {
    if error.is::<UsageError>() {
        Status::Usage
    } else {
        Status::Failed
    }
}

/// Whether an error only means that the output was closed.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
