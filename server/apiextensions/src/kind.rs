//! Recognizes manifests of the API server's own kinds.

use crd_analyzer_schema::KubernetesVersion;

use crate::api::{self, FieldType};

/// A built-in kind whose fields the API defines, independent of CRDs.
///
/// Use this type to compare names of kinds or to search a text for them.
#[derive(Debug)]
pub struct Kind {
    /// The group.
    pub group: &'static str,
    /// The name, as in the field `kind`.
    pub name: &'static str,
    /// The name of the list kind.
    pub list: &'static str,
    /// The versions in use, the preferred one first.
    pub versions: &'static [Version],
}

/// A version of a kind.
#[derive(Debug)]
pub struct Version {
    /// The complete `apiVersion`.
    pub api_version: &'static str,
    /// The name.
    pub name: &'static str,
    /// The first Kubernetes version whose API server no longer has this version; `None` if the version was not removed.
    pub removed: Option<KubernetesVersion>,
    /// The fields of an object in this version.
    pub fields: &'static FieldType,
}

/// The kind CustomResourceDefinition.
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
    /// Whether API servers of a Kubernetes version serve this version.
    pub fn is_served(&self, by: KubernetesVersion) -> bool {
        self.removed.is_none_or(|it| by < it)
    }
}

impl Kind {
    /// The version that API servers serve.
    pub const fn served(&self) -> &Version {
        &self.versions[0]
    }

    /// The version with this `apiVersion`.
    pub fn version(&self, api_version: &str) -> Option<&Version> {
        self.versions.iter().find(|it| it.api_version == api_version)
    }

    /// Whether an object with this `apiVersion` and `kind` is of this kind, in any version.
    pub fn is(&self, api_version: &str, kind: &str) -> bool {
        kind == self.name && self.is_group_of(api_version)
    }

    /// Whether an unfinished object is of this kind: its `apiVersion` may still be missing.
    pub fn may_become(&self, api_version: Option<&str>, kind: Option<&str>) -> bool {
        kind == Some(self.name) && api_version.is_none_or(|it| self.is_group_of(it))
    }

    /// Whether an object whose `kind` field is `kind` is a list of objects of `self`.
    pub fn is_list(&self, kind: &str) -> bool {
        kind == "List" || kind == self.list
    }

    /// Whether a file contains the name of the kind. Most files do not, and need not be parsed.
    pub fn is_named_in(&self, text: &str) -> bool {
        text.contains(self.name)
    }

    /// The name of the kind and the group. Every file with such an object contains at least one of these strings: an author might write one with
    /// escapes, but hardly both.
    pub const fn signs(&self) -> [&'static str; 2] {
        [self.name, self.group]
    }

    /// Whether a line of a file, which may be a template, declares this kind.
    pub fn is_said_in(&self, text: &str) -> bool {
        text.lines()
            .any(|line| line.trim_end().strip_prefix("kind: ") == Some(self.name))
    }

    fn is_group_of(&self, api_version: &str) -> bool {
        parse_group_version(api_version).is_ok_and(|(group, _)| group == self.group)
    }
}

/// The group and version of an `apiVersion` (`schema.ParseGroupVersion`).
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
