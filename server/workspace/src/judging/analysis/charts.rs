//! Templates of Helm charts, together with what they include, and with their blocks.

use std::{collections::HashSet, path::Path};

use crd_analyzer_schema::codes as schema_codes;
use crd_analyzer_syntax::tree::Span;

use super::judge_text;
use crate::{
    charts::{back::Replaced, helpers, put},
    documents::text::Text,
    filled_in::fill::{fill, fill_showing_blocks},
    findings::finding::Finding,
    findings::one_value::OF_SEVERAL,
    findings::report::{DocumentReport, DocumentVerdict, FileReport},
    findings::same::same,
    judging::{deferred_search::DeferredSearch, question::Question},
    roles,
};

/// The codes of errors that depend only on the value at their place, and on the schema for it.
const LOCAL: [&str; 9] = [
    crd_analyzer_resource::codes::UNKNOWN_FIELD,
    schema_codes::WRONG_TYPE,
    schema_codes::NOT_IN_ENUM,
    schema_codes::PATTERN_MISMATCH,
    schema_codes::FORMAT_MISMATCH,
    schema_codes::STRING_TOO_LONG,
    schema_codes::STRING_TOO_SHORT,
    schema_codes::NUMBER_TOO_LARGE,
    schema_codes::NUMBER_TOO_SMALL,
];

/// Checks the manifests in a text. In a template of a Helm chart, the templates that it includes are a part of it.
pub(crate) fn analyze_text(source: &Text, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    let template = question
        .path
        .filter(|it| question.is_completed && roles::is_template(it));
    let Some(path) = template else {
        return judge_text(source, question, None);
    };
    let found = question.charts.and_then(|it| Some((it, it.of(path)?)));
    let Some((charts, chart)) = found else {
        return judge_text(source, question, fill(&source.content));
    };
    let put = put::put(path, &source.content, &chart).filter(|it| it.is_readable(source));
    let (mut report, kept) = match put {
        None => judge_template(source, question),
        Some(put) => {
            let (report, _) = judge_template(&Text::whole(put.text.clone()), question);
            let chart = chart.clone();
            let report = Replaced { chart, put }.back(report, source.content.clone(), charts);
            (report, DeferredSearch::default())
        }
    };
    helpers::complete((path, &mut report), &chart, question, &|text, it| {
        judge_template(text, it).0
    });
    (report, kept)
}

/// Adds what is wrong with the templates that a file of a Helm chart defines to the report on the file.
pub(crate) fn define_report(path: &Path, report: &mut FileReport, question: &Question<'_>) {
    let charts = question.charts.filter(|_| question.is_completed);
    if let Some(chart) = charts.and_then(|it| it.of(path)) {
        helpers::complete((path, report), &chart, question, &|text, it| judge_template(text, it).0);
    }
}

/// Checks a template of a Helm chart. The text in blocks is checked as if it was there, but only where it is wrong in itself.
fn judge_template(source: &Text, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    let (mut report, kept) = judge_text(source, question, fill(&source.content));
    if let Some(filled) =
        fill_showing_blocks(&source.content).filter(|it| Text::whole(it.text.as_str().into()).is_readable_like(source))
    {
        let question = question.of_errors_only();
        let shown = filled.shown.clone();
        // For each block, the end of the last block up to it. Blocks contain each other.
        let ends: Vec<usize> = shown
            .iter()
            .scan(0, |end, it| {
                *end = it.end.max(*end);
                Some(*end)
            })
            .collect();
        let (found, _) = judge_text(&Text::whole(source.content.clone()), &question, Some(filled));
        let is_shown = |span: Span| {
            let before = shown.partition_point(|it| it.start <= span.start as usize);
            let end = before.checked_sub(1).map(|it| ends[it]);
            end.is_some_and(|it| span.end as usize <= it)
        };
        add_local(&mut report, found, &is_shown);
    }
    (report, kept)
}

/// Adds the errors of another report that are in blocks and depend on nothing else.
fn add_local(report: &mut FileReport, found: FileReport, is_shown: &dyn Fn(Span) -> bool) {
    for document in found.documents {
        let is_it = |it: &&mut DocumentReport| {
            (it.index, it.item, &it.kind, &it.api_version)
                == (document.index, document.item, &document.kind, &document.api_version)
        };
        let Some(same_document) = report.documents.iter_mut().find(is_it) else {
            continue;
        };
        for ((_, verdict), (_, other)) in same_document.verdicts.iter_mut().zip(document.verdicts) {
            add_to(verdict, other, is_shown);
        }
    }
}

fn add_to(verdict: &mut DocumentVerdict, other: DocumentVerdict, is_shown: &dyn Fn(Span) -> bool) {
    // If a value does not match a combination of schemas, its other errors may be of a branch that it need not match.
    if other.errors.iter().any(|it| OF_SEVERAL.contains(&it.code)) {
        return;
    }
    let told: HashSet<_> = verdict.findings().map(same).collect();
    let is_new = |it: &Finding| LOCAL.contains(&it.code) && is_shown(it.span) && !told.contains(&same(it));
    verdict.strict.extend(other.strict.into_iter().filter(is_new));
    verdict.errors.extend(other.errors.into_iter().filter(is_new));
}
