//! Settings from the editor and from the nearest `.crd-analyzer.yaml`. Both use the same names, and the file takes precedence.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    charts::Charts, config::Configs, go_tests::GoTests, kustomize::Kustomizations, read::Access, roots::Roots,
    scripts::Scripts,
};
use crd_analyzer_workspace::{
    charts::{
        chart::{self, Chart},
        metadata,
    },
    comparison::breaking::Policy,
    config::Config,
    config::settings::SETTINGS,
    config::versions::VersionSet,
    roles::{Use, Uses, is_template},
};
use serde_json::{Map, Value};

use crate::names::NAME;

/// The policies by which individual changes can be classified.
const POLICIES: [Policy; 3] = [Policy::ApiConventions, Policy::Writers, Policy::Strict];

/// The editor's settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    config: Config,
    /// The configuration files read so far.
    pub(crate) configs: Arc<Configs>,
    /// The kustomizations of the workspace, which determine the files that are patches.
    pub(crate) kustomizations: Arc<Kustomizations>,
    /// The Helm charts of the workspace.
    pub(crate) charts: Arc<Charts>,
    /// The Go tests of the workspace, which may expect files to be invalid.
    pub(crate) go_tests: Arc<GoTests>,
    /// The scripts of the workspace, which may insert versions into files.
    pub(crate) scripts: Arc<Scripts>,
    /// The kubeconfig context to read CRDs from. An empty string means the current context. Only user settings can set it, and never a file in a
    /// repository, because opening a repository must not connect to a cluster.
    pub(crate) cluster: Option<String>,
    pub(crate) features: Features,
    /// The git revision that open files are compared with, as if they would replace it. `None` turns this off.
    pub(crate) update_against: Option<String>,
    /// The policy for changes of CRDs since that revision. `None` turns the comparison off.
    pub(crate) compat_policy: Option<Policy>,
}

/// The features that can be turned off, for use with other language servers for YAML.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features {
    /// Show diagnostics.
    pub(crate) diagnostics: bool,
    /// Show diagnostics for files that are not open, if the client pulls them. Off by default, because many repositories contain CRDs of other
    /// projects.
    pub(crate) workspace_diagnostics: bool,
    /// Offer completions.
    pub(crate) completion: bool,
    /// Show hovers.
    pub(crate) hover: bool,
    /// Highlight other occurrences of the word at the cursor.
    pub(crate) highlight: bool,
    /// List versions, properties and rules.
    pub(crate) symbols: bool,
    /// Navigate from names to their declarations and uses.
    pub(crate) navigation: bool,
    /// Turn diagnostic codes and addresses into links.
    pub(crate) links: bool,
    /// Color CEL expressions.
    pub(crate) semantic_tokens: bool,
    /// Show the signatures of functions in CEL expressions.
    pub(crate) signature_help: bool,
    /// Rename properties.
    pub(crate) rename: bool,
    /// Fold lines.
    pub(crate) folding: bool,
    /// Expand selections by syntax.
    pub(crate) selection: bool,
    /// Show the cost estimates of rules above them.
    pub(crate) code_lens: bool,
    /// Show the cost estimates of rules at the end of their lines, if the client does not show them above the rules.
    pub(crate) inlay_hints: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            config: Config::default(),
            configs: Arc::default(),
            kustomizations: Arc::default(),
            charts: Arc::default(),
            go_tests: Arc::default(),
            scripts: Arc::default(),
            cluster: None,
            features: Features {
                diagnostics: true,
                workspace_diagnostics: false,
                completion: true,
                hover: true,
                highlight: true,
                symbols: true,
                navigation: true,
                links: true,
                semantic_tokens: true,
                signature_help: true,
                rename: true,
                folding: true,
                selection: true,
                code_lens: true,
                inlay_hints: true,
            },
            update_against: Some("HEAD".to_owned()),
            compat_policy: Some(Policy::ApiConventions),
        }
    }
}

