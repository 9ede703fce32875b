//! The values that options of `check` accept.

use clap::ValueEnum;
use crd_analyzer_compat::Policy;
use crd_analyzer_workspace::findings::finding::Severity;

use crate::output;

/// The most common commands.
pub(super) const EXAMPLES: &str = "Examples:
  crd-analyzer check config/
  crd-analyzer check --kubernetes-version 1.31..1.37 --fail-on warning config/
  crd-analyzer check samples/ --crd config/crd
  crd-analyzer check --old-ref origin/main --compat config/crd
  crd-analyzer check --fix --diff config/
  helm template . | crd-analyzer check - --crd crds/";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Show {
    /// The object with defaults, and without unknown fields.
    Effective,
}

/// The policies of `compat` that classify individual changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum CompatPolicy {
    /// Forbid changes that break stored objects or clients that write objects. New defaults are allowed.
    Writers,
    /// Forbid changes that break stored objects, writers or readers, and all changed defaults.
    Strict,
    /// Forbid what the Kubernetes API conventions forbid: changed defaults, and changes that break stored objects or writers of beta and stable
    /// versions.
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
    /// Also errors in test data. Together with `warning` or `hint`, also warnings or hints in test data.
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

/// The help of `--output`, with the names of the formats.
pub(super) fn output_help() -> String {
    let several = "Repeat the option for several formats: `-o text -o sarif=crds.sarif`";
    let formats = output::format_names();
    format!("The output format: {formats}. `FORMAT=FILE` writes to a file. {several}")
}
