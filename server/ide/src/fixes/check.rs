//! Whether a fix does what it should: its finding goes, and nothing new is found but what the finding hid.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_apiextensions::codes::UNREADABLE_CRD;
use crd_analyzer_workspace::{codes::UNKNOWN_KIND, findings::finding::Class, findings::report::FileReport};

use super::revealed::Revealed;

/// Errors of single values that keep a CRD from being decoded.
const VALUES: [&str; 2] = [UNREADABLE_CRD, UNKNOWN_KIND];

/// How often each code is found by each minor in each document.
type ByCode = BTreeMap<(usize, u8, &'static str), usize>;

/// How often each finding is in a file: what repairs of its text are compared with.
#[derive(Debug, Default)]
pub struct Counts {
    /// Also what the server would only say later.
    by_code: ByCode,
    /// The CRDs that cannot be decoded, each with the code and the place of the reason, which hides everything else.
    undecoded: BTreeSet<(usize, &'static str, u32)>,
}

/// Counts what is found in a file.
pub fn counts(report: &FileReport) -> Counts {
    counts_beside(report, &Revealed::default())
}

/// Counts what is found in an edited file, beside what fixes only let be read.
pub(super) fn counts_beside(report: &FileReport, revealed: &Revealed) -> Counts {
    let mut found = Counts::default();
    let counts = &mut found.by_code;
    for document in &report.documents {
        for (version, verdict) in &document.verdicts {
            if let Some(error) = verdict.decode_error.as_ref().filter(|it| VALUES.contains(&it.code)) {
                let why = (document.index, error.code, error.span.start);
                found.undecoded.insert(why);
            }
            let counted = verdict.findings().filter(|it| !it.suppressed && !revealed.has(it));
            for finding in counted {
                *counts
                    .entry((document.index, version.number(), finding.code))
                    .or_default() += 1;
            }
        }
    }
    found
}

/// Whether a change took findings of a code away and brought none that counts for a verdict. One error at a time says why a document cannot be
/// decoded: that the next one is found is progress.
pub(super) fn is_better(before: &Counts, after: &Counts, report: &FileReport, code: &str) -> bool {
    let of = |counts: &Counts| -> usize {
        let of_code = counts.by_code.iter().filter(|(it, _)| it.2 == code);
        of_code.map(|it| it.1).sum()
    };
    let is_further = || {
        let mut of_code = before.undecoded.iter().filter(|it| it.1 == code).peekable();
        of_code.peek().is_some() && of_code.all(|it| !after.undecoded.contains(it))
    };
    (of(after) < of(before) || is_further()) && brings_nothing(before, after, report)
}

/// Whether no minor refuses a text for a reason that it did not give before, also where it would have given it later, beside reasons that a
/// fix only let be read.
pub(super) fn refuses_no_more(before: &FileReport, after: &FileReport, revealed: &Revealed) -> bool {
    let errors = |report: &FileReport, revealed: &Revealed| {
        let mut counts = ByCode::new();
        for document in &report.documents {
            for (version, verdict) in &document.verdicts {
                let counted = verdict.errors.iter().filter(|it| !it.suppressed && !revealed.has(it));
                for finding in counted {
                    *counts
                        .entry((document.index, version.number(), finding.code))
                        .or_default() += 1;
                }
            }
        }
        counts
    };
    let before = errors(before, &Revealed::default());
    errors(after, revealed)
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
    // Of a document that could not be decoded nothing was known.
    let is_new = |document: usize| before.undecoded.iter().any(|it| it.0 == document);
    after.by_code.iter().all(|(key, count)| {
        let is_known = before.by_code.get(key).is_some_and(|it| it >= count);
        is_known || is_new(key.0) || is_hint(key.2)
    })
}
