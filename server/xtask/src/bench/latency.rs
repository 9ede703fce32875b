//! Measures response times while a person types: the time from sending a request at a random position of a file to receiving the response.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use fastrand::Rng;
use serde_json::{Value, json};

use super::{Bench, grammar::FullParse};
use crate::session::{EditorSession, position};

/// The number of positions per measurement.
const PLACES: usize = 500;
const SEED: u64 = 0x0006_2026;
const URI: &str = "file:///bench/definition.yaml";
/// The typed texts: mostly letters, and characters that start other tokens.
const TYPED: [&str; 16] = [
    "a", "e", "n", "s", "t", "o", "r", "m", "x", ".", " ", ":", "-", "\n", "\"", "[",
];

/// The requests to send: name, method, and whether a keystroke comes first.
const QUESTIONS: [(&str, &str, bool); 4] = [
    ("completion", "textDocument/completion", false),
    ("hover", "textDocument/hover", false),
    ("keystroke and completion", "textDocument/completion", true),
    ("keystroke and hover", "textDocument/hover", true),
];

/// Measures on the CRD of 190 KB, on the largest CRD, and on the CRD with the most rules of its size.
pub(super) fn run(bench: &Bench) -> anyhow::Result<()> {
    for bytes in [190_000, 2_872_552, u64::MAX - 1] {
        let file = bench.file_of_size(bytes).context("the corpus has files")?;
        let text = std::fs::read_to_string(bench.corpus.join(&file))?;
        let parse = {
            let mut parse = FullParse::new(&text)?;
            let mut times = (0..5).map(|_| parse.time()).collect::<anyhow::Result<Vec<_>>>()?;
            times.sort_unstable();
            times[times.len() / 2]
        };
        let mut session = EditorSession::start(&bench.analyzer)?;
        session.open(URI, &text)?;
        println!(
            "{file}: {} KB, {} rules; tree-sitter parses it in {:.2} ms",
            text.len() / 1000,
            text.lines().filter(|it| super::is_rule(it)).count(),
            parse.as_secs_f64() * 1e3
        );
        let places = Places::of(&text);
        let mut rng = Rng::with_seed(SEED);
        let mut version = 0;
        show("nothing, there and back", &times(|| pass(&mut session))?, parse);
        for (name, method, types) in QUESTIONS {
            let mut answered = 0;
            let taken = times(|| {
                let place = places.random(&mut rng);
                let keystroke = types.then(|| (TYPED[rng.usize(..TYPED.len())], &mut version));
                let (time, answer) = ask(&mut session, method, place, keystroke)?;
                answered += usize::from(!answer.is_null());
                Ok(time)
            })?;
            show(&format!("{name}, {answered} of {PLACES} with an answer"), &taken, parse);
        }
        session.end()?;
    }
    Ok(())
}

/// Measures a request that needs no computation.
fn pass(session: &mut EditorSession) -> anyhow::Result<Duration> {
    let params = json!({ "textDocument": { "uri": "file:///bench/closed.yaml" }, "position": position((0, 0)) });
    let start = Instant::now();
    session.request("textDocument/hover", &params)?;
    Ok(start.elapsed())
}

/// Optionally types at a position, and immediately sends a request there. Then undoes the edit, and waits until the server is idle.
fn ask(
    session: &mut EditorSession,
    method: &str,
    (place, indent): ((usize, usize), usize),
    keystroke: Option<(&str, &mut u64)>,
) -> anyhow::Result<(Duration, Value)> {
    let params = |place| json!({ "textDocument": { "uri": URI }, "position": position(place) });
    let Some((typed, version)) = keystroke else {
        let start = Instant::now();
        let answer = session.request(method, &params(place))?;
        return Ok((start.elapsed(), answer));
    };
    let (line, column) = place;
    let (typed, after) = if typed == "\n" {
        // Editors indent a new line like the previous one.
        (format!("\n{}", " ".repeat(indent)), (line + 1, indent))
    } else {
        (typed.to_owned(), (line, column + 1))
    };
    let start = Instant::now();
    session.change(URI, *version + 1, [place, place], &typed)?;
    let answer = session.request(method, &params(after))?;
    let time = start.elapsed();
    session.next(URI, *version + 1)?;
    session.change(URI, *version + 2, [place, after], "")?;
    session.next(URI, *version + 2)?;
    *version += 2;
    Ok((time, answer))
}

fn times(mut one: impl FnMut() -> anyhow::Result<Duration>) -> anyhow::Result<Vec<Duration>> {
    let mut times = (0..PLACES).map(|_| one()).collect::<anyhow::Result<Vec<_>>>()?;
    times.sort_unstable();
    Ok(times)
}

fn show(what: &str, times: &[Duration], parse: Duration) {
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "  {what:<52} median {:>7.3} ms, 95 % {:>7.3} ms, most {:>7.3} ms | 95 % is {:.4} of a parse",
        milliseconds(at(0.5)),
        milliseconds(at(0.95)),
        milliseconds(at(1.0)),
        at(0.95).as_secs_f64() / parse.as_secs_f64()
    );
}

/// The positions for requests: anywhere in a text, on its keys, and in its rules.
struct Places<'t> {
    lines: Vec<&'t str>,
    rules: Vec<usize>,
}

impl<'t> Places<'t> {
    fn of(text: &'t str) -> Self {
        // Non-ASCII lines are skipped, so that columns are bytes in every encoding.
        let lines: Vec<_> = text.lines().map(|it| if it.is_ascii() { it } else { "" }).collect();
        let is_rule = |it: &usize| super::is_rule(lines[*it]) && !lines[*it].ends_with(['-', '|', '>']);
        let rules = (0..lines.len()).filter(is_rule).collect();
        Self { lines, rules }
    }

    /// A random position, and the indentation of its line.
    fn random(&self, rng: &mut Rng) -> ((usize, usize), usize) {
        loop {
            let is_rule = !self.rules.is_empty() && rng.u8(..4) == 0;
            let line = if is_rule {
                self.rules[rng.usize(..self.rules.len())]
            } else {
                rng.usize(..self.lines.len())
            };
            let text = self.lines[line];
            let first = text.len() - text.trim_start_matches([' ', '-']).len();
            let last = match text.find(':') {
                Some(colon) if !is_rule && rng.bool() => colon,
                _ => text.len(),
            };
            if first < last {
                let indent = text.len() - text.trim_start_matches(' ').len();
                return ((line, rng.usize(first..=last)), indent);
            }
        }
    }
}
