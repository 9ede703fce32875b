//! `metadata.managedFields`.

use crd_analyzer_cel::KubernetesVersion;

use super::ManagedFieldsEntry;
use super::validation::named_string;
use crate::codes;
use crate::field::{Error, Trail};
use crate::go::{is_print, quote};

/// The maximum length of a field manager's name, in bytes (`FieldManagerMaxLength`).
const MANAGER_MAX_LENGTH: usize = 128;
/// The maximum length of a subresource's name, in bytes (`MaxSubresourceNameLength`).
const SUBRESOURCE_MAX_LENGTH: usize = 256;

/// `ValidateManagedFields` of `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.
pub fn validate_managed_fields(
    entries: &[ManagedFieldsEntry],
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let code = codes::INVALID_MANAGED_FIELDS;
    for (n, entry) in entries.iter().enumerate() {
        let at = at.index(n);
        let operation = entry.operation.as_str();
        if !matches!(operation, "Apply" | "Update") {
            let path = at.child("operation").path();
            let bad_value = named_string(operation, version);
            errors.push(if version < KubernetesVersion::minor(37) {
                Error::invalid(code, path, bad_value, "must be `Apply` or `Update`")
            } else if operation.is_empty() {
                Error::required(code, path, "must not be empty")
            } else {
                Error::not_supported(code, path, bad_value, &["Apply", "Update"])
            });
        }
        if !entry.fields_type.is_empty() && entry.fields_type != "FieldsV1" {
            errors.push(Error::invalid(
                code,
                at.child("fieldsType").path(),
                quote(&entry.fields_type),
                "must be `FieldsV1`",
            ));
        }
        validate_manager(&entry.manager, &at.child("manager"), version, errors);
        if entry.subresource.len() > SUBRESOURCE_MAX_LENGTH {
            let path = at.child("subresource").path();
            errors.push(Error::too_long(code, path, SUBRESOURCE_MAX_LENGTH, version));
        }
    }
}

/// `ValidateFieldManager`
fn validate_manager(manager: &str, at: &Trail<'_>, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let code = codes::INVALID_MANAGED_FIELDS;
    if manager.len() > MANAGER_MAX_LENGTH {
        errors.push(Error::too_long(code, at.path(), MANAGER_MAX_LENGTH, version));
    }
    for (offset, c) in manager.char_indices().filter(|&(_, c)| !is_print(c)) {
        errors.push(Error::invalid(
            code,
            at.path(),
            quote(manager),
            format!("invalid character U+{:04X} (at position {offset})", c as u32),
        ));
    }
}
