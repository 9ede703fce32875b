//! Subresources (`ValidateCustomResourceDefinitionSubresources`).

use std::collections::HashMap;

use crd_analyzer_schema::field::{Error, Path};

use super::bad_value::Render;
use super::printer_columns::simple_json_path_error;
use super::report::invalid_string;
use super::version_fields::has_per_version_subresources;
use crate::codes;
use crate::types::{Spec, Subresources, Version};

/// Checks `scale`. The subresource `status` needs no check.
pub(super) fn validate_subresources(
    subresources: Option<&Subresources>,
    path: &Path,
    render: Render,
    errors: &mut Vec<Error>,
) {
    let Some(scale) = subresources.and_then(|it| it.scale.as_ref()) else {
        return;
    };
    // Each of these names is one segment of the API server's path, although it contains a dot.
    let replicas = [
        ("scale.specReplicasPath", &scale.spec_replicas_path, ".spec."),
        ("scale.statusReplicasPath", &scale.status_replicas_path, ".status."),
    ];
    for (field, json_path, prefix) in replicas {
        if json_path.is_empty() {
            errors.push(Error::required(codes::MISSING_SCALE_PATH, path.child(field), ""));
        } else if let Some(error) = simple_json_path_error(json_path, || path.child(field)) {
            errors.push(error);
        } else if !json_path.starts_with(prefix) {
            let detail = format!("should be a json path under {}", prefix.trim_end_matches('.'));
            errors.push(invalid_string(
                codes::SCALE_PATH_ELSEWHERE,
                path.child(field),
                json_path,
                detail,
            ));
        }
    }
    if let Some(json_path) = scale.label_selector_path.as_deref().filter(|it| !it.is_empty()) {
        let path = || path.child("scale.labelSelectorPath");
        if let Some(error) = simple_json_path_error(json_path, path) {
            errors.push(error);
        } else if !json_path.starts_with(".spec.") && !json_path.starts_with(".status.") {
            let bad_value = render.string_pointer(Some(json_path));
            let detail = "should be a json path under either .spec or .status";
            errors.push(Error::invalid(codes::SCALE_PATH_ELSEWHERE, path(), bad_value, detail));
        }
    }
}

/// Whether the CRD or version has a `status` subresource (`hasStatusEnabled`).
pub(super) fn has_status(subresources: Option<&Subresources>) -> bool {
    subresources.is_some_and(|it| it.status.is_some())
}

/// For each version, whether it has a status subresource (`getSubresourcesForVersion`): all versions have it if they share one; otherwise each
/// version uses the subresources of the first version with the same name.
pub(super) fn versions_with_status(spec: &Spec) -> Vec<bool> {
    if !has_per_version_subresources(&spec.versions) {
        return vec![has_status(spec.subresources.as_ref()); spec.versions.len()];
    }
    let mut first_of_name = HashMap::new();
    let of_version = |it: &Version| has_status(it.subresources.as_ref());
    let versions = spec.versions.iter();
    versions
        .map(|it| *first_of_name.entry(it.name.as_str()).or_insert_with(|| of_version(it)))
        .collect()
}
