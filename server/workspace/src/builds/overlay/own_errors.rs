//! Failures of builds that the check of the file itself reports, too. Each problem is shown once, with the words of that check.

use std::collections::HashSet;

use crd_analyzer_resource::codes::{DUPLICATE_KEY, UNKNOWN_FIELD};

use crate::{
    codes::{INVALID_YAML, KUSTOMIZE_FAILURE, UNKNOWN_KIND},
    findings::finding::{Finding, Severity},
    findings::report::FileReport,
};

/// The errors of a line for which kustomize fails, too.
const SAME: [&str; 4] = [DUPLICATE_KEY, INVALID_YAML, UNKNOWN_FIELD, UNKNOWN_KIND];

/// Removes the failures of builds from a report for which it has an error of its own: at the same line, or in the same document if that is not YAML.
pub(super) fn take_repeats(report: &mut FileReport) {
    if !report.findings.iter().any(|it| it.code == KUSTOMIZE_FAILURE) {
        return;
    }
    let text = &report.text;
    let line = |it: &Finding| text[..it.span.start as usize].rfind('\n');
    let is_same = |it: &&Finding| it.severity == Severity::Error && SAME.contains(&it.code) && !it.suppressed;
    let mut lines = HashSet::new();
    let mut not_yaml = Vec::new();
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
    let is_in = |it: &Finding| {
        not_yaml
            .iter()
            .any(|span| span.start <= it.span.start && it.span.start <= span.end)
    };
    let is_repeat = |it: &Finding| it.code == KUSTOMIZE_FAILURE && (lines.contains(&line(it)) || is_in(it));
    let kept = report.findings.iter().map(|it| !is_repeat(it)).collect::<Vec<_>>();
    let mut kept = kept.into_iter();
    report.findings.retain(|_| kept.next().unwrap_or(true));
}
