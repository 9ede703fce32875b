//! The fixes for source files, such as Go files with kubebuilder markers.

use crd_analyzer_ide::{
    fixes::{Fix, Problem, TextEdit},
    language::{self, Language},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{config::Config, findings::report::FileReport, judging::analysis::Question};

use crate::cli::made::Making;

/// The language of the question's file, if it is a source file.
pub(super) fn language(question: &Question<'_>) -> Option<Box<dyn Language>> {
    language::of(question.path?, question.around)
}

/// The diagnostics that the configuration shows.
fn problems(report: &FileReport, config: &Config) -> Vec<Problem> {
    let found = report.findings.iter().cloned();
    let shown = found.filter_map(|it| config.apply(it));
    shown.map(|it| Problem::from(&it)).collect()
}

/// The unambiguous fixes. `is_edited` is set if the text of the report differs from the file on disk.
pub(super) fn repairs(
    (report, is_edited): (&FileReport, bool),
    config: &Config,
    (question, making): (&Question<'_>, Option<&Making<'_>>),
    language: &dyn Language,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let problems = problems(report, config);
    let own = (!problems.is_empty()).then(|| language.repair_all(&report.text, problems));
    let own = own.flatten();
    let all = making.zip(question.path).and_then(|(making, path)| {
        let file = (path, &report.text, is_edited);
        making.ask(file, question, |file, report| {
            let own = own.clone();
            file.repair_all(own, super::problems(report, config), &super::Near(question))
        })
    });
    all.unwrap_or(own)
}

/// The fixes that are offered to a person.
pub(super) fn offered(
    report: &FileReport,
    config: &Config,
    (question, making): (&Question<'_>, Option<&Making<'_>>),
    language: &dyn Language,
) -> Vec<Fix> {
    let whole = Span::new(0, report.text.len() as u32);
    let problems = problems(report, config);
    let mut found = if problems.is_empty() {
        Vec::new()
    } else {
        language.repairs(&report.text, problems, whole)
    };
    let of_made = making.zip(question.path).and_then(|(making, path)| {
        making.ask((path, &report.text, false), question, |file, report| {
            file.repairs(super::problems(report, config), whole, &super::Near(question))
        })
    });
    found.extend(of_made.into_iter().flatten());
    found
}
