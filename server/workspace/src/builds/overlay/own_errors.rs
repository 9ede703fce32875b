//! Failures of builds that the check of the file itself reports, too. Each problem is shown once, with the words of that check.

use std::collections::HashSet;

use crd_analyzer_resource::codes::{DUPLICATE_KEY, UNKNOWN_FIELD};
use crd_analyzer_syntax::tree::Span;

use crate::{
    codes::{INVALID_YAML, KUSTOMIZE_FAILURE, UNKNOWN_KIND},
    findings::finding::{Finding, Severity},
    findings::report::FileReport,
};

/// The errors of a line for which kustomize fails, too.
const SAME: [&str; 4] = [DUPLICATE_KEY, INVALID_YAML, UNKNOWN_FIELD, UNKNOWN_KIND];

/// Removes the failures of builds from a report for which it has an error of its own: at the same line, or in the same document if that is not YAML.
/// The error of an unfinished entry is one, too, although it is shown only after a pause.
pub(super) fn take_repeats(report: &mut FileReport) {
    if !report.findings.iter().any(|it| it.code == KUSTOMIZE_FAILURE) {
        return;
    }
    let text = &report.text;
    let line = |it: &Finding| text[..it.span.start as usize].rfind('\n');
    let is_same = |it: &&Finding| it.severity == Severity::Error && SAME.contains(&it.code) && !it.suppressed;
    let mut lines = HashSet::new();
    let mut not_yaml = Vec::new();
    if let Some(error) = report.unfinished.as_deref().filter(is_same) {
        lines.insert(line(error));
        let of = report.documents.iter().filter(|it| holds(it.span, error));
        not_yaml.extend(of.map(|it| it.span).filter(|_| error.code == INVALID_YAML));
    }
    for document in &report.documents {
        let findings = document.verdicts.iter().flat_map(|it| it.1.findings());
        for finding in findings.filter(is_same) {
            lines.insert(line(finding));
            if finding.code == INVALID_YAML && not_yaml.last() != Some(&document.span) {
                not_yaml.push(document.span);
            }
        }
    }
    lines.extend(report.findings.iter().filter(is_same).map(line));
    let is_in = |it: &Finding| not_yaml.iter().any(|span| holds(*span, it));
    let is_repeat = |it: &Finding| it.code == KUSTOMIZE_FAILURE && (lines.contains(&line(it)) || is_in(it));
    let kept = report.findings.iter().map(|it| !is_repeat(it)).collect::<Vec<_>>();
    let mut kept = kept.into_iter();
    report.findings.retain(|_| kept.next().unwrap_or(true));
}

/// Whether a finding is in a document with this span.
fn holds(document: Span, finding: &Finding) -> bool {
    document.start <= finding.span.start && finding.span.start <= document.end
}
