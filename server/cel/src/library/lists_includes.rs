//! Version 1 of Kubernetes' functions on lists: the additions to version 0 (`k8s.io/apiserver/pkg/cel/library`, `Lists`).

use super::costs::{SCAN, estimate_scan};
use super::declaration::{Cost, Counted, Estimate, Function, Library, function, overload};
use crate::cost::CostEstimate;
use crate::value::{Value, equal};

/// `includes`, which also accepts an individual value instead of a list.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.lists.v1",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[function(
    "includes",
    "Whether a list has the element. A value that is not a list is compared with the element itself.",
    Counted::ByName(INCLUDES),
    &[("[1, 2, 3].includes(2)", "true"), ("'a'.includes('a')", "true")],
    &[overload(
        "list_includes_dyn_dyn",
        "dyn.(dyn) -> bool",
        INCLUDES,
        |_, args| {
            Ok(Value::Bool(match &args[0] {
                Value::List(list) => list.iter().flatten().any(|e| matches!(equal(&e, &args[1]), Ok(true))),
                value => matches!(equal(value, &args[1]), Ok(true)),
            }))
        },
    )],
)];

/// The cost of reading every element. The estimate treats a value that is not a list as a list of unknown length.
const INCLUDES: Cost = Cost {
    estimate: Estimate::Sized(|coster, call| {
        estimate_scan(coster, call).or_else(|| {
            let size = coster.library_size(call.target?);
            Some(call.costs(size.times_cost(CostEstimate::fixed(1))))
        })
    }),
    actual: SCAN.actual,
};
