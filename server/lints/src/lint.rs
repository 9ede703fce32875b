//! One lint: a row of the table.

use crate::{Crd, SchemaAt, Sink};

/// Something that the API server accepts and that its author can hardly have meant, and how it is found.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// The diagnostic code.
    pub code: &'static str,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Its page, as markdown.
    pub page: &'static str,
    /// Why no quick fix can be known. `None` if the lint proposes fixes.
    pub no_fix: Option<&'static str>,
    /// One of its fixes has one meaning, so that `check --fix` applies it.
    pub has_safe_fix: bool,
    /// The field of a CRD that it is about, whose kubebuilder marker its page names; may be empty.
    pub field: &'static str,
    /// A word that codes about the same thing share; may be empty.
    pub group: &'static str,
    /// It is shown only where the configuration names it: true, but rarely worth a change.
    pub is_off: bool,
    /// It is told once for places whose lines are alike, such as the columns of several versions.
    pub is_told_once: bool,
    /// The field that has to be written: if it is not, a patch often adds it, and then the lint would not hold.
    pub needs: Option<&'static [&'static str]>,
    /// How it is found.
    pub check: Check,
}

/// How a lint is found.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// In a CRD as a whole.
    Crd(fn(&Crd<'_>, &mut Sink<'_, '_>)),
    /// In each schema of a CRD, also those of `anyOf` and the like. One walk asks all lints.
    Schema(fn(&SchemaAt<'_>, &mut Sink<'_, '_>)),
}

impl Lint {
    /// A lint that is on by default and proposes fixes.
    pub const fn new(code: &'static str, summary: &'static str, page: &'static str, check: Check) -> Self {
        Self {
            code,
            summary,
            page,
            no_fix: None,
            has_safe_fix: false,
            field: "",
            group: "",
            is_off: false,
            is_told_once: false,
            needs: None,
            check,
        }
    }

    /// The same without a fix, for a reason.
    #[must_use]
    pub const fn no_fix(self, why: &'static str) -> Self {
        Self {
            no_fix: Some(why),
            ..self
        }
    }

    /// The same with a fix that `check --fix` applies.
    #[must_use]
    pub const fn safe_fix(self) -> Self {
        Self {
            has_safe_fix: true,
            ..self
        }
    }

    /// The same about a field of a CRD, whose kubebuilder marker the page names.
    #[must_use]
    pub const fn field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    /// The same with a word that codes about the same thing share: their pages name each other.
    #[must_use]
    pub const fn group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// The same, off by default.
    #[must_use]
    pub const fn off(self) -> Self {
        Self { is_off: true, ..self }
    }

    /// The same, told once for lines that are alike.
    #[must_use]
    pub const fn told_once(self) -> Self {
        Self {
            is_told_once: true,
            ..self
        }
    }

    /// The same, only where a field is written.
    #[must_use]
    pub const fn needs(self, field: &'static [&'static str]) -> Self {
        Self {
            needs: Some(field),
            ..self
        }
    }
}
