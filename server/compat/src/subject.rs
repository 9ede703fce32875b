//! A CRD that is compared with another one.

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_apiextensions::types::{CustomResourceDefinition, Spec, Version};
use crd_analyzer_resource::{Definition, ServedVersion};
use crd_analyzer_schema::KubernetesVersion;

/// A CRD as an API server of one Kubernetes version has it.
#[derive(Debug)]
pub struct Subject {
    crd: CustomResourceDefinition,
    definition: Definition,
}

impl Subject {
    /// Prepares a CRD for comparisons.
    pub fn new(stored: Stored, kubernetes: KubernetesVersion) -> Self {
        Self {
            crd: stored.definition().clone(),
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

    /// `spec`, in the internal form.
    pub(crate) const fn spec(&self) -> &Spec {
        &self.crd.spec
    }

    pub(crate) fn kubernetes(&self) -> KubernetesVersion {
        self.definition.kubernetes()
    }

    /// A version by its name, with its position.
    pub(crate) fn version(&self, name: &str) -> Option<(usize, &Version)> {
        let mut versions = self.crd.spec.versions.iter().enumerate();
        versions.find(|it| it.1.name == name)
    }

    /// The name of the storage version.
    pub(crate) fn storage_version(&self) -> Option<&str> {
        let mut versions = self.crd.spec.versions.iter();
        versions.find(|it| it.storage).map(|it| it.name.as_str())
    }

    /// What objects of a version are judged by, if it is served.
    pub(crate) fn served(&self, version: &str) -> Option<ServedVersion<'_>> {
        self.definition
            .serving(&self.api_version(version), &self.crd.spec.names.kind)
            .ok()
    }

    /// The `apiVersion` of objects of a version.
    pub(crate) fn api_version(&self, version: &str) -> String {
        format!("{}/{version}", self.crd.spec.group)
    }
}
