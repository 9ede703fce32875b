//! Kubernetes' functions on lists (`k8s.io/apiserver/pkg/cel/library`, `Lists`, version 0).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// What Kubernetes added to lists from the first.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.lists",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("isSorted", "Whether the elements are in ascending order.")
        .examples(&[("[1, 2, 2].isSorted()", "true")])
        .cost(calls::list_or_string_scan)
        .overloads(&[
            overload("list_int_is_sorted_bool", "list(int).() -> bool"),
            overload("list_uint_is_sorted_bool", "list(uint).() -> bool"),
            overload("list_double_is_sorted_bool", "list(double).() -> bool"),
            overload("list_bool_is_sorted_bool", "list(bool).() -> bool"),
            overload("list_duration_is_sorted_bool", "list(duration).() -> bool"),
            overload("list_timestamp_is_sorted_bool", "list(timestamp).() -> bool"),
            overload("list_string_is_sorted_bool", "list(string).() -> bool"),
            overload("list_bytes_is_sorted_bool", "list(bytes).() -> bool"),
        ]),
    function("sum", "The sum of the elements; 0 for an empty list.")
        .examples(&[("[1, 2, 3].sum()", "6")])
        .cost(calls::list_or_string_scan)
        .overloads(&[
            overload("list_int_sum_int", "list(int).() -> int"),
            overload("list_uint_sum_uint", "list(uint).() -> uint"),
            overload("list_double_sum_double", "list(double).() -> double"),
            overload("list_duration_sum_duration", "list(duration).() -> duration"),
        ]),
    function("max", "The greatest element; an error for an empty list.")
        .examples(&[("[1, 3, 2].max()", "3")])
        .cost(calls::list_or_string_scan)
        .overloads(&[
            overload("list_int_max_int", "list(int).() -> int"),
            overload("list_uint_max_uint", "list(uint).() -> uint"),
            overload("list_double_max_double", "list(double).() -> double"),
            overload("list_bool_max_bool", "list(bool).() -> bool"),
            overload("list_duration_max_duration", "list(duration).() -> duration"),
            overload("list_timestamp_max_timestamp", "list(timestamp).() -> timestamp"),
            overload("list_string_max_string", "list(string).() -> string"),
            overload("list_bytes_max_bytes", "list(bytes).() -> bytes"),
        ]),
    function("min", "The least element; an error for an empty list.")
        .examples(&[("[2, 1, 3].min()", "1")])
        .cost(calls::list_or_string_scan)
        .overloads(&[
            overload("list_int_min_int", "list(int).() -> int"),
            overload("list_uint_min_uint", "list(uint).() -> uint"),
            overload("list_double_min_double", "list(double).() -> double"),
            overload("list_bool_min_bool", "list(bool).() -> bool"),
            overload("list_duration_min_duration", "list(duration).() -> duration"),
            overload("list_timestamp_min_timestamp", "list(timestamp).() -> timestamp"),
            overload("list_string_min_string", "list(string).() -> string"),
            overload("list_bytes_min_bytes", "list(bytes).() -> bytes"),
        ]),
    function(
        "indexOf",
        "The index of the first element that is equal; -1 if there is none.",
    )
    .examples(&[("['a', 'b', 'b'].indexOf('b')", "1")])
    .cost(calls::list_or_string_scan)
    .overloads(&[overload("list_a_index_of_int", "list(A).(A) -> int")]),
    function(
        "lastIndexOf",
        "The index of the last element that is equal; -1 if there is none.",
    )
    .examples(&[("['a', 'b', 'b'].lastIndexOf('b')", "2")])
    .cost(calls::list_or_string_scan)
    .overloads(&[overload("list_a_last_index_of_int", "list(A).(A) -> int")]),
];
