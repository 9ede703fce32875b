//! `cargo conformance`: compares crd-analyzer with the authoritative programs, for real manifests and random ones.

use std::process::ExitCode;

use clap::Parser as _;
use crd_analyzer_conformance::Cli;

fn main() -> anyhow::Result<ExitCode> {
    let agrees = Cli::parse().run()?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
