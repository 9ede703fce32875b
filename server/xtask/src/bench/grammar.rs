//! Measures a full parse with tree-sitter-yaml, which serves as the reference for editor latency.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use tree_sitter::Parser;

/// The maximum number of lines for the grammar's scanner, which stores rows as signed 16-bit integers.
const MAX_LINES: usize = 32_000;

/// A text that is parsed repeatedly, each time from scratch. A text with too many lines for the grammar is split into parts.
pub(super) struct FullParse {
    parser: Parser,
    parts: Vec<String>,
}

impl FullParse {
    pub(super) fn new(text: &str) -> anyhow::Result<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_yaml::LANGUAGE.into())?;
        let parts = parsable_parts(text);
        for part in &parts {
            let tree = parser.parse(part, None).context("a parse without a limit ends")?;
            if tree.root_node().has_error() {
                eprintln!(
                    "tree-sitter-yaml finds errors in a part of {} lines",
                    part.lines().count()
                );
            }
        }
        Ok(Self { parser, parts })
    }

    /// The time of one parse.
    pub(super) fn time(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        for part in &self.parts {
            self.parser.parse(part, None).context("a parse without a limit ends")?;
        }
        Ok(start.elapsed())
    }
}

/// Splits a text into as many parts of equal length as needed. Each part starts with the parent keys of its first line.
fn parsable_parts(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let count = lines.len().div_ceil(MAX_LINES).max(1);
    let len = lines.len().div_ceil(count).max(1);
    let mut begin = 0;
    let mut parts = Vec::new();
    while begin < lines.len() {
        // A part must not start inside a scalar.
        let is_entry = |line: &&str| line.trim_end().ends_with(':') && !line.contains(' ') || is_plain_key(line);
        let end = (begin + len..lines.len())
            .find(|&it| is_entry(&lines[it]))
            .unwrap_or(lines.len());
        let mut part = holders(&lines, begin).concat();
        part.extend(lines[begin..end].iter().copied());
        parts.push(part);
        begin = end;
    }
    parts
}

/// Whether a line consists only of `name:`.
fn is_plain_key(line: &str) -> bool {
    line.trim()
        .strip_suffix(':')
        .is_some_and(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The parent lines of a line by indentation, from the outermost.
fn holders<'t>(lines: &[&'t str], at: usize) -> Vec<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let Some(first) = lines.get(at) else { return Vec::new() };
    let mut holders = Vec::new();
    let mut below = indent(first);
    let mut is_dash = first.trim_start().starts_with("- ");
    for &line in lines[..at].iter().rev() {
        let dash = line.trim_start().starts_with("- ");
        let holds = indent(line) < below || is_dash && !dash && indent(line) == below;
        if holds && (dash || is_plain_key(line)) {
            holders.push(line);
            (below, is_dash) = (indent(line), dash);
        }
    }
    holders.reverse();
    holders
}
