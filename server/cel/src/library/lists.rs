//! Functions on lists (`cel-go` `ext.Lists`, version 3).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The lists library as Kubernetes enables it since 1.34.
pub(super) const LIBRARY: Library = Library {
    name: "lists",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("slice", "The elements from one index up to another.")
        .examples(&[("[1, 2, 3, 4].slice(1, 3)", "[2, 3]")])
        .cost(calls::list_slice)
        .overloads(&[overload("list_slice", "list(T).(int, int) -> list(T)")]),
    function("flatten", "The elements of the lists in a list, to an optional depth.")
        .examples(&[("[[1], [2, 3]].flatten()", "[1, 2, 3]")])
        .cost(calls::list_flatten)
        .overloads(&[
            overload("list_flatten", "list(list(T)).() -> list(T)"),
            overload("list_flatten_int", "list(dyn).(int) -> list(dyn)"),
        ]),
    function("sort", "The elements in ascending order.")
        .examples(&[("[3, 1, 2].sort()", "[1, 2, 3]")])
        .overloads(&[
            overload("list_int_sort", "list(int).() -> list(int)").cost(calls::list_sort),
            overload("list_uint_sort", "list(uint).() -> list(uint)").cost(calls::list_sort),
            overload("list_double_sort", "list(double).() -> list(double)").cost(calls::list_sort),
            overload("list_bool_sort", "list(bool).() -> list(bool)").cost(calls::list_sort),
            overload(
                "list_google.protobuf.Duration_sort",
                "list(duration).() -> list(duration)",
            )
            .cost(calls::list_sort),
            overload(
                "list_google.protobuf.Timestamp_sort",
                "list(timestamp).() -> list(timestamp)",
            )
            .cost(calls::list_sort),
            overload("list_string_sort", "list(string).() -> list(string)").cost(calls::list_sort_text),
            overload("list_bytes_sort", "list(bytes).() -> list(bytes)").cost(calls::list_sort_text),
        ]),
    function(
        "@sortByAssociatedKeys",
        "The elements in the order of their keys; what sortBy expands to.",
    )
    .overloads(&[
        overload("list_int_sortByAssociatedKeys", "list(T).(list(int)) -> list(T)").cost(calls::list_sort_by),
        overload("list_uint_sortByAssociatedKeys", "list(T).(list(uint)) -> list(T)").cost(calls::list_sort_by),
        overload("list_double_sortByAssociatedKeys", "list(T).(list(double)) -> list(T)").cost(calls::list_sort_by),
        overload("list_bool_sortByAssociatedKeys", "list(T).(list(bool)) -> list(T)").cost(calls::list_sort_by),
        overload(
            "list_google.protobuf.Duration_sortByAssociatedKeys",
            "list(T).(list(duration)) -> list(T)",
        )
        .cost(calls::list_sort_by),
        overload(
            "list_google.protobuf.Timestamp_sortByAssociatedKeys",
            "list(T).(list(timestamp)) -> list(T)",
        )
        .cost(calls::list_sort_by),
        overload("list_string_sortByAssociatedKeys", "list(T).(list(string)) -> list(T)")
            .cost(calls::list_sort_by_text),
        overload("list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) -> list(T)").cost(calls::list_sort_by_text),
    ]),
    function("lists.range", "The ints from 0 up to a number.")
        .examples(&[("lists.range(3)", "[0, 1, 2]")])
        .cost(calls::list_range)
        .overloads(&[overload("lists_range", "(int) -> list(int)")]),
    function("reverse", "The elements from last to first.")
        .examples(&[("[1, 2].reverse()", "[2, 1]")])
        .cost(calls::list_reverse)
        .overloads(&[overload("list_reverse", "list(T).() -> list(T)")]),
    function("distinct", "The elements without those that came before.")
        .examples(&[("[1, 2, 1].distinct()", "[1, 2]")])
        .cost(calls::list_distinct)
        .overloads(&[overload("list_distinct", "list(T).() -> list(T)")]),
];
