//! Quick fixes: edits of a file that remove a finding.

pub(crate) mod change;
mod check;
mod convert;
mod edits;
mod ignore;
mod repair;
#[cfg(test)]
mod repair_tests;
mod restore;
mod revealed;
#[cfg(test)]
mod tests;
mod twins;
mod work;

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

pub use check::{Counts, counts};
use crd_analyzer_apiextensions::codes::UNSERVED_API_VERSION;
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_diagnostic::{Change, Proposed};
use crd_analyzer_schema::codes as schema_codes;
use crd_analyzer_syntax::{
    lines::LineIndex,
    split::{Document, read_document, split},
    tree::{Span, Tree},
};
use crd_analyzer_workspace::{documents::source::SourceText, findings::finding::Finding, findings::report::FileReport};
pub(crate) use ignore::NOT_IGNORED;
pub use restore::{ComparedText, restorations};

use crate::{
    completion::{Definitions, Remembered},
    file::File,
};
use revealed::Revealed;
use twins::Proposing;
use work::Lookups;

/// A replacement of a range of the file's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// The replaced span of the file; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub new_text: String,
}

/// How a fix makes its finding disappear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixKind {
    /// The fix corrects the manifest, so that the finding no longer applies.
    Repair,
    /// The fix removes the finding, but reveals other findings that it hid.
    Rewrite,
    /// The fix suppresses the finding with a comment.
    Ignore,
}

/// A fix for a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The title, an imperative sentence.
    pub title: String,
    /// How the fix removes the finding.
    pub kind: FixKind,
    /// The finding that it removes.
    pub problem: Problem,
    /// The edits in the order of the text, without overlaps. Insertions at the same place stay in order.
    pub edits: Vec<TextEdit>,
    /// The edits as changes of the object, if the fix can express them so.
    pub changes: Vec<Change>,
    /// Whether the fix is obvious and keeps the manifest's meaning. Such a fix may be applied without asking.
    pub preferred: bool,
    /// Whether the fix is obvious but drops something from the manifest. Such a fix is applied only if the user asks for it.
    pub drops: bool,
}

impl Fix {
    /// Whether the fix removes text of the author without a replacement.
    pub fn removes(&self, text: &str) -> bool {
        revealed::is_removal(text, &self.edits)
    }
}

/// The information about a finding that is needed to fix it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// The finding's code.
    pub code: &'static str,
    /// The span at which it is shown.
    pub span: Span,
    /// The changes that the check of the finding proposes, if any.
    proposed: Option<Arc<Proposed>>,
    /// The correct word, if the finding suggests one.
    meant: Option<String>,
    /// The offsets of the other errors of the same expression, which the API server reports together with this one.
    others: Vec<u32>,
}

/// The codes of errors in expressions. The API server reports all errors of an expression together, and we show them at the first one.
pub(crate) const OF_EXPRESSIONS: [&str; 5] = [
    schema_codes::RULE_SYNTAX,
    schema_codes::UNDEFINED_FIELD,
    schema_codes::UNDECLARED_REFERENCE,
    schema_codes::NO_MATCHING_OVERLOAD,
    schema_codes::RULE_TYPE_ERROR,
];

impl Problem {
    /// A finding without proposed changes. Its fixes follow from its code.
    pub const fn new(code: &'static str, span: Span) -> Self {
        Self {
            code,
            span,
            proposed: None,
            meant: None,
            others: Vec::new(),
        }
    }

    /// The same problem in another file, where it has this span.
    pub(crate) fn shown_at(&self, span: Span) -> Self {
        Self {
            others: self.others.clone(),
            ..Self::new(self.code, span)
        }
    }

    /// Whether a fix may leave another error in the same expression.
    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Whether the CRD has an API version that is no longer served. Its other problems are found only after it is converted.
    pub fn is_of_old_form(&self) -> bool {
        self.code == UNSERVED_API_VERSION
    }
}

impl From<&Finding> for Problem {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            span: finding.span,
            proposed: finding.proposed.clone(),
            meant: finding.meant.clone(),
            others: if OF_EXPRESSIONS.contains(&finding.code) {
                let own = finding.related.iter().filter(|it| it.file.is_none());
                own.map(|it| it.span.start).collect()
            } else {
                Vec::new()
            },
        }
    }
}

/// The maximum number of fixes for one request. Each is sent with its diagnostics, and the user must choose one.
pub const MAX_FIXES: usize = 200;

