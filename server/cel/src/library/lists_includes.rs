//! What version 1 of Kubernetes' functions on lists adds (`k8s.io/apiserver/pkg/cel/library`, `Lists`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// `includes`, which also takes a single value for a list of one.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.lists.v1",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[function(
    "includes",
    "Whether a list has the element, or a value that is no list equals it.",
)
.examples(&[("[1, 2, 3].includes(2)", "true"), ("'a'.includes('a')", "true")])
.cost(calls::includes)
.overloads(&[overload("list_includes_dyn_dyn", "dyn.(dyn) -> bool")])];
