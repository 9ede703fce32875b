//! Dates, times and durations.

use std::sync::LazyLock;

use crd_analyzer_goregexp::GoRegex;

/// `2006-01-02` (`time.Parse` of Go): a day that exists, in the years 0000 to 9999.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| {
        let digits = &bytes[range];
        let value = digits
            .iter()
            .fold(0_u32, |value, b| value * 10 + u32::from(b.wrapping_sub(b'0')));
        digits.iter().all(u8::is_ascii_digit).then_some(value)
    };
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A date, `T`, and a time of day with a zone; what a second `T` begins is not looked at.
pub(super) fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date) && is_time(time)
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = |at: usize, max: u8| {
        bytes[at].is_ascii_digit()
            && bytes[at + 1].is_ascii_digit()
            && (bytes[at] - b'0') * 10 + (bytes[at + 1] - b'0') <= max
    };
    // The prefix must be ASCII for the slice below to begin at a character.
    if bytes.len() < 9 || !bytes[..8].is_ascii() || bytes[2] != b':' || bytes[5] != b':' {
        return false;
    }
    if !(two(0, 23) && two(3, 59) && two(6, 59)) {
        return false;
    }
    let rest = &text[8..];
    // Fractional digits may follow any character, not just a point: the server's pattern does not escape it.
    let mut chars = rest.chars();
    let fraction = match chars.next() {
        Some(c) if c != '\n' => {
            let after = chars.as_str();
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then(|| &after[digits..])
        }
        _ => None,
    };
    is_zone(rest) || fraction.is_some_and(is_zone)
}

/// `Z` or an offset such as `+01:00`, of which any two digits will do.
fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', hours @ .., b':', m1, m2] if hours.len() == 2 => {
            hours.iter().chain([m1, m2]).all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// A duration of Go, or numbers with units of Scala anywhere in the text.
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_scala_duration(text)
}

/// `time.ParseDuration`
fn is_go_duration(text: &str) -> bool {
    const MAX: u64 = 1 << 63;
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let whole = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut value = 0_u64;
        for b in rest[..whole].bytes() {
            if value > MAX / 10 {
                return false;
            }
            value = value * 10 + u64::from(b - b'0');
            if value > MAX {
                return false;
            }
        }
        rest = &rest[whole..];
        let (mut fraction, mut scale, mut digits) = (0_u64, 1.0_f64, 0);
        if let Some(after) = rest.strip_prefix('.') {
            digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let mut overflow = false;
            for b in after[..digits].bytes() {
                let next = fraction.saturating_mul(10).saturating_add(u64::from(b - b'0'));
                overflow = overflow || fraction > (MAX - 1) / 10 || next > MAX;
                if !overflow {
                    fraction = next;
                    scale *= 10.0;
                }
            }
            rest = &after[digits..];
        }
        if whole == 0 && digits == 0 {
            return false;
        }
        let unit_end = rest
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(rest.len());
        let unit: u64 = match &rest[..unit_end] {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return false,
        };
        rest = &rest[unit_end..];
        if value > MAX / unit {
            return false;
        }
        value *= unit;
        if fraction > 0 {
            value = value.saturating_add((fraction as f64 * (unit as f64 / scale)) as u64);
            if value > MAX {
                return false;
            }
        }
        total = total.saturating_add(value);
        if total > MAX {
            return false;
        }
    }
    negative || total < MAX
}

/// At least one number has a known unit behind it, and no number before it is too large (`strfmt.ParseDuration`).
fn is_scala_duration(text: &str) -> bool {
    static NUMBER_WITH_UNIT: LazyLock<Option<GoRegex>> =
        LazyLock::new(|| GoRegex::new("(\\d+)\\s*([A-Za-z\u{b5}]+)").ok());
    let Some(pattern) = NUMBER_WITH_UNIT.as_ref() else {
        return false;
    };
    let mut found = false;
    for range in pattern.find_all(text) {
        let part = &text[range];
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        if part[..digits].parse::<i64>().is_err() {
            return false;
        }
        let unit = part[digits..].trim_start().to_ascii_lowercase();
        let prefixes = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
        found = found
            || prefixes.iter().any(|prefix| unit.starts_with(prefix))
            || matches!(
                unit.as_str(),
                "ns" | "us" | "\u{b5}s" | "ms" | "s" | "m" | "h" | "hr" | "d" | "w" | "wk"
            );
    }
    found
}
