//! Room in memory for the reports on the documents of one file.

use std::cell::Cell;

use crd_analyzer_budget::Unfinished;

use crate::{
    config::versions::VersionSet,
    documents::spans::first_line,
    findings::report::{DocumentReport, DocumentVerdict},
    judging::verdict,
};

/// Bytes of the reports on the documents of a file: tens of thousands have room.
const REPORTS_BYTES: usize = 96 << 20;

/// Bytes that reports may still take.
pub(crate) struct Room(Cell<usize>);

impl Default for Room {
    fn default() -> Self {
        Self(Cell::new(REPORTS_BYTES))
    }
}

impl Room {
    /// Takes room for reports.
    pub(crate) fn take(&self, reports: &[DocumentReport]) {
        let bytes: usize = reports.iter().map(bytes_of).sum();
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    /// Whether there is none left.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.get() == 0
    }
}

/// About the bytes of a report.
fn bytes_of(report: &DocumentReport) -> usize {
    const VERDICT: usize = 1 << 10;
    const FINDING: usize = 3 << 9;
    let of = |verdict: &DocumentVerdict| VERDICT + FINDING * verdict.findings().count();
    report.verdicts.iter().map(|it| of(&it.1)).sum()
}

/// Says in the report on a document of a text that it is not judged, and those after it neither.
pub(crate) fn not_judged(report: &mut DocumentReport, text: &str, versions: VersionSet) {
    let place = first_line(text, report.span);
    let finding = verdict::not_finished(place, "the rest of this file", Unfinished::Bytes);
    let verdict = DocumentVerdict {
        unfinished: vec![finding],
        ..DocumentVerdict::default()
    };
    report.verdicts = versions.iter().map(|it| (it, verdict.clone())).collect();
}
