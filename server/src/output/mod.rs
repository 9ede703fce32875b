//! What is printed: one file a format.

mod concise;
pub(crate) mod cost;
pub(crate) mod eval;
mod github;
mod json;
mod jsonl;
mod junit;
mod look;
pub(crate) mod published;
pub(crate) mod render;
mod repeated;
mod sarif;
mod several;
mod summary;
mod tap;
pub(crate) mod test;
mod text;

use std::{
    cell::OnceCell,
    io::{self, Write},
    path::Path,
};

use crd_analyzer_ide::fixes::Fix;
use crd_analyzer_io::write::Unwritten;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    config::Config,
    finding::{Finding, Severity},
    report::{Displayed, DocumentReport, FileReport, HiddenErrors, Subject},
    source::SourceText,
};

use crate::input::Unreadable;

pub(crate) use look::{Color, Look, columns};
pub(crate) use repeated::Repeated;
pub(crate) use several::{Output, Outputs};
pub(crate) use summary::Summary;

/// One checked file.
pub(crate) struct File<'a> {
    /// The path as it was given.
    pub(crate) label: &'a str,
    pub(crate) report: &'a FileReport,
    /// The displayed diagnostics of each document.
    shown: Vec<Vec<Displayed>>,
    /// The errors that are not shown of each document.
    hidden: Vec<HiddenErrors>,
    /// Repairs, if they were looked for.
    pub(crate) fixes: &'a [Fix],
    lines: OnceCell<LineIndex>,
}

impl<'a> File<'a> {
    pub(crate) fn new(label: &'a str, report: &'a FileReport, config: &Config, fixes: &'a [Fix]) -> Self {
        Self {
            label,
            report,
            shown: report.shown(config),
            hidden: report.documents.iter().map(|it| it.hidden_errors(config)).collect(),
            fixes,
            lines: OnceCell::new(),
        }
    }

    /// Leaves out what was said before of the kinds of its documents.
    pub(crate) fn leave_out(&mut self, repeated: &mut Repeated) {
        for (document, shown) in self.report.documents.iter().zip(&mut self.shown) {
            repeated.leave_out(document, shown);
        }
    }

    /// Its documents, with the displayed diagnostics of each.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'a DocumentReport, &[Displayed])> {
        self.report.documents.iter().zip(self.shown.iter().map(Vec::as_slice))
    }

    /// The highest severity of its displayed diagnostics.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.report.worst(&self.shown)
    }

    /// Line and column of a byte, from 1.
    fn position(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.lines().line_column(&self.report.text, offset);
        (line + 1, column + 1)
    }

    /// A finding in one line: `file:line:column: error[code]: headline`, not escaped.
    fn one_line(&self, finding: &Finding, headline: &str) -> String {
        let (line, column) = self.position(finding.span.start);
        let (label, word, code) = (self.label, finding.word(), finding.code);
        format!("{label}:{line}:{column}: {word}[{code}]: {headline}")
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

/// What an object is called: `CronTab backup`.
fn name_of(document: &DocumentReport) -> String {
    let kind = match (&*document.kind, document.subject) {
        ("", Subject::Resource) => "object",
        ("", Subject::Definition | Subject::PartialDefinition) => "CustomResourceDefinition",
        (kind, _) => kind,
    };
    match &*document.name {
        "" => format!("{kind} (document {})", document.index + 1),
        name => format!("{kind} {name}"),
    }
}

/// That a file could not be written, with its name as it is printed.
pub(crate) fn unwritten(label: &str, why: &Unwritten) -> String {
    format!("cannot write {label}: {why}")
}

/// A number of things in words.
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
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
