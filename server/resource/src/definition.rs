//! The data that an API server prepares for each CRD that it serves.

mod compiled;
mod deprecation;

use std::fmt;
use std::sync::Arc;

use crd_analyzer_apiextensions::kind::parse_group_version;
use crd_analyzer_apiextensions::strategy::Stored as StoredCrd;
use crd_analyzer_apiextensions::types::{ColumnDefinition, SelectableField, SubresourceScale};
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, go};

pub(crate) use compiled::Compiled;

/// A CRD as an API server of one Kubernetes version serves it (`getOrCreateServingInfoFor` of `pkg/apiserver`).
///
/// Creating a definition is cheap: patterns and rules are compiled when a resource first needs them, and are then kept.
#[derive(Debug)]
pub struct Definition {
    kubernetes: KubernetesVersion,
    group: String,
    kind: String,
    plural: String,
    is_namespaced: bool,
    preserves_unknown_fields: bool,
    versions: Vec<Version>,
}

/// One version of a CRD.
#[derive(Debug)]
struct Version {
    name: String,
    is_served: bool,
    /// The deprecation warning, if the version is deprecated.
    deprecation: Option<String>,
    /// The compiled schema, shared by all versions with the same schema. `None` without a schema.
    schema: Option<Arc<Compiled>>,
    /// The reason why the API server cannot serve the version.
    failure: Option<String>,
    has_status: bool,
    scale: Option<SubresourceScale>,
    selectable_fields: Vec<SelectableField>,
    columns: Vec<ColumnDefinition>,
}

/// A version of a CRD that validates resources.
#[derive(Clone, Copy, Debug)]
pub struct ServedVersion<'d> {
    definition: &'d Definition,
    index: usize,
}

/// The reason why no version of a CRD can validate a resource, as the message of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotServed {
    /// The `apiVersion` is malformed.
    Malformed(String),
    /// The CRD is for another group or kind.
    OtherKind(String),
    /// The CRD has no such version, or does not serve it.
    Version(String),
    /// The schema of the version has an error that makes it unusable. An API server does not accept such a CRD.
    Broken(String),
}

impl fmt::Display for NotServed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(text) | Self::OtherKind(text) | Self::Version(text) | Self::Broken(text) => {
                f.write_str(text)
            }
        }
    }
}

impl std::error::Error for NotServed {}

impl Definition {
    /// Prepares a stored CRD, even if an API server would no longer accept it.
    pub fn new(stored: StoredCrd, kubernetes: KubernetesVersion) -> Self {
        let mut spec = stored.into_definition().spec;
        let deprecations: Vec<Option<String>> = (0..spec.versions.len())
            .map(|index| deprecation::warning(&spec, index))
            .collect();
        let compile = |schema: Option<JsonSchemaProps>| match schema.map(|it| Compiled::new(it, kubernetes)) {
            None => (None, None),
            Some(Ok(compiled)) => (Some(Arc::new(compiled)), None),
            Some(Err(failure)) => (None, Some(failure)),
        };
        // The shared schema is compiled once. Schemas are moved instead of copied, because they can be large.
        let shared = compile(spec.validation.take().and_then(|it| it.open_api_v3_schema));
        let versions =
            std::mem::take(&mut spec.versions)
                .into_iter()
                .zip(deprecations)
                .map(|(mut version, deprecation)| {
                    let (schema, failure) = match version.schema.take() {
                        Some(schema) => compile(schema.open_api_v3_schema),
                        None => shared.clone(),
                    };
                    let subresources = spec.subresources_of(&version).cloned().unwrap_or_default();
                    let selectable_fields = spec.selectable_fields_of(&version).to_vec();
                    let columns = spec.columns_of(&version).to_vec();
                    Version {
                        name: version.name,
                        is_served: version.served,
                        deprecation,
                        schema,
                        failure,
                        has_status: subresources.status.is_some(),
                        scale: subresources.scale,
                        selectable_fields,
                        columns,
                    }
                });
        Self {
            kubernetes,
            versions: versions.collect(),
            group: spec.group,
            kind: spec.names.kind,
            plural: spec.names.plural,
            is_namespaced: spec.scope == "Namespaced",
            preserves_unknown_fields: spec.preserve_unknown_fields == Some(true),
        }
    }

    /// The Kubernetes version of the API server.
    pub const fn kubernetes(&self) -> KubernetesVersion {
        self.kubernetes
    }

    /// The group of the resources.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The kind of the resources.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The plural name of the resources.
    pub fn plural(&self) -> &str {
        &self.plural
    }

