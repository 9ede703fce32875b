//! A CRD in the form that lints use: each version has all of its parts, even if versions share them.

use crd_analyzer_apiextensions::{
    internal::Hoisted,
    types::{ColumnDefinition, Spec, Subresources},
};
use crd_analyzer_schema::{
    field::{Path, Segment},
    structural::Structural,
};

/// A CRD in the form that lints use.
#[derive(Debug)]
pub struct Crd<'a> {
    /// `spec` of the CRD, in the internal form.
    pub spec: &'a Spec,
    /// The versions of the CRD, in its order.
    pub versions: Vec<Version<'a>>,
}

/// One version, with its schema.
#[derive(Debug)]
pub struct Version<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether the API server serves the version.
    pub served: bool,
    /// Whether the version is the storage version.
    pub storage: bool,
    /// The path in the internal form.
    pub path: Path,
    /// The schema; `None` if it is missing or not structural.
    pub schema: Option<Structural<'a>>,
    /// The path of the schema. The path is the same for versions that share the schema.
    pub schema_path: Path,
    /// The printer columns.
    pub columns: &'a [ColumnDefinition],
    /// The subresources.
    pub subresources: Option<&'a Subresources>,
    /// Whether unknown fields are kept.
    pub keeps_unknown_fields: bool,
}

impl<'a> Crd<'a> {
    /// Creates the view. `hoisted` contains the parts that the conversion to the internal form moved.
    pub(crate) fn new(spec: &'a Spec, hoisted: Hoisted) -> Self {
        let versions = spec.versions.iter().enumerate().map(|(n, version)| {
            let path = Path::of(["spec", "versions"]).index(n);
            let place = if hoisted.validation {
                Path::of(["spec", "validation"])
            } else {
                path.child("schema")
            };
            Version {
                name: &version.name,
                served: version.served,
                storage: version.storage,
                schema: spec.schema_of(version).and_then(|it| Structural::new(it).ok()),
                schema_path: place.child("openAPIV3Schema"),
                columns: spec.columns_of(version),
                subresources: spec.subresources_of(version),
                keeps_unknown_fields: spec.preserve_unknown_fields == Some(true),
                path,
            }
        });
        Self {
            spec,
            versions: versions.collect(),
        }
    }

    /// The schemas, each with its version. A shared schema occurs only once.
    pub fn schemas(&self) -> impl Iterator<Item = (Structural<'a>, &Version<'a>)> {
        let mut seen: Vec<&Path> = Vec::new();
        self.versions.iter().filter_map(move |version| {
            let schema = version.schema?;
            let is_new = !seen.contains(&&version.schema_path);
            seen.push(&version.schema_path);
            is_new.then_some((schema, version))
        })
    }
}

/// The path of the version that contains a path of the author's document: `spec.versions[0]`.
pub(crate) fn version_at(place: &Path) -> Option<Path> {
    match place.segments() {
        [Segment::Field(spec), Segment::Field(versions), Segment::Index(n), ..]
            if spec == "spec" && versions == "versions" =>
        {
            Some(Path::of(["spec", "versions"]).index(*n))
        }
        _ => None,
    }
}
