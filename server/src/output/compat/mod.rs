//! The output of `compat`, in several formats.

mod lines;
mod markdown;
mod objects;
mod order;
mod sarif;
mod sarif_objects;
mod text;

pub(crate) use objects::{JudgedObject, JudgedObjects, ObjectText};

use std::io::{self, Write};

use crd_analyzer_compat::{Answer, Change, Direction, OlmRefusal, Policy, Summary, Verdict};
use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{comparison::compared::FieldSpans, words::schema_values};

use super::format::choose;

/// All formats.
const ALL: &[&Format] = &[
    &text::FORMAT,
    &lines::DOCUMENT,
    &lines::FORMAT,
    &markdown::FORMAT,
    &sarif::FORMAT,
];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Prints a report. The number is the line width for text output, in columns.
    pub(crate) print: fn(&mut dyn Write, usize, &Report<'_>) -> io::Result<()>,
}

/// The text format.
pub(crate) const TEXT: &Format = &text::FORMAT;

choose!(Format, ALL);

/// A CRD on one side of the comparison, and its location.
pub(crate) struct Side<'c> {
    pub(crate) spans: FieldSpans<'c>,
    pub(crate) label: &'c str,
    pub(crate) text: &'c str,
    pub(crate) lines: &'c LineIndex,
}

impl Side<'_> {
    fn span(&self, path: &Path) -> Option<Span> {
        self.spans.span(path)
    }

    /// The location, as `file:line`.
    fn place(&self, path: &Path) -> Option<String> {
        let span = self.span(path)?;
        let (line, _) = self.lines.line_column(self.text, span.start);
        Some(format!("{}:{}", self.label, line + 1))
    }
}

/// An exception that allows a change despite the policy.
#[derive(Clone, Copy)]
pub(crate) struct Allowed<'c> {
    pub(crate) reason: &'c str,
    /// The last day on which the exception applies.
    pub(crate) until: Option<&'c str>,
}

/// The changes of one CRD.
pub(crate) struct Compared<'c> {
    pub(crate) name: String,
    pub(crate) old: Option<Side<'c>>,
    pub(crate) new: Option<Side<'c>>,
    pub(crate) changes: Vec<Change>,
    /// The exception for each change, in the same order.
    pub(crate) exceptions: Vec<Option<Allowed<'c>>>,
    /// The rejections by the Operator Lifecycle Manager, with the policy `olm`.
    pub(crate) olm: Vec<OlmRefusal>,
    /// The reason if the API server rejects the update of the CRD.
    pub(crate) refusal: Option<String>,
}

impl Compared<'_> {
    /// The changes with their exceptions.
    fn each(&self) -> impl Iterator<Item = order::Counted<'_>> {
        self.changes.iter().zip(self.exceptions.iter().copied())
    }

    /// The changes to which the policy applies: those without an exception.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Change> {
        self.each().filter(|it| it.1.is_none()).map(|it| it.0)
    }

    /// The location of a change as `file:line`, in NEW if it exists there.
    fn place(&self, change: &Change) -> Option<String> {
        let new = self.new.as_ref().zip(change.new_path.as_ref());
        let old = self.old.as_ref().zip(change.old_path.as_ref());
        new.or(old).and_then(|(side, path)| side.place(path))
    }
}

/// The results of a comparison.
pub(crate) struct Report<'c> {
    pub(crate) reports: Vec<Compared<'c>>,
    /// The effects on existing objects, if objects were given.
    pub(crate) objects: Option<JudgedObjects>,
    pub(crate) policy: Policy,
    pub(crate) verdict: Verdict,
    /// Whether to print every change in full.
    pub(crate) all: bool,
    /// Whether a file could not be read.
    pub(crate) is_incomplete: bool,
}

impl Report<'_> {
    /// Whether the policy forbids the effect of a change in one direction.
    fn forbids(&self, change: &Change, allowed: Option<Allowed<'_>>, direction: Direction, answer: &Answer) -> bool {
        allowed.is_none() && self.policy.judge(change, direction, answer) == Verdict::Breaks
    }

    /// The number of answers that the policy forbids.
    fn forbidden(&self) -> usize {
        let changes = self.reports.iter().flat_map(Compared::each);
        let answers = changes.flat_map(|(change, allowed)| change.each().map(move |it| (change, allowed, it)));
        answers
            .filter(|(change, allowed, it)| self.forbids(change, *allowed, it.0, it.1))
            .count()
    }

    fn summary(&self) -> Summary {
        Summary::of(self.reports.iter().flat_map(|it| &it.changes))
    }
}

/// The path of the changed values as people write it: `spec.replicas`, `spec.ports[*].name`. The path in the CRD for changes outside a schema.
pub(crate) fn short_path(path: &Path) -> String {
    match schema_values(path) {
        // The API server's paths print nothing as `<nil>`.
        None if path.segments().is_empty() => "the object".to_owned(),
        None => path.to_string(),
        Some(values) if values.is_empty() => "the object".to_owned(),
        Some(values) => values,
    }
}

/// An answer as a sentence.
fn said(direction: Direction, answer: &Answer) -> String {
    match answer {
        Answer::Breaks { effect, .. } => format!("breaks {} ({effect})", direction.whom()),
        Answer::Compatible { tolerated: Some(_), .. } => {
            format!("tolerates {} until the value changes", direction.whom())
        }
        Answer::Compatible { .. } => format!("compatible for {}", direction.whom()),
        Answer::Unknown { .. } => format!("unknown for {}", direction.whom()),
    }
}
