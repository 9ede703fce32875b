//! Converts operands to the types that a function body expects.

use crate::value::{EvalError, List, Result, Value};

/// Units of work per byte of a regular expression that is not a constant.
pub(super) const PATTERN_WORK: u64 = 64;

/// The error of an operator or method whose first operand does not support it.
pub(super) fn trait_missing(function: &str, first: &Value) -> EvalError {
    match first {
        // In the API server, values of these types do their own type check, and their error does not name the function.
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => EvalError::no_such_overload(),
        _ => EvalError::new(format!("no such overload: {function}")),
    }
}

pub(super) fn elements(value: &Value) -> Result<&List> {
    match value {
        Value::List(list) => Ok(list),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn text(value: &Value) -> Result<&str> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn int(value: &Value) -> Result<i64> {
    match value {
        Value::Int(int) => Ok(*int),
        _ => Err(EvalError::no_such_overload()),
    }
}