/// The fixes for problems that touch a range of a file's text, in the order of the problems. There are at most [`MAX_FIXES`].
///
/// `text` must be the text that has the problems ([`FileReport::text`]).
///
/// [`FileReport::text`]: crd_analyzer_workspace::findings::report::FileReport::text
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
        lines: LineIndex::new(text),
        documents: cut.documents,
        last: None,
    };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for problem in asked {
        if found.len() >= MAX_FIXES {
            break;
        }
        let Some((reading, lines)) = readings.at(problem.span.start) else {
            continue;
        };
        if problem.is_of_old_form() {
            found.extend(convert::fix(text, &reading.tree, problem));
        } else if let Some(fix) = reading.ignorer().fix(text, lines, problem)
            && seen.insert((fix.problem.code, fix.edits[0].span))
        {
            // If a line has several findings with the same code, one comment suppresses them all.
            found.push(fix);
        }
    }
    found
}

/// Checks fixes by their results. A repair that causes new findings becomes a rewrite. `judge` returns the report on a text, or `None` when the time
/// is up. If there are many repairs, only the first ones are kept.
pub fn judged(text: &str, fixes: Vec<Fix>, judge: &dyn Fn(&str) -> Option<FileReport>) -> Vec<Fix> {
    let before = OnceCell::new();
    let mut left = most_candidates(text);
    let mut look = |fix: &mut Fix| {
        if fix.kind != FixKind::Repair {
            return true;
        }
        if left == 0 {
            return false;
        }
        left -= 1;
        if let Some(edited) = apply(text, &fix.edits) {
            let before = before.get_or_init(|| judge(text).map(|it| counts(&it)));
            let (Some(before), Some(report)) = (before, judge(&edited)) else {
                return false;
            };
            if !check::is_better(before, &counts(&report), &report, fix.problem.code) {
                fix.kind = FixKind::Rewrite;
                fix.title.push_str(", which shows more errors");
            }
        }
        true
    };
    let mut fixes = fixes;
    fixes.retain_mut(|it| look(it));
    fixes
}

/// The maximum number of repairs to check for one request.
const MAX_CANDIDATES: usize = 24;

/// The maximum total size, in bytes, of the texts to check for one request. In a longer text, fewer repairs are checked.
const MAX_JUDGED: usize = 4 << 20;

/// The minimum number of repairs to check, however long the text is.
const MIN_CANDIDATES: usize = 3;

/// The maximum number of diagnostics that one *Fix all* handles. Users can run it again to fix the rest.
const MAX_PROBLEMS: usize = 2_000;

/// The number of repairs to check for one request in this text.
pub(crate) fn most_candidates(text: &str) -> usize {
    (MAX_JUDGED / text.len().max(1)).clamp(MIN_CANDIDATES, MAX_CANDIDATES)
}

/// The quick fixes for problems that touch a range. Safe fixes come first, and fixes that remove text come last. Each fix was applied and checked:
/// its finding is gone, and the only new findings are those that it hid. `judge` returns the report on a text, or `None` when the time is up. The
/// edits apply to `text`. `definitions` has the CRDs for custom resources.
pub fn repairs(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&str) -> Option<FileReport>,
) -> Vec<Fix> {
    let file = File::new(text.clone(), Arc::default());
    let before = OnceCell::new();
    let mut found = Vec::new();
    for (problem, fix) in candidates(&file, problems, range, definitions, (most_candidates(text), &|_| true)) {
        let Some(edited) = apply(text, &fix.edits) else {
            continue;
        };
        let before = before.get_or_init(|| {
            let report = judge(text)?;
            let counts = counts(&report);
            Some((report, counts))
        });
        let (Some((report_before, before)), Some(report)) = (before, judge(&edited)) else {
            break;
        };
        let revealed = Revealed::by(&file, std::slice::from_ref(&fix), &fix.edits);
        let after = check::counts_beside(&report, &revealed);
        if check::is_better(before, &after, &report, problem.code) {
            found.push((check::refuses_no_more(report_before, &report, &revealed), fix));
        }
    }
    // Some fixes give the API server a new reason to reject the text. Drop them if the same problem has a fix that does not.
    let better = found.iter().filter(|it| it.0).map(|it| it.1.problem.clone());
    let with_better: HashSet<_> = better.collect();
    found.retain(|(is_better, fix)| *is_better || !with_better.contains(&fix.problem));
    let mut found: Vec<_> = found.into_iter().map(|it| it.1).collect();
    // Prefer a fix that removes the author's text only if no other fix keeps the text.
    let kept: HashSet<_> = found
        .iter()
        .filter(|it| !it.removes(text))
        .map(|it| it.problem.clone())
        .collect();
    for fix in &mut found {
        fix.preferred &= !fix.removes(text) || !kept.contains(&fix.problem);
    }
    found.sort_by_key(|it| (!it.preferred, it.removes(text)));
    found
}

/// A fix that edits the file of a CRD. Its finding is in a resource, or in a source file that is newer than the CRD.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The title, an imperative sentence.
    pub title: String,
    /// The finding that it removes.
    pub problem: Problem,
    /// The file of the CRD.
    pub file: Arc<SourceText>,
    /// The edits of that file, in the order of its text.
    pub edits: Vec<TextEdit>,
}