impl Settings {
    /// Reads settings, either at the top level or nested under the name of the language server. Skips invalid settings, and returns problems to
    /// report.
    pub(crate) fn read(settings: &Value) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let mut read = Self::default();
        let settings = settings.get(NAME).unwrap_or(settings);
        let Some(settings) = settings.as_object() else {
            return (read, problems);
        };
        let mut usable = Map::new();
        // Each setting of `.crd-analyzer.yaml` is also an editor setting.
        for name in SETTINGS.iter().map(|it| it.name) {
            // Editors send an empty string for a setting that is not set.
            let Some(value) = settings.get(name).filter(|it| !it.is_null() && *it != "") else {
                continue;
            };
            let one = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
            match Config::from_json(one) {
                Ok(_) => {
                    usable.insert(name.to_owned(), value.clone());
                }
                Err(error) => problems.push(format!("setting {NAME}.{name} is not used: {error}")),
            }
        }
        match Config::from_json(Value::Object(usable)) {
            Ok(config) => read.config = config,
            Err(error) => problems.push(format!("settings of {NAME} are not used: {error}")),
        }
        match settings.get("cluster") {
            None | Some(Value::Null | Value::Bool(false)) => {}
            Some(Value::Bool(true)) => read.cluster = Some(String::new()),
            // Editors send an empty string for a setting that is not set.
            Some(Value::String(context)) => read.cluster = Some(context.clone()).filter(|it| !it.is_empty()),
            Some(_) => problems.push(format!(
                "setting {NAME}.cluster is neither true nor the name of a context"
            )),
        }
        match settings.get("updateAgainst") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(false)) => read.update_against = None,
            Some(Value::String(revision)) => match revision.as_str() {
                "" => {}
                "off" => read.update_against = None,
                revision => read.update_against = Some(revision.to_owned()),
            },
            Some(_) => problems.push(format!(
                "setting {NAME}.updateAgainst is neither a revision nor \"off\""
            )),
        }
        match settings.get("compatPolicy") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(false)) => read.compat_policy = None,
            Some(Value::String(name)) if name.is_empty() => {}
            Some(Value::String(name)) if name == "off" => read.compat_policy = None,
            Some(value) => match POLICIES.iter().find(|it| value == it.name()) {
                Some(policy) => read.compat_policy = Some(*policy),
                None => problems.push(format!(
                    "setting {NAME}.compatPolicy is none of \"api-conventions\", \"writers\", \"strict\" and \"off\""
                )),
            },
        }
        if let Some(features) = settings.get("features").and_then(Value::as_object) {
            for (name, value) in features {
                let feature = match name.as_str() {
                    "diagnostics" => &mut read.features.diagnostics,
                    "completion" => &mut read.features.completion,
                    "folding" => &mut read.features.folding,
                    "selection" => &mut read.features.selection,
                    "codeLens" => &mut read.features.code_lens,
                    "inlayHints" => &mut read.features.inlay_hints,
                    "workspaceDiagnostics" => &mut read.features.workspace_diagnostics,
                    "hover" => &mut read.features.hover,
                    "highlight" => &mut read.features.highlight,
                    "symbols" => &mut read.features.symbols,
                    "navigation" => &mut read.features.navigation,
                    "links" => &mut read.features.links,
                    "semanticTokens" => &mut read.features.semantic_tokens,
                    "signatureHelp" => &mut read.features.signature_help,
                    "rename" => &mut read.features.rename,
                    _ => {
                        problems.push(format!("setting {NAME}.features.{name} is not known"));
                        continue;
                    }
                };
                match value.as_bool() {
                    Some(on) => *feature = on,
                    None => problems.push(format!("setting {NAME}.features.{name} is neither true nor false")),
                }
            }
        }
        (read, problems)
    }

    /// The editor's `crds` setting: paths of CRDs, relative to the workspace folders.
    pub(crate) fn crds(&self) -> &[String] {
        &self.config.crds
    }

    /// The settings for a file, including those of the nearest configuration file if it is in a workspace folder.
    pub(crate) fn for_file(&self, path: Option<&Path>, folders: &[std::path::PathBuf]) -> Effective {
        let folder = path.and_then(|path| {
            folders
                .iter()
                .filter(|it| path.starts_with(it))
                .max_by_key(|it| it.as_os_str().len())
        });
        let below = path.map(|it| folder.and_then(|folder| it.strip_prefix(folder).ok()).unwrap_or(it));
        let mut effective = Effective {
            versions: self.config.kubernetes_versions.unwrap_or_default(),
            is_excluded: below.is_some_and(|it| self.config.exclude.covers(it)),
            config: Config {
                rules: self.config.rules.clone(),
                markers: self.config.markers.clone(),
                ..Config::default()
            },
            uses: Uses::COMPLETED,
            charts: ChartOfFile::default(),
            requires_crds: self.config.requires_crds,
            problem: None,
        };
        let roots = || Roots::new(folders.iter().map(PathBuf::as_path));
        let access = || Access::Within(Arc::new(roots()));
        let uses = path.map(|it| self.kustomizations.uses(it, &access()));
        let is_part = below.is_some_and(|it| self.config.partial.is_match(it));
        effective.uses = uses.unwrap_or(Uses::COMPLETED).with_if(Use::Part, is_part);
        let template = path.filter(|it| folder.is_some() && (is_template(it) || metadata::is_loaded(it)));
        effective.charts = ChartOfFile(template.and_then(|it| self.charts.of(it, &access())));
        let found = path
            .and_then(Path::parent)
            .and_then(|it| self.configs.nearest(it, &roots));
        let Some(found) = found else {
            return effective;
        };
        match &found.config {
            Ok(config) => {
                effective.is_excluded |= path.is_some_and(|it| config.excludes(it));
                let is_part = path.is_some_and(|it| config.is_partial(it));
                effective.uses = effective.uses.with_if(Use::Part, is_part);
                effective.requires_crds |= config.requires_crds;
                effective.versions = config.kubernetes_versions.unwrap_or(effective.versions);
                let rules = config.rules.iter().map(|(code, level)| (code.clone(), *level));
                effective.config.rules.extend(rules);
                effective.config.markers.add(&config.markers);
            }
            Err(error) => effective.problem = Some(format!("{} is not used: {error}", found.path.display())),
        }
        effective
    }
}

