//! What is printed: one file a format.

pub(crate) mod cost;
pub(crate) mod eval;
mod github;
mod json;
mod jsonl;
pub(crate) mod test;
mod text;

use std::{
    cell::OnceCell,
    io::{self, IsTerminal as _, Write},
    path::Path,
};

use clap::ValueEnum;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    config::Config,
    finding::Class,
    report::{FileReport, Subject},
    source::SourceText,
};

use crate::input::Unreadable;

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people: the source with the places marked.
    Text,
    /// One JSON document: every answer and a summary.
    Json,
    /// One JSON object a line: a document's answer by one minor.
    Jsonl,
    /// Workflow commands of GitHub Actions: annotations on the changed files.
    Github,
}

/// One checked file.
pub(crate) struct File<'a> {
    /// The path as it was given.
    pub(crate) label: &'a str,
    pub(crate) report: &'a FileReport,
    pub(crate) config: &'a Config,
    lines: OnceCell<LineIndex>,
}

impl<'a> File<'a> {
    pub(crate) fn new(label: &'a str, report: &'a FileReport, config: &'a Config) -> Self {
        Self {
            label,
            report,
            config,
            lines: OnceCell::new(),
        }
    }

    /// The lines of its text, made when the first place is printed.
    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.report.text))
    }
}

/// The name to print for another file than the one that was asked about: its path, below the working directory if it is there.
pub(crate) fn label_of(file: &SourceText) -> String {
    label_of_path(&file.path)
}

/// A path as it is printed: below the working directory if it is there.
pub(crate) fn label_of_path(path: &Path) -> String {
    let below = std::env::current_dir()
        .ok()
        .and_then(|folder| path.strip_prefix(folder).ok());
    below.unwrap_or(path).display().to_string()
}

/// A number of things in words.
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// What was counted over all files.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Summary {
    pub(crate) files: usize,
    pub(crate) definitions: usize,
    pub(crate) resources: usize,
    /// Objects of kinds that nothing defines.
    pub(crate) unknown: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) hints: usize,
    pub(crate) unreadable: usize,
}

impl Summary {
    /// Counts a file and what is shown of it.
    pub(crate) fn add(&mut self, report: &FileReport, config: &Config) {
        self.files += 1;
        let resources = report
            .documents
            .iter()
            .filter(|it| it.subject == Subject::Resource)
            .count();
        self.resources += resources;
        self.unknown += report.unknown;
        self.definitions += report.documents.len() - resources;
        let shown = report
            .documents
            .iter()
            .flat_map(|document| document.shown(config))
            .map(|shown| shown.finding.class);
        for class in shown.chain(report.findings.iter().map(|finding| finding.class)) {
            *match class {
                Class::Error => &mut self.errors,
                Class::Warning => &mut self.warnings,
                Class::Hint => &mut self.hints,
            } += 1;
        }
    }
}

/// Prints files one after the other, then a summary.
pub(crate) trait Printer {
    /// Prints what there is to say about one file.
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()>;

    /// Prints that a file could not be read.
    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()>;

    /// Prints the end.
    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: std::time::Duration) -> io::Result<()>;
}

/// Whether standard output shows styles.
pub(crate) fn is_colored(stdout: &io::Stdout) -> bool {
    stdout.is_terminal() && anstream::AutoStream::choice(stdout) != anstream::ColorChoice::Never
}

/// The printer of a format. `color`: the output is a terminal that shows styles. `effective`: what a server makes of custom resources is
/// printed, too.
pub(crate) fn printer(format: Format, color: bool, effective: bool) -> Box<dyn Printer> {
    match format {
        Format::Text => Box::new(text::Text::new(color, effective)),
        Format::Json => Box::new(json::Json::new(effective)),
        Format::Jsonl => Box::new(jsonl::Jsonl { effective }),
        Format::Github => Box::new(github::Github),
    }
}
