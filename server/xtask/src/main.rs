//! Chores of the project: `cargo xtask --help` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks on its streams"
)]
#![allow(clippy::disallowed_methods, reason = "chores run programs and read files")]

mod bench;
mod completion;
mod docs;
mod fixes;
mod fuzz;
mod habits;
mod headlines;
mod prose;
mod release;
mod rename;
mod same;
mod session;
mod typing;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the project")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Measure against the API server's own code in the same run (needs Go and the corpus).
    Bench(bench::Args),
    /// Delete words at random places of the corpus, and count how often completion offers them (needs the corpus).
    Completion(completion::Args),
    /// Type parts of the corpus key by key as VS Code sends them, and count what is lost, damaged and saved (needs the corpus).
    Typing(typing::Args),
    /// Count what follows what in the CRDs of the corpus, for the order of completion (needs the corpus).
    Habits(habits::Args),
    /// Count the rows that messages take in an editor's list, over mutants of the corpus.
    Headlines(headlines::Args),
    /// Repair mutants of the corpus by the fixes that are offered, and look what comes of it.
    Fixes(fixes::Args),
    /// Run the fuzz targets: random inputs for everything that reads what somebody else wrote (needs a C++ compiler).
    Fuzz(fuzz::Args),
    /// Rename properties of the corpus and look whether anything but the name has changed.
    Rename(rename::Args),
    /// Compare everything that two binaries answer: subcommands, formats, and what editors are told.
    Same(same::Args),
    /// Build, pack and test a release: archives, packages, images, extensions (packaging/release.toml).
    Release(release::Args),
    /// Draw sentences that users read, or comments, for somebody who has not seen the code.
    Prose(prose::Args),
    /// Write the documents that are made of others: the index of the diagnostic codes.
    Docs(docs::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    let clean = match Cli::parse().chore {
        Chore::Bench(args) => bench::run(&args)?,
        Chore::Completion(args) => completion::run(&args)?,
        Chore::Typing(args) => typing::run(&args)?,
        Chore::Habits(args) => habits::run(&args)?,
        Chore::Headlines(args) => headlines::run(&args)?,
        Chore::Fixes(args) => fixes::run(&args)?,
        Chore::Fuzz(args) => fuzz::run(&args)?,
        Chore::Rename(args) => rename::run(&args)?,
        Chore::Same(args) => same::run(&args)?,
        Chore::Release(args) => release::run(&args)?,
        Chore::Prose(args) => prose::run(&args)?,
        Chore::Docs(args) => docs::run(&args)?,
    };
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
