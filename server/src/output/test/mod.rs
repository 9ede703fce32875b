//! The output of `test`, with one file for each format.

mod jsonl;
mod junit;
pub(super) mod tap;
mod text;

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{
    Case, Problem, Suite,
    coverage::{CrdCoverage, RuleCoverage},
    definition::Found,
    run::{Failed, Outcome},
};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::config::versions::VersionSet;
use similar::{ChangeTag, TextDiff};

use super::{counted, format::choose, render::wrap::shortened};

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &junit::FORMAT, &tap::FORMAT, &jsonl::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Whether the format is for people.
    pub(crate) is_text: bool,
    /// Creates the printer of a run.
    pub(crate) printer: fn(Look) -> Box<dyn Printer>,
}

choose!(Format, ALL);

/// The appearance and the content of text output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Whether text has colors.
    pub(crate) color: bool,
    /// The line width in columns.
    pub(crate) columns: usize,
    /// Whether to print tests that pass, too.
    pub(crate) verbose: bool,
}

/// The results of a test file.
pub(crate) struct Report {
    /// The path as given.
    pub(crate) label: String,
    pub(crate) text: Arc<str>,
    pub(crate) lines: LineIndex,
    /// The tests of the file. `None` if the file could not be read.
    pub(crate) suite: Option<Suite>,
    /// The reasons why the file cannot be run.
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
    pub(crate) runs: Vec<Run>,
    /// The number of tests that were changed to expect the actual results.
    pub(crate) updated: usize,
}

/// The results of a file's tests for one variant of the CRD.
pub(crate) struct Run {
    /// The file of the CRD, if there are several variants.
    pub(crate) variant: Option<String>,
    /// The CRDs.
    pub(crate) definitions: Vec<Found>,
    pub(crate) outcomes: Vec<Outcome>,
}

/// A test and its result.
pub(crate) struct CaseResult<'r> {
    pub(crate) case: &'r Case,
    pub(crate) outcome: &'r Outcome,
    pub(crate) variant: Option<&'r str>,
}

impl CaseResult<'_> {
    /// The name of the test and of its variant.
    pub(crate) fn name(&self) -> String {
        match self.variant {
            Some(variant) => format!("{} [{variant}]", self.case.name),
            None => self.case.name.clone(),
        }
    }

    pub(crate) fn is_skipped(&self) -> bool {
        self.outcome.versions.is_none()
    }
}

impl Report {
    pub(crate) fn new(label: &str, text: Arc<str>) -> Self {
        Self {
            label: label.to_owned(),
            lines: LineIndex::new(&text),
            text,
            suite: None,
            problems: Vec::new(),
            warnings: Vec::new(),
            runs: Vec::new(),
            updated: 0,
        }
    }

    /// All tests that were run or skipped, in the order of the file.
    pub(crate) fn printed_cases(&self) -> impl Iterator<Item = CaseResult<'_>> {
        let cases = self.suite.as_ref().map_or(&[][..], |it| &it.cases);
        self.runs.iter().flat_map(move |run| {
            run.outcomes.iter().filter_map(move |outcome| {
                Some(CaseResult {
                    case: cases.get(outcome.case)?,
                    outcome,
                    variant: run.variant.as_deref(),
                })
            })
        })
    }

    pub(crate) fn tests(&self) -> usize {
        self.runs.iter().map(|it| it.outcomes.len()).sum()
    }

    pub(crate) fn failed(&self) -> usize {
        self.runs
            .iter()
            .flat_map(|it| &it.outcomes)
            .filter(|it| !it.is_passed())
            .count()
    }

    /// Removes the results after the first failed test. Returns whether a test failed.
    pub(crate) fn cut_after_failure(&mut self) -> bool {
        for n in 0..self.runs.len() {
            let outcomes = &mut self.runs[n].outcomes;
            if let Some(first) = outcomes.iter().position(|it| !it.is_passed()) {
                outcomes.truncate(first + 1);
                self.runs.truncate(n + 1);
                return true;
            }
        }
        !self.problems.is_empty()
    }

    /// The line and column of a byte offset, from 1.
    fn position(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.lines.line_column(&self.text, offset);
        (line + 1, column + 1)
    }

    /// The start of a span, as `file:line:column`.
    fn place(&self, span: Span) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.label)
    }
}

