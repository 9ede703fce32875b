//! Lists compared as sets (`cel-go` `ext.Sets`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The sets library.
pub(super) const LIBRARY: Library = Library {
    name: "sets",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "sets.contains",
        "Whether the first list has all elements of the second.",
    )
    .examples(&[("sets.contains([1, 2, 3], [2, 3])", "true")])
    .cost(calls::sets_once)
    .overloads(&[overload("list_sets_contains_list", "(list(T), list(T)) -> bool")]),
    function(
        "sets.equivalent",
        "Whether both lists have the same elements, however often and in whatever order.",
    )
    .examples(&[("sets.equivalent([1, 2], [2, 1, 1])", "true")])
    .cost(calls::sets_twice)
    .overloads(&[overload("list_sets_equivalent_list", "(list(T), list(T)) -> bool")]),
    function("sets.intersects", "Whether the lists have an element in common.")
        .examples(&[("sets.intersects([1, 2], [2, 3])", "true")])
        .cost(calls::sets_once)
        .overloads(&[overload("list_sets_intersects_list", "(list(T), list(T)) -> bool")]),
];
