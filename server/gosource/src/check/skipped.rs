//! Finds versions that are left out, but have markers that need the version. controller-gen applies the markers of a kind in no fixed order, so it
//! fails in some of its runs.

use super::{Finding, Problem, types::Types};

/// The marker that leaves out a version.
const SKIPPED: &str = "kubebuilder:skipversion";

/// The markers for which controller-gen fails if the version has been left out before.
const NEED_VERSION: [&str; 4] = [
    "kubebuilder:printcolumn",
    "kubebuilder:selectablefield",
    "kubebuilder:subresource:scale",
    "kubebuilder:subresource:status",
];

/// Finds the markers that leave out a version which other markers of the type need.
pub(super) fn find(types: &Types) -> Vec<Finding> {
    let of_type = types.declared.values().filter_map(|declared| {
        let skipped = declared.markers.iter().find(|it| it.name == SKIPPED)?;
        let other = declared.markers.iter().find(|it| NEED_VERSION.contains(&it.name))?;
        let start = skipped.span.start + 1;
        Some(Finding {
            span: start..start + SKIPPED.len(),
            problem: Problem::Skipped {
                other: other.name.to_owned(),
                first: other.span.clone(),
            },
        })
    });
    of_type.collect()
}
