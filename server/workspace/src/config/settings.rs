//! The settings of `.crd-analyzer.yaml`, with their names, meanings and possible values.

use crd_analyzer_schema::KubernetesVersion;

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key of the setting.
    pub name: &'static str,
    /// A description in Markdown.
    pub doc: &'static str,
    /// The values that the setting accepts.
    pub values: Values,
}

/// The values that a setting accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// A Kubernetes version, a range of versions, or `all`.
    KubernetesVersions,
    /// Globs of files.
    Globs,
    /// Files, folders and globs.
    Paths,
    /// `true` or `false`.
    Boolean,
    /// Names of markers in Go files.
    Markers,
    /// A severity for each code.
    Levels,
}

/// All settings, the most common ones first.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "kubernetesVersion",
        doc: "The Kubernetes versions to check for: `1.31`, a range such as `1.30..1.37`, or `all`.",
        values: Values::KubernetesVersions,
    },
    Setting {
        name: "rules",
        doc: "The severity of diagnostic codes: `off`, `hint`, `info`, `warning` or `error`.",
        values: Values::Levels,
    },
    Setting {
        name: "exclude",
        doc: "Globs of files to skip, relative to this file.",
        values: Values::Globs,
    },
    Setting {
        name: "crds",
        doc: "The CRDs for checking custom resources: files, folders or globs, relative to this file.",
        values: Values::Paths,
    },
    Setting {
        name: "partial",
        doc: "Globs of files with incomplete objects, such as patches. crd-analyzer does not report missing fields in them.",
        values: Values::Globs,
    },
    Setting {
        name: "requireCrd",
        doc: "`true`: a custom resource whose CRD is not found is an error.",
        values: Values::Boolean,
    },
    Setting {
        name: "markers",
        doc: "Markers in Go files that your own tools read, such as `kubebuilder:oneOf`. A name also covers all names that begin with it and a colon.",
        values: Values::Markers,
    },
];

/// The levels that a code can be set to, each with its meaning.
pub const LEVELS: &[(&str, &str)] = &[
    ("off", "Not shown."),
    ("hint", "Shown as a hint that editors barely mark."),
    ("info", "Shown as information."),
    ("warning", "Shown as a warning."),
    ("error", "Shown as an error."),
];

/// The setting with the given name.
pub fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|it| it.name == name)
}

/// The values of `kubernetesVersion` that completion offers: each known version, each version with all later ones, and `all`.
pub fn kubernetes_versions() -> Vec<String> {
    let newest = KubernetesVersion::NEWEST;
    let versions: Vec<_> = KubernetesVersion::all().rev().collect();
    let single = versions.iter().map(ToString::to_string);
    let since = versions.iter().skip(1).map(|it| format!("{it}..{newest}"));
    single.chain(since).chain(["all".to_owned()]).collect()
}