/// Fixes that declare unknown fields of resources in their CRD, instead of removing the fields. Each was applied and checked: the CRD has no new
/// diagnostic. `judge` returns the report on a file's text, or `None` when the time is up.
pub fn declarations(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&SourceText, &str) -> Option<FileReport>,
) -> Vec<Declaration> {
    let file = File::new(text.clone(), Arc::default());
    let is_asked = |it: &Problem| it.span.start <= range.end && range.start <= it.span.end;
    let mut found = Vec::new();
    for problem in problems.into_iter().filter(is_asked).take(MAX_DECLARED) {
        let declared = file
            .document_at(problem.span.start)
            .and_then(|it| repair::declaration(&it, problem.clone(), definitions));
        let Some((name, file, edits)) = declared else { continue };
        let Some(edited) = apply(&file.text, &edits) else {
            continue;
        };
        let (Some(before), Some(after)) = (judge(&file, &file.text), judge(&file, &edited)) else {
            break;
        };
        if check::brings_nothing(&counts(&before), &counts(&after), &after) {
            found.push(Declaration {
                title: format!("Add {name} to the CRD"),
                problem,
                file,
                edits,
            });
        }
    }
    found
}

/// The maximum number of fields to declare for one request.
const MAX_DECLARED: usize = 3;

/// All safe quick fixes at once, checked together. If fixes conflict, only one of them is included. `None` if there is nothing to fix. `definitions`
/// has the CRDs for custom resources.
pub fn repair_all(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&str) -> Option<FileReport>,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let problems = problems.into_iter().take(MAX_PROBLEMS);
    repair_more(text, problems, None, definitions, judge, false)
}

/// Like [`repair_all`], for any number of problems. `drops` says whether to include fixes that drop something. `before` has the findings of the text,
/// if it was already checked.
pub fn repair_more(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    before: Option<&Counts>,
    definitions: &dyn Definitions,
    judge: &dyn Fn(&str) -> Option<FileReport>,
    drops: bool,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let file = File::new(text.clone(), Arc::default());
    let whole = Span::new(0, text.len() as u32);
    let is_wanted = |it: &Fix| it.preferred || drops && it.drops;
    let all = candidates(&file, problems, whole, definitions, (usize::MAX, &is_wanted));
    let mut chosen: Vec<Fix> = Vec::new();
    let mut answered = HashSet::new();
    let mut taken = Taken::default();
    let (removing, keeping): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.1.removes(text));
    for (_, fix) in keeping.into_iter().chain(removing) {
        let is_free = fix.edits.iter().all(|it| !taken.touches(it.span));
        if is_free && answered.insert(fix.problem.clone()) {
            fix.edits.iter().for_each(|it| taken.add(it.span));
            chosen.push(fix);
        }
    }
    // Return early, because checking the text takes much longer than searching for fixes.
    if chosen.is_empty() {
        return None;
    }
    let judged;
    let before = if let Some(before) = before {
        before
    } else {
        judged = counts(&judge(text)?);
        &judged
    };
    let helps = |fixes: &[Fix]| {
        let edits = joined(fixes);
        let report = judge(&apply(text, &edits)?)?;
        let after = check::counts_beside(&report, &Revealed::by(&file, fixes, &edits));
        let codes: HashSet<_> = fixes.iter().map(|it| it.problem.code).collect();
        let all = codes.iter().all(|it| check::is_better(before, &after, &report, it));
        (all && !fixes.is_empty()).then_some(edits)
    };
    if let Some(edits) = helps(&chosen) {
        return Some((edits, chosen));
    }
    if !before.are_complete() {
        return None;
    }
    // Together, the fixes do not work. Try each one alone, up to a limit.
    chosen.truncate(most_candidates(text));
    chosen.retain(|it| helps(std::slice::from_ref(it)).is_some());
    helps(&chosen).map(|edits| (edits, chosen))
}

pub(crate) fn joined(fixes: &[Fix]) -> Vec<TextEdit> {
    let mut edits: Vec<_> = fixes.iter().flat_map(|it| it.edits.iter().cloned()).collect();
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    edits
}

/// The ranges of the chosen edits, as a map from start to end. The ranges do not touch each other.
#[derive(Default)]
pub(crate) struct Taken(BTreeMap<u32, u32>);

impl Taken {
    /// Whether a span touches one of the ranges.
    pub(crate) fn touches(&self, span: Span) -> bool {
        // The ranges do not overlap, so the last one that begins before the span's end also ends last.
        let before = self.0.range(..=span.end).next_back();
        before.is_some_and(|(_, end)| span.start <= *end)
    }

