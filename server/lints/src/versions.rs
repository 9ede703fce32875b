//! The versions of a CRD, each with what it has, whether all versions share it or not.

use crd_analyzer_apiextensions::{
    internal::Hoisted,
    types::{ColumnDefinition, Spec, Subresources},
};
use crd_analyzer_schema::{field::Path, structural::Structural};

use crate::{Lint, Problem};

/// One version, with its schema.
pub(crate) struct Version<'a> {
    pub(crate) name: &'a str,
    pub(crate) served: bool,
    pub(crate) storage: bool,
    /// The path of the version.
    pub(crate) path: Path,
    /// `None` if it has none, or if it has no structural form.
    pub(crate) schema: Option<Structural<'a>>,
    /// The path of the schema. Versions that share it have the same.
    pub(crate) schema_path: Path,
    pub(crate) columns: &'a [ColumnDefinition],
    pub(crate) subresources: Option<&'a Subresources>,
    /// Fields that the schema does not have are kept.
    pub(crate) keeps_unknown_fields: bool,
}

/// The versions, in the order of the CRD.
pub(crate) fn of(spec: &Spec, hoisted: Hoisted) -> Vec<Version<'_>> {
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
    versions.collect()
}

/// The schemas, each with its path and its version; one that versions share only once.
pub(crate) fn schemas<'v, 'a>(versions: &'v [Version<'a>]) -> impl Iterator<Item = (Structural<'a>, &'v Version<'a>)> {
    let mut seen: Vec<&Path> = Vec::new();
    versions.iter().filter_map(move |version| {
        let schema = version.schema?;
        let is_new = !seen.contains(&&version.schema_path);
        seen.push(&version.schema_path);
        is_new.then_some((schema, version))
    })
}

/// A CRD without a served version.
pub(crate) fn find(spec: &Spec, found: &mut Vec<Lint>) {
    if !spec.versions.is_empty() && spec.versions.iter().all(|it| !it.served) {
        found.push(Problem::NoServedVersion.at(Path::of(["spec", "versions"])));
    }
}
