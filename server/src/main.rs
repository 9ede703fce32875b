//! The `crd-analyzer` command.
//!
//! Exit codes: 0 nothing wrong, 1 findings, 2 usage, 3 unreadable input or an internal error.

#![allow(clippy::disallowed_methods, reason = "the program reads files, asks git and prints")]

mod cli;
mod input;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let command = cli::Cli::parse();
    match command.run() {
        Ok(status) => status.into(),
        Err(error) => {
            if cli::is_broken_pipe(&error) {
                // Whoever read our output has seen enough.
                return cli::Status::Clean.into();
            }
            anstream::eprintln!("error: {error:#}");
            cli::status_of(&error).into()
        }
    }
}
