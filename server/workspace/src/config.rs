//! `.crd-analyzer.yaml`: what a repository decides once for everybody.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use crate::{
    finding::{Class, Finding, Severity},
    versions::{VersionError, VersionSet},
};

/// The file's name; the nearest one in the folder of a document or above counts.
pub const FILE_NAME: &str = ".crd-analyzer.yaml";

/// The file as it is written. Editor settings have the same names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Written {
    kubernetes_version: Option<String>,
    rules: BTreeMap<String, Level>,
    exclude: Vec<String>,
    crds: Vec<String>,
}

/// How loud a code is, by configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not shown at all.
    Off,
    /// Shown unobtrusively.
    Hint,
    /// Shown as information.
    Info,
    /// Shown as a warning.
    Warning,
    /// Shown as an error.
    Error,
}

/// What a configuration decides.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The minors asked about; `None` where the configuration does not say.
    pub kubernetes_versions: Option<VersionSet>,
    /// How loud each code is.
    pub rules: BTreeMap<String, Level>,
    /// Files to leave alone, relative to the configuration's folder.
    pub exclude: GlobSet,
    /// Where definitions lie that are not in the workspace: files, folders and globs, relative to the configuration's folder.
    pub crds: Vec<String>,
    /// The configuration's own folder, absolute; its globs and paths are relative to it. Set by whoever read the file.
    pub folder: PathBuf,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not YAML, an unknown setting, or a value of the wrong type.
    #[error("{0}")]
    Form(#[from] serde_yaml::Error),
    /// `kubernetesVersion` is not one.
    #[error("kubernetesVersion: {0}")]
    Version(#[from] VersionError),
    /// `exclude` holds something that is no glob.
    #[error("exclude: {0}")]
    Glob(#[from] globset::Error),
}

impl Config {
    /// Reads the text of a configuration file. An empty file decides nothing.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let written = serde_yaml::from_str::<Option<Written>>(text)?.unwrap_or_default();
        Self::from_written(written)
    }

    /// Reads editor settings, which have the names of the file.
    pub fn from_json(settings: serde_json::Value) -> Result<Self, ConfigError> {
        Self::from_written(serde_yaml::from_value(serde_yaml::to_value(settings)?)?)
    }

    fn from_written(written: Written) -> Result<Self, ConfigError> {
        let mut exclude = GlobSetBuilder::new();
        for glob in &written.exclude {
            exclude.add(Glob::new(glob)?);
        }
        Ok(Self {
            kubernetes_versions: written.kubernetes_version.as_deref().map(str::parse).transpose()?,
            rules: written.rules,
            exclude: exclude.build()?,
            crds: written.crds,
            folder: PathBuf::new(),
        })
    }

    /// Whether the file of this absolute path is to be left alone.
    pub fn excludes(&self, path: &Path) -> bool {
        self.exclude.is_match(path.strip_prefix(&self.folder).unwrap_or(path))
    }

    /// Sets how loud a finding is; `None` if it is not to be shown.
    ///
    /// Only what is shown changes: what the server answers stays what it is, and so does the verdict.
    pub fn apply(&self, mut finding: Finding) -> Option<Finding> {
        match self.rules.get(finding.code) {
            Some(Level::Off) => return None,
            Some(Level::Hint) => finding.severity = Severity::Hint,
            Some(Level::Info) => finding.severity = Severity::Information,
            Some(Level::Warning) => finding.severity = Severity::Warning,
            // A hint of ours never makes an accepted object look rejected.
            Some(Level::Error) if finding.class == Class::Hint => finding.severity = Severity::Warning,
            Some(Level::Error) => finding.severity = Severity::Error,
            None => {}
        }
        Some(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_analyzer_syntax::tree::Span;

    #[test]
    fn reads_every_setting() {
        let config = Config::parse(
            "kubernetesVersion: 1.31..1.33\nrules:\n  missing-type: off\n  large-manifest: warning\nexclude: ['vendor/**']\ncrds: [../crds]\n",
        )
        .expect("valid");
        assert_eq!(
            config.kubernetes_versions.map(|set| set.to_string()).as_deref(),
            Some("1.31 to 1.33")
        );
        assert!(config.exclude.is_match("vendor/a/b.yaml") && !config.exclude.is_match("b.yaml"));
        assert_eq!(config.crds, ["../crds"]);
        let finding = |code| Finding::new(Class::Hint, code, Span::default(), "");
        assert_eq!(config.apply(finding("missing-type")), None);
        assert_eq!(
            config.apply(finding("large-manifest")).map(|it| it.severity),
            Some(Severity::Warning)
        );
        assert_eq!(
            config.apply(finding("other")).map(|it| it.severity),
            Some(Severity::Information)
        );
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expect) in [
            (
                "kubernetesVersion: 1.99",
                "kubernetesVersion: Kubernetes 1.99 is not known",
            ),
            ("exclude: ['[']", "exclude: error parsing glob"),
            ("rulez: {}", "unknown field `rulez`"),
        ] {
            let error = Config::parse(text).expect_err(text).to_string();
            assert!(error.contains(expect), "{error}");
        }
        assert!(Config::parse("").is_ok(), "an empty file decides nothing");
    }
}
