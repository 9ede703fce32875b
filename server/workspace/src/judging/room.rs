//! A memory limit for the reports on the documents of one file.

use std::cell::Cell;

use crd_analyzer_budget::Unfinished;

use crate::{
    config::versions::VersionSet,
    documents::spans::first_line,
    findings::report::{DocumentReport, DocumentVerdict},
    judging::verdict,
};

/// The memory limit for the reports on the documents of a file, in bytes. It is enough for tens of thousands of reports.
const REPORTS_BYTES: usize = 96 << 20;

/// The number of bytes that further reports on the documents of a file may take.
pub(crate) struct Room(Cell<usize>);

impl Default for Room {
    fn default() -> Self {
        Self(Cell::new(REPORTS_BYTES))
    }
}

impl Room {
    /// Subtracts the size of these reports.
    pub(crate) fn take(&self, reports: &[DocumentReport]) {
        let bytes: usize = reports.iter().map(bytes_of).sum();
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    /// Whether no bytes are left.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.get() == 0
    }
}

/// The approximate size of a report in bytes.
fn bytes_of(report: &DocumentReport) -> usize {
    const VERDICT: usize = 1 << 10;
    const FINDING: usize = 3 << 9;
    let of = |verdict: &DocumentVerdict| VERDICT + FINDING * verdict.findings().count();
    report.verdicts.iter().map(|it| of(&it.1)).sum()
}

/// Makes a report say that this document and all later ones were not checked.
pub(crate) fn not_judged(report: &mut DocumentReport, text: &str, versions: VersionSet) {
    let place = first_line(text, report.span);
    let finding = verdict::not_finished(place, "the rest of this file", Unfinished::Bytes);
    let verdict = DocumentVerdict {
        unfinished: vec![finding],
        ..DocumentVerdict::default()
    };
    report.verdicts = versions.iter().map(|it| (it, verdict.clone())).collect();
}
