//! Dates, times and durations.

use std::sync::LazyLock;

use crd_analyzer_cel::validators::parse_duration;
use crd_analyzer_goregexp::GoRegex;

/// `2006-01-02` (`time.Parse` of Go): an existing day in the years 0000 to 9999.
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

/// A date, `T`, and a time of day with a zone; anything from a second `T` on is ignored.
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
    // The prefix must be ASCII so that the slice below starts at a character boundary.
    if bytes.len() < 9 || !bytes[..8].is_ascii() || bytes[2] != b':' || bytes[5] != b':' {
        return false;
    }
    if !(two(0, 23) && two(3, 59) && two(6, 59)) {
        return false;
    }
    let rest = &text[8..];
    // Fractional digits may follow any character, not just a point, because the API server's pattern does not escape the point.
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

/// `Z` or an offset such as `+01:00`, with any digits.
fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', hours @ .., b':', m1, m2] if hours.len() == 2 => {
            hours.iter().chain([m1, m2]).all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// A Go duration, or numbers with Scala units anywhere in the string.
pub(super) fn is_duration(text: &str) -> bool {
    duration_nanos(text).is_ok()
}

/// Parses a duration into nanoseconds; the error is the API server's message (`strfmt.ParseDuration`).
pub fn duration_nanos(text: &str) -> Result<i64, String> {
    match parse_duration(text) {
        Some(nanos) => Ok(nanos),
        None => scala_duration(text),
    }
}

/// Adds up all numbers before a known unit. At least one such number must exist, and none may be too large. The sum wraps around on overflow.
fn scala_duration(text: &str) -> Result<i64, String> {
    static NUMBER_WITH_UNIT: LazyLock<Option<GoRegex>> =
        LazyLock::new(|| GoRegex::new("(\\d+)\\s*([A-Za-z\u{b5}]+)").ok());
    let none = || Err(format!("unable to parse {text} as duration"));
    let Some(pattern) = NUMBER_WITH_UNIT.as_ref() else {
        return none();
    };
    let mut sum = None;
    for range in pattern.find_all(text, usize::MAX).unwrap_or_default() {
        let part = &text[range];
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let number = &part[..digits];
        let Ok(factor) = number.parse::<i64>() else {
            return Err(format!("strconv.Atoi: parsing \"{number}\": value out of range"));
        };
        let unit = part[digits..].trim_start().to_ascii_lowercase();
        if let Some(nanos) = unit_nanos(&unit) {
            sum = Some(sum.unwrap_or(0_i64).wrapping_add(factor.wrapping_mul(nanos)));
        }
    }
    sum.map_or_else(none, Ok)
}

/// The nanoseconds of a unit in lower case.
fn unit_nanos(unit: &str) -> Option<i64> {
    /// The short forms, the prefix of the long forms, and the nanoseconds.
    const UNITS: [(&[&str], &str, i64); 8] = [
        (&["ns"], "nano", 1),
        (&["us", "\u{b5}s"], "micro", 1_000),
        (&["ms"], "milli", 1_000_000),
        (&["s"], "sec", 1_000_000_000),
        (&["m"], "min", 60_000_000_000),
        (&["h", "hr"], "hour", 3_600_000_000_000),
        (&["d"], "day", 86_400_000_000_000),
        (&["w", "wk"], "week", 604_800_000_000_000),
    ];
    let found = UNITS
        .iter()
        .find(|(short, long, _)| short.contains(&unit) || unit.starts_with(long));
    found.map(|(_, _, nanos)| *nanos)
}
