//! Measures the speed of parsing the corpus: our YAML parser, the JSON parser, and for comparison libyaml-safer's events.
//!
//! `cargo bench -p crd-analyzer-syntax` prints megabytes per second (best of five rounds, one thread) and ratios. Without a corpus, it prints
//! nothing.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{Document, read_document, split};

const ROUNDS: usize = 5;

fn main() {
    let root = std::env::var_os("CRD_ANALYZER_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    for folder in ["crds", "crs"] {
        let texts = texts(&root.join(folder));
        if !texts.is_empty() {
            measure(folder, &texts);
        }
    }
}

fn texts(folder: &Path) -> Vec<(Arc<str>, Vec<Document>)> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            texts.extend(self::texts(&entry.path()));
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            let documents = split(&text).documents;
            texts.push((text.into(), documents));
        }
    }
    texts
}

fn measure(folder: &str, texts: &[(Arc<str>, Vec<Document>)]) {
    let bytes: usize = texts.iter().map(|it| it.0.len()).sum();
    let mut nodes = 0;
    let mut best = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        let mut times = [Duration::ZERO; 4];
        nodes = 0;
        for (text, documents) in texts {
            let start = Instant::now();
            std::hint::black_box(split(text));
            times[0] += start.elapsed();
            for &document in documents {
                let start = Instant::now();
                let Ok(tree) = read_document(text, document, &[]) else {
                    continue;
                };
                times[1] += start.elapsed();
                nodes += tree.len();
                let start = Instant::now();
                std::hint::black_box(read_json(&tree)).ok();
                times[2] += start.elapsed();
                // libyaml-safer panics on one of the custom resources, so it only parses CRDs.
                if folder == "crds" {
                    let start = Instant::now();
                    events(&text[document.span.range()]);
                    times[3] += start.elapsed();
                }
            }
        }
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let speed = |it: Duration| bytes as f64 / it.as_secs_f64() / 1e6;
    println!("{folder}: {bytes} bytes, {nodes} nodes");
    let [split, parse, json, events] = best;
    println!(
        "  split: {:.0} MB/s, parse: {:.0} MB/s, to JSON: {:.0} MB/s",
        speed(split),
        speed(parse),
        speed(json)
    );
    println!("  parse and JSON: {:.0} MB/s", speed(parse + json));
    if !events.is_zero() {
        let ratio = events.as_secs_f64() / parse.as_secs_f64();
        println!(
            "  libyaml-safer's events: {:.0} MB/s, parse is {ratio:.1}x as fast",
            speed(events)
        );
    }
}

fn events(text: &str) {
    let mut input = text.as_bytes();
    let mut parser = libyaml_safer::Parser::new();
    parser.set_input_string(&mut input);
    while let Ok(event) = parser.parse() {
        if matches!(event.data, libyaml_safer::EventData::StreamEnd) {
            break;
        }
    }
}
