//! Development tasks of the project; `cargo xtask --help` lists them.
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
    /// Benchmark against the API server's own code in the same run (needs Go and the corpus).
    Bench(bench::Args),
    /// Delete words at random positions of the corpus, and count how often completion offers them (needs the corpus).
    Completion(completion::Args),
    /// Type parts of the corpus key by key as VS Code does, and count lost diagnostics, damage and saved keys (needs the corpus).
    Typing(typing::Args),
    /// Count in the CRDs of the corpus what people write next, for the order of completion items (needs the corpus).
    Habits(habits::Args),
    /// Count the rows of messages in an editor's list, for mutants of the corpus.
    Headlines(headlines::Args),
    /// Apply the offered quick fixes to mutants of the corpus, and check the results.
    Fixes(fixes::Args),
    /// Run the fuzz targets: random inputs for everything that parses untrusted input (needs a C++ compiler).
    Fuzz(fuzz::Args),
    /// Rename properties of the corpus, and check that nothing else changes.
    Rename(rename::Args),
    /// Compare all answers of two binaries: subcommands, formats, and responses to editors.
    Same(same::Args),
    /// Build, pack and test a release: archives, packages, images, extensions (packaging/release.toml).
    Release(release::Args),
    /// Draw random sentences that users read, or comments, to be read without the code.
    Prose(prose::Args),
    /// Write the generated documents, such as the index of diagnostic codes.
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
