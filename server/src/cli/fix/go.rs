//! The repairs of markers in Go files.

use crd_analyzer_ide::{
    fixes::{Fix, Problem, TextEdit},
    go::fixes,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    analysis::Question,
    config::Config,
    go_file::{self, Markers},
    report::FileReport,
};

/// What is known of the markers of the file of a question, if it is one of Go.
pub(super) fn markers(question: &Question<'_>) -> Option<Markers> {
    let path = question.path.filter(|it| go_file::is_go(it))?;
    Some(Markers::of(path, question.go, question.markers))
}

/// The findings that are told.
fn problems(report: &FileReport, config: &Config) -> Vec<Problem> {
    let found = report.findings.iter().cloned();
    let shown = found.filter_map(|it| config.apply(it));
    shown.map(|it| Problem::from(&it)).collect()
}

/// The repairs with one meaning.
pub(super) fn repairs(report: &FileReport, config: &Config, markers: &Markers) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let problems = problems(report, config);
    if problems.is_empty() {
        return None;
    }
    fixes::repair_all(&report.text, markers, problems)
}

/// The repairs that a person may choose from.
pub(super) fn offered(report: &FileReport, config: &Config, markers: &Markers) -> Vec<Fix> {
    let problems = problems(report, config);
    if problems.is_empty() {
        return Vec::new();
    }
    let whole = Span::new(0, report.text.len() as u32);
    fixes::repairs(&report.text, markers, problems, whole)
}
