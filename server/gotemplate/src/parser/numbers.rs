//! The values of numbers (`strconv.ParseInt`, `strconv.ParseFloat`).

use crd_analyzer_gostd::{parse_float, quote, unquote_char};

use crate::token::Kind;

/// What Go says of a number or a character constant without a value.
pub(super) fn problem(written: &str, kind: Kind) -> Option<String> {
    match kind {
        Kind::CharConstant => character(written),
        // The lexer has checked its form.
        Kind::Complex => None,
        _ => number(written),
    }
}

fn character(written: &str) -> Option<String> {
    match unquote_char(&written[1..], '\'') {
        None => Some("invalid syntax".to_owned()),
        Some("'") => None,
        Some(_) => Some(format!("malformed character constant: {written}")),
    }
}

fn number(written: &str) -> Option<String> {
    let is_imaginary = written.strip_suffix('i').is_some_and(|it| parse_float(it).is_some());
    if is_imaginary || is_integer(written) {
        return None;
    }
    if parse_float(written).is_none() {
        return Some(format!("illegal number syntax: {}", quote(written)));
    }
    let is_large = !written.contains(['.', 'e', 'E', 'p', 'P']);
    is_large.then(|| format!("integer overflow: {}", quote(written)))
}

/// Whether Go reads an integer of 64 bits, with or without a sign.
fn is_integer(written: &str) -> bool {
    let (sign, digits) = match written.strip_prefix(['+', '-']) {
        Some(digits) => (&written[..1], digits),
        None => ("", written),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, number) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        _ => (10, &*lower),
    };
    // An underscore separates digits. The prefix of the base counts as one.
    let has_base = radix != 10;
    let separates = !lower.contains("__") && !lower.ends_with('_') && (has_base || !lower.starts_with('_'));
    let plain = number.replace('_', "");
    let Ok(value) = u128::from_str_radix(&plain, radix) else {
        return false;
    };
    let most = match sign {
        "" => u128::from(u64::MAX),
        "-" => 1 << 63,
        _ => (1 << 63) - 1,
    };
    separates && !plain.starts_with('+') && value <= most
}
