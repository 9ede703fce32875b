//! What versions have of their own, and what they share (`hasPerVersion…`, `hasIdenticalPerVersion…`,
//! `GetSchemaForVersion`).

use crate::types::{Spec, Validation, Version};

/// Whether a version has a schema of its own.
pub(super) fn has_per_version_schemas(versions: &[Version]) -> bool {
    versions.iter().any(|it| it.schema.is_some())
}

/// Whether a version has subresources of its own.
pub(super) fn has_per_version_subresources(versions: &[Version]) -> bool {
    versions.iter().any(|it| it.subresources.is_some())
}

/// Whether a version has printer columns of its own.
pub(super) fn has_per_version_columns(versions: &[Version]) -> bool {
    versions.iter().any(has_columns)
}

fn has_columns(version: &Version) -> bool {
    version
        .additional_printer_columns
        .as_ref()
        .is_some_and(|it| !it.is_empty())
}

/// Whether all versions have one schema.
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

/// The schema of the version `name`; `None` if the server finds no answer (`GetSchemaForVersion`).
#[expect(clippy::option_option, reason = "no answer and the answer that there is no schema")]
pub(super) fn schema_of_version<'s>(spec: &'s Spec, name: &str) -> Option<Option<&'s Validation>> {
    if !has_per_version_schemas(&spec.versions) {
        return Some(spec.validation.as_ref());
    }
    if spec.validation.is_some() {
        return None;
    }
    let version = spec.versions.iter().find(|it| it.name == name)?;
    Some(version.schema.as_ref())
}
