//! Templates of Helm charts, together with what they include.

use std::path::Path;

use super::judge_text;
use crate::{
    charts::{back::Replaced, helpers, put},
    documents::text::Text,
    findings::report::FileReport,
    judging::{deferred_search::DeferredSearch, question::Question},
    roles,
};

/// Checks the manifests in a text. In a template of a Helm chart, the templates that it includes are a part of it.
pub(crate) fn analyze_text(source: &Text, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    let template = question
        .path
        .filter(|it| question.is_completed && roles::is_template(it));
    let Some((path, charts)) = template.zip(question.charts) else {
        return judge_text(source, question);
    };
    let Some(chart) = charts.of(path) else {
        return judge_text(source, question);
    };
    let put = put::put(path, &source.content, &chart).filter(|it| it.is_readable(source));
    let (mut report, kept) = match put {
        None => judge_text(source, question),
        Some(put) => {
            let (report, _) = judge_text(&Text::whole(put.text.clone()), question);
            let chart = chart.clone();
            let report = Replaced { chart, put }.back(report, source.content.clone(), charts);
            (report, DeferredSearch::default())
        }
    };
    helpers::complete((path, &mut report), &chart, question, &|text, it| {
        judge_text(text, it).0
    });
    (report, kept)
}

/// Adds what is wrong with the templates that a file of a Helm chart defines to the report on the file.
pub(crate) fn define_report(path: &Path, report: &mut FileReport, question: &Question<'_>) {
    let charts = question.charts.filter(|_| question.is_completed);
    if let Some(chart) = charts.and_then(|it| it.of(path)) {
        helpers::complete((path, report), &chart, question, &|text, it| judge_text(text, it).0);
    }
}
