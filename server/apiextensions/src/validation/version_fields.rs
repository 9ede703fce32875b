//! Fields that are set per version or shared by all versions (`hasPerVersion…`, `hasIdenticalPerVersion…`,
//! `GetSchemaForVersion`).

use std::collections::HashMap;

use crate::types::{Spec, Validation, Version};

/// Whether any version has its own schema.
pub(super) fn has_per_version_schemas(versions: &[Version]) -> bool {
    versions.iter().any(|it| it.schema.is_some())
}

/// Whether any version has its own subresources.
pub(super) fn has_per_version_subresources(versions: &[Version]) -> bool {
    versions.iter().any(|it| it.subresources.is_some())
}

/// Whether any version has its own printer columns.
pub(super) fn has_per_version_columns(versions: &[Version]) -> bool {
    versions.iter().any(has_columns)
}

fn has_columns(version: &Version) -> bool {
    version
        .additional_printer_columns
        .as_ref()
        .is_some_and(|it| !it.is_empty())
}

/// Whether all versions have the same schema.
pub(super) fn has_identical_schemas(versions: &[Version]) -> bool {
    all_alike(versions, |it| it.schema.is_some(), |a, b| a.schema == b.schema)
}

/// Whether all versions have the same subresources.
pub(super) fn has_identical_subresources(versions: &[Version]) -> bool {
    all_alike(
        versions,
        |it| it.subresources.is_some(),
        |a, b| a.subresources == b.subresources,
    )
}

/// Whether all versions have the same printer columns.
pub(super) fn has_identical_columns(versions: &[Version]) -> bool {
    all_alike(versions, has_columns, |a, b| {
        a.additional_printer_columns == b.additional_printer_columns
    })
}

fn all_alike(
    versions: &[Version],
    is_set: impl Fn(&Version) -> bool,
    is_same: impl Fn(&Version, &Version) -> bool,
) -> bool {
    let Some((first, rest)) = versions.split_first() else {
        return false;
    };
    is_set(first) && rest.iter().all(|it| is_set(it) && is_same(first, it))
}

/// The schemas of all versions by name. If versions have the same name, the first version applies (`GetSchemaForVersion`). The API server finds no
/// schemas if the CRD has both a shared schema and schemas per version.
pub(super) struct SchemasByName<'s> {
    shared: Option<&'s Validation>,
    single: Option<HashMap<&'s str, Option<&'s Validation>>>,
}

impl<'s> SchemasByName<'s> {
    pub(super) fn new(spec: &'s Spec) -> Self {
        let shared = spec.validation.as_ref();
        let single = has_per_version_schemas(&spec.versions).then(|| {
            let mut schemas = HashMap::new();
            if shared.is_none() {
                for version in &spec.versions {
                    schemas.entry(version.name.as_str()).or_insert(version.schema.as_ref());
                }
            }
            schemas
        });
        Self { shared, single }
    }

    /// The schema of the version `name`. The outer `None` means that the API server does not find the version.
    #[expect(
        clippy::option_option,
        reason = "the outer option says whether the version is known, the inner one whether it has a schema"
    )]
    pub(super) fn get(&self, name: &str) -> Option<Option<&'s Validation>> {
        match &self.single {
            None => Some(self.shared),
            Some(single) => single.get(name).copied(),
        }
    }
}
