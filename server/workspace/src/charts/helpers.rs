//! Diagnostics about what a file of a chart defines, where other templates of the chart include it.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_schema::codes;
use crd_analyzer_syntax::tree::Span;

use super::{back::Replaced, chart::Chart, put};
use crate::{
    documents::text::Text,
    findings::finding::{Class, Finding, Severity},
    findings::report::FileReport,
    findings::same::{Same, same},
    judging::{hazards, lints::Lints, question::Question},
};

/// The text of templates that is checked for one file that they include, in bytes. Charts of real projects have less than a tenth.
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
    let mut told: HashSet<Same> = HashSet::new();
    let mut left = MOST_TEXT;
    for (n, template) in chart.files.iter().enumerate() {
        let source = &template.source;
        if n == file || !is_manifest(&source.path) {
            continue;
        }
        let put = put::put(&source.path, &source.text, chart).filter(|it| it.uses(file));
        let Some(put) = put.filter(|it| it.is_readable(&Text::whole(source.text.clone()))) else {
            continue;
        };
        let Some(rest) = left.checked_sub(put.text.len()) else {
            report.findings.push(not_finished());
            return;
        };
        left = rest;
        let text = Text::whole(put.text.clone());
        let replaced = Replaced {
            chart: chart.clone(),
            put,
        };
        let question = Question {
            path: Some(&source.path),
            named: false,
            old: None,
            replaces: None,
            changes: None,
            compatibility: None,
            fails_unchecked: false,
            hazards: hazards::Search::Off,
            lints: Lints::Off,
            wants_costs: false,
            wants_effective: false,
            last_trees: None,
            ..*question
        };
        let found = judge(&text, &question);
        let verdicts = found.documents.iter().flat_map(|it| &it.verdicts);
        let findings = verdicts.flat_map(|it| it.1.findings());
        let shown = findings
            .filter(|it| !it.repeats)
            .filter_map(|it| replaced.shown_in(file, it, source));
        report
            .findings
            .extend(shown.filter(|it: &Finding| told.insert(same(it))));
    }
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
