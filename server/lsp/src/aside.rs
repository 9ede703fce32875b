//! Decides which errors need no fix: errors in test data and in copies. `crd-analyzer check` decides the same way.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{nearby_tests::NearbyTests, read::Access, roots::Roots};
use crd_analyzer_workspace::{
    filled_in::completed::completed,
    findings::finding::Finding,
    findings::report::{DocumentReport, FileReport},
    index::Catalog,
    roles::{Aside, SetByScripts, Uses},
};

use crate::settings::Settings;

/// The context that determines which errors need no fix.
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
    /// The reason why the errors of a file need no fix. `None` if they do. A file outside the workspace is never test data.
    pub(crate) fn of(&self, path: &Path, report: &FileReport) -> Option<Aside> {
        self.look(path, |tests| Aside::of(report, path, self.catalog, tests))
    }

    /// The reason why a file with this text may be expected to have errors.
    pub(crate) fn of_text(&self, path: &Path, text: &str) -> Option<Aside> {
        self.look(path, |tests| Aside::of_text(text, path, self.catalog, tests))
    }

    /// The uses with which to check the file again, if a test or script replaces parts of it before it uses the file.
    pub(crate) fn completed<'q>(
        &self,
        path: &Path,
        report: &FileReport,
        known: Uses<'q>,
        scripts: &'q OnceCell<SetByScripts>,
    ) -> Option<Uses<'q>> {
        self.look(path, |tests| completed(report, path, known, (tests, scripts)))
    }

    /// Adds a diagnostic to a file without errors if a test expects an error in it.
    pub(crate) fn look_for_expected_error(&self, path: &Path, report: &mut FileReport) {
        self.look(path, |tests| {
            report.look_for_expected_error(path, tests);
            Some(())
        });
    }

    fn look<T>(&self, path: &Path, look: impl FnOnce(&NearbyTests<'_>) -> Option<T>) -> Option<T> {
        if !self.folders.iter().any(|it| path.starts_with(it)) {
            return None;
        }
        let access = Access::Within(Arc::new(Roots::new(self.folders.iter().map(PathBuf::as_path))));
        look(&NearbyTests {
            kustomizations: &self.settings.kustomizations,
            go: &self.settings.go_tests,
            scripts: &self.settings.scripts,
            access: &access,
        })
    }
}

/// Lowers the severity of a finding, and adds a note with the reason.
pub(crate) fn quiet(aside: &Aside, document: &DocumentReport, finding: &mut Finding) {
    if !aside.quiet(document, finding) {
        return;
    }
    match aside {
        Aside::Expected(reason) => {
            finding.headline = format!("expected: {}", finding.headline);
            finding.notes.insert(0, format!("the error is expected: {reason}"));
        }
        Aside::TestData(reason) => {
            finding.headline = format!("in test data: {}", finding.headline);
            finding.notes.insert(0, format!("only tests read this file: {reason}"));
        }
        Aside::OldCopies(reason) | Aside::OldRelease(reason) => finding
            .notes
            .insert(0, format!("this is a copy of a release: {reason}")),
        Aside::Vendored(reason) => finding
            .notes
            .insert(0, format!("this is a copy from another project: {reason}")),
    }
}
