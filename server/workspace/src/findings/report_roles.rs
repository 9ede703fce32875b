//! How the role of a file affects its report: which errors need no fix, how those errors are shown, and the role of each document.

use std::path::Path;

use crate::{
    codes,
    documents::spans,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, FileReport, Subject},
    index::{Catalog, Index},
    roles::{Aside, Judgement, SetByScripts, TestData, What},
};

/// What tests and tools near a file say about it. A returned reason is a clause without a full stop.
pub trait Tests: Sync {
    /// The reason why the API server has to reject the objects in the file with this absolute path, if a test requires that.
    fn rejection(&self, path: &Path) -> Option<String>;

    /// Whether a test applies the file with this absolute path, and expects the API server to reject it as invalid.
    fn expects_invalid(&self, path: &Path) -> bool;

    /// Whether a test near the file may apply its objects.
    fn may_apply(&self, path: &Path) -> bool;

    /// Whether tests name the file only to find its objects in a cluster.
    fn only_looks_at(&self, path: &Path) -> bool;

    /// What scripts near the file set in its objects.
    fn set_by_scripts(&self, path: &Path) -> SetByScripts;

    /// If only a nearby test of a tool reads the file, the reason why crd-analyzer thinks so.
    fn reader(&self, path: &Path) -> Option<String>;

    /// If only a Go test reads the file, the reason why crd-analyzer thinks so. This takes longer to find out.
    fn go_reader(&self, path: &Path) -> Option<String>;

    /// If Go's tools copied the file from another project, the reason why crd-analyzer thinks so.
    fn vendored(&self, path: &Path) -> Option<String>;
}

impl Aside {
    /// The reason why the errors of a file need no fix, if there is one. `path` is absolute.
    pub fn of(report: &FileReport, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        let old_release = || catalog.with(|index| Self::old_release(index, path));
        let has_errors = report.has_errors() || report.findings.iter().any(|it| it.severity == Severity::Error);
        if !has_errors {
            let mut verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
            let has_some = !report.findings.is_empty() || verdicts.any(|it| it.1.findings().next().is_some());
            let of_path = || Self::test_data(path, catalog, tests).or_else(old_release);
            return has_some.then(of_path).flatten();
        }
        Self::of_text(&report.text, path, catalog, tests).or_else(|| {
            let crds = report.documents.iter().filter(|it| it.subject != Subject::Resource);
            let names: Vec<&str> = crds.map(|it| it.name.as_str()).collect();
            let copies = || catalog.with(|index| Self::old_copies(index, path, names.iter().copied()));
            let copies = (!names.is_empty()).then(copies).flatten();
            old_release()
                .or(copies)
                .or_else(|| tests.vendored(path).map(Self::Vendored))
        })
    }

    /// The reason why errors of a file with this text would need no fix, whether or not it has errors. `path` is absolute.
    pub fn of_text(text: &str, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        let by_name = catalog.with(|index| Self::expected(index.relative(path), text));
        by_name
            .or_else(|| Self::output_of_tests(path, catalog))
            .or_else(|| tests.rejection(path).map(Self::Expected))
            .or_else(|| Self::test_data(path, catalog, tests))
            .or_else(|| catalog.with(|index| Self::in_own_language(index.relative(path), text)))
            .or_else(|| tests.go_reader(path).map(Self::TestData))
    }

    /// Returns `Self::TestData` if only tests read the file, according to its path or a nearby test.
    fn test_data(path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        if let Some(reason) = tests.reader(path) {
            return Some(Self::TestData(reason));
        }
        let (reason, is_output) = Self::named_as_test_data(path, catalog)?;
        (is_output || !tests.may_apply(path)).then_some(Self::TestData(reason))
    }

    /// Returns `Self::TestData` if tests generate the file or compare results with it, according to its path. The error that such a test may expect is
    /// not about the file.
    fn output_of_tests(path: &Path, catalog: &Catalog) -> Option<Self> {
        let (reason, _) = Self::named_as_test_data(path, catalog).filter(|it| it.1)?;
        Some(Self::TestData(reason))
    }

    /// If the path of a file says that it is test data: the reason, and whether tests generate the file or compare results with it.
    fn named_as_test_data(path: &Path, catalog: &Catalog) -> Option<(String, bool)> {
        catalog.with(|index| {
            let data = TestData::of(index.relative(path))?;
            Some((format!("`{}` in the path", data.evidence), data.is_output))
        })
    }

    /// Whether the reason applies to a document of the file.
    pub fn covers(&self, document: &DocumentReport) -> bool {
        match self {
            Self::Expected(_) | Self::TestData(_) | Self::OldRelease(_) | Self::Vendored(_) => true,
            Self::OldCopies(_) => document.subject != Subject::Resource,
        }
    }

    /// Lowers the severity of an error of a document of the file, and in an old release also of a warning. Returns `false` if the severity stays the same.
    pub fn quiet(&self, document: &DocumentReport, finding: &mut Finding) -> bool {
        let is_warning = || matches!(self, Self::OldRelease(_)) && finding.severity == Severity::Warning;
        let is_wrong = matches!(finding.class, Class::Error | Class::LaterError) || is_warning();
        if !self.covers(document) || !is_wrong {
            return false;
        }
        finding.class = Class::Hint;
        finding.severity = match self {
            Self::Expected(_) | Self::TestData(_) => Severity::Information,
            Self::OldCopies(_) | Self::OldRelease(_) | Self::Vendored(_) => Severity::Hint,
        };
        true
    }
}

impl FileReport {
    /// Adds a finding if a test expects the API server to reject the objects in this file, but all of them are accepted. `path` is absolute.
    pub fn look_for_expected_error(&mut self, path: &Path, tests: &dyn Tests) {
        let is_known = self.unknown.is_empty() && self.unchecked.is_empty();
        let is_accepted = |it: &DocumentReport| !it.in_part && it.accepted_by() == it.versions();
        let Some(first) = self.documents.first().filter(|_| is_known) else {
            return;
        };
        if !self.documents.iter().all(is_accepted) || !tests.expects_invalid(path) {
            return;
        }
        let place = spans::first_line(&self.text, first.span);
        let mut finding = Finding::new(
            Class::Hint,
            codes::NOT_REJECTED,
            place,
            "a test expects an error here, but the CRD accepts the object",
        );
        finding
            .help
            .push("make the object invalid, or change the test to expect success".to_owned());
        finding.notes.push(
            "a chainsaw test applies this file, and expects an `$error` of the API server's validation".to_owned(),
        );
        self.findings.push(finding);
    }
}

impl Judgement {
    /// The role of a checked document in the file with this absolute path.
    pub fn of_document(index: &Index, path: &Path, document: &DocumentReport, aside: Option<&Aside>) -> Self {
        let what = match document.subject {
            Subject::Resource => What::Object,
            Subject::PartialCrd if !document.is_filled_in => What::Part,
            Subject::Definition | Subject::PartialCrd => What::Definition,
        };
        Self::of(index, path, (what, &document.name), aside)
    }
}
