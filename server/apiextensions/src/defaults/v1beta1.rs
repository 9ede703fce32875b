//! Defaults that the API server fills into a v1beta1 CRD (`pkg/apis/apiextensions/v1beta1`, `defaults.go`).

use super::name_defaults;
use crate::types::{Conversion, CustomResourceDefinition, Version};

/// Sets the defaults of scope, names, version and versions, conversion, and `preserveUnknownFields: true`. (The decoder has already set the port of a
/// webhook's service.)
pub fn set_defaults_v1beta1(definition: &mut CustomResourceDefinition) {
    let spec = &mut definition.spec;
    if spec.scope.is_empty() {
        "Namespaced".clone_into(&mut spec.scope);
    }
    name_defaults(&mut spec.names);
    if spec.versions.is_empty() && !spec.version.is_empty() {
        spec.has_empty_versions = false;
        spec.versions.push(Version {
            name: spec.version.clone(),
            served: true,
            storage: true,
            ..Version::default()
        });
    }
    if let Some(first) = spec.versions.first().filter(|_| spec.version.is_empty()) {
        spec.version.clone_from(&first.name);
    }
    let conversion = spec.conversion.get_or_insert_with(|| Conversion {
        strategy: "None".to_owned(),
        ..Conversion::default()
    });
    if conversion.strategy == "Webhook" && conversion.conversion_review_versions.as_ref().is_none_or(Vec::is_empty) {
        conversion.conversion_review_versions = Some(vec!["v1beta1".to_owned()]);
    }
    spec.preserve_unknown_fields.get_or_insert(true);
}
