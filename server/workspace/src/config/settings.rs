//! The settings of `.crd-analyzer.yaml`: their names, what they mean and which values they take.

use crd_analyzer_schema::KubernetesVersion;

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its key.
    pub name: &'static str,
    /// What it means, in Markdown.
    pub doc: &'static str,
    /// Its values.
    pub values: Values,
}

/// Which values a setting takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// A minor version, a range of them, or `all`.
    KubernetesVersions,
    /// Globs of files.
    Globs,
    /// Files, folders and globs.
    Paths,
    /// `true` or `false`.
    Boolean,
    /// Names of markers in Go files.
    Markers,
    /// A level for each code.
    Levels,
}

/// All settings, those first that are written most.
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

/// The levels of a code, each with its meaning.
pub const LEVELS: &[(&str, &str)] = &[
    ("off", "Not shown."),
    ("hint", "Shown as a hint that editors barely mark."),
    ("info", "Shown as information."),
    ("warning", "Shown as a warning."),
    ("error", "Shown as an error."),
];

/// The setting of a name.
pub fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|it| it.name == name)
}

/// Values of `kubernetesVersion` that are offered: each known version, all from one on, and all.
pub fn kubernetes_versions() -> Vec<String> {
    let newest = KubernetesVersion::NEWEST;
    let versions: Vec<_> = KubernetesVersion::all().rev().collect();
    let single = versions.iter().map(ToString::to_string);
    let since = versions.iter().skip(1).map(|it| format!("{it}..{newest}"));
    single.chain(since).chain(["all".to_owned()]).collect()
}
