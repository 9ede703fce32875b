//! Kubernetes' functions on lists (`k8s.io/apiserver/pkg/cel/library`, `Lists`, version 0).

use std::cmp::Ordering;

use super::costs::SCAN;
use super::declaration::{Counted, Function, Library, function, overload};
use super::operands::elements;
use super::standard::add;
use crate::KubernetesVersion;
use crate::value::{Duration, EvalError, List, Result, Value, compare, equal};

/// The first version of Kubernetes' list functions.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.lists",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "isSorted",
        "Whether the elements are in ascending order.",
        Counted::ByName(SCAN),
        &[("[1, 2, 2].isSorted()", "true")],
        &[
            overload("list_int_is_sorted_bool", "list(int).() -> bool", SCAN, is_sorted),
            overload("list_uint_is_sorted_bool", "list(uint).() -> bool", SCAN, is_sorted),
            overload("list_double_is_sorted_bool", "list(double).() -> bool", SCAN, is_sorted),
            overload("list_bool_is_sorted_bool", "list(bool).() -> bool", SCAN, is_sorted),
            overload(
                "list_duration_is_sorted_bool",
                "list(duration).() -> bool",
                SCAN,
                is_sorted,
            ),
            overload(
                "list_timestamp_is_sorted_bool",
                "list(timestamp).() -> bool",
                SCAN,
                is_sorted,
            ),
            overload("list_string_is_sorted_bool", "list(string).() -> bool", SCAN, is_sorted),
            overload("list_bytes_is_sorted_bool", "list(bytes).() -> bool", SCAN, is_sorted),
        ],
    ),
    function(
        "sum",
        "The sum of the elements; 0 for an empty list.",
        Counted::ByName(SCAN),
        &[("[1, 2, 3].sum()", "6")],
        &[
            overload("list_int_sum_int", "list(int).() -> int", SCAN, |_, args| {
                sum(Value::Int(0), args)
            }),
            overload("list_uint_sum_uint", "list(uint).() -> uint", SCAN, |_, args| {
                sum(Value::Uint(0), args)
            }),
            overload(
                "list_double_sum_double",
                "list(double).() -> double",
                SCAN,
                |_, args| sum(Value::Double(0.0), args),
            ),
            overload(
                "list_duration_sum_duration",
                "list(duration).() -> duration",
                SCAN,
                |_, args| sum(Value::Duration(Duration(0)), args),
            ),
        ],
    ),
    function(
        "max",
        "The greatest element; an error for an empty list.",
        Counted::ByName(SCAN),
        &[("[1, 3, 2].max()", "3")],
        &[
            overload("list_int_max_int", "list(int).() -> int", SCAN, max),
            overload("list_uint_max_uint", "list(uint).() -> uint", SCAN, max),
            overload("list_double_max_double", "list(double).() -> double", SCAN, max),
            overload("list_bool_max_bool", "list(bool).() -> bool", SCAN, max),
            overload("list_duration_max_duration", "list(duration).() -> duration", SCAN, max),
            overload(
                "list_timestamp_max_timestamp",
                "list(timestamp).() -> timestamp",
                SCAN,
                max,
            ),
            overload("list_string_max_string", "list(string).() -> string", SCAN, max),
            overload("list_bytes_max_bytes", "list(bytes).() -> bytes", SCAN, max),
        ],
    ),
    function(
        "min",
        "The least element; an error for an empty list.",
        Counted::ByName(SCAN),
        &[("[2, 1, 3].min()", "1")],
        &[
            overload("list_int_min_int", "list(int).() -> int", SCAN, min),
            overload("list_uint_min_uint", "list(uint).() -> uint", SCAN, min),
            overload("list_double_min_double", "list(double).() -> double", SCAN, min),
            overload("list_bool_min_bool", "list(bool).() -> bool", SCAN, min),
            overload("list_duration_min_duration", "list(duration).() -> duration", SCAN, min),
            overload(
                "list_timestamp_min_timestamp",
                "list(timestamp).() -> timestamp",
                SCAN,
                min,
            ),
            overload("list_string_min_string", "list(string).() -> string", SCAN, min),
            overload("list_bytes_min_bytes", "list(bytes).() -> bytes", SCAN, min),
        ],
    ),
    function(
        "indexOf",
        "The index of the first equal element, or -1.",
        Counted::ByName(SCAN),
        &[("['a', 'b', 'b'].indexOf('b')", "1")],
        &[overload("list_a_index_of_int", "list(A).(A) -> int", SCAN, index_of)],
    ),
    function(
        "lastIndexOf",
        "The index of the last equal element, or -1.",
        Counted::ByName(SCAN),
        &[("['a', 'b', 'b'].lastIndexOf('b')", "2")],
        &[overload(
            "list_a_last_index_of_int",
            "list(A).(A) -> int",
            SCAN,
            last_index_of,
        )],
    ),
];

/// Returns an element if its type has an order, otherwise an error.
fn comparable(element: Result) -> Result {
    match element? {
        Value::Null
        | Value::List(_)
        | Value::Map(_)
        | Value::Optional(_)
        | Value::Type(_)
        | Value::Opaque(_)
        | Value::Raw(_) => Err(EvalError::no_such_overload()),
        element => Ok(element),
    }
}

fn is_sorted(_: KubernetesVersion, args: &[Value]) -> Result {
    let list = elements(&args[0])?;
    let mut previous: Option<Value> = None;
    for element in list.iter() {
        let element = comparable(element)?;
        if let Some(previous) = &previous
            && matches!(compare(previous, &element), Ok(Ordering::Greater))
        {
            return Ok(Value::Bool(false));
        }
        previous = Some(element);
    }
    Ok(Value::Bool(true))
}

fn sum(zero: Value, args: &[Value]) -> Result {
    let mut elements = elements(&args[0])?.iter();
    elements.try_fold(zero, |sum, element| add(&sum, &element?))
}

fn min(_: KubernetesVersion, args: &[Value]) -> Result {
    extreme(elements(&args[0])?, "min", Ordering::Greater)
}

fn max(_: KubernetesVersion, args: &[Value]) -> Result {
    extreme(elements(&args[0])?, "max", Ordering::Less)
}

/// The least or greatest element: an element replaces the previous one if their comparison gives `replace`.
fn extreme(list: &List, name: &str, replace: Ordering) -> Result {
    let mut result: Option<Value> = None;
    for element in list.iter() {
        let element = comparable(element)?;
        let replaces = result
            .as_ref()
            .is_none_or(|best| matches!(compare(best, &element), Ok(order) if order == replace));
        if replaces {
            result = Some(element);
        }
    }
    result.ok_or_else(|| EvalError::new(format!("{name} called on empty list")))
}

fn index_of(_: KubernetesVersion, args: &[Value]) -> Result {
    let list = elements(&args[0])?;
    Ok(index((0..list.len()).find(|at| is_at(list, *at, &args[1]))))
}

fn last_index_of(_: KubernetesVersion, args: &[Value]) -> Result {
    let list = elements(&args[0])?;
    Ok(index((0..list.len()).rev().find(|at| is_at(list, *at, &args[1]))))
}

fn is_at(list: &List, index: usize, value: &Value) -> bool {
    let element = list.get(index);
    matches!(element.map(|e| e.and_then(|e| equal(&e, value))), Some(Ok(true)))
}

fn index(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |index| index as i64))
}
