//! `status.storedVersions`.

use std::collections::HashMap;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Cause, Error, Path};

use super::bad_value::Render;
use super::report;
use crate::codes;
use crate::types::{Status, Version};

/// Checks the versions in which resources have been stored (`ValidateCustomResourceDefinitionStoredVersions`).
pub(super) fn validate_stored_versions(
    status: &Status,
    versions: &[Version],
    path: &Path,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let path = path.child("storedVersions");
    let stored = &status.stored_versions;
    let render = Render::new(version);
    let code = codes::STORED_VERSIONS;
    if stored.is_empty() {
        // An absent list and an empty list are only printed differently before 1.34. In the status, the list is absent.
        let detail = "must have at least one stored version";
        errors.push(Error::invalid(code, path, render.strings(None), detail));
        return;
    }
    let mut missing: HashMap<&str, usize> = stored.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    for it in versions {
        let is_stored = missing.remove(it.name.as_str()).is_some();
        if it.storage && !is_stored {
            let detail = format!("must have the storage version {}", it.name);
            let error = Error::invalid(code, path.clone(), render.strings(Some(stored)), detail);
            errors.push(error.because(Cause::NotFound(it.name.clone())));
        }
    }
    let mut missing: Vec<(&str, usize)> = missing.into_iter().collect();
    missing.sort_unstable_by_key(|&(_, i)| i);
    for (name, i) in missing {
        let detail = if version >= KubernetesVersion::minor(33) {
            format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            )
        } else {
            "must appear in spec.versions".to_owned()
        };
        let error = report::invalid_string(code, path.index(i), name, detail);
        errors.push(error.because(Cause::NotFound(name.to_owned())));
    }
}
