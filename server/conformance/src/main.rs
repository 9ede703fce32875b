//! `cargo conformance`: compares crd-analyzer with the programs that decide, over real manifests and random ones.

use std::process::ExitCode;

use clap::Parser as _;
use crd_analyzer_conformance::Cli;

fn main() -> anyhow::Result<ExitCode> {
    let agrees = Cli::parse().run()?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