    /// Adds a span. It may touch others, because the edits of one fix may touch each other.
    pub(crate) fn add(&mut self, span: Span) {
        let mut taken = span;
        while let Some((&start, &end)) = self.0.range(..=taken.end).next_back()
            && taken.start <= end
        {
            self.0.remove(&start);
            taken = taken.join(Span::new(start, end));
        }
        self.0.insert(taken.start, taken.end);
    }
}

/// Runs several searches for fixes with one limit of work for all of them.
pub fn together<T>(searches: impl FnOnce() -> T) -> T {
    budget::within(Limits::ADVICE, searches).0
}

/// Checks a text during the searches of [`together`]. The check has its own limits.
pub fn outside<T>(check: impl FnOnce() -> T) -> T {
    budget::apart(check)
}

/// The candidate fixes in the order in which they are found, each with sorted edits. `wanted` is the maximum number of fixes, and which fixes are
/// wanted.
fn candidates(
    file: &File,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
    wanted: (usize, &dyn Fn(&Fix) -> bool),
) -> Vec<(Problem, Fix)> {
    let definitions = Remembered::new(definitions);
    budget::within(Limits::ADVICE, || {
        candidates_within(file, problems, range, &definitions, wanted)
    })
    .0
}

fn candidates_within(
    file: &File,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    definitions: &dyn Definitions,
    (most, is_wanted): (usize, &dyn Fn(&Fix) -> bool),
) -> Vec<(Problem, Fix)> {
    let problems: Vec<Problem> = problems.into_iter().collect();
    let proposing = Proposing::of(&problems);
    let asked = problems
        .iter()
        .filter(|it| it.span.start <= range.end && range.start <= it.span.end);
    let mut lookups = Lookups::default();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for problem in asked {
        let Some(document) = file.document_at(problem.span.start) else {
            continue;
        };
        if !budget::advise(lookups.at(&document, problem.span.start)) {
            return found;
        }
        for mut repair in repair::repairs(&document, problem.clone(), definitions) {
            match (repair.safe, &problem.proposed) {
                (true, Some(_)) => proposing.add(&mut repair, &document, problem),
                (true, None) => twins::add(&mut repair, &document, problem, definitions),
                (false, _) => {}
            }
            repair.edits.sort_by_key(|it| (it.span.start, it.span.end));
            let edits: Vec<_> = repair.edits.iter().map(|it| (it.span, it.new_text.clone())).collect();
            if repair.edits.is_empty() || !seen.insert((problem.clone(), edits)) {
                continue;
            }
            if found.len() >= most {
                return found;
            }
            let fix = Fix {
                title: repair.title,
                kind: FixKind::Repair,
                problem: problem.clone(),
                edits: repair.edits,
                preferred: repair.safe,
                changes: repair.changes,
                drops: repair.drops,
            };
            if is_wanted(&fix) {
                found.push((problem.clone(), fix));
            }
        }
    }
    found
}

/// Whether any of these problems may have a fix that can be applied without asking, and whether any may have a fix that drops something. Does not try
/// the fixes.
pub fn may_be_repaired(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    definitions: &dyn Definitions,
) -> (bool, bool) {
    let file = File::new(text.clone(), Arc::default());
    let whole = Span::new(0, text.len() as u32);
    let problems = problems.into_iter().take(MAX_PROBLEMS);
    let is_wanted = |it: &Fix| it.preferred || it.drops;
    let all = candidates(&file, problems, whole, definitions, (usize::MAX, &is_wanted));
    (all.iter().any(|it| it.1.preferred), all.iter().any(|it| it.1.drops))
}

/// The text after applying edits. `None` if they overlap or do not fit the text.
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

/// The documents of a file, each parsed on first use.
struct Readings<'t> {
    text: &'t Arc<str>,
    lines: LineIndex,
    documents: Vec<Document>,
    /// The last parsed document, because problems are sorted by document.
    last: Option<(u32, Option<ParsedDocument>)>,
}

impl Readings<'_> {
    /// The document at an offset. `None` if there is none, or if it cannot be parsed.
    fn at(&mut self, offset: u32) -> Option<(&mut ParsedDocument, &LineIndex)> {
        let next = self.documents.partition_point(|it| it.span.start <= offset);
        let document = self.documents[next.checked_sub(1)?];
        let is_last = self.last.as_ref().is_some_and(|(index, _)| *index == document.index);
        if !is_last {
            let tree = read_document(self.text, document, &[]).ok();
            let reading = tree.map(|tree| ParsedDocument { tree, ignorer: None });
            self.last = Some((document.index, reading));
        }
        Some((self.last.as_mut()?.1.as_mut()?, &self.lines))
    }
}

/// A document that was parsed.
struct ParsedDocument {
    tree: Tree,
    ignorer: Option<ignore::Ignorer>,
}

impl ParsedDocument {
    fn ignorer(&mut self) -> &ignore::Ignorer {
        self.ignorer.get_or_insert_with(|| ignore::Ignorer::new(&self.tree))
    }
}
