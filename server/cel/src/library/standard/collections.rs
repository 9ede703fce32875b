//! Functions on lists and maps: elements, entries and sizes.

use crate::KubernetesVersion;
use crate::ast::operators;
use crate::library::declaration::{
    Actual, Cost, Counted, Estimate, Function, MOST_USED, cost, function, overload, step,
};
use crate::library::declaration::{Overload, Step};
use crate::library::operands::trait_missing;
use crate::value::{EvalError, Result, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        operators::INDEX,
        "The element of a list at an index from 0, or the value of a map at a key; an error if there is none.",
        Counted::ByOverload,
        &[("[1, 2, 3][1]", "2"), ("{'a': 1}['a']", "1")],
        &[
            step("index_list", "(list(A), int) -> A", SELECTION, Step::Index),
            step("index_map", "(map(A, B), A) -> B", SELECTION, Step::Index),
        ],
    ),
    function(
        operators::IN,
        "Whether a list has the element, or a map the key.",
        Counted::ByOverload,
        &[("2 in [1, 2]", "true"), ("'b' in {'a': 1}", "false")],
        &[
            overload(IN_LIST, "(A, list(A)) -> bool", MEMBERSHIP, is_in),
            overload("in_map", "(A, map(A, B)) -> bool", Cost::ONE, is_in),
        ],
    )
    .singleton(),
    function(
        "size",
        "The number of characters of a string, bytes of a byte sequence, elements of a list or entries of a map.",
        Counted::ByOverload,
        &[("size('abc')", "3"), ("[1, 2].size()", "2")],
        &[
            size_of("size_bytes", "(bytes) -> int"),
            size_of("bytes_size", "bytes.() -> int"),
            size_of("size_list", "(list(A)) -> int"),
            size_of("list_size", "list(A).() -> int"),
            size_of("size_map", "(map(A, B)) -> int"),
            size_of("map_size", "map(A, B).() -> int"),
            size_of("size_string", "(string) -> int"),
            size_of("string_size", "string.() -> int"),
        ],
    )
    .singleton()
    .method_rank(MOST_USED)
    .function_rank(MOST_USED),
];

/// The overload of `in` that the evaluator speeds up if the list is a constant.
pub(crate) const IN_LIST: &str = "in_list";

/// The cost of selecting an element or a value. At run time, it is part of the cost of the attribute.
pub(in crate::library) const SELECTION: Cost = Cost {
    estimate: Estimate::Fixed(1),
    actual: Actual::OfValues,
};

/// The cost of `in` with a list: every element.
const MEMBERSHIP: Cost = cost(
    |coster, call| {
        let [_, list] = call.args else { return None };
        Some(call.costs(coster.size(list).times_factor(1.0)))
    },
    |call| Ok(call.size_of_value(1)),
);

fn is_in(_: KubernetesVersion, args: &[Value]) -> Result {
    match args {
        [value, Value::List(list)] => list.contains(value).map(Value::Bool),
        [value, Value::Map(map)] => map.find(value).map(|found| Value::Bool(found.is_some())),
        _ => Err(EvalError::no_such_overload()),
    }
}

const fn size_of(id: &'static str, signature: &'static str) -> Overload {
    overload(id, signature, Cost::ONE, |_, args| match args {
        [value] => match value.size() {
            Some(size) => Ok(Value::Int(size as i64)),
            None => Err(trait_missing("size", value)),
        },
        _ => Err(EvalError::no_such_overload()),
    })
}
