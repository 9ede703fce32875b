//! Optional values (`cel-go` `cel.OptionalTypes`).

use super::declaration::{Cost, Counted, Function, Library, Step, function, overload, step};
use super::operands::elements;
use super::standard::SELECTION;
use crate::KubernetesVersion;
use crate::ast::operators;
use crate::value::{ErrorKind, EvalError, List, Result, Value};

/// Optional types, their syntax and functions.
pub(super) const LIBRARY: Library = Library {
    name: "optional",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "optional.of",
        "An optional with this value.",
        Counted::ByOverload,
        &[("optional.of(1).value()", "1")],
        &[overload(
            "optional_of",
            "(V) -> optional_type(V)",
            Cost::ONE,
            |_, args| Ok(Value::some(args[0].clone())),
        )],
    ),
    function(
        "optional.ofNonZeroValue",
        "An optional with this value unless it is empty, zero, false or null.",
        Counted::ByOverload,
        &[("optional.ofNonZeroValue('').hasValue()", "false")],
        &[overload(
            "optional_ofNonZeroValue",
            "(V) -> optional_type(V)",
            Cost::ONE,
            |_, args| {
                Ok(if args[0].is_zero() {
                    Value::NONE
                } else {
                    Value::some(args[0].clone())
                })
            },
        )],
    ),
    function(
        "optional.none",
        "An optional without value.",
        Counted::ByOverload,
        &[("optional.none().hasValue()", "false")],
        &[overload(
            "optional_none",
            "() -> optional_type(V)",
            Cost::ONE,
            |_, _| Ok(Value::NONE),
        )],
    ),
    function(
        "value",
        "The value; an error if there is none.",
        Counted::ByOverload,
        &[("optional.of(1).value()", "1")],
        &[overload(
            "optional_value",
            "optional_type(V).() -> V",
            Cost::ONE,
            |_, args| match &args[0] {
                Value::Optional(Some(value)) => (**value).clone().or_failure(),
                Value::Optional(None) => Err(EvalError::of(ErrorKind::NoValue, "optional.none() dereference")),
                _ => Err(EvalError::no_such_overload()),
            },
        )],
    )
    .guard("hasValue")
    .passes_on()
    .method_rank(4),
    function(
        "hasValue",
        "Whether there is a value.",
        Counted::ByOverload,
        &[("optional.of(1).hasValue()", "true")],
        &[overload(
            "optional_hasValue",
            "optional_type(V).() -> bool",
            Cost::ONE,
            |_, args| match &args[0] {
                Value::Optional(value) => Ok(Value::Bool(value.is_some())),
                _ => Err(EvalError::no_such_overload()),
            },
        )],
    )
    .method_rank(5),
    function(
        "or",
        "The optional, or the other if it has no value.",
        Counted::ByOverload,
        &[("optional.none().or(optional.of(2)).value()", "2")],
        &[step(
            "optional_or_optional",
            "optional_type(V).(optional_type(V)) -> optional_type(V)",
            SELECTION,
            Step::OptionalOr,
        )],
    )
    .passes_on(),
    function(
        "orValue",
        "The value, or the other if there is none.",
        Counted::ByOverload,
        &[("optional.none().orValue(2)", "2")],
        &[step(
            "optional_orValue_value",
            "optional_type(V).(V) -> V",
            SELECTION,
            Step::OptionalOrValue,
        )],
    )
    .passes_on()
    .method_rank(6),
    function(
        operators::OPT_SELECT,
        "The field as an optional, without value if it is not set.",
        Counted::ByOverload,
        &[("{'a': 1}.?a.orValue(2)", "1")],
        &[step(
            "select_optional_field",
            "(dyn, string) -> optional_type(V)",
            SELECTION,
            Step::OptionalIndex,
        )],
    ),
    function(
        operators::OPT_INDEX,
        "The element at an index or key as an optional, without value if there is none.",
        Counted::ByOverload,
        &[("[1, 2][?5].hasValue()", "false")],
        &[
            step(
                "list_optindex_optional_int",
                "(list(V), int) -> optional_type(V)",
                SELECTION,
                Step::OptionalIndex,
            ),
            step(
                "optional_list_optindex_optional_int",
                "(optional_type(list(V)), int) -> optional_type(V)",
                SELECTION,
                Step::OptionalIndex,
            ),
            step(
                "map_optindex_optional_value",
                "(map(K, V), K) -> optional_type(V)",
                SELECTION,
                Step::OptionalIndex,
            ),
            step(
                "optional_map_optindex_optional_value",
                "(optional_type(map(K, V)), K) -> optional_type(V)",
                SELECTION,
                Step::OptionalIndex,
            ),
        ],
    ),
    function(
        operators::INDEX,
        "The element at an index or key of an optional list or map, as an optional.",
        Counted::ByOverload,
        &[("optional.of([1, 2])[1].value()", "2")],
        &[
            step(
                "optional_list_index_int",
                "(optional_type(list(V)), int) -> optional_type(V)",
                SELECTION,
                Step::Index,
            ),
            step(
                "optional_map_index_value",
                "(optional_type(map(K, V)), K) -> optional_type(V)",
                SELECTION,
                Step::Index,
            ),
        ],
    ),
    function(
        "optional.unwrap",
        "The values of the optionals that have one.",
        Counted::ByOverload,
        &[("optional.unwrap([optional.of(1), optional.none()])", "[1]")],
        &[overload(
            "optional_unwrap",
            "(list(optional_type(V))) -> list(V)",
            Cost::ONE,
            unwrap,
        )
        .since(33)],
    ),
    function(
        "unwrapOpt",
        "The values of the optionals that have one.",
        Counted::ByOverload,
        &[("[optional.of(1), optional.none()].unwrapOpt()", "[1]")],
        &[overload(
            "optional_unwrapOpt",
            "list(optional_type(V)).() -> list(V)",
            Cost::ONE,
            unwrap,
        )
        .since(33)],
    ),
    function(
        "first",
        "The first element as an optional, without value if the list is empty.",
        Counted::ByOverload,
        &[("[1, 2].first().value()", "1")],
        &[
            overload("list_first", "list(V).() -> optional_type(V)", Cost::ONE, |_, args| {
                element(elements(&args[0])?, 0)
            })
            .since(33),
        ],
    ),
    function(
        "last",
        "The last element as an optional, without value if the list is empty.",
        Counted::ByOverload,
        &[("[1, 2].last().value()", "2")],
        &[
            overload("list_last", "list(V).() -> optional_type(V)", Cost::ONE, |_, args| {
                let list = elements(&args[0])?;
                element(list, list.len().saturating_sub(1))
            })
            .since(33),
        ],
    ),
];

fn unwrap(_: KubernetesVersion, args: &[Value]) -> Result {
    let mut values = Vec::new();
    for value in elements(&args[0])?.iter() {
        match value? {
            Value::Optional(Some(value)) => values.push((*value).clone()),
            Value::Optional(None) => {}
            value => return Err(EvalError::new(format!("value {value} is not optional"))),
        }
    }
    Ok(Value::list(values))
}

/// The element at an index as an optional.
fn element(list: &List, index: usize) -> Result {
    list.get(index).map_or(Ok(Value::NONE), |value| match value {
        Err(error) if error.is_fatal() => Err(error),
        value => Ok(Value::some(value.unwrap_or_else(Value::failure))),
    })
}
