//! The macros: calls that the parser replaces by other expressions.
//!
//! The expansions are in `expansion.rs`.
//!
//! Ported from `cel-go`: `parser/macro.go`, `cel/library.go` (`optMap`, `optFlatMap`), `ext/comprehensions.go` (two variables),
//! `ext/lists.go` (`sortBy`).

use crate::KubernetesVersion;

/// A macro, identified by its call.
#[derive(Debug)]
pub struct Macro {
    /// The name of the function.
    pub name: &'static str,
    /// The receiver of the call.
    pub target: Target,
    /// The names of the parameters for users. The number of parameters selects the macro.
    pub parameters: &'static [&'static str],
    /// A description in one or two sentences.
    pub documentation: &'static str,
    /// Example expressions, each with its value.
    pub examples: &'static [(&'static str, &'static str)],
    /// The oldest API server whose `cel-go` contains the macro.
    pub server: KubernetesVersion,
    /// The oldest environment that enables the macro.
    pub environment: KubernetesVersion,
    /// The expansion.
    pub(super) expansion: Expansion,
}

/// The expansion of a macro call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expansion {
    /// A presence test.
    Has,
    /// A comprehension with one variable and a boolean result.
    Quantifier(Quantifier),
    /// A comprehension with two variables and a boolean result.
    QuantifierOfTwo(Quantifier),
    Map,
    Filter,
    OptionalMap,
    OptionalFlatMap,
    TransformList,
    TransformMap,
    TransformMapEntry,
    SortBy,
}

/// The number of elements for which a predicate must be true.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

/// The receiver of a macro call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The macro has no receiver: `name(…)`.
    Nothing,
    /// A list or map: `target.name(…)`.
    Collection,
    /// A list.
    List,
    /// An optional value.
    Optional,
}

impl Macro {
    /// Whether the macro has a receiver.
    pub fn is_method(&self) -> bool {
        self.target != Target::Nothing
    }

    /// Whether the macro has two variables: one for the index or key, one for the element or value.
    pub fn has_two_variables(&self) -> bool {
        self.parameters.starts_with(&["key", "value"])
    }

    /// Whether the macro's last argument is a condition on each element.
    pub fn is_predicate(&self) -> bool {
        matches!(self.parameters, ["element", "predicate"])
    }
}

const ALWAYS: KubernetesVersion = KubernetesVersion::minor(0);
const CEL_GO_0_22: KubernetesVersion = KubernetesVersion::minor(32);
const OPTIONALS: KubernetesVersion = KubernetesVersion::minor(28);
const TWO_VARIABLES: KubernetesVersion = KubernetesVersion::minor(32);
const LISTS: KubernetesVersion = KubernetesVersion::minor(34);