/// The Helm chart of a file, if it has one.
#[derive(Clone, Default, Debug)]
pub(crate) struct ChartOfFile(Option<Arc<Chart>>);

impl ChartOfFile {
    /// Replaces the texts of files that are open. `text` is the text of a file, if it is open.
    pub(crate) fn take_changes(&mut self, text: impl Fn(&Path) -> Option<Arc<str>>) {
        if let Some(changed) = self.0.as_ref().and_then(|it| it.with_changes(text)) {
            self.0 = Some(Arc::new(changed));
        }
    }

    /// Whether a file is a template of the chart.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|it| it.has(path))
    }
}

impl chart::Charts for ChartOfFile {
    fn of(&self, _: &Path) -> Option<Arc<Chart>> {
        self.0.clone()
    }

    // Other files may not be open, so each file shows everything that is wrong with its objects.
    fn shows(&self, _: &Path) -> bool {
        false
    }
}

/// The settings that apply to a file.
#[derive(Clone, Debug)]
pub(crate) struct Effective {
    /// The Kubernetes versions to check for.
    pub(crate) versions: VersionSet,
    /// The configuration, but only the severity of each code and the accepted kubebuilder markers.
    pub(crate) config: Config,
    /// Whether the configuration excludes the file.
    pub(crate) is_excluded: bool,
    /// What the tools of the repository do with the file.
    pub(crate) uses: Uses<'static>,
    /// The Helm chart to which the file belongs.
    pub(crate) charts: ChartOfFile,
    /// Whether a resource without a CRD is an error.
    pub(crate) requires_crds: bool,
    /// The reason why a configuration file is ignored.
    pub(crate) problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use crd_analyzer_workspace::config::FILE_NAMES;
    use serde_json::json;

    use super::*;

