//! Converts and compares numbers of different types (`cel-go` `common/types/{overflow,compare}.go`).

use std::cmp::Ordering;

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// The integer part of a double, if the integer is in range. The minimum integer itself is not accepted.
pub fn double_to_int(value: f64) -> Option<i64> {
    (value > -TWO_TO_63 && value < TWO_TO_63).then_some(value as i64)
}

/// The integer part of a double, if the integer is in range.
pub fn double_to_uint(value: f64) -> Option<u64> {
    (0.0..TWO_TO_64).contains(&value).then_some(value as u64)
}

/// The integer that equals a double exactly.
pub(crate) fn exact_int(value: f64) -> Option<i64> {
    double_to_int(value).filter(|i| compare_doubles(*i as f64, value).is_eq())
}

/// The unsigned integer that equals a double exactly.
pub(crate) fn exact_uint(value: f64) -> Option<u64> {
    double_to_uint(value).filter(|u| compare_doubles(*u as f64, value).is_eq())
}

/// Compares a double (not NaN) with an integer.
pub(super) fn compare_double_int(a: f64, b: i64) -> Ordering {
    if a < -TWO_TO_63 {
        Ordering::Less
    } else if a > TWO_TO_63 {
        Ordering::Greater
    } else {
        compare_doubles(a, b as f64)
    }
}

/// Compares a double (not NaN) with an unsigned integer.
pub(super) fn compare_double_uint(a: f64, b: u64) -> Ordering {
    if a < 0.0 {
        Ordering::Less
    } else if a > TWO_TO_64 {
        Ordering::Greater
    } else {
        compare_doubles(a, b as f64)
    }
}

/// Compares two doubles, neither of them NaN.
pub(super) fn compare_doubles(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Compares an integer with an unsigned one.
pub(super) fn compare_int_uint(a: i64, b: u64) -> Ordering {
    u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))
}
