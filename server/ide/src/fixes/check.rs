//! Whether a fix does what it should: its finding goes, and nothing new is found.

use std::collections::BTreeMap;

use crd_analyzer_workspace::{finding::Class, report::FileReport};

/// How often each code is found by each minor, also what the server would only say later.
pub(super) type Counts = BTreeMap<(usize, u8, &'static str), usize>;

/// Counts what is found in a file.
pub(super) fn counts(report: &FileReport) -> Counts {
    let mut counts = Counts::new();
    for document in &report.documents {
        for (version, verdict) in &document.verdicts {
            for finding in verdict.findings().filter(|it| !it.suppressed) {
                *counts
                    .entry((document.index, version.number(), finding.code))
                    .or_default() += 1;
            }
        }
    }
    counts
}

/// Whether a change took findings of a code away and brought none that counts for a verdict.
pub(super) fn is_better(before: &Counts, after: &Counts, report: &FileReport, code: &str) -> bool {
    let of = |counts: &Counts| -> usize { counts.iter().filter(|(it, _)| it.2 == code).map(|it| it.1).sum() };
    of(after) < of(before) && brings_nothing(before, after, report)
}

/// Whether no minor refuses a text for a reason that it did not give before, also where it would have given it later.
pub(super) fn refuses_no_more(before: &FileReport, after: &FileReport) -> bool {
    let errors = |report: &FileReport| {
        let mut counts = Counts::new();
        for document in &report.documents {
            for (version, verdict) in &document.verdicts {
                for finding in verdict.errors.iter().filter(|it| !it.suppressed) {
                    *counts
                        .entry((document.index, version.number(), finding.code))
                        .or_default() += 1;
                }
            }
        }
        counts
    };
    let before = errors(before);
    errors(after)
        .iter()
        .all(|(key, count)| before.get(key).is_some_and(|it| it >= count))
}

/// Whether nothing is found that was not found before, beside hints that are only ours.
pub(super) fn brings_nothing(before: &Counts, after: &Counts, report: &FileReport) -> bool {
    let is_hint = |code: &str| {
        let findings = report
            .documents
            .iter()
            .flat_map(|it| &it.verdicts)
            .flat_map(|it| it.1.findings());
        findings.filter(|it| it.code == code).all(|it| it.class == Class::Hint)
    };
    after
        .iter()
        .all(|(key, count)| before.get(key).is_some_and(|it| it >= count) || is_hint(key.2))
}