    fn check(settings: &Value, versions: &str, problems: &[&str]) {
        let (read, said) = Settings::read(settings);
        assert_eq!(read.for_file(None, &[]).versions.to_string(), versions);
        assert_eq!(said.len(), problems.len(), "{said:?}");
        for (said, expected) in said.iter().zip(problems) {
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn settings_come_whole_or_under_the_name() {
        check(&json!({"kubernetesVersion": "1.31"}), "1.31", &[]);
        check(
            &json!({"crd-analyzer": {"kubernetesVersion": "1.30..1.32", "server": {"path": ""}}}),
            "1.30 to 1.32",
            &[],
        );
        check(&json!({"kubernetesVersion": "", "rules": {}}), "1.37", &[]);
        check(&Value::Null, "1.37", &[]);
        check(&json!("x"), "1.37", &[]);
    }

    #[test]
    fn what_cannot_be_used_is_said_and_the_rest_counts() {
        check(
            &json!({"kubernetesVersion": "1.31", "rules": 3, "features": {"diagnostics": "no", "hoover": true}}),
            "1.31",
            &[
                "crd-analyzer.rules is not used",
                "features.diagnostics is neither",
                "features.hoover is not known",
            ],
        );
    }

    #[test]
    fn a_cluster_is_asked_only_for_who_says_so() {
        for (settings, expected) in [
            (json!({}), None),
            (json!({"cluster": ""}), None),
            (json!({"cluster": false}), None),
            (json!({"cluster": true}), Some("")),
            (json!({"cluster": "kind-a"}), Some("kind-a")),
            (json!({"cluster": 3}), None),
        ] {
            let (read, problems) = Settings::read(&settings);
            assert_eq!(read.cluster.as_deref(), expected, "{settings}");
            assert_eq!(problems.len(), usize::from(settings["cluster"] == 3));
        }
        assert!(
            Config::parse("cluster: kind-a").is_err(),
            "a repository does not say it"
        );
    }

    #[test]
    fn a_revision_is_asked_unless_it_is_off() {
        for (value, expected) in [
            (json!("HEAD~1"), Some("HEAD~1")),
            (json!("off"), None),
            (json!(false), None),
            (json!(""), Some("HEAD")),
            (Value::Null, Some("HEAD")),
        ] {
            let (read, said) = Settings::read(&json!({ "updateAgainst": value }));
            assert_eq!(read.update_against.as_deref(), expected);
            assert!(said.is_empty());
        }
        check(&json!({"updateAgainst": 3}), "1.37", &["updateAgainst is neither"]);
    }

    #[test]
    fn changes_are_judged_by_a_policy() {
        for (value, expected) in [
            (Value::Null, Some(Policy::ApiConventions)),
            (json!(""), Some(Policy::ApiConventions)),
            (json!("strict"), Some(Policy::Strict)),
            (json!("writers"), Some(Policy::Writers)),
            (json!("off"), None),
            (json!(false), None),
        ] {
            let (read, said) = Settings::read(&json!({ "compatPolicy": value }));
            assert_eq!(read.compat_policy, expected);
            assert!(said.is_empty());
        }
        check(&json!({"compatPolicy": "olm"}), "1.37", &["compatPolicy is none of"]);
    }

    #[test]
    fn the_nearest_file_counts_for_more() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(
            folder.path().join(FILE_NAMES[0]),
            "kubernetesVersion: '1.33'\nexclude: ['a/b/skip.yaml']\n",
        )
        .unwrap();
        let (settings, _) = Settings::read(
            &json!({"kubernetesVersion": "1.30", "rules": {"missing-type": "off"}, "exclude": ["a/b/other.yaml"]}),
        );
        let folders = [folder.path().to_owned()];
        let of = |name: &str| settings.for_file(Some(&below.join(name)), &folders);
        assert_eq!(of("x.yaml").versions.to_string(), "1.33");
        assert!(of("x.yaml").config.rules.contains_key("missing-type"));
        assert!(of("skip.yaml").is_excluded && of("other.yaml").is_excluded && !of("x.yaml").is_excluded);
        std::fs::write(below.join(FILE_NAMES[0]), "kubernetesVersion: 9\n").unwrap();
        let broken = of("x.yaml");
        assert_eq!(broken.versions.to_string(), "1.30");
        assert!(broken.problem.is_some_and(|it| it.contains("is not used")));
    }
}
