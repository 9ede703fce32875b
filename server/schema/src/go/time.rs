//! Times (`metav1.Time`), parsed and rejected like Go's `time.Parse` does for RFC 3339, and formatted like the API.

/// The layout of a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// RFC 3339.
    Rfc3339,
    /// RFC 3339 without a zone; the zone is UTC.
    Local,
    /// A date without a time.
    Date,
}

impl Layout {
    const fn words(self) -> &'static str {
        match self {
            Self::Rfc3339 => "2006-01-02T15:04:05Z07:00",
            Self::Local => "2006-01-02T15:04:05",
            Self::Date => "2006-01-02",
        }
    }
}

/// January 1 of the year 1, Go's zero time, in seconds since 1970.
const ZERO: i64 = -62_135_596_800;

/// A time with a resolution of nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Seconds since the start of 1970, UTC.
    pub seconds: i64,
    /// The nanoseconds of the fraction of a second.
    pub nanoseconds: u32,
    /// The offset of its time zone, in seconds east of UTC.
    pub offset: i32,
}

/// Parses `text`; the error is Go's message (`time.Parse`).
pub fn parse_time(text: &str, layout: Layout) -> Result<Moment, String> {
    let parser = Parser {
        text,
        rest: text,
        layout,
    };
    parser.parse()
}

/// Parses `text` and formats the time like the API: in UTC, to the second. Returns `None` for Go's zero time. The error is Go's message.
pub fn read_rfc3339(text: &str) -> Result<Option<String>, String> {
    let moment = parse_time(text, Layout::Rfc3339)?;
    if moment.seconds == ZERO && moment.nanoseconds == 0 {
        return Ok(None);
    }
    let days = moment.seconds.div_euclid(86_400);
    let second = moment.seconds.rem_euclid(86_400);
    let (year, month, day) = date(days);
    Ok(Some(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )))
}

/// The error if the input does not match the next element of the layout.
struct Bad;

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    layout: Layout,
}

impl Parser<'_> {
    fn parse(mut self) -> Result<Moment, String> {
        let year = self.element("2006", Self::year)?;
        self.literal('-')?;
        let month = self.element("01", |it| it.number(true))?;
        self.in_range((1..=12).contains(&month), "month")?;
        self.literal('-')?;
        let day = self.element("02", |it| it.number(true))?;
        let (mut time, mut nanoseconds, mut offset) = (0, 0, 0);
        if self.layout != Layout::Date {
            time = self.time()?;
            nanoseconds = self.fraction();
        }
        if self.layout == Layout::Rfc3339 {
            offset = self.zone()?;
        }
        if !self.rest.is_empty() {
            return Err(format!(
                "parsing time {}: extra text: {}",
                quote(self.text),
                quote(self.rest)
            ));
        }
        self.in_range(day >= 1 && day <= days_in(month, year), "day")?;
        let seconds = days_since_1970(year, month, day) * 86_400 + time - offset;
        Ok(Moment {
            seconds,
            nanoseconds,
            offset: offset as i32,
        })
    }

    /// Reads `T` and the time of day, and returns the time in seconds.
    fn time(&mut self) -> Result<i64, String> {
        self.literal('T')?;
        let hour = self.element("15", |it| it.number(false))?;
        self.in_range(hour < 24, "hour")?;
        self.literal(':')?;
        let minute = self.element("04", |it| it.number(true))?;
        self.in_range(minute < 60, "minute")?;
        self.literal(':')?;
        let second = self.element("05", |it| it.number(true))?;
        self.in_range(second < 60, "second")?;
        Ok(i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second))
    }

    fn element<T>(&mut self, element: &str, read: impl FnOnce(&mut Self) -> Result<T, Bad>) -> Result<T, String> {
        let rest = self.rest;
        read(self).map_err(|Bad| self.cannot(rest, element))
    }

    fn literal(&mut self, expected: char) -> Result<(), String> {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot(self.rest, expected.encode_utf8(&mut [0; 4]))),
        }
    }

    fn cannot(&self, value: &str, element: &str) -> String {
        format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quote(self.text),
            quote(self.layout.words()),
            quote(value),
            quote(element)
        )
    }

    fn in_range(&self, holds: bool, what: &str) -> Result<(), String> {
        if holds {
            Ok(())
        } else {
            Err(format!("parsing time {}: {what} out of range", quote(self.text)))
        }
    }

    fn year(&mut self) -> Result<u32, Bad> {
        let digits = self.rest.get(..4).ok_or(Bad)?;
        if !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err(Bad);
        }
        self.rest = &self.rest[4..];
        digits.parse().map_err(|_| Bad)
    }

    /// Reads one or two digits, or exactly two digits if `fixed` is set.
    fn number(&mut self, fixed: bool) -> Result<u32, Bad> {
        let bytes = self.rest.as_bytes();
        let digit = |at: usize| {
            bytes
                .get(at)
                .filter(|it| it.is_ascii_digit())
                .map(|it| u32::from(it - b'0'))
        };
        let (value, length) = match (digit(0), digit(1)) {
            (Some(tens), Some(ones)) => (tens * 10 + ones, 2),
            (Some(ones), None) if !fixed => (ones, 1),
            _ => return Err(Bad),
        };
        self.rest = &self.rest[length..];
        Ok(value)
    }

    /// Reads an optional fraction of a second, in nanoseconds; digits after the ninth are ignored.
    fn fraction(&mut self) -> u32 {
        let Some(digits) = self.rest.strip_prefix(['.', ',']) else {
            return 0;
        };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return 0;
        }
        self.rest = &digits[length..];
        digits[..length]
            .bytes()
            .chain(std::iter::repeat(b'0'))
            .take(9)
            .fold(0, |value, it| value * 10 + u32::from(it - b'0'))
    }

    /// Reads `Z` or an offset, and returns the offset in seconds east of UTC.
    fn zone(&mut self) -> Result<i64, String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let rest = self.rest;
        let bytes = rest.as_bytes();
        if bytes.len() < 6 || bytes[3] != b':' {
            return Err(self.cannot(rest, "Z07:00"));
        }
        let number = |at: usize| {
            let digits = &bytes[at..at + 2];
            digits
                .iter()
                .all(u8::is_ascii_digit)
                .then(|| i64::from(digits[0] - b'0') * 10 + i64::from(digits[1] - b'0'))
        };
        let hour = number(1);
        let minute = hour.and_then(|_| number(4));
        self.in_range(hour.unwrap_or(0) <= 24, "time zone offset hour")?;
        self.in_range(minute.unwrap_or(0) <= 60, "time zone offset minute")?;
        let (Some(hour), Some(minute)) = (hour, minute) else {
            return Err(self.cannot(rest, "Z07:00"));
        };
        let offset = (hour * 60 + minute) * 60;
        self.rest = &rest[6..];
        match bytes[0] {
            b'+' => Ok(offset),
            b'-' => Ok(-offset),
            _ => Err(self.cannot(rest, "Z07:00")),
        }
    }
}

