//! The identity of objects in kustomize (`sigs.k8s.io/kustomize/kyaml/resid`).

use std::{borrow::Cow, fmt, sync::Arc};

use crate::{facts::facts, openapi::OpenApi, spend};

/// A group, version and kind. Empty fields of a selector match everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Gvk {
    pub(crate) group: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) kind: Arc<str>,
}

impl Gvk {
    /// Splits `apiVersion`. If the budget does not allow the copies, group and version are empty, and the build fails anyway.
    pub(crate) fn of(api_version: &str, kind: Arc<str>) -> Self {
        let (group, version) = match spend::text(api_version.len()) {
            Ok(()) => api_version.split_once('/').unwrap_or(("", api_version)),
            Err(_) => ("", ""),
        };
        Self {
            group: group.into(),
            version: version.into(),
            kind,
        }
    }

    pub(crate) fn api_version(&self) -> Cow<'_, str> {
        if self.group.is_empty() {
            Cow::Borrowed(&self.version)
        } else if spend::text(self.group.len() + self.version.len()).is_ok() {
            Cow::Owned(format!("{}/{}", self.group, self.version))
        } else {
            Cow::Borrowed("")
        }
    }

    pub(crate) fn is_cluster_scoped(&self) -> bool {
        let api_version = self.api_version();
        facts().is_cluster_scoped(&api_version, &self.kind)
            || OpenApi::current().is_some_and(|it| it.is_cluster_scoped(&api_version, &self.kind))
    }

    /// The key by which kustomize sorts kinds (`Gvk.IsLessThan`).
    pub(crate) fn order(&self) -> (isize, String) {
        let place = |kinds: &[&str]| kinds.iter().position(|it| *it == &*self.kind).map(usize::cast_signed);
        let first = place(&FIRST).map(|it| it - FIRST.len().cast_signed());
        let last = || place(&LAST).map(|it| it + 1);
        let part = |text: &str, missing: &str| {
            if text.is_empty() {
                missing.to_owned()
            } else {
                text.to_owned()
            }
        };
        let (group, version, kind) = (
            part(&self.group, "~G"),
            part(&self.version, "~V"),
            part(&self.kind, "~K"),
        );
        (first.or_else(last).unwrap_or(0), format!("{group}_{version}_{kind}"))
    }

    /// Whether a selector selects this kind (`IsSelected`).
    pub(crate) fn is_selected(&self, selector: &Self) -> bool {
        let matches = |of: &str, by: &str| by.is_empty() || of == by;
        matches(&self.group, &selector.group)
            && matches(&self.version, &selector.version)
            && matches(&self.kind, &selector.kind)
    }
}

/// The kinds that come before all others (`orderFirst`).
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// The kinds that come after all others (`orderLast`).
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// The namespace that selectors use for objects without a namespace.
const NO_NAMESPACE: &str = "_non_namespaceable_";

/// A key for finding objects by their id. It contains the effective namespace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key(ResId);

/// The id of an object, which identifies it in a build.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ResId {
    pub(crate) gvk: Gvk,
    pub(crate) name: Arc<str>,
    pub(crate) namespace: Arc<str>,
}

impl ResId {
    /// The namespace, or `default` if it is empty (`EffectiveNamespace`).
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.gvk.is_cluster_scoped() {
            NO_NAMESPACE
        } else if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        }
    }

    /// The key of the id. Equal ids have equal keys.
    pub(crate) fn key(&self) -> Key {
        let namespace = match self.effective_namespace() {
            it if std::ptr::eq(it, &raw const *self.namespace) => self.namespace.clone(),
            other => other.into(),
        };
        Key(Self {
            gvk: self.gvk.clone(),
            name: self.name.clone(),
            namespace,
        })
    }

    /// Whether two ids are equal (`Equals`).
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.gvk == other.gvk && self.effective_namespace() == other.effective_namespace()
    }

    /// Whether a selector selects this id (`IsSelectedBy`).
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
