//! Parses durations and times like Go.

/// The nanoseconds of a duration such as `1h30m` or `-1.5s`; `None` if it is invalid or out of range
/// (Go `time.ParseDuration`).
pub fn parse_duration(text: &str) -> Option<i64> {
    /// One more than the largest positive number of nanoseconds. Only a negative duration can reach it.
    const LIMIT: u64 = 1 << 63;
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = count_digits(rest);
        let mut whole = leading_int(&rest[..digits])?;
        rest = &rest[digits..];
        let (mut fraction, mut scale, mut fraction_digits) = (0, 1.0, 0);
        if let Some(after) = rest.strip_prefix('.') {
            fraction_digits = count_digits(after);
            (fraction, scale) = leading_fraction(&after[..fraction_digits]);
            rest = &after[fraction_digits..];
        }
        if digits == 0 && fraction_digits == 0 {
            return None;
        }
        let end = rest
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(rest.len());
        let unit: u64 = match &rest[..end] {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        rest = &rest[end..];
        if whole > LIMIT / unit {
            return None;
        }
        whole *= unit;
        if fraction > 0 {
            whole = whole.wrapping_add((fraction as f64 * (unit as f64 / scale)) as u64);
            if whole > LIMIT {
                return None;
            }
        }
        total = total.wrapping_add(whole);
        if total > LIMIT {
            return None;
        }
    }
    if negative {
        return Some((total as i64).wrapping_neg());
    }
    i64::try_from(total).ok()
}

fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn leading_int(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |value, digit| {
        let value = (value <= (1 << 63) / 10).then(|| value * 10 + u64::from(digit - b'0'))?;
        (value <= 1 << 63).then_some(value)
    })
}

/// The digits as a number, and the divisor for the fraction. Digits that do not fit into the number are dropped.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        if value > ((1 << 63) - 1) / 10 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > 1 << 63 {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

/// The first second of year 1, relative to 1970.
const MIN_SECONDS: i64 = -62_135_596_800;
/// The last second of year 9999, relative to 1970.
const MAX_SECONDS: i64 = 253_402_300_799;

/// The seconds since 1970, if they are within the years 1 to 9999.
pub fn timestamp_from_seconds(seconds: i64) -> Option<i64> {
    (MIN_SECONDS..=MAX_SECONDS).contains(&seconds).then_some(seconds)
}

/// The seconds since 1970 and the nanoseconds of an RFC 3339 time, or `None` if it is invalid. The year may be outside 1 to 9999.
///
/// Like Go's `time.Parse(time.RFC3339, …)`, this accepts an hour of one digit, and a comma before the fraction.
pub fn parse_timestamp(text: &str) -> Option<(i64, u32)> {
    let mut reader = Reader(text.as_bytes());
    let year = reader.digits(4)?;
    reader.byte(b'-')?;
    let month = reader.digits(2).filter(|month| (1..=12).contains(month))?;
    reader.byte(b'-')?;
    let day = reader.digits(2)?;
    reader.byte(b'T')?;
    let hour = if reader.0.get(1).is_some_and(u8::is_ascii_digit) {
        reader.digits(2)?
    } else {
        reader.digits(1)?
    };
    reader.byte(b':')?;
    let minute = reader.digits(2)?;
    reader.byte(b':')?;
    let second = reader.digits(2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = reader.fraction();
    let offset = reader.offset()?;
    if !reader.0.is_empty() || day < 1 || day > days_in(month, year) {
        return None;
    }
    let seconds = days_from_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    Some((seconds, nanos))
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let value = digits.iter().try_fold(0, |value, digit| {
            digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'))
        })?;
        self.0 = rest;
        Some(value)
    }

    fn fraction(&mut self) -> u32 {
        if !matches!(self.0, [b'.' | b',', digit, ..] if digit.is_ascii_digit()) {
            return 0;
        }
        let count = self.0[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0[1..].split_at(count);
        self.0 = rest;
        let nanos = digits
            .iter()
            .take(9)
            .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        nanos * 10_u32.pow(9 - count.min(9) as u32)
    }

    /// The zone offset in seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        if self.byte(b'Z').is_some() {
            return Some(0);
        }
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2)?;
        self.byte(b':')?;
        let minutes = self.digits(2)?;
        (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3_600 + minutes * 60))
    }
}

fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day is the last day of a year.
fn days_from_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_as_go_does() {
        let check = |text, nanos| assert_eq!(parse_duration(text), nanos, "{text}");
        check("0", Some(0));
        check("-0", Some(0));
        check("1h30m", Some(5_400_000_000_000));
        check("-1.5s", Some(-1_500_000_000));
        check(".5ms1ns", Some(500_001));
        check("1\u{b5}s", Some(1_000));
        check("9223372036854775807ns", Some(i64::MAX));
        check("-9223372036854775808ns", Some(i64::MIN));
        for text in [
            "",
            "-",
            "1",
            "1d",
            ".s",
            "1h 1m",
            "9223372036854775808ns",
            "3000000h",
            "s",
            "1.2.3s",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn reads_times_as_go_does() {
        let check = |text, time| assert_eq!(parse_timestamp(text), time, "{text}");
        check("1970-01-01T00:00:00Z", Some((0, 0)));
        check("2000-02-29T12:30:45.5+01:00", Some((951_823_845, 500_000_000)));
        check("1970-01-01T1:00:00,123456789012Z", Some((3_600, 123_456_789)));
        check("0001-01-01T00:00:00Z", Some((MIN_SECONDS, 0)));
        check("9999-12-31T23:59:59Z", Some((MAX_SECONDS, 0)));
        check("0000-12-31T23:59:59Z", Some((MIN_SECONDS - 1, 0)));
        check("9999-12-31T23:59:59-01:00", Some((MAX_SECONDS + 3_600, 0)));
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-13-01T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00+25:00",
            "1970-01-01T00:00:00Zx",
            "1970-01-01t00:00:00Z",
        ] {
            check(text, None);
        }
    }
}
