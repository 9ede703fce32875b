//! Compares values (`cel-go` `common/types`, the methods `Equal` and `Compare`).

use std::cmp::Ordering;

use crd_analyzer_budget::{self as budget, BYTES_PER_WORK};

use super::number::{compare_double_int, compare_double_uint, compare_doubles, compare_int_uint};
use super::{EvalError, Result, Value};

/// Budgeted work for one list or map in a comparison: iterating over it, and cloning its elements.
const COLLECTION_WORK: u64 = 32;

/// Budgeted work for comparing two values, without their elements.
fn step(a: &Value, b: &Value) -> u64 {
    match a {
        // Computed values share parts, so a comparison can be far larger than the values in memory.
        Value::List(_) | Value::Map(_) | Value::Opaque(_) => COLLECTION_WORK,
        _ => 1 + a.text_bytes().min(b.text_bytes()) / BYTES_PER_WORK,
    }
}

/// Whether two values are equal (`==`). For foreign lists and objects, the comparison can be an error.
pub fn equal(a: &Value, b: &Value) -> Result<bool> {
    match (a, b) {
        (Value::Null, b) => Ok(matches!(b, Value::Null)),
        (_, Value::Null) => Ok(false),
        _ => equal_to(a, b),
    }
}

/// The result of the Go method `Equal` of `a` with `b`.
pub fn equal_to(a: &Value, b: &Value) -> Result<bool> {
    budget::work(step(a, b))?;
    Ok(match (a, b) {
        (Value::Null, b) => matches!(b, Value::Null),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            compare_numbers(a, b) == Some(Ordering::Equal)
        }
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp_instant(b) == Ordering::Equal,
        (Value::List(a), b) => return crate::stack::grow(|| a.equal(b)),
        (Value::Map(a), b) => return crate::stack::grow(|| a.equal(b)),
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => return equal_to(a, b),
            (a, b) => a.is_none() && b.is_none(),
        },
        (Value::Type(a), Value::Type(b)) => a.type_name() == b.type_name(),
        (Value::Opaque(a), b) => return a.equal(b),
        (Value::Raw(raw), b) => {
            a.clone().or_failure()?;
            raw.equal(b)
        }
        _ => false,
    })
}

/// The error for comparing a foreign list or map with another type (`MaybeNoSuchOverloadErr`).
pub(super) fn not_comparable(other: &Value) -> EvalError {
    match other.clone().or_failure() {
        Err(error) => error,
        Ok(_) => EvalError::no_such_overload(),
    }
}

/// The order of two numbers; `None` if one of them is NaN or not a number.
fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Double(d), _) | (_, Value::Double(d)) if d.is_nan() => None,
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => (!b.is_nan()).then(|| compare_doubles(*a, *b)),
        (Value::Int(a), Value::Uint(b)) => Some(compare_int_uint(*a, *b)),
        (Value::Uint(a), Value::Int(b)) => Some(compare_int_uint(*b, *a).reverse()),
        (Value::Double(a), Value::Int(b)) => Some(compare_double_int(*a, *b)),
        (Value::Int(a), Value::Double(b)) => Some(compare_double_int(*b, *a).reverse()),
        (Value::Double(a), Value::Uint(b)) => Some(compare_double_uint(*a, *b)),
        (Value::Uint(a), Value::Double(b)) => Some(compare_double_uint(*b, *a).reverse()),
        _ => None,
    }
}

/// The order of two values. Numbers of different types can be compared.
pub fn compare(a: &Value, b: &Value) -> Result<Ordering> {
    budget::work(step(a, b))?;
    Ok(match (a, b) {
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            return compare_numbers(a, b).ok_or_else(|| EvalError::new("NaN values cannot be ordered"));
        }
        (Value::Double(d), _) if d.is_nan() => return Err(EvalError::new("NaN values cannot be ordered")),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp_instant(b),
        _ => return Err(EvalError::no_such_overload()),
    })
}

#[cfg(test)]
mod tests {
    use crd_analyzer_budget::{Limits, Unfinished, within};

    use super::*;

    #[test]
    fn values_that_share_their_parts_have_an_end() {
        let limits = Limits {
            work: 10_000 * COLLECTION_WORK,
            ..Limits::NONE
        };
        let double = |value: Value, _| Value::list(vec![value.clone(), value]);
        let (small, large) = ((0..10).fold(Value::Int(1), double), (0..60).fold(Value::Int(1), double));
        assert!(matches!(within(limits, || equal(&small, &small)), (Ok(true), ended) if ended.unfinished.is_none()));
        let (answer, ended) = within(limits, || equal(&large, &large));
        assert!(answer.is_err_and(|it| it.is_fatal()));
        assert_eq!(ended.unfinished, Some(Unfinished::Work));
    }
}
