//! The exit status of a command, and usage errors.

use std::{io, process::ExitCode};

/// The exit code of a command.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// No diagnostics reached the severity that fails a run.
    Clean = 0,
    /// Diagnostics were reported.
    Findings = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Some input could not be read, or crd-analyzer itself failed.
    Failed = 3,
    /// The output was closed early. A program that SIGPIPE terminates has the same exit code.
    Unheard = 141,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// An error in an argument or in the configuration.
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

/// Whether an error only means that the output was closed early.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