/// The numbers of tests over all files.
#[derive(Clone, Default, Debug)]
pub(crate) struct Summary {
    files: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
    updated: usize,
    pub(crate) unreadable: usize,
    /// For each other Kubernetes version, the number of failed tests that pass on it.
    passing_on: BTreeMap<KubernetesVersion, usize>,
}

impl Summary {
    pub(crate) fn add(&mut self, report: &Report) {
        self.files += 1;
        self.unreadable += usize::from(!report.problems.is_empty());
        self.updated += report.updated;
        for shown in report.printed_cases() {
            *if shown.is_skipped() {
                &mut self.skipped
            } else if shown.outcome.is_passed() {
                &mut self.passed
            } else {
                for version in shown.outcome.passes_on.iter().flat_map(|it| it.iter()) {
                    *self.passing_on.entry(version).or_default() += 1;
                }
                &mut self.failed
            } += 1;
        }
    }

    /// A note about the Kubernetes version for which most of the failed tests may have been written. `None` if the failed tests do not pass on any
    /// other version.
    fn note(&self) -> Option<String> {
        let (version, passing) = self.passing_on.iter().max_by_key(|it| (it.1, it.0))?;
        let of = if self.failed == 1 {
            "the failed test passes".to_owned()
        } else {
            let verb = if *passing == 1 { "passes" } else { "pass" };
            format!("{passing} of the {} failed tests {verb}", self.failed)
        };
        Some(format!(
            "note: {of} with `--kubernetes-version {version}`; some error messages differ between Kubernetes versions"
        ))
    }

    /// Whether there were no tests to run.
    pub(crate) fn is_empty(&self) -> bool {
        self.files + self.unreadable == 0
    }
}

/// Prints files one by one, then a summary.
pub(crate) trait Printer {
    fn file(&mut self, out: &mut dyn Write, report: &Report) -> io::Result<()>;

    /// Prints the rules of CRDs that tests do not make fail.
    fn coverage(&mut self, out: &mut dyn Write, crds: &[CrdCoverage]) -> io::Result<()>;

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()>;
}

/// The number of rules of a CRD that tests make fail.
fn covered(crd: &CrdCoverage) -> String {
    let (failed, all) = (crd.failed(), crd.rules.len());
    format!("{}: tests make {failed} of {} fail", crd.name, counted(all, "rule"))
}

/// The text of a rule without its line breaks.
fn in_a_row(rule: &RuleCoverage) -> String {
    rule.rule.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The maximum number of characters of a rule to print beside its location.
const MOST_OF_A_RULE: usize = 100;

/// A rule that no test makes fail, on one line with its location. `None` if a test makes the rule fail.
fn gap_line(crd: &CrdCoverage, rule: &RuleCoverage) -> Option<String> {
    let (gap, text) = (rule.gap()?, in_a_row(rule));
    let text = shortened(&text, MOST_OF_A_RULE);
    Some(format!("{}: {gap}: {text}", rule_place(crd, rule)))
}

/// The location of a rule, as `file:line:column`.
fn rule_place(crd: &CrdCoverage, rule: &RuleCoverage) -> String {
    let (line, column) = crd.position(rule);
    format!("{}:{line}:{column}", crd.label)
}

/// The details of a failure without its message: the actual results, line by line. `passes_on` contains the Kubernetes versions on which the test
/// passes.
fn details(failed: &Failed, passes_on: Option<VersionSet>) -> Vec<String> {
    let mut lines: Vec<String> = failed.failure.got.iter().map(|it| format!("got: {it}")).collect();
    if let Some(versions) = passes_on.filter(|_| !failed.failure.is_setup) {
        lines.push(format!("the test passes on Kubernetes {versions}"));
    }
    if let Some((expected, got)) = &failed.failure.diff {
        lines.push("expected (-), got (+):".to_owned());
        lines.extend(diff(expected, got));
    }
    lines
}

/// The lines that differ between two texts, with some context.
fn diff(expected: &str, got: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(expected, got);
    let mut lines = Vec::new();
    for (n, group) in diff.grouped_ops(3).iter().enumerate() {
        if n > 0 {
            lines.push("...".to_owned());
        }
        for change in group.iter().flat_map(|it| diff.iter_changes(it)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    lines
}
