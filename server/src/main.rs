//! The `crd-analyzer` command.
//!
//! Exit codes: 0 nothing wrong, 1 diagnostics, 2 wrong usage, 3 unreadable input or an internal error, 141 the reader of the
//! output closed it early.

#![allow(clippy::disallowed_methods, reason = "the program reads files, asks git and prints")]

mod cli;
mod input;
mod output;
mod status;

use std::process::ExitCode;

use crd_analyzer_io::print::tell;

/// The static binary for Linux has an allocator of its own: the one of musl has one lock, and threads wait for it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = match cli::Cli::from_arguments() {
        Ok(command) => command,
        Err(status) => return status,
    };
    match command.run() {
        Ok(status) => status.into(),
        Err(error) => {
            if status::is_broken_pipe(&error) {
                // Whoever read our output has seen enough, but not all: that is no good news.
                return status::Status::Unheard.into();
            }
            tell(format_args!("error: {error:#}"));
            status::status_of(&error).into()
        }
    }
}
