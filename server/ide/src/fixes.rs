//! Quick fixes: edits of a file's text that make a finding go.

mod check;
mod convert;
mod edits;
mod ignore;
mod repair;
#[cfg(test)]
mod repair_tests;
#[cfg(test)]
mod tests;

use std::{cell::OnceCell, collections::HashSet, sync::Arc};

use crd_analyzer_apiextensions::codes::UNSERVED_API_VERSION;
use crd_analyzer_syntax::{
    split::{Document, read_document, split},
    tree::{Span, Tree},
};
use crd_analyzer_workspace::{finding::Finding, report::FileReport};

use crate::{completion::Definitions, file::File};

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
    /// It makes the finding go, and others come that nobody could see before.
    Rewrite,
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

/// A repair after a look at what it comes to: one that brings findings is only a rewriting. `judge` says what is found in a text.
pub fn judged(text: &str, mut fix: Fix, judge: &dyn Fn(&str) -> FileReport) -> Fix {
    if fix.kind == FixKind::Repair
        && let Some(edited) = apply(text, &fix.edits)
    {
        let report = judge(&edited);
        if !check::is_better(
            &check::counts(&judge(text)),
            &check::counts(&report),
            &report,
            fix.problem.code,
        ) {
            fix.kind = FixKind::Rewrite;
            fix.title.push_str(", which shows more errors");
        }
    }
    fix
}

/// Repairs that are looked at for one request, so that it ends.
const MAX_CANDIDATES: usize = 24;

/// The repairs of those problems that touch a range, the safe ones first, each with its problem. Every one of them was applied and judged:
/// the finding goes, and nothing new is found. `judge` says what is found in a text; the edits are those of `text`. `definitions` are those
/// that custom resources are judged by.
pub fn repairs(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&str) -> FileReport,
) -> Vec<Fix> {
    let file = File::new(text.clone(), Arc::default());
    let before = OnceCell::new();
    let mut found = Vec::new();
    for (problem, fix) in candidates(&file, problems, range, definitions)
        .into_iter()
        .take(MAX_CANDIDATES)
    {
        let Some(edited) = apply(text, &fix.edits) else {
            continue;
        };
        let (report_before, before) = before.get_or_init(|| {
            let report = judge(text);
            let counts = check::counts(&report);
            (report, counts)
        });
        let report = judge(&edited);
        if check::is_better(before, &check::counts(&report), &report, problem.code) {
            found.push((check::refuses_no_more(report_before, &report), fix));
        }
    }
    // What makes an error of a finding that followed from the problem is worse than what does not.
    let with_better: HashSet<_> = found.iter().filter(|it| it.0).map(|it| it.1.problem).collect();
    found.retain(|(is_better, fix)| *is_better || !with_better.contains(&fix.problem));
    let mut found: Vec<_> = found.into_iter().map(|it| it.1).collect();
    found.sort_by_key(|it| !it.preferred);
    found
}

/// All safe repairs at once, judged together; those that do not get along with others are left out. `None`: there is nothing to repair.
/// `definitions` are those that custom resources are judged by.
pub fn repair_all(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&str) -> FileReport,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let file = File::new(text.clone(), Arc::default());
    let whole = Span::new(0, text.len() as u32);
    let all = candidates(&file, problems, whole, definitions);
    let mut chosen: Vec<Fix> = Vec::new();
    for (_, fix) in all.into_iter().filter(|(_, it)| it.preferred) {
        let overlaps = |it: &Fix| {
            let pairs = it
                .edits
                .iter()
                .flat_map(|a| fix.edits.iter().map(move |b| (a.span, b.span)));
            pairs.into_iter().any(|(a, b)| a.start <= b.end && b.start <= a.end)
        };
        let is_answered = chosen.iter().any(|it| it.problem == fix.problem || overlaps(it));
        if !is_answered {
            chosen.push(fix);
        }
    }
    let before = check::counts(&judge(text));
    let helps = |fixes: &[Fix]| {
        let edits = joined(fixes);
        let report = judge(&apply(text, &edits)?);
        let after = check::counts(&report);
        let all = fixes
            .iter()
            .all(|it| check::is_better(&before, &after, &report, it.problem.code));
        (all && !fixes.is_empty()).then_some(edits)
    };
    if let Some(edits) = helps(&chosen) {
        return Some((edits, chosen));
    }
    // Some do not help: each on its own, as long as that takes no time.
    chosen.truncate(MAX_CANDIDATES);
    chosen.retain(|it| helps(std::slice::from_ref(it)).is_some());
    helps(&chosen).map(|edits| (edits, chosen))
}

fn joined(fixes: &[Fix]) -> Vec<TextEdit> {
    let mut edits: Vec<_> = fixes.iter().flat_map(|it| it.edits.iter().cloned()).collect();
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    edits
}

/// Repairs as they come to mind, with their edits in order.
fn candidates(
    file: &File,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
) -> Vec<(Problem, Fix)> {
    let asked = problems
        .into_iter()
        .filter(|it| it.span.start <= range.end && range.start <= it.span.end);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for problem in asked {
        let Some(document) = file.document_at(problem.span.start) else {
            continue;
        };
        for mut repair in repair::repairs(&document, problem, definitions) {
            repair.edits.sort_by_key(|it| (it.span.start, it.span.end));
            let edits: Vec<_> = repair.edits.iter().map(|it| (it.span, it.new_text.clone())).collect();
            if repair.edits.is_empty() || !seen.insert((problem, edits)) {
                continue;
            }
            let fix = Fix {
                title: repair.title,
                kind: FixKind::Repair,
                problem,
                edits: repair.edits,
                preferred: repair.safe,
            };
            found.push((problem, fix));
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
