//! Floating-point numbers as `strconv` parses them (`src/strconv/atof.go` of Go 1.26).

/// Parses a floating-point number as `strconv.ParseFloat` with 64 bits does: allows underscores between digits and hexadecimal numbers with a binary
/// exponent, but not values out of range.
pub fn parse_float(text: &str) -> Option<f64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let lower = rest.to_ascii_lowercase();
    match &*lower {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" => return (rest.len() == text.len()).then_some(f64::NAN),
        _ => {}
    }
    if !underscores_separate_digits(&lower) {
        return None;
    }
    let digits = lower.replace('_', "");
    if let Some(hex) = digits.strip_prefix("0x") {
        return parse_hex_double(hex).map(|value| sign * value);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    digits.parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| sign * v)
}

/// Whether all underscores of a lower-case number are between digits or after the base prefix.
fn underscores_separate_digits(number: &str) -> bool {
    let (is_hex, digits) = number.strip_prefix("0x").map_or((false, number), |hex| (true, hex));
    let (mut after_digit, mut after_underscore) = (is_hex, false);
    for c in digits.bytes() {
        let is_digit = c.is_ascii_digit() || (is_hex && c.is_ascii_hexdigit());
        if (c == b'_' && !after_digit) || (after_underscore && !is_digit) {
            return false;
        }
        (after_digit, after_underscore) = (is_digit, c == b'_');
    }
    !after_underscore
}

/// The value of a hexadecimal number with a binary exponent, given without its `0x` prefix; `None` if it is out of range.
fn parse_hex_double(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if (whole.is_empty() && fraction.is_empty()) || digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    // All larger exponents give the same double.
    let mut exponent: i64 = if digits.trim_start_matches('0').len() > 5 {
        if exponent.starts_with('-') { -100_000 } else { 100_000 }
    } else {
        exponent.parse().ok()?
    };
    let mut bits: u64 = 0;
    let mut lost = false;
    for (at, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let is_fraction = at >= whole.len();
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            lost |= digit != 0;
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    if bits == 0 {
        return Some(0.0);
    }
    // The lost bits only distinguish exactly a half from more than a half when rounding.
    let (mut bits, mut sticky) = (u128::from(bits) << 60, lost);
    exponent -= 60;
    let keep = 53.min(i64::from(128 - bits.leading_zeros()) + exponent + 1074);
    let drop = i64::from(128 - bits.leading_zeros()) - keep;
    if drop > 127 {
        return Some(0.0);
    }
    let half = 1_u128 << (drop - 1);
    sticky |= bits & (half - 1) != 0;
    let is_half = bits & half != 0;
    bits >>= drop;
    if is_half && (sticky || bits & 1 == 1) {
        bits += 1;
    }
    let exponent = exponent + drop;
    let power = |exponent: i64| 2_f64.powi(exponent.clamp(-2000, 2000) as i32);
    let value = if exponent < -1000 {
        bits as f64 * power(exponent + 100) * power(-100)
    } else {
        bits as f64 * power(exponent.min(1000)) * power((exponent - 1000).max(0))
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::parse_float;

    #[test]
    fn decimal_numbers() {
        for (text, expected) in [
            ("1.5", Some(1.5)),
            ("-.5e+1", Some(-5.0)),
            ("+3", Some(3.0)),
            ("1_23.50_0_0e+1_2", Some(1.235e14)),
            ("-_123.5e+12", None),
            ("1__0", None),
            ("1_", None),
            ("1e", None),
            ("1e400", None),
            ("", None),
            (".", None),
            ("three", None),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("+nan", None),
        ] {
            assert_eq!(parse_float(text), expected, "{text}");
        }
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn hexadecimal_numbers_need_an_exponent() {
        for (text, expected) in [
            ("0x1F", None),
            ("0x1Fp0", Some(31.0)),
            ("0x_1_2.3_4_5p+1_2", Some(74565.0)),
            ("0x.8p1", Some(1.0)),
            ("0xp1", None),
            ("0b1", None),
        ] {
            assert_eq!(parse_float(text), expected, "{text}");
        }
    }
}
