//! Searching with regular expressions (`k8s.io/apiserver/pkg/cel/library`, `Regex`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The regex library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.regex",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "find",
        "The first match of a regular expression, empty if there is none.",
    )
    .examples(&[("'abc 123'.find('[0-9]+')", "'123'")])
    .cost(calls::find)
    .overloads(&[overload("string_find_string", "string.(string) -> string")]),
    function(
        "findAll",
        "All matches of a regular expression that do not overlap, or the first so many.",
    )
    .examples(&[
        ("'123 abc 456'.findAll('[0-9]+')", "['123', '456']"),
        ("'123 abc 456'.findAll('[0-9]+', 1)", "['123']"),
    ])
    .cost(calls::find)
    .overloads(&[
        overload("string_find_all_string", "string.(string) -> list(string)"),
        overload("string_find_all_string_int", "string.(string, int) -> list(string)"),
    ]),
];
