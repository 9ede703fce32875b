//! The command line: one file a subcommand.

mod check;
mod cost;
mod definitions;
pub(crate) mod eval;
mod explain;
mod fix;
mod lsp;
mod manifests;
mod test;

use std::{io, process::ExitCode};

use clap::{Parser, Subcommand};

/// Language server and linter for Kubernetes CustomResourceDefinitions and custom resources.
#[derive(Parser, Debug)]
#[command(name = "crd-analyzer", version, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say what the API server would answer for these manifests, at the place in the file.
    Check(check::Args),
    /// Say what each validation rule costs, and what makes it expensive.
    Cost(cost::Args),
    /// Try a validation rule, or any expression, on a value.
    Eval(eval::Args),
    /// Run test files: objects, and what the API server must answer to them.
    Test(test::Args),
    /// Speak the Language Server Protocol on standard input and output.
    Lsp(lsp::Args),
    /// Print the page of a diagnostic code.
    Explain(explain::Args),
}

/// How a command ended, as its exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// Nothing wrong.
    Clean = 0,
    /// There are findings.
    Findings = 1,
    /// The command was not asked well.
    Usage = 2,
    /// Something could not be read, or we failed.
    Failed = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// An error that is the caller's: a bad argument or configuration.
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

/// Whether an error only means that nobody reads the output any more.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl Cli {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> anyhow::Result<Status> {
        match self.command {
            Command::Check(args) => check::run(&args),
            Command::Cost(args) => cost::run(&args),
            Command::Eval(args) => eval::run(&args),
            Command::Test(args) => test::run(&args),
            Command::Lsp(args) => lsp::run(&args),
            Command::Explain(args) => explain::run(&args),
        }
    }
}
