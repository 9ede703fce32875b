//! Parses numbers like Go's `strconv`.

use std::borrow::Cow;

use super::Resolved;

/// Parses a text that starts with a digit or sign.
pub(super) fn number(text: &str) -> Resolved {
    let bytes = text.as_bytes();
    if let 1..=18 = bytes.len()
        && bytes[0] != b'0'
        && bytes.iter().all(u8::is_ascii_digit)
    {
        return Resolved::Int(
            bytes
                .iter()
                .fold(0, |value, &digit| value * 10 + i64::from(digit - b'0')),
        );
    }
    let plain = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    let plain = plain.as_ref();
    if let Some(value) = int(plain, None) {
        return Resolved::Int(value);
    }
    if let Some(value) = uint(plain, None) {
        return Resolved::Uint(value);
    }
    if is_float(plain.as_bytes())
        && let Ok(value) = plain.parse::<f64>()
        && value.is_finite()
    {
        return Resolved::Float(value);
    }
    if let Some(digits) = plain.strip_prefix("0b") {
        if let Some(value) = int(digits, Some(2)) {
            return Resolved::Int(value);
        }
        if let Some(value) = uint(digits, Some(2)) {
            return Resolved::Uint(value);
        }
    } else if let Some(digits) = plain.strip_prefix("-0b")
        && let Some(value) = int(&format!("-{digits}"), Some(2))
    {
        return Resolved::Int(value);
    }
    Resolved::Text
}

/// `strconv.ParseInt`. If `base` is `None`, the prefix determines the base.
fn int(text: &str, base: Option<u32>) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'+' => (false, &text[1..]),
        b'-' => (true, &text[1..]),
        _ => (false, text),
    };
    let value = uint(digits, base)?;
    if negative {
        0_i64.checked_sub_unsigned(value)
    } else {
        i64::try_from(value).ok()
    }
}

/// `strconv.ParseUint`. If `base` is `None`, the prefix determines the base.
fn uint(text: &str, base: Option<u32>) -> Option<u64> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let (base, digits) = match base {
        Some(base) => (base, bytes),
        None if first != b'0' => (10, bytes),
        None => match bytes.get(1).map(u8::to_ascii_lowercase) {
            Some(b'b') if bytes.len() >= 3 => (2, &bytes[2..]),
            Some(b'o') if bytes.len() >= 3 => (8, &bytes[2..]),
            Some(b'x') if bytes.len() >= 3 => (16, &bytes[2..]),
            _ => (8, &bytes[1..]),
        },
    };
    digits.iter().try_fold(0_u64, |value, &digit| {
        let digit = char::from(digit).to_digit(base)?;
        value.checked_mul(u64::from(base))?.checked_add(u64::from(digit))
    })
}

/// Whether the text matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(bytes: &[u8]) -> bool {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut at = digits(start);
    if bytes.get(at) == Some(&b'.') {
        let fraction = at + 1;
        let end = digits(fraction);
        if at == start && end == fraction {
            return false;
        }
        at = end;
    } else if at == start {
        return false;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at);
        if end == at {
            return false;
        }
        at = end;
    }
    at == bytes.len()
}

/// `strconv.ParseFloat` for a text that starts with a point. Underscores between digits are allowed.
pub(super) fn float_with_point(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let mut after_digit = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'_' && !(after_digit && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) {
            return None;
        }
        after_digit = byte.is_ascii_digit();
    }
    let plain = text.replace('_', "");
    // A lone point and `.e5` are not numbers.
    if !is_float(plain.as_bytes()) {
        return None;
    }
    plain.parse().ok().filter(|it: &f64| it.is_finite())
}
