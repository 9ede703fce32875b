//! The words that options of `check` take.

use clap::ValueEnum;
use crd_analyzer_compat::Policy;
use crd_analyzer_workspace::findings::finding::Severity;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Show {
    /// The object with defaults and without unknown fields.
    Effective,
}

/// The policies of `compat` that judge single changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum CompatPolicy {
    /// Stored objects and writers must not break. New defaults are allowed.
    Writers,
    /// Stored objects, writers and readers must not break, and defaults must not change.
    Strict,
    /// As the Kubernetes API conventions: stored objects and writers of beta and stable versions must not break, and defaults must not change.
    ApiConventions,
}

impl From<CompatPolicy> for Policy {
    fn from(name: CompatPolicy) -> Self {
        match name {
            CompatPolicy::Writers => Self::Writers,
            CompatPolicy::Strict => Self::Strict,
            CompatPolicy::ApiConventions => Self::ApiConventions,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum FailOn {
    /// Errors of the API server, and diagnostics that the configuration makes errors.
    Error,
    /// Also warnings.
    Warning,
    /// Also hints.
    Hint,
    /// Errors, and those of data that only tests read. Beside `warning` or `hint`, also its warnings or hints.
    TestData,
}

impl FailOn {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error | Self::TestData => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Hint => Severity::Hint,
        }
    }
}
