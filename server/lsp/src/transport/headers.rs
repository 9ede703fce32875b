//! Finds the start and the length of the next message, even after bytes that are not part of any message.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The maximum number of bytes of a line to read at once. Longer lines are read in pieces. Header lines are shorter than this.
const MAX_LINE_BYTES: u64 = 4096;

/// The number of bytes to keep from a piece when the next one is read, because a header may start in them.
pub(super) const MAX_TAIL_BYTES: usize = 128;

/// The header that every message must have.
const LENGTH: &[u8] = b"content-length";

/// The headers of a message.
#[derive(Debug, PartialEq)]
pub(super) struct Headers {
    /// The problem to report to the client.
    pub problem: Option<String>,
    /// The length of the message in bytes. `None` if it is unknown.
    pub length: Option<u64>,
}

/// Reads the next headers. `None` at the end of the input. `is_lost` means that the preceding bytes belong to a message that was already answered
/// with an error.
pub(super) async fn next_headers(input: &mut (impl AsyncBufRead + Unpin), is_lost: bool) -> Option<Headers> {
    let mut named: Option<Result<u64, String>> = None;
    // The length in a header that starts in the middle of a line, after bytes that are not part of any message.
    let mut inside: Option<u64> = None;
    let mut is_empty = true;
    loop {
        let line = next_line(input).await?;
        if line.text.trim_ascii().is_empty() {
            match (named.take(), inside.take()) {
                (Some(read), _) => {
                    let (length, problem) = read.map_or_else(|why| (None, Some(why)), |it| (Some(it), None));
                    return Some(Headers { problem, length });
                }
                (None, Some(length)) => {
                    let problem = (!is_lost).then(|| "text before the headers of a message".to_owned());
                    return Some(Headers {
                        problem,
                        length: Some(length),
                    });
                }
                (None, None) if !is_empty && !is_lost => {
                    return Some(Headers {
                        problem: Some("headers without Content-Length".to_owned()),
                        length: None,
                    });
                }
                (None, None) => continue,
            }
        }
        is_empty = false;
        let found = length_at_end(&line.text);
        let header = if line.is_cut { None } else { header(&line.text) };
        match (header, found) {
            (Some((name, value)), found) if name.eq_ignore_ascii_case(LENGTH) => {
                let value = String::from_utf8_lossy(value);
                let read: Result<u64, String> = value.parse().map_err(|_| format!("a message of {value:?} bytes"));
                match (read, found) {
                    // On the same line, another header follows the value.
                    (Err(_), Some((_, length))) => inside = Some(length),
                    (read, _) => {
                        named = Some(match (named, read) {
                            (Some(Ok(first)), Ok(second)) if first != second => {
                                Err(format!("a message of {first} bytes and of {second}"))
                            }
                            (Some(Err(why)), _) => Err(why),
                            (_, read) => read,
                        });
                    }
                }
            }
            (_, Some((_, length))) => inside = Some(length),
            // This line is not a header, so the header found before it was part of the text, too.
            (None, None) if is_lost => {
                named = None;
                inside = None;
            }
            (_, None) => {}
        }
    }
}

/// A line, or the last piece of a line that is longer than the limit.
struct Line {
    text: Vec<u8>,
    is_cut: bool,
}

async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Line> {
    let mut text = Vec::new();
    let mut is_cut = false;
    loop {
        let mut piece = (&mut *input).take(MAX_LINE_BYTES);
        if piece.read_until(b'\n', &mut text).await.ok()? == 0 {
            return None;
        }
        if text.ends_with(b"\n") {
            return Some(Line { text, is_cut });
        }
        is_cut = true;
        text.drain(..text.len().saturating_sub(MAX_TAIL_BYTES));
    }
}

/// Splits a header line into name and value, as in HTTP (RFC 9110, section 5.6.2).
fn header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii();
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(it);
    let is_header = !name.is_empty() && name.iter().all(is_name);
    is_header.then(|| (name, line[colon + 1..].trim_ascii()))
}

/// Finds a header at the end of a line. Returns its offset and the length that it declares.
pub(super) fn length_at_end(line: &[u8]) -> Option<(usize, u64)> {
    let is_start = |at: &usize| line[*at..*at + LENGTH.len()].eq_ignore_ascii_case(LENGTH);
    let start = (0..=line.len().checked_sub(LENGTH.len())?).rev().find(is_start)?;
    let value = line[start + LENGTH.len()..].trim_ascii().strip_prefix(b":")?;
    let digits = str::from_utf8(value.trim_ascii()).ok()?;
    Some((start, digits.parse().ok()?))
}
