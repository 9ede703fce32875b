//! Go's number formatting.

/// Formats a number like `encoding/json`: without an exponent from 1e-6 up to 1e21, otherwise with one.
///
/// Infinities and NaN, which JSON cannot represent, are formatted like Go's `%v`.
pub fn json_float(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 || (1e-6..1e21).contains(&size) {
        return match value {
            f64::INFINITY => "+Inf".to_owned(),
            f64::NEG_INFINITY => "-Inf".to_owned(),
            _ => format!("{value}"),
        };
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent:0>2}"),
        _ => text,
    }
}

/// Formats a number like the verb `%v`: with an exponent below 1e-4 and from a million on.
pub fn plain_float(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 || (1e-4..1e6).contains(&size) {
        return json_float(value);
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{json_float, plain_float};

    #[track_caller]
    fn check(value: f64, json: &str, plain: &str) {
        assert_eq!(
            (json_float(value).as_str(), plain_float(value).as_str()),
            (json, plain),
            "{value:?}"
        );
    }

    #[test]
    fn prints_as_go_does() {
        check(0.0, "0", "0");
        check(-0.0, "-0", "-0");
        check(1.5, "1.5", "1.5");
        check(100_000.0, "100000", "100000");
        check(1_234_567.0, "1234567", "1.234567e+06");
        check(1e20, "100000000000000000000", "1e+20");
        check(1e21, "1e+21", "1e+21");
        check(-1.25e300, "-1.25e+300", "-1.25e+300");
        check(0.000_01, "0.00001", "1e-05");
        check(1e-7, "1e-7", "1e-07");
        check(1.5e-10, "1.5e-10", "1.5e-10");
        check(f64::INFINITY, "+Inf", "+Inf");
        check(f64::NAN, "NaN", "NaN");
    }
}
