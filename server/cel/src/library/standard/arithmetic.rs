//! Arithmetic on numbers, times and durations, and concatenation of strings and lists.

use crate::KubernetesVersion;
use crate::ast::operators;
use crate::cost::{Call, CostEstimate, Coster, SizeEstimate};
use crate::library::costs::{STRING, traversal};
use crate::library::declaration::{Cost, Counted, Function, cost, function, overload};
use crate::library::operands::trait_missing;
use crate::value::{Duration, ErrorKind, EvalError, Result, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        operators::ADD,
        "Adds numbers or times, or joins strings, byte sequences or lists.",
        Counted::ByOverload,
        &[("1 + 2", "3"), ("'a' + 'b'", "'ab'"), ("[1] + [2]", "[1, 2]")],
        &[
            overload("add_bytes", "(bytes, bytes) -> bytes", CONCATENATION, sum),
            overload("add_double", "(double, double) -> double", Cost::ONE, sum),
            overload(
                "add_duration_duration",
                "(duration, duration) -> duration",
                Cost::ONE,
                sum,
            ),
            overload(
                "add_duration_timestamp",
                "(duration, timestamp) -> timestamp",
                Cost::ONE,
                sum,
            ),
            overload(
                "add_timestamp_duration",
                "(timestamp, duration) -> timestamp",
                Cost::ONE,
                sum,
            ),
            overload("add_int64", "(int, int) -> int", Cost::ONE, sum),
            overload("add_list", "(list(A), list(A)) -> list(A)", LIST_CONCATENATION, sum),
            overload("add_string", "(string, string) -> string", CONCATENATION, sum),
            overload("add_uint64", "(uint, uint) -> uint", Cost::ONE, sum),
        ],
    )
    .singleton(),
    function(
        operators::DIVIDE,
        "Divides one number by another; integer division drops the remainder.",
        Counted::ByOverload,
        &[("7 / 2", "3"), ("1.0 / 4.0", "0.25")],
        &[
            overload("divide_double", "(double, double) -> double", Cost::ONE, divide),
            overload("divide_int64", "(int, int) -> int", Cost::ONE, divide),
            overload("divide_uint64", "(uint, uint) -> uint", Cost::ONE, divide),
        ],
    )
    .singleton(),
    function(
        operators::MODULO,
        "The remainder of an integer division.",
        Counted::ByOverload,
        &[("7 % 2", "1")],
        &[
            overload("modulo_int64", "(int, int) -> int", Cost::ONE, modulo),
            overload("modulo_uint64", "(uint, uint) -> uint", Cost::ONE, modulo),
        ],
    )
    .singleton(),
    function(
        operators::MULTIPLY,
        "The product of two numbers.",
        Counted::ByOverload,
        &[("2 * 3", "6")],
        &[
            overload("multiply_double", "(double, double) -> double", Cost::ONE, multiply),
            overload("multiply_int64", "(int, int) -> int", Cost::ONE, multiply),
            overload("multiply_uint64", "(uint, uint) -> uint", Cost::ONE, multiply),
        ],
    )
    .singleton(),
    function(
        operators::NEGATE,
        "The number with the opposite sign.",
        Counted::ByOverload,
        &[("-(2)", "-2")],
        &[
            overload("negate_double", "(double) -> double", Cost::ONE, negate),
            overload("negate_int64", "(int) -> int", Cost::ONE, negate),
        ],
    )
    .singleton(),
    function(
        operators::SUBTRACT,
        "The difference of two numbers or times.",
        Counted::ByOverload,
        &[("3 - 2", "1")],
        &[
            overload("subtract_double", "(double, double) -> double", Cost::ONE, subtract),
            overload(
                "subtract_duration_duration",
                "(duration, duration) -> duration",
                Cost::ONE,
                subtract,
            ),
            overload("subtract_int64", "(int, int) -> int", Cost::ONE, subtract),
            overload(
                "subtract_timestamp_duration",
                "(timestamp, duration) -> timestamp",
                Cost::ONE,
                subtract,
            ),
            overload(
                "subtract_timestamp_timestamp",
                "(timestamp, timestamp) -> duration",
                Cost::ONE,
                subtract,
            ),
            overload("subtract_uint64", "(uint, uint) -> uint", Cost::ONE, subtract),
        ],
    )
    .singleton(),
];

