//! Errors that need no fix: they are counted, or shown as hints.

use crd_analyzer_workspace::{report::HiddenErrors, roles::Aside};

use super::{File, counted};

/// Folders that are named; the others are counted.
const MOST_FOLDERS: usize = 4;

/// Takes the errors of a file out that are expected, and makes hints of the errors of old copies.
pub(super) fn apply(file: &mut File<'_>) {
    let Some(aside) = &file.report.aside else { return };
    let is_counted = matches!(aside, Aside::Expected(_));
    for ((document, shown), hidden) in file.report.documents.iter().zip(&mut file.shown).zip(&mut file.hidden) {
        if aside.covers(document) {
            *hidden = HiddenErrors::default();
        }
        let all = shown.len();
        shown.retain_mut(|it| !(aside.quiet(document, &mut it.finding) && is_counted));
        file.expected += all - shown.len();
    }
}

/// Errors of test data that is wrong on purpose.
#[derive(Clone, Default, Debug)]
pub(crate) struct ExpectedErrors {
    pub(super) errors: usize,
    files: usize,
    /// The folders of the files, in the order in which they were found.
    folders: Vec<String>,
}

impl ExpectedErrors {
    pub(super) fn add(&mut self, label: &str, errors: usize) {
        if errors == 0 {
            return;
        }
        self.errors += errors;
        self.files += 1;
        let folder = label.rsplit_once(['/', '\\']).map_or(".", |it| it.0);
        if self.folders.last().is_none_or(|it| it != folder) {
            self.folders.push(folder.to_owned());
        }
    }

    pub(super) fn words(&self) -> Option<String> {
        if self.errors == 0 {
            return None;
        }
        let mut named: Vec<String> = self.folders.iter().take(MOST_FOLDERS).cloned().collect();
        if self.folders.len() > MOST_FOLDERS {
            named.push(format!("{} more folders", self.folders.len() - MOST_FOLDERS));
        }
        let (errors, files) = (counted(self.errors, "error"), counted(self.files, "file"));
        Some(format!(
            "Expected failures: {errors} in {files} of tests ({})",
            named.join(", ")
        ))
    }
}
