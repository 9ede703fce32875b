//! Selectors of the authorizer (`k8s.io/apiserver/pkg/cel/library`, `AuthzSelectors`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// Field and label selectors for the authorizer.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.authzSelectors",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "fieldSelector",
        "The authorizer for objects that a field selector selects.",
    )
    .cost(calls::selector)
    .overloads(&[overload(
        "authorizer_fieldselector",
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
    function(
        "labelSelector",
        "The authorizer for objects that a label selector selects.",
    )
    .cost(calls::selector)
    .overloads(&[overload(
        "authorizer_labelselector",
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
];
