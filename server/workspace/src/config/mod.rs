//! `.crd-analyzer.yaml`: the settings of a repository, which apply to everybody who works in it.

pub mod check;
pub(crate) mod covering;
pub mod crd_paths;
pub mod excluded;
pub mod selection;
pub mod settings;
pub mod versions;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crd_analyzer_gosource::check::declared::{Declared, NoName};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use crate::{
    codes,
    config::covering::Covering,
    config::versions::{VersionError, VersionSet},
    findings::finding::{Class, Finding, Severity},
};

/// The names of the configuration file. The nearest one in a document's folder or a folder above it applies.
pub const FILE_NAMES: [&str; 2] = [".crd-analyzer.yaml", ".crd-analyzer.yml"];

/// Whether a path has the name of a configuration file.
pub fn is_config(path: &Path) -> bool {
    FILE_NAMES
        .iter()
        .any(|it| path.file_name().is_some_and(|name| name == *it))
}

/// The content of the file. [`SETTINGS`](crate::config::settings::SETTINGS) describes each field.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Written {
    kubernetes_version: Option<String>,
    rules: BTreeMap<String, Level>,
    exclude: Vec<String>,
    crds: Vec<String>,
    partial: Vec<String>,
    require_crd: bool,
    markers: Vec<String>,
}

/// The configured severity of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The code is not shown at all.
    Off,
    /// The code is shown as a hint, which editors mark only faintly.
    Hint,
    /// The code is shown as information.
    Info,
    /// The code is shown as a warning.
    Warning,
    /// The code is shown as an error.
    Error,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Hint => "hint",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The settings of a configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The Kubernetes versions to check for. `None` if the configuration does not set them.
    pub kubernetes_versions: Option<VersionSet>,
    /// The configured severity of each code.
    pub rules: BTreeMap<String, Level>,
    /// The files to exclude, relative to the configuration's folder.
    pub exclude: Covering,
    /// The paths of CRDs outside the workspace: files, folders and globs, relative to the configuration's folder.
    pub crds: Vec<String>,
    /// Files with parts of objects that something else completes, relative to the configuration's folder.
    pub partial: GlobSet,
    /// Whether it is an error if the CRD of a resource is not found.
    pub requires_crds: bool,
    /// The markers in Go files that are for tools other than controller-gen.
    pub markers: Declared,
    /// The absolute path of the configuration's own folder, to which its globs and paths are relative. The caller that reads the file sets it.
    pub folder: PathBuf,
}

