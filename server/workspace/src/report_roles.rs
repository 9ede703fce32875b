//! What the roles of files mean for reports: which errors need no fix, how those are shown, and what each document is.

use std::path::Path;

use crate::{
    finding::{Class, Finding, Severity},
    index::{Catalog, Index},
    report::{DocumentReport, FileReport, Subject},
    roles::{Aside, Judgement, What},
};

/// What the tests near files say of them.
pub trait Tests: Sync {
    /// Why the API server has to reject what is in the file of this absolute path, if a test says so: a clause without a full stop.
    fn rejection(&self, path: &Path) -> Option<String>;
}

impl Aside {
    /// Why the errors of a file need no fix, if it has some and they need none. `path`: absolute.
    pub fn of(report: &FileReport, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        if !report.has_errors() {
            return None;
        }
        Self::of_text(&report.text, path, catalog, tests).or_else(|| {
            let crds = report.documents.iter().filter(|it| it.subject == Subject::Definition);
            let names: Vec<&str> = crds.map(|it| it.name.as_str()).collect();
            let copies = || catalog.with(|index| Self::old_copies(index, path, names.iter().copied()));
            (!names.is_empty()).then(copies).flatten()
        })
    }

    /// Why the errors of a file with this text are expected, whether it has some or not. `path`: absolute.
    pub fn of_text(text: &str, path: &Path, catalog: &Catalog, tests: &dyn Tests) -> Option<Self> {
        let by_name = catalog.with(|index| Self::expected(index.relative(path), text));
        by_name.or_else(|| tests.rejection(path).map(Self::Expected))
    }

    /// Whether it is about a document of the file.
    pub fn covers(&self, document: &DocumentReport) -> bool {
        match self {
            Self::Expected(_) => true,
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
            Self::Expected(_) => Severity::Information,
            Self::OldCopies(_) => Severity::Hint,
        };
        true
    }
}

impl Judgement {
    /// Of a document that was checked, in the file of an absolute path.
    pub fn of_document(index: &Index, path: &Path, document: &DocumentReport, aside: Option<&Aside>) -> Self {
        let what = match document.subject {
            Subject::Resource => What::Object,
            Subject::PartialDefinition if !document.is_filled_in => What::Part,
            Subject::Definition | Subject::PartialDefinition => What::Definition,
        };
        Self::of(index, path, (what, &document.name), aside)
    }
}
