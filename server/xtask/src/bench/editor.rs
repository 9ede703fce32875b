//! Benchmarks the language server: the time from a keystroke to the published diagnostics, its start, and its memory.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{
    Bench,
    grammar::FullParse,
    process::{peak_kib, resident_kib},
    size_of,
};
use crate::session::EditorSession;

/// The number of keystrokes per median.
const KEYSTROKES: usize = 60;
/// The number of keystrokes per parse with tree-sitter.
const PARSE_EVERY: usize = 4;
/// The number of open documents for the memory measurement.
const OPEN: usize = 100;

pub(super) fn run(bench: &Bench) -> anyhow::Result<()> {
    start(&bench.analyzer, bench.runs)?;
    for bytes in [190_000, u64::MAX - 1] {
        let file = bench.file_of_size(bytes).context("the corpus has files")?;
        keystrokes(bench, &file)?;
    }
    memory(bench)
}

/// Measures the time from the start of the process to the response to `initialize`.
fn start(analyzer: &Path, runs: usize) -> anyhow::Result<()> {
    let mut best = Duration::MAX;
    for _ in 0..runs * 3 {
        let start = Instant::now();
        let session = EditorSession::start(analyzer)?;
        best = best.min(start.elapsed());
        session.end()?;
    }
    println!("{:<34} {:>8.2} ms", "start to initialize answered", milliseconds(best));
    Ok(())
}

/// Types into descriptions and names all over the file, and undoes each edit.
fn keystrokes(bench: &Bench, file: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(bench.corpus.join(file))?;
    let mut parse = FullParse::new(&text)?;
    let lines: Vec<&str> = text.lines().collect();
    // The positions to type at: the ends of lines with content or, in each third line, the end of the key.
    let places: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.is_ascii() && line.trim().len() > 8 && !line.contains(['\'', '"', '#', '|', '>']))
        .map(|(at, line)| {
            let name = line.find(':').filter(|_| at % 3 == 0);
            (at, name.unwrap_or(line.len()))
        })
        .collect();
    let mut session = EditorSession::start(&bench.analyzer)?;
    let uri = "file:///bench/definition.yaml";
    let started = Instant::now();
    session.open(uri, &text)?;
    let opened = started.elapsed();
    let (mut times, mut parses) = (Vec::new(), Vec::new());
    for n in 0..KEYSTROKES {
        let (line, column) = places[n * 7919 % places.len()];
        let version = 2 * n as u64 + 1;
        for (version, columns, typed) in [
            (version, [column, column], "x"),
            (version + 1, [column, column + 1], ""),
        ] {
            let start = Instant::now();
            session.edit(uri, version, line, columns, typed)?;
            times.push(start.elapsed());
        }
        // Parsing alternates with keystrokes, so that both run under the same load.
        if n % PARSE_EVERY == 0 {
            parses.push(parse.time()?);
        }
    }
    let peak = peak_kib(session.pid());
    session.end()?;
    times.sort_unstable();
    parses.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let full = parses[parses.len() / 2];
    let of_parse = |time: Duration| time.as_secs_f64() / full.as_secs_f64();
    println!(
        "keystroke to diagnostics, {:>4} KB   median {:>7.2} ms, 95 % {:>7.2} ms | tree-sitter parses in {:>7.2} ms | {:.3} of that, {:.3} at 95 % (opening: {:.1} ms, peak {peak} KiB)",
        text.len() / 1000,
        milliseconds(at(0.5)),
        milliseconds(at(0.95)),
        milliseconds(full),
        of_parse(at(0.5)),
        of_parse(at(0.95)),
        milliseconds(opened),
    );
    Ok(())
}

/// Opens the largest files of the corpus and types one letter into each.
fn memory(bench: &Bench) -> anyhow::Result<()> {
    let mut files = bench.files.clone();
    files.sort_by_key(|file| std::cmp::Reverse(size_of(&bench.corpus.join(file))));
    files.truncate(OPEN);
    let mut session = EditorSession::start(&bench.analyzer)?;
    let before = resident_kib(session.pid());
    let mut bytes = 0;
    for file in &files {
        let text = std::fs::read_to_string(bench.corpus.join(file))?;
        bytes += text.len() as u64;
        let uri = format!("file:///bench/{file}");
        session.open(&uri, &text)?;
        session.edit(&uri, 1, 0, [0, 0], "#\n")?;
    }
    let (now, peak) = (resident_kib(session.pid()), peak_kib(session.pid()));
    session.end()?;
    let a_byte = |kib: u64| (kib * 1024) as f64 / bytes as f64;
    println!(
        "{:<34} {:>8.2} bytes a byte of text, {:.2} at most ({bytes} bytes of text, {now} KiB, {before} KiB at the start)",
        format!("memory, {} documents open", files.len()),
        a_byte(now),
        a_byte(peak),
    );
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
