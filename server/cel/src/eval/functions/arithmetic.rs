//! Operators on numbers, and sums, differences and comparisons of all that has them (`cel-go` `common/stdlib`, `common/types`).

use std::cmp::Ordering;

use super::{Binding, singleton, trait_missing};
use crate::value::{EvalError, Result, Value, compare};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "_+_" => singleton(|_, args| add(&args[0], &args[1])),
        "_-_" => singleton(|_, args| subtract(&args[0], &args[1])),
        "_*_" => singleton(|_, args| multiply(&args[0], &args[1])),
        "_/_" => singleton(|_, args| divide(&args[0], &args[1])),
        "_%_" => singleton(|_, args| modulo(&args[0], &args[1])),
        "-_" => singleton(|_, args| negate(&args[0])),
        "!_" => singleton(|_, args| match &args[0] {
            Value::Bool(b) => Ok(Value::Bool(!b)),
            _ => Err(EvalError::no_such_overload()),
        }),
        "_<_" => singleton(|_, args| relation("_<_", args, Ordering::is_lt)),
        "_<=_" => singleton(|_, args| relation("_<=_", args, Ordering::is_le)),
        "_>_" => singleton(|_, args| relation("_>_", args, Ordering::is_gt)),
        "_>=_" => singleton(|_, args| relation("_>=_", args, Ordering::is_ge)),
        _ => return None,
    })
}

fn int_overflow() -> EvalError {
    EvalError::new("integer overflow")
}

fn uint_overflow() -> EvalError {
    EvalError::new("unsigned integer overflow")
}

fn int(value: Option<i64>) -> Result {
    value.map(Value::Int).ok_or_else(int_overflow)
}

fn uint(value: Option<u64>) -> Result {
    value.map(Value::Uint).ok_or_else(uint_overflow)
}

pub(super) fn add(a: &Value, b: &Value) -> Result {
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
        _ => Err(trait_missing("_+_", a)),
    }
}

fn subtract(a: &Value, b: &Value) -> Result {
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
        _ => Err(trait_missing("_-_", a)),
    }
}

fn multiply(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_mul(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_mul(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing("_*_", a)),
    }
}

fn divide(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => Err(EvalError::new("division by zero")),
        (Value::Int(a), Value::Int(b)) => int(a.checked_div(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_div(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing("_/_", a)),
    }
}

fn modulo(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => Err(EvalError::new("modulus by zero")),
        (Value::Int(a), Value::Int(b)) => int(a.checked_rem(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_rem(*b)),
        (Value::Int(_) | Value::Uint(_), _) => Err(EvalError::no_such_overload()),
        _ => Err(trait_missing("_%_", a)),
    }
}

fn negate(a: &Value) -> Result {
    match a {
        Value::Int(a) => int(a.checked_neg()),
        Value::Double(a) => Ok(Value::Double(-a)),
        Value::Duration(a) => crate::value::Duration(0).minus(*a).map(Value::Duration),
        Value::Bool(_) => Err(EvalError::new("no such overload")),
        _ => Err(trait_missing("-_", a)),
    }
}

fn relation(function: &str, args: &[Value], holds: fn(Ordering) -> bool) -> Result {
    let comparable = matches!(
        args[0],
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    );
    if !comparable {
        return Err(trait_missing(function, &args[0]));
    }
    compare(&args[0], &args[1]).map(|order| Value::Bool(holds(order)))
}
