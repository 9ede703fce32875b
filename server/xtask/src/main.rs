//! Chores of the project: `cargo xtask --help` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks on its streams"
)]
#![allow(clippy::disallowed_methods, reason = "chores run programs and read files")]

mod bench;
mod compat;
mod completion;
mod conformance;
mod converted;
mod disk;
mod docs;
mod explain;
mod fixes;
mod fuzz;
mod generated;
mod go_crds;
mod goldens;
mod habits;
mod headlines;
mod json_schema;
mod kustomize;
mod markers;
mod minor;
mod mutate;
mod peers;
mod policies;
mod prose;
mod published;
mod release;
mod rename;
mod resources;
mod rules;
mod same;
mod server;
mod session;
mod signs;
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
    /// Compare our answers with those of the API server's own code (needs Go and the corpus).
    Conformance(conformance::Args),
    /// Record the API server's answers to the project's own fixtures (needs Go).
    Goldens(goldens::Args),
    /// List what changed between two Kubernetes minor versions, and where it is described here (needs Go and the corpus).
    Minor(minor::Args),
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
    /// Validate objects by the JSON Schemas of their CRDs: what the API server creates has to be valid (needs the corpus).
    JsonSchema(json_schema::Args),
    /// Rename properties of the corpus and look whether anything but the name has changed.
    Rename(rename::Args),
    /// Compare what we build of kustomizations with kustomize's own code (needs Go).
    Kustomize(kustomize::Args),
    /// Compare what `crd-analyzer explain` prints with kubectl's own code (needs Go and the corpus).
    Explain(explain::Args),
    /// Compare what we say of markers in Go files with controller-gen's own code (needs Go).
    Markers(markers::Args),
    /// Compare the CRDs of repositories with what the markers of their Go types make of them.
    GoCrds(go_crds::Args),
    /// Compare the CRDs that are made of Go types with those that controller-gen made (needs sources, and Go's module cache).
    Generated(generated::Args),
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
        Chore::Conformance(args) if args.server.is_some() => server::run(&args, args.server.unwrap_or_default())?,
        Chore::Conformance(args) if args.compat => compat::run(&args)?,
        Chore::Conformance(args) if args.cr => resources::run(&args)?,
        Chore::Conformance(args) => conformance::run(&args)?,
        Chore::Goldens(args) => goldens::run(&args)?,
        Chore::Minor(args) => minor::run(&args)?,
        Chore::Bench(args) => bench::run(&args)?,
        Chore::Completion(args) => completion::run(&args)?,
        Chore::Typing(args) => typing::run(&args)?,
        Chore::Habits(args) => habits::run(&args)?,
        Chore::Headlines(args) => headlines::run(&args)?,
        Chore::Fixes(args) => fixes::run(&args)?,
        Chore::Fuzz(args) => fuzz::run(&args)?,
        Chore::JsonSchema(args) => json_schema::run(&args)?,
        Chore::Rename(args) => rename::run(&args)?,
        Chore::Kustomize(args) => kustomize::run(&args)?,
        Chore::Explain(args) => explain::run(&args)?,
        Chore::Markers(args) => markers::run(&args)?,
        Chore::GoCrds(args) => go_crds::run(&args)?,
        Chore::Generated(args) => generated::run(&args)?,
        Chore::Same(args) => same::run(&args)?,
        Chore::Release(args) => release::run(&args)?,
        Chore::Prose(args) => prose::run(&args)?,
        Chore::Docs(args) => docs::run(&args)?,
    };
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