/// The reason why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The text is not YAML, names an unknown setting, or has a value of the wrong type.
    #[error("{0}")]
    Form(#[from] serde_yaml::Error),
    /// `kubernetesVersion` is not a Kubernetes version.
    #[error("kubernetesVersion: {0}")]
    Version(#[from] VersionError),
    /// `rules` names a code that does not exist.
    #[error("rules: `{code}` is not a diagnostic code{}", did_you_mean(*.nearest))]
    Code {
        /// The code as it is written.
        code: String,
        /// The code that was probably meant.
        nearest: Option<&'static str>,
    },
    /// `exclude` or `partial` contains a string that is not a glob.
    #[error("{setting}: {error}")]
    Glob {
        /// The name of the setting.
        setting: &'static str,
        /// The reason why the string is not a glob.
        error: globset::Error,
    },
    /// `markers` contains a string that is not the name of a marker.
    #[error("markers: {0}")]
    Marker(NoName),
}

pub(crate) fn globs(setting: &'static str, written: &[String]) -> Result<GlobSet, ConfigError> {
    let wrong = |error| ConfigError::Glob { setting, error };
    let mut set = GlobSetBuilder::new();
    for glob in written {
        set.add(Glob::new(glob).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |it| format!(", did you mean `{it}`?"))
}

impl Config {
    /// Parses the text of a configuration file. An empty file sets nothing.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let written = serde_yaml::from_str::<Option<Written>>(text)?.unwrap_or_default();
        Self::from_written(written)
    }

    /// Reads editor settings. They have the same names as the settings in the file.
    pub fn from_json(settings: serde_json::Value) -> Result<Self, ConfigError> {
        Self::from_written(serde_yaml::from_value(serde_yaml::to_value(settings)?)?)
    }

    fn from_written(written: Written) -> Result<Self, ConfigError> {
        if let Some(code) = written.rules.keys().find(|it| codes::find(it).is_none()) {
            return Err(ConfigError::Code {
                code: code.clone(),
                nearest: codes::nearest(code),
            });
        }
        Ok(Self {
            kubernetes_versions: written.kubernetes_version.as_deref().map(str::parse).transpose()?,
            rules: written.rules,
            exclude: Covering::new(globs("exclude", &written.exclude)?),
            crds: written.crds,
            partial: globs("partial", &written.partial)?,
            requires_crds: written.require_crd,
            markers: Declared::new(written.markers.iter().map(String::as_str)).map_err(ConfigError::Marker)?,
            folder: PathBuf::new(),
        })
    }

    /// Whether the file with this absolute path is excluded.
    pub fn excludes(&self, path: &Path) -> bool {
        self.exclude.covers(path.strip_prefix(&self.folder).unwrap_or(path))
    }

    /// Whether the file with this absolute path contains only parts of objects.
    pub fn is_partial(&self, path: &Path) -> bool {
        self.partial.is_match(path.strip_prefix(&self.folder).unwrap_or(path))
    }

    /// Sets the severity of a finding as configured. `None` if the configuration turns it off.
    ///
    /// Only the display changes. The verdict of the API server stays the same.
    pub fn apply(&self, mut finding: Finding) -> Option<Finding> {
        match self.rules.get(finding.code) {
            Some(Level::Off) => return None,
            None if codes::OFF_BY_DEFAULT.contains(&finding.code) => return None,
            None => {}
            // A rejection is always an error. A lower severity would suggest that the API server accepts the object.
            Some(level) if matches!(finding.class, Class::Error | Class::LaterError) => {
                let note = "this is an error of the API server, so the configuration can only hide it";
                let is_lowered = *level != Level::Error;
                let notes = is_lowered.then(|| format!("{note}: write `off` instead of `{}`", level.word()));
                finding.notes.extend(notes);
            }
            Some(Level::Hint) => finding.severity = Severity::Hint,
            Some(Level::Info) => finding.severity = Severity::Information,
            Some(Level::Warning) => finding.severity = Severity::Warning,
            Some(Level::Error) => finding.severity = Severity::Error,
        }
        Some(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::SETTINGS;
    use crd_analyzer_syntax::tree::Span;

    #[test]
    fn reads_every_setting() {
        let config = Config::parse(
            "kubernetesVersion: 1.31..1.33\nrules:\n  missing-type: off\n  large-manifest: warning\nexclude: ['vendor/**']\ncrds: [../crds]\nmarkers: [+example:size]\n",
        )
        .expect("valid");
        assert!(config.markers.covers("example:size:least") && !config.markers.covers("example:sizes"));
        assert_eq!(
            config.kubernetes_versions.map(|set| set.to_string()).as_deref(),
            Some("1.31 to 1.33")
        );
        assert!(config.exclude.covers(Path::new("vendor/a/b.yaml")) && !config.exclude.covers(Path::new("b.yaml")));
        let folder = Covering::new(globs("exclude", &["vendor".to_owned()]).expect("a glob"));
        for _ in 0..2 {
            assert!(folder.covers(Path::new("vendor/a/b.yaml")) && !folder.covers(Path::new("vendors/b.yaml")));
        }
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
    fn every_setting_is_described() {
        let refused = Config::parse("rulez: {}").expect_err("unknown").to_string();
        let expected = refused.split_once("expected one of").expect("the settings").1;
        let mut read: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let mut described: Vec<&str> = SETTINGS.iter().map(|it| it.name).collect();
        read.sort_unstable();
        described.sort_unstable();
        assert_eq!(
            read, described,
            "the fields of `Written`, and `SETTINGS` in `settings.rs`"
        );
    }

    #[test]
    fn a_hint_can_become_an_error_and_an_error_cannot_become_a_hint() {
        let config = Config::parse("rules: {large-manifest: error, wrong-type: hint}").expect("valid");
        let applied = |class, code| {
            config
                .apply(Finding::new(class, code, Span::default(), ""))
                .expect("shown")
        };
        let raised = applied(Class::Hint, "large-manifest");
        assert_eq!((raised.class, raised.severity), (Class::Hint, Severity::Error));
        for class in [Class::Error, Class::LaterError] {
            let kept = applied(class, "wrong-type");
            assert_eq!(kept.severity, class.severity());
            assert!(kept.notes[0].contains("can only hide it"), "{:?}", kept.notes);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expect) in [
            (
                "kubernetesVersion: 1.99",
                "kubernetesVersion: Kubernetes 1.99 is not known",
            ),
            ("exclude: ['[']", "exclude: error parsing glob"),
            ("markers: ['a b']", "markers: the name of a marker contains no spaces"),
            ("rulez: {}", "unknown field `rulez`"),
            (
                "rules: {missing-typ: off}",
                "rules: `missing-typ` is not a diagnostic code, did you mean `missing-type`?",
            ),
            ("rules: {missing-type: of}", "unknown variant `of`"),
        ] {
            let error = Config::parse(text).expect_err(text).to_string();
            assert!(error.contains(expect), "{error}");
        }
        assert!(Config::parse("").is_ok(), "an empty file decides nothing");
    }
}
