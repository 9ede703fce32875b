//! The repairs of source files, such as Go files with markers.

use crd_analyzer_ide::{
    fixes::{Fix, Problem, TextEdit},
    language::{self, Around, Language},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{config::Config, findings::report::FileReport, judging::analysis::Question};

/// The language of the file of a question, if it has words of its own.
pub(super) fn language(question: &Question<'_>) -> Option<Box<dyn Language>> {
    let around = Around {
        go: question.go,
        markers: question.markers,
    };
    language::of(question.path?, around)
}

/// The findings that are told.
fn problems(report: &FileReport, config: &Config) -> Vec<Problem> {
    let found = report.findings.iter().cloned();
    let shown = found.filter_map(|it| config.apply(it));
    shown.map(|it| Problem::from(&it)).collect()
}

/// The repairs with one meaning.
pub(super) fn repairs(
    report: &FileReport,
    config: &Config,
    language: &dyn Language,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let problems = problems(report, config);
    if problems.is_empty() {
        return None;
    }
    language.repair_all(&report.text, problems)
}

/// The repairs that a person may choose from.
pub(super) fn offered(report: &FileReport, config: &Config, language: &dyn Language) -> Vec<Fix> {
    let problems = problems(report, config);
    if problems.is_empty() {
        return Vec::new();
    }
    let whole = Span::new(0, report.text.len() as u32);
    language.repairs(&report.text, problems, whole)
}