    /// Whether the resources are namespaced.
    pub const fn is_namespaced(&self) -> bool {
        self.is_namespaced
    }

    /// The names of all versions, in the order of the CRD.
    pub fn version_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.versions.iter().map(|it| it.name.as_str())
    }

    /// The `apiVersion`s of all served versions.
    pub fn served_versions(&self) -> Vec<String> {
        self.api_versions(|it| it.is_served)
    }

    /// The `apiVersion`s of all served versions that are not deprecated.
    pub fn current_versions(&self) -> Vec<String> {
        self.api_versions(|it| it.is_served && it.deprecation.is_none())
    }

    /// Whether the CRD has any version, served or not.
    pub fn has_versions(&self) -> bool {
        !self.versions.is_empty()
    }

    fn api_versions(&self, is_meant: impl Fn(&Version) -> bool) -> Vec<String> {
        let meant = self.versions.iter().filter(|it| is_meant(it));
        meant.map(|it| format!("{}/{}", self.group, it.name)).collect()
    }

    /// The version that validates a resource with this `apiVersion` and `kind`.
    pub fn serving(&self, api_version: &str, kind: &str) -> Result<ServedVersion<'_>, NotServed> {
        let (group, version) = parse_group_version(api_version).map_err(NotServed::Malformed)?;
        let words = || {
            format!(
                "no matches for kind {} in version {}",
                go::quote(kind),
                go::quote(api_version)
            )
        };
        if group != self.group || kind != self.kind {
            return Err(NotServed::OtherKind(words()));
        }
        // If two versions have the same name, the API server uses the last version.
        match self.versions.iter().rposition(|it| it.name == version) {
            Some(index) if self.versions[index].failure.is_some() => {
                let failure = self.versions[index].failure.as_deref().unwrap_or_default();
                Err(NotServed::Broken(format!("version {version}: {failure}")))
            }
            Some(index) if self.versions[index].is_served => Ok(ServedVersion {
                definition: self,
                index,
            }),
            _ => Err(NotServed::Version(words())),
        }
    }
}

impl Definition {
    /// A version, even if it is not served, because resources may also be stored in such a version. `None` if no version has this name, or if its
    /// schema cannot be compiled.
    pub fn any_version(&self, name: &str) -> Option<ServedVersion<'_>> {
        let index = self.versions.iter().rposition(|it| it.name == name)?;
        self.versions[index].failure.is_none().then_some(ServedVersion {
            definition: self,
            index,
        })
    }
}

impl<'d> ServedVersion<'d> {
    /// The CRD.
    pub const fn definition(self) -> &'d Definition {
        self.definition
    }

    /// The index of the version in `spec.versions`.
    pub const fn index(self) -> usize {
        self.index
    }

    /// The name of the version.
    pub fn name(self) -> &'d str {
        &self.version().name
    }

    /// The schema of the resources, with pruned defaults.
    pub fn schema(self) -> Option<&'d JsonSchemaProps> {
        self.compiled().map(Compiled::schema)
    }

    /// Whether the version has a status subresource.
    pub fn has_status(self) -> bool {
        self.version().has_status
    }

    /// The scale subresource.
    pub fn scale(self) -> Option<&'d SubresourceScale> {
        self.version().scale.as_ref()
    }

    /// The selectable fields.
    pub fn selectable_fields(self) -> &'d [SelectableField] {
        &self.version().selectable_fields
    }

    /// The printer columns.
    pub fn columns(self) -> &'d [ColumnDefinition] {
        &self.version().columns
    }

    /// The path of the schema in the CRD's document.
    pub fn schema_path(self) -> Path {
        self.path().child("schema").child("openAPIV3Schema")
    }

    /// The path of the version in the CRD's document.
    pub fn path(self) -> Path {
        Path::of(["spec", "versions"]).index(self.index)
    }

    /// Whether the version has neither a schema nor `preserveUnknownFields: true`. The API server accepts no such CRD.
    pub fn lacks_schema(self) -> bool {
        self.compiled().is_none() && !self.preserves_unknown_fields()
    }

    pub(crate) fn compiled(self) -> Option<&'d Compiled> {
        self.version().schema.as_deref()
    }

    pub(crate) fn preserves_unknown_fields(self) -> bool {
        self.definition.preserves_unknown_fields
    }

    pub(crate) fn deprecation(self) -> Option<&'d str> {
        self.version().deprecation.as_deref()
    }

    pub(crate) fn kubernetes(self) -> KubernetesVersion {
        self.definition.kubernetes
    }

    fn version(self) -> &'d Version {
        &self.definition.versions[self.index]
    }
}
