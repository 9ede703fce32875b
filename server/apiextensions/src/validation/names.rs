//! Names of the resource (`ValidateCustomResourceDefinitionNames`), which must be DNS labels.

use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::go::to_lower;
use crd_analyzer_schema::metadata::names;

use super::report::invalid_string;
use crate::codes;
use crate::types::Names;

/// Checks the names at `path`. Each name may be absent.
pub(super) fn validate_names(names: &Names, path: &Path, errors: &mut Vec<Error>) {
    label(&names.plural, errors, || path.child("plural"));
    label(&names.singular, errors, || path.child("singular"));
    mixed_case_label(&names.kind, errors, || path.child("kind"));
    mixed_case_label(&names.list_kind, errors, || path.child("listKind"));
    required_labels(&names.short_names, errors, || path.child("shortNames"));

    if !names.kind.is_empty() && names.kind == names.list_kind {
        errors.push(invalid_string(
            codes::LIST_KIND_EQUALS_KIND,
            path.child("listKind"),
            &names.list_kind,
            "kind and listKind may not be the same",
        ));
    }

    required_labels(&names.categories, errors, || path.child("categories"));
}

fn label(name: &str, errors: &mut Vec<Error>, path: impl Fn() -> Path) {
    let wrong = names::dns1035_label(name);
    if !name.is_empty() && !wrong.is_empty() {
        errors.push(invalid_string(
            codes::INVALID_RESOURCE_NAME,
            path(),
            name,
            wrong.join(","),
        ));
    }
}

fn mixed_case_label(name: &str, errors: &mut Vec<Error>, path: impl Fn() -> Path) {
    let wrong = names::dns1035_label(&to_lower(name));
    if !name.is_empty() && !wrong.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
        errors.push(invalid_string(codes::INVALID_RESOURCE_NAME, path(), name, detail));
    }
}

fn required_labels(names: &[String], errors: &mut Vec<Error>, path: impl Fn() -> Path) {
    for (i, name) in names.iter().enumerate() {
        let wrong = names::dns1035_label(name);
        if !wrong.is_empty() {
            let path = path().index(i);
            errors.push(invalid_string(
                codes::INVALID_RESOURCE_NAME,
                path,
                name,
                wrong.join(","),
            ));
        }
    }
}
