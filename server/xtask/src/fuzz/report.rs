//! Reads libFuzzer's output and the driver's measurements, and prints them as a table.

use std::{path::PathBuf, time::Duration};

/// The outcome of a target.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The number of inputs of this run.
    inputs: u64,
    /// The number and measurements of all inputs since the reports folder was created.
    measured: Measured,
    /// The numbers of covered branches and of all branches.
    edges: (u64, u64),
    /// The number of features. A feature is a branch, combined with the number of times that an input takes it.
    features: u64,
    /// The number of kept inputs.
    kept: u64,
    /// The peak memory of the process, in MiB.
    peak: u64,
    seconds: f64,
    /// The failure, if there is one.
    pub(crate) finding: Option<FuzzFinding>,
}

/// The processor time (nanoseconds) and memory (bytes) of inputs.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    inputs: u64,
    /// The 99.9th percentile and the maximum.
    time: (u64, u64),
    memory: (u64, u64),
}

/// An input that caused a failure.
#[derive(Debug)]
pub(crate) struct FuzzFinding {
    /// The failure, in libFuzzer's words.
    pub(crate) what: String,
    /// The last output of the process.
    pub(crate) words: String,
    /// The file of the input.
    pub(crate) file: PathBuf,
}

/// The header of the table.
pub(crate) const HEADER: &str =
    "target      inputs  per s   edges        features  kept   time 99.9 %  most      memory 99.9 %  most      process";

impl Outcome {
    /// Reads the output and the measurements.
    pub(crate) fn read(said: &str, measured: &str, is_clean: bool, time: Duration) -> anyhow::Result<Self> {
        let number = |name: &str| {
            let mut lines = said.lines().filter_map(|it| it.strip_prefix(name));
            lines
                .next_back()
                .and_then(|it| it.trim().parse::<u64>().ok())
                .unwrap_or_default()
        };
        let last = |name: &str| {
            status_lines(said)
                .filter_map(|it| after(it, name))
                .last()
                .unwrap_or_default()
        };
        let inputs = number("stat::number_of_executed_units:");
        let rate = number("stat::average_exec_per_sec:");
        let mut outcome = Self {
            inputs,
            measured: Measured::read(measured),
            edges: edges(said),
            features: last("ft:"),
            kept: last("corp:"),
            peak: number("stat::peak_rss_mb:"),
            seconds: if rate == 0 {
                time.as_secs_f64()
            } else {
                inputs as f64 / rate as f64
            },
            finding: None,
        };
        if !is_clean {
            let file = said
                .lines()
                .find_map(|it| it.split_once("Test unit written to "))
                .map(|it| it.1);
            let file = file.map(PathBuf::from);
            anyhow::ensure!(file.is_some(), "libFuzzer fails:\n{}", last_lines(said, 20));
            outcome.finding = Some(FuzzFinding {
                what: said
                    .lines()
                    .find_map(|it| it.split_once("ERROR: libFuzzer: "))
                    .map_or("it broke", |it| it.1)
                    .to_owned(),
                words: words(said),
                file: file.unwrap_or_default(),
            });
        }
        Ok(outcome)
    }

    /// A line of the table.
    pub(crate) fn line(&self, target: &str) -> String {
        let (reached, all) = self.edges;
        let Measured { time, memory, .. } = self.measured;
        format!(
            "{target:<10} {:>7} {:>6.0}   {reached:>6} {:>4.1} %  {:>8}  {:>5}  {:>11}  {:>8}  {:>13}  {:>8}  {:>4} MiB{}",
            self.inputs,
            self.inputs as f64 / self.seconds.max(1.0),
            reached as f64 * 100.0 / all.max(1) as f64,
            self.features,
            self.kept,
            milliseconds(time.0),
            milliseconds(time.1),
            mebibytes(memory.0),
            mebibytes(memory.1),
            self.peak,
            if self.finding.is_some() { "  FINDING" } else { "" }
        )
    }
}

/// The summary of all targets.
pub(crate) fn total<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> String {
    let (mut inputs, mut ever, mut findings) = (0, 0, 0);
    for outcome in outcomes {
        inputs += outcome.inputs;
        ever += outcome.measured.inputs;
        findings += usize::from(outcome.finding.is_some());
    }
    format!("{inputs} inputs, {ever} with those of earlier runs; {findings} findings")
}

