//! Comprehensions with two variables (`cel-go` `ext.TwoVarComprehensions`).

use super::{Function, Library, Macro, function, overload};

/// The macros that see index and element, or key and value.
pub(super) const LIBRARY: Library = Library {
    name: "two-variable comprehensions",
    functions: FUNCTIONS,
    macros: MACROS,
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

const MACROS: &[Macro] = &[
    Macro {
        name: "all",
        args: 3,
        receiver: true,
        signature: "map.all(k, v, condition)",
        doc: "Whether the condition holds for every index and element, or key and value.",
        examples: &[("[1, 2].all(i, v, v > i)", "true")],
    },
    Macro {
        name: "exists",
        args: 3,
        receiver: true,
        signature: "map.exists(k, v, condition)",
        doc: "Whether the condition holds for at least one index and element, or key and value.",
        examples: &[("{'a': 1}.exists(k, v, v == 1)", "true")],
    },
    Macro {
        name: "existsOne",
        args: 3,
        receiver: true,
        signature: "map.existsOne(k, v, condition)",
        doc: "Whether the condition holds for exactly one index and element, or key and value.",
        examples: &[("[1, 2].existsOne(i, v, v == 2)", "true")],
    },
    Macro {
        name: "exists_one",
        args: 3,
        receiver: true,
        signature: "map.exists_one(k, v, condition)",
        doc: "The same as existsOne.",
        examples: &[("[1, 2].exists_one(i, v, v == 2)", "true")],
    },
    Macro {
        name: "transformList",
        args: 3,
        receiver: true,
        signature: "map.transformList(k, v, value)",
        doc: "The list of a value for each index and element, or key and value.",
        examples: &[("[1, 2].transformList(i, v, i + v)", "[1, 3]")],
    },
    Macro {
        name: "transformList",
        args: 4,
        receiver: true,
        signature: "map.transformList(k, v, condition, value)",
        doc: "The same where the condition holds.",
        examples: &[("[1, 2].transformList(i, v, i > 0, v)", "[2]")],
    },
    Macro {
        name: "transformMap",
        args: 3,
        receiver: true,
        signature: "map.transformMap(k, v, value)",
        doc: "The map with the same keys (or the indices of a list) and a new value for each.",
        examples: &[("{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}")],
    },
    Macro {
        name: "transformMap",
        args: 4,
        receiver: true,
        signature: "map.transformMap(k, v, condition, value)",
        doc: "The same where the condition holds.",
        examples: &[("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v)", "{'b': 2}")],
    },
    Macro {
        name: "transformMapEntry",
        args: 3,
        receiver: true,
        signature: "map.transformMapEntry(k, v, {key: value})",
        doc: "The map of an entry for each index and element, or key and value.",
        examples: &[("{'a': 'b'}.transformMapEntry(k, v, {v: k})", "{'b': 'a'}")],
    },
    Macro {
        name: "transformMapEntry",
        args: 4,
        receiver: true,
        signature: "map.transformMapEntry(k, v, condition, {key: value})",
        doc: "The same where the condition holds.",
        examples: &[("{'a': 1}.transformMapEntry(k, v, v > 1, {v: k}).size()", "0")],
    },
];
