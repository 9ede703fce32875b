//! The description of one lint: a row of the table.

use crate::{Crd, SchemaAt, Sink};

/// A check for a problem that the API server accepts, but that the author has hardly intended.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// The diagnostic code.
    pub code: &'static str,
    /// The meaning of the code, in one sentence.
    pub summary: &'static str,
    /// The page of the code, as Markdown.
    pub page: &'static str,
    /// The reason why the lint has no quick fix. `None` if the lint proposes fixes.
    pub no_fix: Option<&'static str>,
    /// Whether one of the lint's fixes is unambiguous, so that `check --fix` applies it.
    pub has_safe_fix: bool,
    /// The CRD field that the lint is about; may be empty. The page of the lint names the kubebuilder marker for this field.
    pub field: &'static str,
    /// The name of a group of codes about the same topic; may be empty.
    pub group: &'static str,
    /// Whether the lint is off unless the configuration enables it, because its findings are correct but rarely worth a change.
    pub is_off: bool,
    /// Whether the lint is reported once for lines that are alike, such as the columns of several versions.
    pub is_told_once: bool,
    /// A field that must be present for the lint to apply. If the field is missing, a patch often adds it later, and the finding would be wrong.
    pub needs: Option<&'static [&'static str]>,
    /// The check of the lint.
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

    /// Marks the lint as a lint without a fix. `why` is the reason.
    #[must_use]
    pub const fn no_fix(self, why: &'static str) -> Self {
        Self {
            no_fix: Some(why),
            ..self
        }
    }

    /// Marks one of the lint's fixes as safe for `check --fix`.
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
