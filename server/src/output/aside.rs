//! Diagnostics that do not fail a run: expected errors are only counted, diagnostics in test data are listed separately, and errors in old copies
//! become hints.

use std::collections::BTreeMap;

use crd_analyzer_schema::codes::NOT_FINISHED;
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, HiddenErrors, MergedFinding},
    roles::Aside,
};

use super::{File, counted, listed};

/// The maximum number of folders to list. The rest are counted.
pub(super) const MOST_FOLDERS: usize = 4;

/// The prefix of diagnostics in test data.
pub(super) const IN_TEST_DATA: &str = "in test data";

/// The headline of a diagnostic in test data.
pub(super) fn in_test_data(headline: &str) -> String {
    format!("{IN_TEST_DATA}: {headline}")
}

/// The option that makes errors in test data fail a run.
pub(super) const FAILS: &str = "--fail-on test-data";

/// Removes the expected errors of a file, sets diagnostics in test data aside, and turns errors in old copies into hints.
pub(super) fn apply(file: &mut File<'_>) {
    let Some(aside) = &file.report.aside else { return };
    if matches!(aside, Aside::TestData(_)) {
        put_test_data_aside(file);
        return;
    }
    let is_counted = matches!(aside, Aside::Expected(_));
    if !matches!(aside, Aside::OldCopies(_)) {
        let is_quiet = |it: &Finding| it.class == Class::Error && it.code != NOT_FINISHED;
        let all = file.findings.len();
        file.findings.retain(|it| !(is_quiet(it) && is_counted));
        file.expected += all - file.findings.len();
        for it in file.findings.iter_mut().filter(|it| is_quiet(it)) {
            (it.class, it.severity) = (Class::Hint, Severity::Hint);
        }
    }
    for ((document, shown), hidden) in file.report.documents.iter().zip(&mut file.shown).zip(&mut file.hidden) {
        if aside.covers(document) {
            *hidden = HiddenErrors::default();
        }
        let all = shown.len();
        shown.retain_mut(|it| !(aside.quiet(document, &mut it.finding) && is_counted));
        file.expected += all - shown.len();
    }
}

/// Sets all diagnostics aside except those about an unfinished check.
fn put_test_data_aside(file: &mut File<'_>) {
    let found = std::mem::take(&mut file.findings).into_iter();
    let (kept, of_file) = found.partition(|it| it.code == NOT_FINISHED);
    file.findings = kept;
    let documents = file.shown.iter_mut().map(|shown| {
        let found = std::mem::take(shown).into_iter();
        let (kept, aside) = found.partition(|it| it.finding.code == NOT_FINISHED);
        *shown = kept;
        aside
    });
    let documents = documents.collect();
    file.in_test_data = InTestData { of_file, documents };
    file.hidden.fill(HiddenErrors::default());
}

/// The diagnostics in test data.
#[derive(Default)]
pub(super) struct InTestData {
    of_file: Vec<Finding>,
    /// The diagnostics of each document. Empty if the file is not test data.
    documents: Vec<Vec<MergedFinding>>,
}

/// A diagnostic in test data.
pub(super) struct OfTestData<'a> {
    pub(super) finding: &'a Finding,
    pub(super) headline: String,
    pub(super) versions: VersionSet,
    pub(super) document: Option<&'a DocumentReport>,
}

impl OfTestData<'_> {
    /// The name of the severity. For an error hidden by another error, the name is `error`.
    pub(super) const fn word(&self) -> &'static str {
        severity_word(self.finding)
    }
}

/// The name of a finding's severity. For an error hidden by another error, the name is `error`.
pub(super) const fn severity_word(finding: &Finding) -> &'static str {
    match finding.class {
        Class::LaterError => Severity::Error.word(),
        _ => finding.severity.word(),
    }
}

/// The folder of a file, given its label.
pub(super) fn folder_of(label: &str) -> &str {
    label.rsplit_once(['/', '\\']).map_or(".", |it| it.0)
}

