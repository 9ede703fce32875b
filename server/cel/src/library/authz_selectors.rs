//! Selectors of the authorizer (`k8s.io/apiserver/pkg/cel/library`, `AuthzSelectors`).

use super::costs::{LIST, STRING, STRUCT, traversal};
use super::declaration::{Cost, Counted, Function, Library, cost, function, never_called};
use crate::cost::CostEstimate;

/// Field and label selectors for the authorizer.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.authzSelectors",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "fieldSelector",
        "The authorizer for objects that a field selector selects.",
        Counted::ByName(SELECTOR),
        &[],
        &[never_called(
            "authorizer_fieldselector",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
            SELECTOR,
        )],
    ),
    function(
        "labelSelector",
        "The authorizer for objects that a label selector selects.",
        Counted::ByName(SELECTOR),
        &[],
        &[never_called(
            "authorizer_labelselector",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
            SELECTOR,
        )],
    ),
];

/// The cost of parsing the selector and creating its requirements.
const SELECTOR: Cost = cost(
    |coster, call| {
        let size = coster.library_size(call.args.first()?);
        let requirements = size.times_factor(0.5).times_factor((LIST + STRUCT) as f64);
        Some(
            call.costs(
                CostEstimate::fixed(LIST)
                    .plus(size.times_factor(STRING))
                    .plus(requirements),
            ),
        )
    },
    |call| {
        let length = call.size(1) as f64;
        let requirements = (length * 0.5).ceil();
        Ok(LIST + traversal(length) + (requirements * (LIST + STRUCT) as f64).ceil() as u64)
    },
);
