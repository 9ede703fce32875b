//! Quick fixes for markers. Each was tried: its diagnostic is gone, and no new diagnostic appears.

mod ignore;
mod repair;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_gosource::check::{self, Finding, comments::Comments};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::go_file::{self, Markers};

pub(super) use ignore::ignores;
use repair::Repair;

use crate::fixes::{Fix, FixKind, Problem, Taken, TextEdit, apply, joined, most_candidates};

/// A Go file and the problems of its markers.
struct File<'a> {
    text: &'a str,
    markers: &'a Markers,
    comments: Comments,
    found: Vec<Finding>,
}

impl<'a> File<'a> {
    fn read(text: &'a str, markers: &'a Markers) -> Self {
        let comments = check::read(text);
        Self {
            found: markers.find(text, &comments),
            text,
            markers,
            comments,
        }
    }

    /// The number of findings of each code.
    fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for it in &self.found {
            *counts.entry(go_file::code(&it.problem)).or_default() += 1;
        }
        counts
    }

    /// The candidate fixes for problems that touch a range. They are not tried yet.
    fn candidates(&self, problems: impl IntoIterator<Item = Problem>, range: Span) -> impl Iterator<Item = Fix> {
        let asked: HashSet<Problem> = problems.into_iter().collect();
        let problem = |it: &Finding| {
            let span = Span::new(it.span.start as u32, it.span.end as u32);
            Problem::new(go_file::code(&it.problem), span)
        };
        let touching = self
            .found
            .iter()
            .map(move |it| (problem(it), it))
            .filter(move |(it, _)| {
                let span = it.span;
                span.start <= range.end && range.start <= span.end && asked.contains(it)
            });
        touching.flat_map(|(problem, finding)| {
            let repairs = repair::repairs(self, finding).into_iter();
            repairs.map(move |it| Self::fix(problem.clone(), it))
        })
    }

    fn fix(problem: Problem, repair: Repair) -> Fix {
        Fix {
            title: repair.title,
            kind: FixKind::Repair,
            problem,
            edits: repair.edits,
            preferred: repair.is_certain,
            changes: Vec::new(),
            drops: false,
        }
    }

    /// The edits of the fixes, if applying them removes their diagnostics and causes no new ones.
    fn tried(&self, before: &BTreeMap<&'static str, usize>, fixes: &[Fix]) -> Option<Vec<TextEdit>> {
        let edits = joined(fixes);
        let edited = apply(self.text, &edits).filter(|_| !fixes.is_empty())?;
        let after = File::read(&edited, self.markers).counts();
        let of = |counts: &BTreeMap<&'static str, usize>, code: &str| counts.get(code).copied().unwrap_or_default();
        let go = |it: &Fix| of(&after, it.problem.code) < of(before, it.problem.code);
        let is_known = |it: (&&'static str, &usize)| *it.1 <= of(before, it.0);
        (fixes.iter().all(go) && after.iter().all(is_known)).then_some(edits)
    }
}

/// The fixes for problems that touch a range, unambiguous fixes first.
pub(super) fn repairs(
    text: &str,
    markers: &Markers,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
) -> Vec<Fix> {
    let file = File::read(text, markers);
    let before = file.counts();
    let candidates = file.candidates(problems, range).take(most_candidates(text));
    let mut found: Vec<Fix> = candidates
        .filter(|it| file.tried(&before, std::slice::from_ref(it)).is_some())
        .collect();
    found.sort_by_key(|it| !it.preferred);
    found
}

/// All unambiguous fixes at once. `None` if there is nothing to fix.
pub(super) fn repair_all(
    text: &str,
    markers: &Markers,
    problems: impl IntoIterator<Item = Problem>,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let file = File::read(text, markers);
    let before = file.counts();
    let mut taken = Taken::default();
    let mut answered = HashSet::new();
    let mut chosen: Vec<Fix> = Vec::new();
    let whole = Span::new(0, text.len() as u32);
    for fix in file.candidates(problems, whole).filter(|it| it.preferred) {
        let is_free = fix.edits.iter().all(|it| !taken.touches(it.span));
        if is_free && answered.insert(fix.problem.clone()) {
            fix.edits.iter().for_each(|it| taken.add(it.span));
            chosen.push(fix);
        }
    }
    if let Some(edits) = file.tried(&before, &chosen) {
        return Some((edits, chosen));
    }
    // Together, the fixes do not work. Try each one alone, up to a limit.
    chosen.truncate(most_candidates(text));
    chosen.retain(|it| file.tried(&before, std::slice::from_ref(it)).is_some());
    file.tried(&before, &chosen).map(|edits| (edits, chosen))
}
