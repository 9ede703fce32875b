//! What kustomize tells objects apart by (`sigs.k8s.io/kustomize/kyaml/resid`).

use std::fmt;

use crate::{facts::facts, openapi::OpenApi};

/// Group, version and kind. Empty fields of a selector select everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Gvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Gvk {
    pub(crate) fn of(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    pub(crate) fn is_cluster_scoped(&self) -> bool {
        let api_version = self.api_version();
        facts().is_cluster_scoped(&api_version, &self.kind)
            || OpenApi::current().is_some_and(|it| it.is_cluster_scoped(&api_version, &self.kind))
    }

    /// `IsSelected`: whether a selector selects it.
    pub(crate) fn is_selected(&self, selector: &Self) -> bool {
        let matches = |of: &str, by: &str| by.is_empty() || of == by;
        matches(&self.group, &selector.group)
            && matches(&self.version, &selector.version)
            && matches(&self.kind, &selector.kind)
    }
}

/// The namespace of objects without one, as selectors see it.
const NO_NAMESPACE: &str = "_non_namespaceable_";

/// What an object is called.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ResId {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl ResId {
    /// `EffectiveNamespace`
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.gvk.is_cluster_scoped() {
            NO_NAMESPACE
        } else if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        }
    }

    /// `Equals`
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.gvk == other.gvk && self.effective_namespace() == other.effective_namespace()
    }

    /// `IsSelectedBy`
    pub(crate) fn is_selected_by(&self, selector: &Self) -> bool {
        (selector.name.is_empty() || selector.name == self.name)
            && (selector.namespace.is_empty() || selector.effective_namespace() == self.effective_namespace())
            && self.gvk.is_selected(&selector.gvk)
    }
}

impl fmt::Display for ResId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.gvk.kind, self.name)?;
        if self.namespace.is_empty() {
            Ok(())
        } else {
            write!(f, " in namespace `{}`", self.namespace)
        }
    }
}
