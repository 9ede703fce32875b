//! Errors that need no fix, as the command line tells them: those of test data that is wrong on purpose, and those of copies of old releases.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{nearby_tests::NearbyTests, read::Access, roots::Roots};
use crd_analyzer_workspace::{
    finding::Finding,
    index::Catalog,
    report::{DocumentReport, FileReport},
    roles::Aside,
};

use crate::settings::Settings;

/// What tells which errors need no fix.
#[derive(Clone, Copy)]
pub(crate) struct Asides<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) settings: &'a Settings,
    /// The workspace's folders.
    pub(crate) folders: &'a [PathBuf],
}

impl std::fmt::Debug for Asides<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asides").finish_non_exhaustive()
    }
}

impl Asides<'_> {
    /// Why the errors of a file need no fix, if they need none. A file outside of the workspace is never test data.
    pub(crate) fn of(&self, path: &Path, report: &FileReport) -> Option<Aside> {
        self.look(path, |tests| Aside::of(report, path, self.catalog, tests))
    }

    /// Why errors of a file with this text are expected, if they would be.
    pub(crate) fn of_text(&self, path: &Path, text: &str) -> Option<Aside> {
        self.look(path, |tests| Aside::of_text(text, path, self.catalog, tests))
    }

    fn look(&self, path: &Path, look: impl FnOnce(&NearbyTests<'_>) -> Option<Aside>) -> Option<Aside> {
        if !self.folders.iter().any(|it| path.starts_with(it)) {
            return None;
        }
        let access = Access::Within(Arc::new(Roots::new(self.folders.iter().map(PathBuf::as_path))));
        look(&NearbyTests {
            kustomizations: &self.settings.kustomizations,
            go: &self.settings.go_tests,
            access: &access,
        })
    }
}

/// Shows an error as loud as it is meant, and says why.
pub(crate) fn quiet(aside: &Aside, document: &DocumentReport, finding: &mut Finding) {
    if !aside.quiet(document, finding) {
        return;
    }
    match aside {
        Aside::Expected(reason) => {
            finding.headline = format!("expected: {}", finding.headline);
            finding.notes.insert(0, format!("the error is expected: {reason}"));
        }
        Aside::OldCopies(reason) => finding
            .notes
            .insert(0, format!("this is a copy of a release: {reason}")),
    }
}
