//! Optional values (`cel-go` `cel.OptionalTypes`).

use super::{Function, Library, function, overload};

/// Optional types, their syntax and functions.
pub(super) const LIBRARY: Library = Library {
    name: "optional",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("optional.of", "An optional with this value.")
        .examples(&[("optional.of(1).value()", "1")])
        .overloads(&[overload("optional_of", "(V) -> optional_type(V)")]),
    function(
        "optional.ofNonZeroValue",
        "An optional with this value unless it is empty, zero, false or null.",
    )
    .examples(&[("optional.ofNonZeroValue('').hasValue()", "false")])
    .overloads(&[overload("optional_ofNonZeroValue", "(V) -> optional_type(V)")]),
    function("optional.none", "An optional without value.")
        .examples(&[("optional.none().hasValue()", "false")])
        .overloads(&[overload("optional_none", "() -> optional_type(V)")]),
    function("value", "The value; an error if there is none.")
        .examples(&[("optional.of(1).value()", "1")])
        .overloads(&[overload("optional_value", "optional_type(V).() -> V")]),
    function("hasValue", "Whether there is a value.")
        .examples(&[("optional.of(1).hasValue()", "true")])
        .overloads(&[overload("optional_hasValue", "optional_type(V).() -> bool")]),
    function("or", "The optional, or the other if it has no value.")
        .examples(&[("optional.none().or(optional.of(2)).value()", "2")])
        .overloads(&[overload(
            "optional_or_optional",
            "optional_type(V).(optional_type(V)) -> optional_type(V)",
        )]),
    function("orValue", "The value, or the other if there is none.")
        .examples(&[("optional.none().orValue(2)", "2")])
        .overloads(&[overload("optional_orValue_value", "optional_type(V).(V) -> V")]),
    function("_?._", "The field as an optional, without value if it is not set.")
        .examples(&[("{'a': 1}.?a.orValue(2)", "1")])
        .overloads(&[overload("select_optional_field", "(dyn, string) -> optional_type(V)")]),
    function(
        "_[?_]",
        "The element at an index or key as an optional, without value if there is none.",
    )
    .examples(&[("[1, 2][?5].hasValue()", "false")])
    .overloads(&[
        overload("list_optindex_optional_int", "(list(V), int) -> optional_type(V)"),
        overload(
            "optional_list_optindex_optional_int",
            "(optional_type(list(V)), int) -> optional_type(V)",
        ),
        overload("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)"),
        overload(
            "optional_map_optindex_optional_value",
            "(optional_type(map(K, V)), K) -> optional_type(V)",
        ),
    ]),
    function(
        "_[_]",
        "The element at an index or key of an optional list or map, as an optional.",
    )
    .overloads(&[
        overload(
            "optional_list_index_int",
            "(optional_type(list(V)), int) -> optional_type(V)",
        ),
        overload(
            "optional_map_index_value",
            "(optional_type(map(K, V)), K) -> optional_type(V)",
        ),
    ]),
    function("optional.unwrap", "The values of the optionals that have one.")
        .examples(&[("optional.unwrap([optional.of(1), optional.none()])", "[1]")])
        .overloads(&[overload("optional_unwrap", "(list(optional_type(V))) -> list(V)").since(33)]),
    function("unwrapOpt", "The values of the optionals that have one.")
        .examples(&[("[optional.of(1), optional.none()].unwrapOpt()", "[1]")])
        .overloads(&[overload("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)").since(33)]),
    function(
        "first",
        "The first element as an optional, without value if the list is empty.",
    )
    .examples(&[("[1, 2].first().value()", "1")])
    .overloads(&[overload("list_first", "list(V).() -> optional_type(V)").since(33)]),
    function(
        "last",
        "The last element as an optional, without value if the list is empty.",
    )
    .examples(&[("[1, 2].last().value()", "2")])
    .overloads(&[overload("list_last", "list(V).() -> optional_type(V)").since(33)]),
];