/// The cost of `+` for strings and byte sequences: the length of the result.
const CONCATENATION: Cost = cost(
    |coster, call| {
        let size = joined_size(coster, call)?;
        Some(call.gives(size.times_factor(STRING), size))
    },
    |call| Ok(traversal((call.size_of_value(0) + call.size_of_value(1)) as f64)),
);

/// The cost of `+` for lists. It copies no elements.
const LIST_CONCATENATION: Cost = cost(
    |coster, call| {
        let size = joined_size(coster, call)?;
        Some(call.gives(CostEstimate::fixed(1), size))
    },
    |_| Ok(1),
);

fn joined_size(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<SizeEstimate> {
    let [left, right] = call.args else { return None };
    let size = coster.size(left).plus(coster.size(right));
    coster.join_entries(call.node, left, right);
    Some(size)
}

fn int(value: Option<i64>) -> Result {
    value.map(Value::Int).ok_or_else(EvalError::int_overflow)
}

fn uint(value: Option<u64>) -> Result {
    value.map(Value::Uint).ok_or_else(EvalError::uint_overflow)
}

fn sum(_: KubernetesVersion, args: &[Value]) -> Result {
    add(&args[0], &args[1])
}

/// `a + b`
pub(in crate::library) fn add(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_add(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_add(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::String(a), Value::String(b)) => Ok(Value::string([&**a, &**b].concat())),
        (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::bytes([&**a, &**b].concat())),
        (Value::List(a), Value::List(b)) => a.add(b),
        (Value::Duration(a), Value::Duration(b)) => a.plus(*b).map(Value::Duration),
        (Value::Timestamp(time), Value::Duration(duration)) | (Value::Duration(duration), Value::Timestamp(time)) => {
            time.plus(*duration).map(Value::Timestamp)
        }
        (
            Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::List(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
            _,
        ) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing(operators::ADD, a)),
    }
}

fn subtract(_: KubernetesVersion, args: &[Value]) -> Result {
    let (a, b) = (&args[0], &args[1]);
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_sub(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_sub(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        (Value::Duration(a), Value::Duration(b)) => a.minus(*b).map(Value::Duration),
        (Value::Timestamp(a), Value::Duration(b)) => a.minus(*b).map(Value::Timestamp),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.since(*b).map(Value::Duration),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Duration(_) | Value::Timestamp(_), _) => {
            Err(EvalError::no_such_overload())
        }
        _ => Err(trait_missing(operators::SUBTRACT, a)),
    }
}

fn multiply(_: KubernetesVersion, args: &[Value]) -> Result {
    let (a, b) = (&args[0], &args[1]);
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_mul(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_mul(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing(operators::MULTIPLY, a)),
    }
}

fn divide(_: KubernetesVersion, args: &[Value]) -> Result {
    let (a, b) = (&args[0], &args[1]);
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(EvalError::of(ErrorKind::DivisionByZero, "division by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int(a.checked_div(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_div(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing(operators::DIVIDE, a)),
    }
}

fn modulo(_: KubernetesVersion, args: &[Value]) -> Result {
    let (a, b) = (&args[0], &args[1]);
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(EvalError::of(ErrorKind::DivisionByZero, "modulus by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int(a.checked_rem(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_rem(*b)),
        (Value::Int(_) | Value::Uint(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing(operators::MODULO, a)),
    }
}

fn negate(_: KubernetesVersion, args: &[Value]) -> Result {
    match &args[0] {
        Value::Int(a) => int(a.checked_neg()),
        Value::Double(a) => Ok(Value::Double(-a)),
        Value::Duration(a) => Duration(0).minus(*a).map(Value::Duration),
        Value::Bool(_) => Err(EvalError::new("no such overload")),
        other => Err(trait_missing(operators::NEGATE, other)),
    }
}
