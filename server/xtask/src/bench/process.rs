//! Measures the time and memory of running a program.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

/// The measurements of one run.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// The wall-clock time.
    pub(crate) time: Duration,
    /// The processor time in user and kernel mode, which hardly depends on the load of the machine.
    pub(crate) cpu: Duration,
    /// The peak memory, in KiB.
    pub(crate) peak_kib: u64,
}

/// Runs a command several times. Returns the best time and the largest peak memory.
pub(crate) fn measure(command: &mut Command, runs: usize) -> anyhow::Result<Run> {
    let mut best: Option<Run> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let (mut peak, mut cpu) = (0, Duration::ZERO);
        let status = loop {
            // Both values are only available while the process is alive. A short sleep costs less than a millisecond of accuracy.
            peak = peak.max(peak_kib(child.id()));
            cpu = cpu.max(cpu_time(child.id()));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let run = Run {
            time: start.elapsed(),
            cpu,
            peak_kib: peak,
        };
        if !matches!(status.code(), Some(0 | 1 | 3)) {
            bail!("{command:?} ended with {status}");
        }
        best = Some(best.map_or(run, |best| Run {
            time: best.time.min(run.time),
            cpu: best.cpu.min(run.cpu),
            peak_kib: best.peak_kib.max(run.peak_kib),
        }));
    }
    best.context("at least one run")
}

/// The peak resident memory of a process so far, in KiB; 0 if unknown.
pub(super) fn peak_kib(pid: u32) -> u64 {
    status_kib(pid, "VmHWM:")
}

/// The current resident memory of a process, in KiB; 0 if unknown.
pub(super) fn resident_kib(pid: u32) -> u64 {
    status_kib(pid, "VmRSS:")
}

fn status_kib(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

/// The processor time of a process so far; zero if unknown.
fn cpu_time(pid: u32) -> Duration {
    // The first number in the file is the time on a processor in nanoseconds. Each thread has its own file.
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let nanoseconds = |task: std::fs::DirEntry| -> Option<u64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    Duration::from_nanos(tasks.filter_map(nanoseconds).sum())
}
