//! How fast, as ratios of two programs in one run on one machine.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

use crate::peers;

/// Benches.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Take the fastest of this many runs.
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

/// What one run took.
#[derive(Clone, Copy)]
struct Run {
    time: Duration,
    peak_kib: u64,
}

/// Runs a command and measures time and peak memory.
fn measure(command: &mut Command, runs: usize) -> anyhow::Result<Run> {
    let mut best: Option<Run> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut peak_kib = 0;
        let status = loop {
            // The peak is only readable while the process lives; a short sleep costs less than a millisecond of accuracy.
            peak_kib = peak_kib.max(peak(child.id()));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let run = Run {
            time: start.elapsed(),
            peak_kib,
        };
        if !matches!(status.code(), Some(0 | 1 | 3)) {
            bail!("{command:?} ended with {status}");
        }
        best = Some(best.map_or(run, |best| Run {
            time: best.time.min(run.time),
            peak_kib: best.peak_kib.max(run.peak_kib),
        }));
    }
    best.context("at least one run")
}

/// The peak resident memory of a process so far, in KiB; 0 where the system does not say.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn row(what: &str, ours: Run, theirs: Run) {
    println!(
        "{what:<34} ours {:>8.3} s {:>7} KiB | oracle {:>8.3} s {:>7} KiB | {:>5.1}x as fast, {:.2} of the memory",
        ours.time.as_secs_f64(),
        ours.peak_kib,
        theirs.time.as_secs_f64(),
        theirs.peak_kib,
        theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
        ours.peak_kib as f64 / theirs.peak_kib.max(1) as f64,
    );
}

/// The file of the corpus whose size is nearest to `bytes`.
fn file_of_size(corpus: &Path, files: &[String], bytes: u64) -> Option<String> {
    let size = |file: &String| std::fs::metadata(corpus.join(file)).map_or(u64::MAX, |meta| meta.len());
    files.iter().min_by_key(|file| size(file).abs_diff(bytes)).cloned()
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let files = crate::conformance::definitions(&corpus)?;
    let oracle = peers::oracle(37)?;
    let analyzer = peers::build("dist")?;
    let list = std::env::temp_dir().join(format!("crd-analyzer-bench-{}.txt", std::process::id()));
    std::fs::write(&list, files.join("\n"))?;
    let list_text = list.to_string_lossy().into_owned();

    let check = |extra: &[&str]| {
        let mut command = Command::new(&analyzer);
        command
            .args(["check", "--no-config", "--output", "jsonl", "--threads", "1"])
            .args(extra)
            .current_dir(&corpus);
        command
    };
    let ask = |extra: &[&str]| {
        let mut command = Command::new(&oracle);
        command
            .arg("crd")
            .args(extra)
            .env("GOMAXPROCS", "1")
            .current_dir(&corpus);
        command
    };
    row(
        &format!("check, {} files, one thread", files.len()),
        measure(&mut check(&["--list", &list_text]), args.runs)?,
        measure(&mut ask(&["-list", &list_text]), args.runs)?,
    );
    for bytes in [20_000, 190_000, 2_900_000] {
        let Some(file) = file_of_size(&corpus, &files, bytes) else {
            continue;
        };
        row(
            &format!("start to end on one of {} KB", bytes / 1000),
            measure(&mut check(&[&file]), args.runs)?,
            measure(&mut ask(&[&file]), args.runs)?,
        );
    }
    std::fs::remove_file(&list)?;
    Ok(true)
}
