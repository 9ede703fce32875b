//! Set operations on lists (`cel-go` `ext.Sets`).

use super::declaration::{Cost, Counted, Function, Library, cost, function, overload};
use super::operands::elements;
use crate::KubernetesVersion;
use crate::cost::{Call, CallEstimate, CostEstimate, Coster};
use crate::value::{List, Result, Value};

/// The sets library.
pub(super) const LIBRARY: Library = Library {
    name: "sets",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "sets.contains",
        "Whether the first list has all elements of the second.",
        Counted::ByOverload,
        &[("sets.contains([1, 2, 3], [2, 3])", "true")],
        &[overload(
            "list_sets_contains_list",
            "(list(T), list(T)) -> bool",
            ONE_WAY,
            |_, args| contains_all(elements(&args[0])?, elements(&args[1])?).map(Value::Bool),
        )
        .work(pairs)],
    ),
    function(
        "sets.equivalent",
        "Whether both lists have the same elements, in any order and any number of times.",
        Counted::ByOverload,
        &[("sets.equivalent([1, 2], [2, 1, 1])", "true")],
        &[overload(
            "list_sets_equivalent_list",
            "(list(T), list(T)) -> bool",
            BOTH_WAYS,
            |_, args| {
                let (a, b) = (elements(&args[0])?, elements(&args[1])?);
                Ok(Value::Bool(contains_all(a, b)? && contains_all(b, a)?))
            },
        )
        .work(pairs)],
    ),
    function(
        "sets.intersects",
        "Whether the lists have an element in common.",
        Counted::ByOverload,
        &[("sets.intersects([1, 2], [2, 3])", "true")],
        &[overload(
            "list_sets_intersects_list",
            "(list(T), list(T)) -> bool",
            ONE_WAY,
            |_, args| {
                let (a, b) = (elements(&args[0])?, elements(&args[1])?);
                let any = a
                    .iter()
                    .flatten()
                    .any(|element| matches!(b.contains(&element), Ok(true)));
                Ok(Value::Bool(any))
            },
        )
        .work(pairs)],
    ),
];

/// The cost of comparing each element with every element of the other list.
const ONE_WAY: Cost = cost(
    |coster, call| estimate(coster, call, 1.0),
    |call| Ok(call.size(0).saturating_mul(call.size(1)).saturating_add(1)),
);

/// The cost of comparing in both directions.
const BOTH_WAYS: Cost = cost(
    |coster, call| estimate(coster, call, 2.0),
    |call| {
        let pairs = call.size(0).saturating_mul(call.size(1));
        Ok(pairs.saturating_mul(2).saturating_add(1))
    },
);

fn estimate(coster: &Coster<'_>, call: &Call<'_>, factor: f64) -> Option<CallEstimate> {
    let [left, right] = call.args else { return None };
    let pairs = coster.library_size(left).times(coster.library_size(right));
    Some(call.costs(pairs.times_factor(factor).plus(CostEstimate::fixed(1))))
}

/// The number of compared pairs of elements.
#[expect(
    clippy::unnecessary_wraps,
    reason = "one of the functions that tell the work of a call"
)]
fn pairs(_: KubernetesVersion, args: &[Value]) -> Result<u64> {
    Ok(match args {
        [Value::List(a), Value::List(b)] => (a.len() as u64).saturating_mul(b.len() as u64),
        _ => 0,
    })
}

fn contains_all(list: &List, part: &List) -> Result<bool> {
    for element in part.iter() {
        // An error is not equal to any element, but lists from a resource check the type first.
        if !list.contains(&element.unwrap_or_else(Value::failure))? {
            return Ok(false);
        }
    }
    Ok(true)
}