fn days_in(month: u32, year: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of days since January 1, 1970 in the Gregorian calendar. The calculation starts years in March.
pub fn days_since_1970(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The year, month and day that is `days` days after January 1, 1970.
pub fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Quotes like Go's package `time`, which writes every non-ASCII byte as `\x..`.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            _ => {
                out.push_str("\\x");
                for digit in [byte >> 4, byte & 0xf] {
                    out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                }
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::read_rfc3339;

    #[track_caller]
    fn check(text: &str, written: &str) {
        assert_eq!(read_rfc3339(text), Ok(Some(written.to_owned())), "{text}");
    }

    #[track_caller]
    fn refuse(text: &str, why: &str) {
        assert_eq!(read_rfc3339(text), Err(format!("parsing time {why}")));
    }

    #[test]
    fn reads_moments() {
        check("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
        check("2024-02-29T23:59:59.5Z", "2024-02-29T23:59:59Z");
        check("2024-02-29T3:59:59,1234567891-24:60", "2024-03-01T04:59:59Z");
        check("1999-12-31T23:00:00+01:30", "1999-12-31T21:30:00Z");
        check("0000-03-01T00:00:00Z", "0000-03-01T00:00:00Z");
        assert_eq!(read_rfc3339("0001-01-01T01:00:00+01:00"), Ok(None));
    }

    #[test]
    fn refuses_in_the_words_of_go() {
        refuse(
            "foo",
            r#""foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006""#,
        );
        refuse("", r#""" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006""#);
        refuse(
            "2024",
            r#""2024" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-""#,
        );
        refuse("2024-13-01", r#""2024-13-01": month out of range"#);
        refuse(
            "2024-1-01",
            r#""2024-1-01" as "2006-01-02T15:04:05Z07:00": cannot parse "1-01" as "01""#,
        );
        refuse("2024-02-30T00:00:00Z", r#""2024-02-30T00:00:00Z": day out of range"#);
        refuse(
            "2024-02-01 00:00:00Z",
            r#""2024-02-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T""#,
        );
        refuse("2024-02-01T24:00:00Z", r#""2024-02-01T24:00:00Z": hour out of range"#);
        refuse(
            "2024-02-01T00:00:00",
            r#""2024-02-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00""#,
        );
        refuse(
            "2024-02-01T00:00:00Zé",
            r#""2024-02-01T00:00:00Z\xc3\xa9": extra text: "\xc3\xa9""#,
        );
        refuse(
            "2024-02-01T00:00:00+25:00",
            r#""2024-02-01T00:00:00+25:00": time zone offset hour out of range"#,
        );
        refuse(
            "2024-02-01T00:00:00*05:00",
            r#""2024-02-01T00:00:00*05:00" as "2006-01-02T15:04:05Z07:00": cannot parse "*05:00" as "Z07:00""#,
        );
    }
}
