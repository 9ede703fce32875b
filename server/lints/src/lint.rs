//! The description of one lint: a row of the table.

use crate::{Crd, SchemaAt, Sink};

/// A check for something that the API server accepts, but the author can hardly have intended.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// The diagnostic code.
    pub code: &'static str,
    /// The meaning, in one sentence.
    pub summary: &'static str,
    /// The page, as Markdown.
    pub page: &'static str,
    /// Why the lint has no quick fix. `None` if it proposes fixes.
    pub no_fix: Option<&'static str>,
    /// Whether one of its fixes is unambiguous, so that `check --fix` applies it.
    pub has_safe_fix: bool,
    /// The CRD field that it is about, whose kubebuilder marker its page names; may be empty.
    pub field: &'static str,
    /// A group name that codes about the same topic share; may be empty.
    pub group: &'static str,
    /// Whether it is off unless the configuration enables it: its findings are true, but rarely worth a change.
    pub is_off: bool,
    /// Whether it is reported once for lines that are alike, such as the columns of several versions.
    pub is_told_once: bool,
    /// A field that must be present: if it is missing, a patch often adds it later, and then the finding would be wrong.
    pub needs: Option<&'static [&'static str]>,
    /// The check.
    pub check: Check,
}

/// The check of a lint.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// A check of a CRD as a whole.
    Crd(fn(&Crd<'_>, &mut Sink<'_, '_>)),
    /// A check of each schema of a CRD, including those in `anyOf` and other junctors. One walk runs all such checks.
    Schema(fn(&SchemaAt<'_>, &mut Sink<'_, '_>)),
}

impl Lint {
    /// Creates a lint that is on by default and proposes fixes.
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

    /// Marks the lint as having no fix, with the reason.
    #[must_use]
    pub const fn no_fix(self, why: &'static str) -> Self {
        Self {
            no_fix: Some(why),
            ..self
        }
    }

    /// Marks one of its fixes as safe for `check --fix`.
    #[must_use]
    pub const fn safe_fix(self) -> Self {
        Self {
            has_safe_fix: true,
            ..self
        }
    }

    /// Sets the CRD field whose kubebuilder marker the page names.
    #[must_use]
    pub const fn field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    /// Sets the group name. The pages of lints in the same group link to each other.
    #[must_use]
    pub const fn group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// Turns the lint off by default.
    #[must_use]
    pub const fn off(self) -> Self {
        Self { is_off: true, ..self }
    }

    /// Reports the lint once for lines that are alike.
    #[must_use]
    pub const fn told_once(self) -> Self {
        Self {
            is_told_once: true,
            ..self
        }
    }

    /// Restricts the lint to CRDs that have this field.
    #[must_use]
    pub const fn needs(self, field: &'static [&'static str]) -> Self {
        Self {
            needs: Some(field),
            ..self
        }
    }
}
