//! Diagnostics about what a file of a chart defines, where other templates of the chart include it.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_schema::codes;
use crd_analyzer_syntax::tree::Span;

use super::{
    back::Replaced,
    chart::{Chart, Charts},
    checked::Included,
    put::{self, Put},
};
use crate::{
    documents::text::Text,
    findings::finding::{Class, Finding, Severity},
    findings::report::FileReport,
    findings::same::{Same, same},
    judging::question::{Question, Update},
};

/// The text of templates that editors check for one file that they include, in bytes. Charts of real projects have less than a tenth.
const MOST_TEXT: usize = 8 << 20;

/// Adds what is wrong with the templates that a file defines to the report on the file. Each diagnostic is shown once, even if several templates
/// include its place. `judge` checks a template with its includes replaced.
pub(crate) fn complete(
    (path, report): (&Path, &mut FileReport),
    chart: &Arc<Chart>,
    question: &Question<'_>,
    judge: &dyn Fn(&Text, &Question<'_>) -> FileReport,
) {
    let Some(file) = chart
        .file(path)
        .filter(|it| *chart.files[*it].source.text == *report.text)
    else {
        return;
    };
    if !chart.has_defines(file) {
        return;
    }
    let files = (&*chart.files[0].source.path, chart.files.len());
    let checked = question.around.charts.and_then(Charts::checked_templates);
    let checked = checked.map(|it| it.of(files, question.versions));
    let mut told: HashSet<Same> = HashSet::new();
    let mut left = MOST_TEXT;
    for (n, template) in chart.files.iter().enumerate() {
        if n == file || !is_manifest(&template.source.path) {
            continue;
        }
        let included = |put: Put| included(chart, (n, put), question, judge);
        let put = || put::put(&template.source.path, &template.source.text, chart);
        let found = if let Some(checked) = &checked {
            let of_template = checked[n].get_or_init(|| put().map(included).unwrap_or_default());
            of_template.get(&file).cloned()
        } else {
            let Some(put) = put().filter(|it| it.uses(file)) else {
                continue;
            };
            let Some(rest) = left.checked_sub(put.text.len()) else {
                report.findings.push(not_finished());
                return;
            };
            left = rest;
            included(put).remove(&file)
        };
        let found = found.unwrap_or_default().into_iter();
        report.findings.extend(found.filter(|it| told.insert(same(it))));
    }
}

/// Checks a template with its includes replaced, and returns what is wrong in the files that define them.
fn included(
    chart: &Arc<Chart>,
    (n, put): (usize, Put),
    question: &Question<'_>,
    judge: &dyn Fn(&Text, &Question<'_>) -> FileReport,
) -> Included {
    let mut by_file = Included::new();
    let source = &chart.files[n].source;
    if !put.is_readable(&Text::whole(source.text.clone())) {
        return by_file;
    }
    let text = Text::whole(put.text.clone());
    let replaced = Replaced {
        chart: chart.clone(),
        put,
    };
    let question = Question {
        path: Some(&source.path),
        named: false,
        update: Update::default(),
        ..question.of_errors_only()
    };
    let found = judge(&text, &question);
    let verdicts = found.documents.iter().flat_map(|it| &it.verdicts);
    for finding in verdicts.flat_map(|it| it.1.findings()).filter(|it| !it.repeats) {
        if let Some((file, finding)) = replaced.shown_elsewhere(finding, source) {
            by_file.entry(file).or_default().push(finding);
        }
    }
    by_file
}

/// The finding for a file whose templates are included in more text than is checked for one file.
fn not_finished() -> Finding {
    let headline = "the templates that include this file are too large: only the first ones are checked";
    Finding {
        severity: Severity::Warning,
        ..Finding::new(Class::Hint, codes::NOT_FINISHED, Span::default(), headline)
    }
}

/// Whether a file below `templates/` has manifests, and not only templates that others include.
fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["yaml", "yml", "json"].contains(&ending)
}
