//! Comprehensions with two variables (`cel-go` `ext.TwoVarComprehensions`).

use super::{Function, Library, function, overload};

/// The macros that see index and element, or key and value.
pub(super) const LIBRARY: Library = Library {
    name: "two-variable comprehensions",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[function(
    "cel.@mapInsert",
    "The map with an entry (or those of another map) more; what the macros that make maps fold with.",
)
.overloads(&[
    overload("@mapInsert_map_key_value", "(map(K, V), K, V) -> map(K, V)"),
    overload("@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)"),
])];
