//! What changes of CRDs do, in several formats.

mod lines;
mod markdown;
mod objects;
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

/// Every format.
const ALL: &[&Format] = &[
    &text::FORMAT,
    &lines::DOCUMENT,
    &lines::FORMAT,
    &markdown::FORMAT,
    &sarif::FORMAT,
];

/// The output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// What people type.
    name: &'static str,
    /// What it is.
    help: &'static str,
    /// Prints a report, in so many columns if it is for people.
    pub(crate) print: fn(&mut dyn Write, usize, &Report<'_>) -> io::Result<()>,
}

/// The format for people.
pub(crate) const TEXT: &Format = &text::FORMAT;

choose!(Format, ALL);

/// A CRD of one side, and where it is.
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

    /// `file:line`
    fn place(&self, path: &Path) -> Option<String> {
        let span = self.span(path)?;
        let (line, _) = self.lines.line_column(self.text, span.start);
        Some(format!("{}:{}", self.label, line + 1))
    }
}

/// Why a change is allowed whatever the policy says.
#[derive(Clone, Copy)]
pub(crate) struct Allowed<'c> {
    pub(crate) reason: &'c str,
    /// The last day.
    pub(crate) until: Option<&'c str>,
}

/// The changes of one CRD.
pub(crate) struct Compared<'c> {
    pub(crate) name: String,
    pub(crate) old: Option<Side<'c>>,
    pub(crate) new: Option<Side<'c>>,
    pub(crate) changes: Vec<Change>,
    /// The exception for each of the changes.
    pub(crate) exceptions: Vec<Option<Allowed<'c>>>,
    /// What the Operator Lifecycle Manager refuses, if that is the policy.
    pub(crate) olm: Vec<OlmRefusal>,
    /// Why the API server refuses the update of the CRD.
    pub(crate) refusal: Option<String>,
}

impl<'c> Compared<'c> {
    /// The changes with their exceptions.
    fn each(&self) -> impl Iterator<Item = (&Change, Option<Allowed<'c>>)> {
        self.changes.iter().zip(self.exceptions.iter().copied())
    }

    /// The changes that a policy is asked about: those without an exception.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Change> {
        self.each().filter(|it| it.1.is_none()).map(|it| it.0)
    }

    /// `file:line` of a change, in NEW if it is there.
    fn place(&self, change: &Change) -> Option<String> {
        let new = self.new.as_ref().zip(change.new_path.as_ref());
        let old = self.old.as_ref().zip(change.old_path.as_ref());
        new.or(old).and_then(|(side, path)| side.place(path))
    }
}

/// All changes.
pub(crate) struct Report<'c> {
    pub(crate) reports: Vec<Compared<'c>>,
    /// What becomes of objects, if that was asked.
    pub(crate) objects: Option<JudgedObjects>,
    pub(crate) policy: Policy,
    pub(crate) verdict: Verdict,
    /// Also those that are compatible.
    pub(crate) all: bool,
    /// Something could not be read.
    pub(crate) is_incomplete: bool,
}

impl Report<'_> {
    /// Whether the policy forbids what a change does in a direction.
    fn forbids(&self, change: &Change, allowed: Option<Allowed<'_>>, direction: Direction, answer: &Answer) -> bool {
        allowed.is_none() && self.policy.judge(change, direction, answer) == Verdict::Breaks
    }

    /// How many answers the policy forbids.
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

/// The values that a change is about, as people read them: `spec.replicas`, `spec.ports[*].name`. Outside of schemas, the path.
pub(crate) fn short_path(path: &Path) -> String {
    match schema_values(path) {
        None => path.to_string(),
        Some(values) if values.is_empty() => "the object".to_owned(),
        Some(values) => values,
    }
}
