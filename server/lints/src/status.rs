//! `status` without its subresource.

use crate::{Lint, Problem, versions::Version};

/// Versions whose schema has a `status` with properties, but that have no status subresource.
pub(crate) fn find(versions: &[Version<'_>], found: &mut Vec<Lint>) {
    for version in versions {
        let has_subresource = version.subresources.is_some_and(|it| it.status.is_some());
        let status = version.schema.and_then(|it| it.property("status"));
        let is_used = status.is_some_and(|it| !it.has_no_properties());
        let path = version.schema_path.child("properties").key("status");
        // Versions can share the schema.
        let is_told = || found.iter().any(|it: &Lint| it.path == path);
        if is_used && !has_subresource && !is_told() {
            found.push(Problem::StatusWithoutSubresource.at(path));
        }
    }
}
