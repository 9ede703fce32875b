//! Compares the binary with another one: size, processor time and memory of the same check, measured alternately.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;

use crate::bench::process::{Run, measure};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The other binary, such as one that is linked with glibc.
    #[arg(long, value_name = "BINARY")]
    against: PathBuf,

    /// The manifests to check.
    #[arg(long, value_name = "FOLDER", default_value = "examples")]
    files: PathBuf,

    /// The number of runs of each binary. The best run is used.
    #[arg(long, value_name = "N", default_value_t = 15)]
    runs: usize,
}

pub(super) fn run(args: &Args, ours: &Path) -> anyhow::Result<bool> {
    let binaries = [&*args.against, ours];
    let mut best: [Option<Run>; 2] = [None, None];
    // The runs alternate between the binaries, because the load of the machine changes.
    for _ in 0..args.runs.max(1) {
        for (binary, best) in binaries.iter().zip(&mut best) {
            let mut command = Command::new(binary);
            let run = measure(
                command.args(["check", "--threads", "1", "--summary"]).arg(&args.files),
                1,
            )?;
            if best.is_none_or(|it| run.cpu < it.cpu) {
                *best = Some(run);
            }
        }
    }
    println!("| binary | bytes | processor time | ratio | peak memory |\n|-|-|-|-|-|");
    let base = best[0].context("a run")?.cpu.as_secs_f64();
    for (binary, best) in binaries.iter().zip(best) {
        let (run, bytes) = (best.context("a run")?, std::fs::metadata(binary)?.len());
        let seconds = run.cpu.as_secs_f64();
        println!(
            "| {} | {bytes} | {seconds:.3} s | {:.2} | {} MiB |",
            binary.display(),
            seconds / base.max(f64::MIN_POSITIVE),
            run.peak_kib / 1024
        );
    }
    Ok(true)
}
