//! The log of diagnostics in test data, which is printed at the end: a few places for each folder and code.

use std::{collections::BTreeMap, io};

use crd_analyzer_io::print::Terminal;

use super::{
    File,
    aside::{IN_TEST_DATA, WORDS},
    blocks, counted,
    render::Renderer,
};

/// The maximum number of places to list for each folder and code.
const MOST_PLACES: usize = 3;

/// The diagnostics of one code in a folder.
#[derive(Default, Debug)]
struct Group {
    count: usize,
    /// The first diagnostics, as `file:line:column: headline`.
    first: Vec<String>,
}

/// The diagnostics so far, by severity, folder and code.
#[derive(Default, Debug)]
pub(super) struct TestDataLog(BTreeMap<(usize, String, &'static str), Group>);

impl TestDataLog {
    pub(super) fn add(&mut self, file: &File<'_>) {
        for it in file.test_data() {
            let word = WORDS.iter().position(|word| *word == it.word());
            let key = (word.unwrap_or_default(), blocks::folder(file.label), it.finding.code);
            let group = self.0.entry(key).or_default();
            group.count += 1;
            if group.first.len() < MOST_PLACES {
                let (line, column) = file.position(it.finding.span.start);
                group
                    .first
                    .push(format!("{}:{line}:{column}: {}", file.label, it.headline));
            }
        }
    }

    pub(super) fn print(&self, out: &mut Terminal<'_>, renderer: Renderer) -> io::Result<()> {
        for ((word, folder, code), group) in &self.0 {
            let folder = if folder.is_empty() { "." } else { folder };
            let what = counted(group.count, WORDS[*word]);
            renderer.text(out, &format!("{what} {IN_TEST_DATA} [{code}]: {folder}"))?;
            for it in &group.first {
                renderer.indented(out, "  ", "    ", it)?;
            }
            if group.count > group.first.len() {
                renderer.text(out, &format!("  and {} more", group.count - group.first.len()))?;
            }
            out.blank()?;
        }
        Ok(())
    }
}
