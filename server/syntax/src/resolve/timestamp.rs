//! Recognizes go-yaml's timestamps (`parseTimestamp`, which uses Go's `time.Parse`). This is only needed for an explicit `!!timestamp`.

/// Whether the text is a timestamp.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let year_digits = bytes.iter().take_while(|it| it.is_ascii_digit()).count();
    if year_digits != 4 || bytes.get(4) != Some(&b'-') {
        return false;
    }
    [Form::Zoned(b'T'), Form::Zoned(b't'), Form::Spaced, Form::Date]
        .into_iter()
        .any(|form| matches(bytes, form))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Date, this letter, time and zone.
    Zoned(u8),
    /// Date, space, time.
    Spaced,
    /// Date alone.
    Date,
}

fn matches(bytes: &[u8], form: Form) -> bool {
    parse(bytes, form).is_some_and(<[u8]>::is_empty)
}

/// Parses a timestamp of this form. Returns the rest of the text.
fn parse(bytes: &[u8], form: Form) -> Option<&[u8]> {
    let (year, rest) = bytes.split_at_checked(4)?;
    let year = year
        .iter()
        .fold(0_u32, |year, digit| year * 10 + u32::from(digit - b'0'));
    let (month, rest) = short_number(literal(rest, b'-')?)?;
    if !(1..=12).contains(&month) {
        return None;
    }
    let (day, mut rest) = short_number(literal(rest, b'-')?)?;
    if form != Form::Date {
        rest = match form {
            Form::Zoned(letter) => literal(rest, letter)?,
            _ => spaces(rest)?,
        };
        let (hour, after) = short_number(rest)?;
        let (minute, after) = short_number(literal(after, b':')?)?;
        let (second, after) = short_number(literal(after, b':')?)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        rest = fraction(after);
        if form != Form::Spaced {
            rest = zone(rest)?;
        }
    }
    (1..=days_in(month, year)).contains(&day).then_some(rest)
}

fn literal(bytes: &[u8], byte: u8) -> Option<&[u8]> {
    bytes.split_first().filter(|it| *it.0 == byte).map(|it| it.1)
}

/// Skips spaces. A space in Go's layout matches any number of spaces, or the end of the text.
fn spaces(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.first().is_some_and(|&it| it != b' ') {
        return None;
    }
    let count = bytes.iter().take_while(|&&it| it == b' ').count();
    Some(&bytes[count..])
}

/// Parses a number of one or two digits.
fn short_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let digit = |at: usize| {
        bytes
            .get(at)
            .filter(|it| it.is_ascii_digit())
            .map(|it| u32::from(it - b'0'))
    };
    let first = digit(0)?;
    Some(match digit(1) {
        Some(second) => (first * 10 + second, &bytes[2..]),
        None => (first, &bytes[1..]),
    })
}

fn fraction(bytes: &[u8]) -> &[u8] {
    match bytes {
        [b'.' | b',', digit, ..] if digit.is_ascii_digit() => {
            let digits = bytes[1..].iter().take_while(|it| it.is_ascii_digit()).count();
            &bytes[1 + digits..]
        }
        _ => bytes,
    }
}

/// Skips a time zone: `Z` or an offset such as `+01:00`.
fn zone(bytes: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = literal(bytes, b'Z') {
        return Some(rest);
    }
    let (offset, rest) = bytes.split_at_checked(6)?;
    let [b'+' | b'-', h1, h2, b':', m1, m2] = offset else {
        return None;
    };
    let pair = |tens: &u8, ones: &u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
    };
    (pair(h1, h2)? <= 24 && pair(m1, m2)? <= 60).then_some(rest)
}

fn days_in(month: u32, year: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
