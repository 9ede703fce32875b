//! A CRD to compare with another one.

use std::collections::HashMap;

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_apiextensions::types::{CustomResourceDefinition, Spec, Version};
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_resource::{Definition, ServedVersion};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Map, Value};

use crate::replay;

/// A CRD as stored in an API server of one Kubernetes version.
#[derive(Debug)]
pub struct Subject {
    crd: CustomResourceDefinition,
    definition: Definition,
    /// The index of each version. If several versions have the same name (which API servers reject), the first one wins.
    positions: HashMap<String, usize>,
}

impl Subject {
    /// Prepares a CRD for comparisons.
    pub fn new(stored: Stored, kubernetes: KubernetesVersion) -> Self {
        let crd = stored.definition().clone();
        let mut positions = HashMap::new();
        // Versions without a name are excluded from comparisons.
        let named = crd.spec.versions.iter().enumerate();
        for (position, version) in named.filter(|it| !it.1.name.is_empty()) {
            positions.entry(version.name.clone()).or_insert(position);
        }
        Self {
            crd,
            positions,
            definition: Definition::new(stored, kubernetes),
        }
    }

    /// `metadata.name`
    pub fn name(&self) -> &str {
        &self.crd.metadata.name
    }

    /// The CRD, in the internal form.
    pub(crate) const fn definition(&self) -> &CustomResourceDefinition {
        &self.crd
    }

    /// The internal form of `spec`.
    pub(crate) const fn spec(&self) -> &Spec {
        &self.crd.spec
    }

    /// The Kubernetes version of the API server.
    pub fn kubernetes(&self) -> KubernetesVersion {
        self.definition.kubernetes()
    }

    /// A version by its name, with its index.
    pub(crate) fn version(&self, name: &str) -> Option<(usize, &Version)> {
        let position = *self.positions.get(name)?;
        Some((position, &self.crd.spec.versions[position]))
    }

    /// The index of a version in `spec.versions`.
    pub fn version_position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// The versions with their indices, each name once.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (usize, &Version)> {
        let versions = self.crd.spec.versions.iter().enumerate();
        versions.filter(|(position, it)| self.positions.get(&it.name) == Some(position))
    }

    /// The name of the storage version.
    pub fn storage_version(&self) -> Option<&str> {
        let mut versions = self.crd.spec.versions.iter();
        versions.find(|it| it.storage).map(|it| it.name.as_str())
    }

    /// The served version that validates objects; `None` if the version is not served.
    pub(crate) fn served(&self, version: &str) -> Option<ServedVersion<'_>> {
        self.definition
            .serving(&self.api_version(version), &self.crd.spec.names.kind)
            .ok()
    }

    /// The version for reading objects, even if it is not served.
    pub fn any_version(&self, version: &str) -> Option<ServedVersion<'_>> {
        self.definition.any_version(version)
    }

    /// The names of the served versions, in the order of the CRD.
    pub fn served_versions(&self) -> impl Iterator<Item = &str> {
        let versions = self.crd.spec.versions.iter().filter(|it| it.served);
        versions.map(|it| it.name.as_str())
    }

    /// Whether a webhook converts objects.
    pub fn has_webhook(&self) -> bool {
        self.crd
            .spec
            .conversion
            .as_ref()
            .is_some_and(|it| it.strategy == "Webhook")
    }

    /// The `ConversionReview` versions that the webhook supports; `v1` without a webhook.
    pub fn conversion_review_versions(&self) -> Vec<String> {
        let conversion = self.crd.spec.conversion.as_ref();
        let versions = conversion.and_then(|it| it.conversion_review_versions.clone());
        versions.unwrap_or_else(|| vec!["v1".to_owned()])
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        &self.crd.spec.names.kind
    }

    /// The kind for lists of these objects.
    pub fn list_kind(&self) -> &str {
        &self.crd.spec.names.list_kind
    }

    /// Whether the CRD defines this group and kind.
    pub fn defines_kind(&self, group: &str, kind: &str) -> bool {
        (group, kind) == (&*self.crd.spec.group, &*self.crd.spec.names.kind)
    }

    /// Whether the CRD and another CRD define the same group and kind.
    pub(crate) fn defines_same(&self, other: &Self) -> bool {
        self.defines_kind(&other.crd.spec.group, &other.crd.spec.names.kind)
    }

    /// The group, and the plural name of the kind.
    pub fn resource(&self) -> (&str, &str) {
        (&self.crd.spec.group, &self.crd.spec.names.plural)
    }

    /// Whether an object belongs to this CRD, in any version.
    pub fn defines(&self, object: &Map<String, Value>) -> bool {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map(|it| it.0);
        group == Some(&*self.crd.spec.group) && text("kind") == self.crd.spec.names.kind
    }

    /// The API server's message if a served version rejects the creation of an object.
    pub fn refusal(&self, version: &str, object: &Value) -> Option<String> {
        let version = self.served(version)?;
        budget::within(Limits::DOCUMENT, || replay::refusal(version, object)).0
    }

    /// The `apiVersion` of objects in a version.
    pub fn api_version(&self, version: &str) -> String {
        format!("{}/{version}", self.crd.spec.group)
    }
}
