//! Quick fixes: edits of a file's text that make a finding go.

mod convert;
mod ignore;
#[cfg(test)]
mod tests;

use std::{collections::HashSet, sync::Arc};

use crd_analyzer_apiextensions::codes::UNSERVED_API_VERSION;
use crd_analyzer_syntax::{
    split::{Document, read_document, split},
    tree::{Span, Tree},
};
use crd_analyzer_workspace::finding::Finding;

/// A replacement of a piece of the file's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// What is replaced, in bytes of the file; empty for an insertion.
    pub span: Span,
    /// What stands there afterwards.
    pub new_text: String,
}

/// What a fix does about its finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixKind {
    /// It changes the manifest so that the finding no longer holds.
    Repair,
    /// It silences the finding with a comment.
    Ignore,
}

/// A way to make a finding go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, as a command to the reader.
    pub title: String,
    /// How it makes the finding go.
    pub kind: FixKind,
    /// The finding that goes.
    pub problem: Problem,
    /// In the order of the text, without overlaps. Insertions at one place stay in their order.
    pub edits: Vec<TextEdit>,
    /// It is what most would do, and keeps the manifest's meaning: it may be applied without asking.
    pub preferred: bool,
}

/// What has to be known of a finding to fix it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// The finding's code.
    pub code: &'static str,
    /// Where it is shown, in bytes of the file.
    pub span: Span,
}

impl From<&Finding> for Problem {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            span: finding.span,
        }
    }
}

/// The fixes of those problems that touch a range of a file's text, in the order of the problems.
///
/// `text` is what the problems were found in ([`FileReport::text`]).
///
/// [`FileReport::text`]: crd_analyzer_workspace::report::FileReport::text
pub fn fixes(text: &Arc<str>, problems: impl IntoIterator<Item = Problem>, range: Span) -> Vec<Fix> {
    let asked = problems
        .into_iter()
        .filter(|it| it.span.start <= range.end && range.start <= it.span.end);
    let mut asked = asked.peekable();
    if asked.peek().is_none() {
        return Vec::new();
    }
    let cut = split(text);
    if cut.error.is_some() {
        return Vec::new();
    }
    let mut readings = Readings {
        text,
        documents: cut.documents,
        last: None,
    };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for problem in asked {
        let Some(reading) = readings.at(problem.span.start) else {
            continue;
        };
        if problem.code == UNSERVED_API_VERSION {
            found.extend(convert::fix(text, &reading.tree, problem));
        } else if let Some(fix) = reading.ignorer().fix(text, problem)
            && seen.insert((fix.problem.code, fix.edits[0].span))
        {
            // Several findings of a line need one comment.
            found.push(fix);
        }
    }
    found
}

/// The text after edits; `None` if they do not fit it or overlap.
pub fn apply(text: &str, edits: &[TextEdit]) -> Option<String> {
    let mut edited = String::with_capacity(text.len());
    let mut copied = 0;
    for edit in edits {
        edited.push_str(text.get(copied..edit.span.start as usize)?);
        edited.push_str(&edit.new_text);
        text.get(edit.span.range())?;
        copied = edit.span.end as usize;
    }
    edited.push_str(text.get(copied..)?);
    Some(edited)
}

/// The documents of a file, each read when something is asked of it.
struct Readings<'t> {
    text: &'t Arc<str>,
    documents: Vec<Document>,
    /// Problems come document by document.
    last: Option<(u32, Option<Reading>)>,
}

impl Readings<'_> {
    /// The document that has the place; `None` if there is none or it cannot be read.
    fn at(&mut self, offset: u32) -> Option<&mut Reading> {
        let next = self.documents.partition_point(|it| it.span.start <= offset);
        let document = self.documents[next.checked_sub(1)?];
        let is_last = self.last.as_ref().is_some_and(|(index, _)| *index == document.index);
        if !is_last {
            let tree = read_document(self.text, document, &[]).ok();
            let reading = tree.map(|tree| Reading { tree, ignorer: None });
            self.last = Some((document.index, reading));
        }
        self.last.as_mut()?.1.as_mut()
    }
}

/// A document that could be read.
struct Reading {
    tree: Tree,
    ignorer: Option<ignore::Ignorer>,
}

impl Reading {
    fn ignorer(&mut self) -> &ignore::Ignorer {
        self.ignorer.get_or_insert_with(|| ignore::Ignorer::new(&self.tree))
    }
}
