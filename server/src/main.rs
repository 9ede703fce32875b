//! The `crd-analyzer` command.
//!
//! Exit codes: 0 no diagnostics, 1 diagnostics, 2 usage error, 3 unreadable input or internal error, 141 the program reading the output closed
//! the pipe early.

#![allow(clippy::disallowed_methods, reason = "the program reads files, asks git and prints")]

mod cli;
mod input;
mod output;
mod status;

use std::process::ExitCode;

use crd_analyzer_io::print::tell;

/// The allocator of the static Linux binary. musl's own allocator has a single lock, so threads would wait for each other.
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
                // The program that reads the output closed the pipe, so it may have missed diagnostics. This must not count as success.
                return status::Status::Unheard.into();
            }
            tell(format_args!("error: {error:#}"));
            status::status_of(&error).into()
        }
    }
}
