//! How manifests of the API server's own kinds are recognised.

use crd_analyzer_schema::KubernetesVersion;

use crate::api::{self, FieldType};

/// A kind that has fields of its own in the API, whatever CRDs there are.
///
/// Only a kind compares its name with that of a manifest, or searches a text for it.
#[derive(Debug)]
pub struct Kind {
    /// The group.
    pub group: &'static str,
    /// The name, as in `kind`.
    pub name: &'static str,
    /// The name of lists of it.
    pub list: &'static str,
    /// The versions that people write, the one to write first.
    pub versions: &'static [Version],
}

/// A version of a kind.
#[derive(Debug)]
pub struct Version {
    /// The whole of `apiVersion`.
    pub api_version: &'static str,
    /// The name.
    pub name: &'static str,
    /// The Kubernetes version whose API server was the first without it; `None` if all have it.
    pub removed: Option<KubernetesVersion>,
    /// Its fields.
    pub fields: &'static FieldType,
}

/// CustomResourceDefinition.
pub const CRD: Kind = Kind {
    group: "apiextensions.k8s.io",
    name: "CustomResourceDefinition",
    list: "CustomResourceDefinitionList",
    versions: &[
        Version {
            api_version: "apiextensions.k8s.io/v1",
            name: "v1",
            removed: None,
            fields: &api::V1,
        },
        Version {
            api_version: "apiextensions.k8s.io/v1beta1",
            name: "v1beta1",
            removed: Some(KubernetesVersion::minor(22)),
            fields: &api::V1BETA1,
        },
    ],
};

impl Version {
    /// Whether API servers of a Kubernetes version can have it.
    pub fn is_served(&self, by: KubernetesVersion) -> bool {
        self.removed.is_none_or(|it| by < it)
    }
}

impl Kind {
    /// The version that API servers have.
    pub const fn served(&self) -> &Version {
        &self.versions[0]
    }

    /// The version of an `apiVersion`.
    pub fn version(&self, api_version: &str) -> Option<&Version> {
        self.versions.iter().find(|it| it.api_version == api_version)
    }

    /// Whether an object that says this is one, of whatever version.
    pub fn is(&self, api_version: &str, kind: &str) -> bool {
        kind == self.name && self.is_group_of(api_version)
    }

    /// Whether an object that is being written is one: it may not say its `apiVersion` yet.
    pub fn may_become(&self, api_version: Option<&str>, kind: Option<&str>) -> bool {
        kind == Some(self.name) && api_version.is_none_or(|it| self.is_group_of(it))
    }

    /// Whether an object that says this is a list of them.
    pub fn is_list(&self, kind: &str) -> bool {
        kind == "List" || kind == self.list
    }

    /// Whether a text names the kind. Most texts do not, and need not be parsed.
    pub fn is_named_in(&self, text: &str) -> bool {
        text.contains(self.name)
    }

    /// What the text of a file with one contains, at least one of them: kind or group may be written with escapes, but hardly both.
    pub const fn signs(&self) -> [&'static str; 2] {
        [self.name, self.group]
    }

    /// Whether a line of a text, which may be a template, says that there is one.
    pub fn is_said_in(&self, text: &str) -> bool {
        text.lines()
            .any(|line| line.trim_end().strip_prefix("kind: ") == Some(self.name))
    }

    fn is_group_of(&self, api_version: &str) -> bool {
        parse_group_version(api_version).is_ok_and(|(group, _)| group == self.group)
    }
}

/// Group and version of an `apiVersion` (`schema.ParseGroupVersion`).
pub fn parse_group_version(text: &str) -> Result<(&str, &str), String> {
    if text.is_empty() || text == "/" {
        return Ok(("", ""));
    }
    let mut parts = text.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(version), None, None) => Ok(("", version)),
        (Some(group), Some(version), None) => Ok((group, version)),
        _ => Err(format!("unexpected GroupVersion string: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_served_version_comes_first() {
        let oldest = KubernetesVersion::OLDEST;
        let served: Vec<bool> = CRD.versions.iter().map(|it| it.is_served(oldest)).collect();
        assert_eq!(served, [true, false]);
        for version in CRD.versions {
            let parsed = parse_group_version(version.api_version);
            assert_eq!(parsed, Ok((CRD.group, version.name)));
        }
    }

    #[test]
    fn a_crd_is_known_by_group_and_kind_of_any_version() {
        let check =
            |api_version, kind, expected| assert_eq!(CRD.is(api_version, kind), expected, "{api_version} {kind}");
        check("apiextensions.k8s.io/v1", CRD.name, true);
        check("apiextensions.k8s.io/v2", CRD.name, true);
        check("apiextensions.k8s.io", CRD.name, false);
        check("apiextensions.k8s.io/v1/x", CRD.name, false);
        check("example.com/v1", CRD.name, false);
        check("apiextensions.k8s.io/v1", "customresourcedefinition", false);
        check("apiextensions.k8s.io/v1", CRD.list, false);
        assert!(CRD.version("apiextensions.k8s.io/v2").is_none());
    }

    #[test]
    fn what_is_being_written_may_lack_its_version() {
        let check = |api_version, kind, expected| {
            assert_eq!(CRD.may_become(api_version, kind), expected, "{api_version:?} {kind:?}");
        };
        check(None, Some(CRD.name), true);
        check(Some("apiextensions.k8s.io/"), Some(CRD.name), true);
        check(Some("apps/v1"), Some(CRD.name), false);
        check(Some("apiextensions.k8s.io/v1"), None, false);
    }

    #[test]
    fn a_text_is_searched_for_the_kind() {
        assert!(CRD.is_named_in("{\"kind\": \"CustomResourceDefinition\"}"));
        assert!(!CRD.is_named_in("kind: Widget"));
        assert!(CRD.is_said_in("a: {{ b }}\nkind: CustomResourceDefinition  \nspec:"));
        assert!(!CRD.is_said_in("kind: CustomResourceDefinitionList\n"));
        assert!(CRD.is_list("List") && CRD.is_list("CustomResourceDefinitionList") && !CRD.is_list("WidgetList"));
    }
}