/// All macros of all Kubernetes versions.
pub const MACROS: &[Macro] = &[
    Macro {
        name: "has",
        target: Target::Nothing,
        parameters: &["operand.field"],
        documentation: "Whether the field is present: set in an object, or a key of a map.",
        examples: &[("has({'a': 1}.a)", "true"), ("has({'a': 1}.b)", "false")],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Has,
    },
    Macro {
        name: "all",
        target: Target::Collection,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for every element of a list, or every key of a map. \
            An element for which it is false decides, even if other elements raise errors.",
        examples: &[
            ("[1, 2, 3].all(x, x > 0)", "true"),
            ("{'a': 1}.all(k, k == 'b')", "false"),
            ("[].all(x, x > 0)", "true"),
        ],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Quantifier(Quantifier::All),
    },
    Macro {
        name: "exists",
        target: Target::Collection,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for at least one element of a list, or key of a map. \
            An element for which it is true decides, even if other elements raise errors.",
        examples: &[("[1, 2, 3].exists(x, x > 2)", "true"), ("[].exists(x, x > 2)", "false")],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Quantifier(Quantifier::Exists),
    },
    Macro {
        name: "exists_one",
        target: Target::Collection,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for exactly one element of a list, or key of a map. It evaluates the predicate for all of them.",
        examples: &[
            ("[1, 2, 3].exists_one(x, x > 2)", "true"),
            ("[1, 2, 3].exists_one(x, x > 1)", "false"),
        ],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Quantifier(Quantifier::ExistsOne),
    },
    Macro {
        name: "map",
        target: Target::Collection,
        parameters: &["element", "transform"],
        documentation: "Applies an expression to each element of a list, or key of a map, and returns the results as a list.",
        examples: &[("[1, 2, 3].map(x, x * 2)", "[2, 4, 6]")],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Map,
    },
    Macro {
        name: "map",
        target: Target::Collection,
        parameters: &["element", "predicate", "transform"],
        documentation: "Applies an expression to the elements of a list (or keys of a map) for which the predicate holds.",
        examples: &[("[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]")],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Map,
    },
    Macro {
        name: "filter",
        target: Target::Collection,
        parameters: &["element", "predicate"],
        documentation: "The elements of a list (or keys of a map) for which the predicate holds.",
        examples: &[("[1, 2, 3].filter(x, x > 1)", "[2, 3]")],
        server: ALWAYS,
        environment: ALWAYS,
        expansion: Expansion::Filter,
    },
    Macro {
        name: "optMap",
        target: Target::Optional,
        parameters: &["value", "transform"],
        documentation: "Applies an expression to the value of an optional and returns the result as an optional. Returns `optional.none()` if the optional is empty.",
        examples: &[
            ("optional.of(1).optMap(x, x + 1)", "optional.of(2)"),
            ("optional.none().optMap(x, x + 1)", "optional.none()"),
        ],
        server: ALWAYS,
        environment: OPTIONALS,
        expansion: Expansion::OptionalMap,
    },
    Macro {
        name: "optFlatMap",
        target: Target::Optional,
        parameters: &["value", "transform"],
        documentation: "Applies an expression that itself returns an optional to the value of an optional. Returns `optional.none()` if the optional is empty.",
        examples: &[("{'a': {'b': 1}}[?'a'].optFlatMap(m, m[?'b'])", "optional.of(1)")],
        server: ALWAYS,
        environment: OPTIONALS,
        expansion: Expansion::OptionalFlatMap,
    },
    Macro {
        name: "all",
        target: Target::Collection,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for every index and element of a list, or every key and value of a map.",
        examples: &[
            ("[1, 2].all(i, x, i < x)", "true"),
            ("{'a': 1}.all(k, v, v > 1)", "false"),
        ],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::QuantifierOfTwo(Quantifier::All),
    },
    Macro {
        name: "exists",
        target: Target::Collection,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for at least one index and element of a list, or key and value of a map.",
        examples: &[("{'a': 1}.exists(k, v, k == 'a' && v == 1)", "true")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::QuantifierOfTwo(Quantifier::Exists),
    },
    Macro {
        name: "existsOne",
        target: Target::Collection,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for exactly one index and element of a list, or key and value of a map.",
        examples: &[("[1, 1].existsOne(i, x, i == x)", "true")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::QuantifierOfTwo(Quantifier::ExistsOne),
    },
    Macro {
        name: "exists_one",
        target: Target::Collection,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for exactly one index and element of a list, or key and value of a map.",
        examples: &[("[1, 1].exists_one(i, x, i == x)", "true")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::QuantifierOfTwo(Quantifier::ExistsOne),
    },
    Macro {
        name: "transformList",
        target: Target::Collection,
        parameters: &["key", "value", "transform"],
        documentation: "Applies an expression to each index and element of a list, or key and value of a map, and returns a list.",
        examples: &[("[3, 4].transformList(i, x, i * x)", "[0, 4]")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformList,
    },
    Macro {
        name: "transformList",
        target: Target::Collection,
        parameters: &["key", "value", "predicate", "transform"],
        documentation: "Applies an expression to the indices and elements (or keys and values) for which the predicate holds.",
        examples: &[("[3, 4].transformList(i, x, i > 0, x)", "[4]")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformList,
    },
    Macro {
        name: "transformMap",
        target: Target::Collection,
        parameters: &["key", "value", "transform"],
        documentation: "Applies an expression to each value, and returns a map with the same keys (for a list: the indices).",
        examples: &[("{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformMap,
    },
    Macro {
        name: "transformMap",
        target: Target::Collection,
        parameters: &["key", "value", "predicate", "transform"],
        documentation: "Applies an expression to the values for which the predicate holds, and returns a map with their keys (for a list: indices).",
        examples: &[("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1)", "{'b': 3}")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformMap,
    },
    Macro {
        name: "transformMapEntry",
        target: Target::Collection,
        parameters: &["key", "value", "entry"],
        documentation: "Makes a map from the entry that the expression returns for each key and value. Two entries with the same key are an error.",
        examples: &[("{'a': 'b'}.transformMapEntry(k, v, {v: k})", "{'b': 'a'}")],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformMapEntry,
    },
    Macro {
        name: "transformMapEntry",
        target: Target::Collection,
        parameters: &["key", "value", "predicate", "entry"],
        documentation: "Makes a map from the entries that the expression returns for the keys and values for which the predicate holds.",
        examples: &[(
            "{'a': 'b', 'c': 'd'}.transformMapEntry(k, v, k != 'c', {v: k})",
            "{'b': 'a'}",
        )],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expansion: Expansion::TransformMapEntry,
    },
    Macro {
        name: "sortBy",
        target: Target::List,
        parameters: &["element", "key"],
        documentation: "Sorts a list by the key that an expression returns for each element.",
        examples: &[("['ab', 'c'].sortBy(x, x.size())", "['c', 'ab']")],
        server: LISTS,
        environment: LISTS,
        expansion: Expansion::SortBy,
    },
];
