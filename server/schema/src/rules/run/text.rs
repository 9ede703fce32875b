//! Strings with a format as values.

use crd_analyzer_cel::value::Timestamp;

use crate::formats::duration_nanos;
use crate::go::{Layout, Moment, parse_time};

/// The nanoseconds of a duration (`strfmt.ParseDuration`), or the server's words.
pub(super) fn duration(text: &str) -> Result<i64, String> {
    duration_nanos(text)
}

/// A day, at its beginning in UTC.
pub(super) fn date(text: &str) -> Result<Timestamp, String> {
    parse_time(text, Layout::Date).map(timestamp)
}

/// A moment with or without zone (`strfmt.ParseDateTime`). No text is the beginning of 1970.
pub(super) fn date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(timestamp(Moment::default()));
    }
    parse_time(text, Layout::Rfc3339)
        .or_else(|_| parse_time(text, Layout::Local))
        .map(timestamp)
}

fn timestamp(moment: Moment) -> Timestamp {
    Timestamp {
        seconds: moment.seconds,
        nanos: moment.nanoseconds,
        offset: moment.offset,
    }
}

/// The bytes that `text` stands for in base64 with the alphabet of addresses and padding, or the offset of the byte that is wrong
/// (Go `base64.URLEncoding`). Line ends are passed over.
pub(super) fn bytes(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    while at < text.len() {
        at = quantum(text, at, &mut out)?;
    }
    Ok(out)
}

/// Reads up to four digits from `at`; the offset after them.
fn quantum(text: &[u8], mut at: usize, out: &mut Vec<u8>) -> Result<usize, usize> {
    let mut digits = [0_u8; 4];
    let mut count = 0;
    while count < 4 {
        let Some(&byte) = text.get(at) else {
            return if count == 0 { Ok(at) } else { Err(at - count) };
        };
        at += 1;
        if let Some(digit) = digit(byte) {
            digits[count] = digit;
            count += 1;
            continue;
        }
        if byte == b'\n' || byte == b'\r' {
            continue;
        }
        if byte != b'=' || count < 2 {
            return Err(at - 1);
        }
        if count == 2 {
            at = skip_line_ends(text, at);
            match text.get(at) {
                None => return Err(text.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        at = skip_line_ends(text, at);
        if at < text.len() {
            return Err(at);
        }
        break;
    }
    let value = digits.iter().fold(0_u32, |value, digit| value << 6 | u32::from(*digit));
    let whole = [(value >> 16) as u8, (value >> 8) as u8, value as u8];
    out.extend_from_slice(&whole[..count.saturating_sub(1)]);
    Ok(at)
}

fn skip_line_ends(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}
