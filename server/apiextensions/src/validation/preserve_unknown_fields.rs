//! Errors about `spec.preserveUnknownFields`, which v1 forbids on its own, with defaults, and with a conversion strategy.

use crd_analyzer_schema::field::{Error, Path};

use crate::codes;
use crate::types::CustomResourceDefinition;

/// The error for a CRD that newly sets the field (`validatePreserveUnknownFields`).
pub(super) fn preserve_unknown_fields_error(
    definition: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
) -> Option<Error> {
    let preserves = |it: &CustomResourceDefinition| it.spec.preserve_unknown_fields == Some(true);
    if old.is_some_and(preserves) || !preserves(definition) {
        return None;
    }
    Some(Error::invalid(
        codes::PRESERVED_UNKNOWN_FIELDS,
        Path::of(["spec", "preserveUnknownFields"]),
        "true",
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ))
}

/// The error for a CRD that has defaults and preserves unknown fields.
pub(super) fn preserved_with_defaults(path: &Path) -> Error {
    Error::invalid(
        codes::PRESERVED_UNKNOWN_FIELDS,
        path.child("preserveUnknownFields"),
        "true",
        "must be false in order to use defaults in the schema",
    )
}

/// The error for a CRD that converts by a webhook and preserves unknown fields. `strategy` is already rendered.
pub(super) fn preserved_with_conversion(path: &Path, strategy: String) -> Error {
    Error::invalid(
        codes::PRESERVED_UNKNOWN_FIELDS,
        path.child("conversion").child("strategy"),
        strategy,
        "must be None if spec.preserveUnknownFields is true",
    )
}
