//! Checks whether a fix works: its finding must be gone, and the only new findings may be those that it hid.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_apiextensions::codes::{INVALID_YAML, UNREADABLE_CRD};
use crd_analyzer_workspace::{
    codes::UNKNOWN_KIND,
    findings::finding::{Class, Finding},
    findings::report::FileReport,
};

use super::revealed::Revealed;

/// Codes for errors in individual values that make it impossible to decode a CRD.
const VALUES: [&str; 2] = [UNREADABLE_CRD, UNKNOWN_KIND];

/// The number of findings, by document, Kubernetes minor version and code.
type ByCode = BTreeMap<(usize, u8, &'static str), usize>;

/// The numbers of findings in a file, for comparison with those after a fix.
#[derive(Debug, Default)]
pub struct Counts {
    /// The number of findings about the file as a whole, by code.
    of_file: BTreeMap<&'static str, usize>,
    /// The number of findings with each code, by document and Kubernetes minor version. They include errors that the API server would report only
    /// after others are fixed.
    by_code: ByCode,
    /// The CRDs that cannot be decoded, each with the code and position of the decoding error, which hides all other errors.
    undecoded: BTreeSet<(usize, &'static str, u32)>,
    /// The number of errors without a code, because there are too many.
    left_out: usize,
}

impl Counts {
    /// Whether all errors are counted by code. Otherwise, another error takes the place of each that a fix removes.
    pub(super) fn are_complete(&self) -> bool {
        self.left_out == 0
    }
}

/// Counts the findings in a file.
pub fn counts(report: &FileReport) -> Counts {
    counts_beside(report, &Revealed::default())
}

/// Counts the findings in an edited file, except findings in values that a fix has revealed.
pub(super) fn counts_beside(report: &FileReport, revealed: &Revealed) -> Counts {
    let mut found = Counts {
        left_out: report.left_out(),
        ..Counts::default()
    };
    let counts = &mut found.by_code;
    for document in &report.documents {
        for (version, verdict) in &document.verdicts {
            if let Some(error) = verdict.decode_error.as_ref().filter(|it| VALUES.contains(&it.code)) {
                let why = (document.index, error.code, error.span.start);
                found.undecoded.insert(why);
            }
            // No fix reveals that a text is not YAML.
            let is_revealed = |it: &&Finding| it.code != INVALID_YAML && revealed.has(it);
            let counted = verdict.findings().filter(|it| !it.suppressed && !is_revealed(it));
            for finding in counted {
                *counts
                    .entry((document.index, version.number(), finding.code))
                    .or_default() += 1;
            }
        }
    }
    for finding in report.findings.iter().filter(|it| !it.suppressed) {
        *found.of_file.entry(finding.code).or_default() += 1;
    }
    found
}

/// Whether a change has removed findings of a code without adding any that affect the verdict. The API server reports one decoding error of a
/// document at a time, so the next decoding error counts as progress. A finding that the text alone does not have is about an object that is built with
/// other files: its change must only add nothing to the text.
pub(super) fn is_better(before: &Counts, after: &Counts, report: &FileReport, code: &str) -> bool {
    let of = |counts: &Counts| -> usize {
        let of_code = counts.by_code.iter().filter(|(it, _)| it.2 == code);
        of_code.map(|it| it.1).sum::<usize>() + counts.of_file.get(code).copied().unwrap_or_default()
    };
    let is_further = || {
        let mut of_code = before.undecoded.iter().filter(|it| it.1 == code).peekable();
        of_code.peek().is_some() && of_code.all(|it| !after.undecoded.contains(it))
    };
    let is_of_build = of(before) == 0 && before.are_complete() && !before.undecoded.iter().any(|it| it.1 == code);
    (of(after) < of(before) || is_further() || is_of_build) && brings_nothing(before, after, report)
}

/// Whether no Kubernetes version rejects the new text for a new reason. It is not new if the API server would have reported it later for the old
/// text, or if it is about a value that a fix has revealed.
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

/// Whether an edit has caused no new findings, apart from crd-analyzer's own hints.
pub(super) fn brings_nothing(before: &Counts, after: &Counts, report: &FileReport) -> bool {
    let is_hint = |code: &str| {
        let findings = report
            .documents
            .iter()
            .flat_map(|it| &it.verdicts)
            .flat_map(|it| it.1.findings());
        findings.filter(|it| it.code == code).all(|it| it.class == Class::Hint)
    };
    // A document that could not be decoded had unknown findings.
    let is_new = |document: usize| before.undecoded.iter().any(|it| it.0 == document);
    after.by_code.iter().all(|(key, count)| {
        let is_known = before.by_code.get(key).is_some_and(|it| it >= count);
        is_known || is_new(key.0) || is_hint(key.2)
    })
}
