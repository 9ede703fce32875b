//! A CRD as lints see it: its versions, each with what it has, whether all versions share it or not.

use crd_analyzer_apiextensions::{
    internal::Hoisted,
    types::{ColumnDefinition, Spec, Subresources},
};
use crd_analyzer_schema::{
    field::{Path, Segment},
    structural::Structural,
};

/// A CRD.
#[derive(Debug)]
pub struct Crd<'a> {
    /// Its `spec`, in the internal form.
    pub spec: &'a Spec,
    /// Its versions, in their order.
    pub versions: Vec<Version<'a>>,
}

/// One version, with its schema.
#[derive(Debug)]
pub struct Version<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether it is the storage version.
    pub storage: bool,
    /// The path of the version.
    pub path: Path,
    /// `None` if it has none, or if it has no structural form.
    pub schema: Option<Structural<'a>>,
    /// The path of the schema. Versions that share it have the same.
    pub schema_path: Path,
    /// Its printer columns.
    pub columns: &'a [ColumnDefinition],
    /// Its subresources.
    pub subresources: Option<&'a Subresources>,
    /// Fields that the schema does not have are kept.
    pub keeps_unknown_fields: bool,
}

impl<'a> Crd<'a> {
    /// `hoisted`: what the conversion to the internal form moved.
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

    /// The schemas, each with its version; one that versions share only once.
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

/// The path of the version that a place is in, as the author wrote it: `spec.versions[0]`.
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
