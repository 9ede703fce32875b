//! What the roles of files mean for reports: which errors need no fix, how those are shown, and what each document is.

use std::path::Path;

use crate::{
    codes,
    documents::spans,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, FileReport, Subject},
    index::{Catalog, Index},
    roles::{Aside, Judgement, TestData, What},
};

/// What the tests and tools near files say of them. The reasons are clauses without a full stop.
pub trait Tests: Sync {
    /// Why the API server has to reject what is in the file of this absolute path, if a test says so.
    fn rejection(&self, path: &Path) -> Option<String>;

    /// Whether a test gives the file of this absolute path to an API server and expects that validation rejects it.
    fn expects_invalid(&self, path: &Path) -> bool;

    /// Whether a test near the file may give what is in it to an API server.
    fn may_apply(&self, path: &Path) -> bool;

    /// Whether tests only look at what a cluster has of the objects in the file.
    fn only_looks_at(&self, path: &Path) -> bool;

    /// Whether a script near the file puts in the version of the objects of an API group.
    fn replaces_version(&self, group: &str, path: &Path) -> bool;

    /// Why only a tool's test beside the file reads it, if it is so.
    fn reader(&self, path: &Path) -> Option<String>;

    /// The same of Go tests, which takes longer to find out.
    fn go_reader(&self, path: &Path) -> Option<String>;

    /// Why the file is known to come from another project, if Go's tools copied it.
    fn vendored(&self, path: &Path) -> Option<String>;
}

impl Aside {
    /// Why the errors of a file need no fix, if they need none. `path`: absolute.
    pub fn of(report: &FileReport, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        let has_errors = report.has_errors() || report.findings.iter().any(|it| it.severity == Severity::Error);
        if !has_errors {
            let mut verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
            let has_some = !report.findings.is_empty() || verdicts.any(|it| it.1.findings().next().is_some());
            return has_some.then(|| Self::test_data(path, catalog, tests)).flatten();
        }
        Self::of_text(&report.text, path, catalog, tests).or_else(|| {
            let crds = report.documents.iter().filter(|it| it.subject != Subject::Resource);
            let names: Vec<&str> = crds.map(|it| it.name.as_str()).collect();
            let copies = || catalog.with(|index| Self::old_copies(index, path, names.iter().copied()));
            let copies = (!names.is_empty()).then(copies).flatten();
            copies.or_else(|| tests.vendored(path).map(Self::Vendored))
        })
    }

    /// Why the errors of a file of tests with this text need no fix, whether it has some or not. `path`: absolute.
    pub fn of_text(text: &str, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        let by_name = catalog.with(|index| Self::expected(index.relative(path), text));
        by_name
            .or_else(|| tests.rejection(path).map(Self::Expected))
            .or_else(|| Self::test_data(path, catalog, tests))
            .or_else(|| catalog.with(|index| Self::in_own_language(index.relative(path), text)))
            .or_else(|| tests.go_reader(path).map(Self::TestData))
    }

    /// Whether only tests read a file, as its path or a test beside it says.
    fn test_data(path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        if let Some(reason) = tests.reader(path) {
            return Some(Self::TestData(reason));
        }
        let (reason, is_output) = catalog.with(|index| {
            let data = TestData::of(index.relative(path))?;
            Some((format!("`{}` in the path", data.evidence), data.is_output))
        })?;
        (is_output || !tests.may_apply(path)).then_some(Self::TestData(reason))
    }

    /// Whether it is about a document of the file.
    pub fn covers(&self, document: &DocumentReport) -> bool {
        match self {
            Self::Expected(_) | Self::TestData(_) | Self::Vendored(_) => true,
            Self::OldCopies(_) => document.subject != Subject::Resource,
        }
    }

    /// Shows an error of a document of the file as loud as it is meant. False if it stays as it is.
    pub fn quiet(&self, document: &DocumentReport, finding: &mut Finding) -> bool {
        if !self.covers(document) || !matches!(finding.class, Class::Error | Class::LaterError) {
            return false;
        }
        finding.class = Class::Hint;
        finding.severity = match self {
            Self::Expected(_) | Self::TestData(_) => Severity::Information,
            Self::OldCopies(_) | Self::Vendored(_) => Severity::Hint,
        };
        true
    }
}

impl FileReport {
    /// Says that a test expects the API server to reject what is in the file of this absolute path, although it accepts all of it.
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
    /// Of a document that was checked, in the file of an absolute path.
    pub fn of_document(index: &Index, path: &Path, document: &DocumentReport, aside: Option<&Aside>) -> Self {
        let what = match document.subject {
            Subject::Resource => What::Object,
            Subject::PartialCrd if !document.is_filled_in => What::Part,
            Subject::Definition | Subject::PartialCrd => What::Definition,
        };
        Self::of(index, path, (what, &document.name), aside)
    }
}
