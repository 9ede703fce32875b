//! Formats doubles like Go.

/// Formats a double like Go's `%g`.
pub(crate) fn double_g(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "+Inf".to_owned()
        } else {
            "-Inf".to_owned()
        };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

/// Formats a double without exponent and with the fewest digits that identify it, like Go's `strconv.FormatFloat(value, 'f', -1, 64)`.
pub(crate) fn double_f(value: f64) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        double_g(value)
    }
}