impl InTestData {
    /// The diagnostics of a document, with their headlines.
    pub(super) fn of_document(&self, n: usize, document: &DocumentReport) -> Vec<(String, &Finding)> {
        let asked = document.versions().unwrap_or_else(VersionSet::all);
        let found = self.documents.get(n).into_iter().flatten();
        found.map(|it| (it.headline(asked), &it.finding)).collect()
    }

    /// The diagnostics about the whole file.
    pub(super) fn of_file(&self) -> &[Finding] {
        &self.of_file
    }
}

impl File<'_> {
    /// All diagnostics of the file, if it is test data.
    pub(super) fn test_data(&self) -> impl Iterator<Item = OfTestData<'_>> {
        let of_file = self.in_test_data.of_file.iter().map(|finding| OfTestData {
            finding,
            headline: finding.headline.clone(),
            versions: VersionSet::all(),
            document: None,
        });
        let documents = self.report.documents.iter().zip(&self.in_test_data.documents);
        let of_documents = documents.flat_map(|(document, found)| {
            let asked = document.versions().unwrap_or_else(VersionSet::all);
            found.iter().map(move |it| OfTestData {
                finding: &it.finding,
                headline: it.headline(asked),
                versions: it.versions,
                document: Some(document),
            })
        });
        of_file.chain(of_documents)
    }
}

/// The number of errors in test data that is invalid on purpose.
#[derive(Clone, Default, Debug)]
pub(crate) struct ExpectedErrors {
    pub(super) errors: usize,
    files: usize,
    /// The folders of the files, in the order found.
    folders: Vec<String>,
}

impl ExpectedErrors {
    pub(super) fn add(&mut self, label: &str, errors: usize) {
        if errors == 0 {
            return;
        }
        self.errors += errors;
        self.files += 1;
        let folder = folder_of(label);
        if self.folders.last().is_none_or(|it| it != folder) {
            self.folders.push(folder.to_owned());
        }
    }

    pub(super) fn words(&self) -> Option<String> {
        if self.errors == 0 {
            return None;
        }
        let folders = listed(self.folders.iter().map(String::as_str), MOST_FOLDERS, "folder");
        let (errors, files) = (counted(self.errors, "error"), counted(self.files, "file"));
        Some(format!("Expected errors: {errors} in {files} of tests ({folders})"))
    }
}

/// The number of diagnostics in test data.
#[derive(Clone, Default, Debug)]
pub(crate) struct TestDataCounts {
    files: usize,
    /// The number of diagnostics by the name of the severity, such as `error`.
    by_word: BTreeMap<&'static str, usize>,
}

/// The names of the severities, from the highest to the lowest.
pub(super) const WORDS: [&str; 3] = ["error", "warning", "hint"];

impl TestDataCounts {
    pub(super) fn add(&mut self, file: &File<'_>) {
        let mut is_empty = true;
        for it in file.test_data() {
            *self.by_word.entry(it.word()).or_default() += 1;
            is_empty = false;
        }
        self.files += usize::from(!is_empty);
    }

    /// The number of diagnostics with the given severity name.
    pub(super) fn of(&self, word: &str) -> usize {
        self.by_word.get(word).copied().unwrap_or(0)
    }

    pub(super) fn words(&self) -> Option<String> {
        let counts = WORDS.iter().map(|it| (self.of(it), it)).filter(|it| it.0 > 0);
        let counts: Vec<String> = counts.map(|(count, word)| counted(count, word)).collect();
        let (last, before) = counts.split_last()?;
        let counts = match before {
            [] => last.clone(),
            before => format!("{} and {last}", before.join(", ")),
        };
        let files = counted(self.files, "file");
        Some(format!(
            "Test data: {counts} in {files} that only tests read (`{FAILS}` makes errors there fail)"
        ))
    }
}