/// The numbers of covered branches and of all branches.
pub(crate) fn edges(said: &str) -> (u64, u64) {
    let reached = status_lines(said)
        .filter_map(|it| after(it, "cov:"))
        .last()
        .unwrap_or_default();
    let loaded = said
        .lines()
        .find_map(|it| it.strip_prefix("INFO: Loaded ")?.split_once('('));
    let all = loaded.and_then(|it| it.1.split_whitespace().next()?.parse().ok());
    (reached, all.unwrap_or_default())
}

/// Status lines such as `#1024 NEW cov: 10 ft: 12 corp: 3/40b lim: 4 exec/s: 0 rss: 30Mb`.
fn status_lines(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter(|it| it.starts_with('#') && it.contains(" cov: "))
}

/// The number after a name.
fn after(line: &str, name: &str) -> Option<u64> {
    let rest = line.split_once(&format!(" {name} "))?.1;
    let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// The message of a panic, otherwise the last lines before the engine's own output.
fn words(said: &str) -> String {
    let before = said.split("\n==").next().unwrap_or_default();
    let panic = before.find("panicked at ").map(|at| &before[at..]);
    let lines = panic.map_or_else(
        || last_lines(before, 6),
        |it| it.lines().take(12).collect::<Vec<_>>().join("\n"),
    );
    let mut end = lines.len().min(2000);
    while !lines.is_char_boundary(end) {
        end -= 1;
    }
    lines[..end].to_owned()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

impl Measured {
    fn read(text: &str) -> Self {
        let number = |name: &str| {
            let lines = text.lines().filter_map(|it| it.split_once(' '));
            let mut found = lines.filter(|it| it.0 == name);
            found.find_map(|it| it.1.parse().ok()).unwrap_or_default()
        };
        Self {
            inputs: number("inputs"),
            time: (number("time-999"), number("time-most")),
            memory: (number("memory-999"), number("memory-most")),
        }
    }
}

/// Bytes as base64, which can be copied from logs.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(chunk.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            let letter = char::from(ALPHABET[bits >> (18 - 6 * at) & 63]);
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.2} ms", nanoseconds as f64 / 1e6)
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.2} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "INFO: Running with entropic power schedule (0xFF, 100).\nINFO: Loaded 1 modules   (1000 inline 8-bit counters): 1000 [0x1, 0x2), \n\
        #2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n#9\tNEW    cov: 25 ft: 40 corp: 3/40b lim: 4 exec/s: 0 rss: 31Mb L: 2/2 MS: 1\n";

    #[test]
    fn a_clean_run_is_read() {
        let said = format!(
            "{SAID}#100\tDONE   cov: 26 ft: 41 corp: 4/44b lim: 4 exec/s: 50 rss: 31Mb\nDone 100 runs in 2 second(s)\n\
             stat::number_of_executed_units: 100\nstat::average_exec_per_sec:     50\nstat::peak_rss_mb:              31\n"
        );
        let measured = "inputs 700\ntime-999 1500000\ntime-most 3000000\nmemory-999 1048576\nmemory-most 2097152\ntime 1:2\nmemory 3:4\n";
        let outcome = Outcome::read(&said, measured, true, Duration::from_secs(2)).expect("it is whole");
        assert_eq!(
            outcome.line("yaml"),
            "yaml           100     50       26  2.6 %        41      4      1.50 ms   3.00 ms       1.00 MiB  2.00 MiB    31 MiB"
        );
        assert_eq!(
            total([&outcome, &outcome].into_iter()),
            "200 inputs, 1400 with those of earlier runs; 0 findings"
        );
    }

    #[test]
    fn bytes_are_written_as_base64() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (b"\0\xff\xfe", "AP/+"),
        ] {
            assert_eq!(base64(bytes), expected);
        }
    }

    #[test]
    fn a_finding_is_read() {
        let said = format!(
            "{SAID}\nthread '<unnamed>' panicked at server/syntax/src/a.rs:1:2:\nwhat == broke\nnote: run\n==77== ERROR: libFuzzer: deadly signal\n    #0 0x1\n\
             artifact_prefix='/x/'; Test unit written to /x/crash-1\n"
        );
        let finding = Outcome::read(&said, "", false, Duration::ZERO)
            .expect("it is whole")
            .finding;
        let finding = finding.expect("a finding");
        assert_eq!(
            (finding.what.as_str(), finding.file),
            ("deadly signal", PathBuf::from("/x/crash-1"))
        );
        assert!(
            finding
                .words
                .starts_with("panicked at server/syntax/src/a.rs:1:2:\nwhat == broke"),
            "{}",
            finding.words
        );
        assert!(Outcome::read("sh: nothing", "", false, Duration::ZERO).is_err());
    }
}
