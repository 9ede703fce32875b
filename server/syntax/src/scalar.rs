//! Decodes the value of a scalar from its text, for all five styles.
//!
//! One walk over the text determines the bytes that are unchanged in the value, and the bytes that are replaced. A [`Sink`] builds the result from
//! these pieces: the value or the source map. The rules are those of go-yaml v2 (`yaml_parser_scan_plain_scalar`, `yaml_parser_scan_flow_scalar`,
//! `yaml_parser_scan_block_scalar`). The walk accepts any text. Bytes that the rules do not cover, as in the half-written scalars of the tolerant
//! parser, stay unchanged in the value.

use std::ops::Range;

use crate::tree::{ScalarStyle, Span};

/// Receives the pieces of a value in order.
pub(crate) trait Sink {
    /// Adds source bytes that are unchanged in the value.
    fn copy(&mut self, text: &str, source: Range<usize>);
    /// Adds `value`, which replaces these source bytes.
    fn replace(&mut self, value: &str, source: Range<usize>);
}

/// Collects the value.
impl Sink for String {
    fn copy(&mut self, text: &str, source: Range<usize>) {
        self.push_str(&text[source]);
    }

    fn replace(&mut self, value: &str, _source: Range<usize>) {
        self.push_str(value);
    }
}

/// The span without quotes. For styles without quotes, this is the whole span.
pub(crate) fn inner(style: ScalarStyle, span: Span) -> Span {
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            let start = span.start.saturating_add(1).min(span.end);
            Span::new(start, span.end.saturating_sub(1).max(start))
        }
        _ => span,
    }
}

/// Whether the value differs from the text between the quotes or other indicators.
pub(crate) fn needs_decoding(text: &str, style: ScalarStyle, span: Span) -> bool {
    let bytes = &text.as_bytes()[inner(style, span).range()];
    match style {
        ScalarStyle::Plain => has_break(bytes),
        ScalarStyle::SingleQuoted => bytes.contains(&b'\'') || has_break(bytes),
        ScalarStyle::DoubleQuoted => bytes.contains(&b'\\') || has_break(bytes),
        ScalarStyle::Literal | ScalarStyle::Folded => true,
    }
}

fn has_break(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| break_len(bytes, at) > 0)
}

/// The value of the scalar at `span`. `indent` is the indentation of a block scalar's content in columns.
pub(crate) fn decode(text: &str, style: ScalarStyle, span: Span, indent: u32) -> String {
    let mut value = String::with_capacity(span.range().len());
    walk(text, style, span, indent, &mut value);
    value
}

/// Passes the pieces of the scalar's value to `sink`.
pub(crate) fn walk(text: &str, style: ScalarStyle, span: Span, indent: u32, sink: &mut impl Sink) {
    let inner = inner(style, span).range();
    match style {
        ScalarStyle::Plain => flow(text, inner, Quote::None, sink),
        ScalarStyle::SingleQuoted => flow(text, inner, Quote::Single, sink),
        ScalarStyle::DoubleQuoted => flow(text, inner, Quote::Double, sink),
        ScalarStyle::Literal => block(text, inner, indent, true, sink),
        ScalarStyle::Folded => block(text, inner, indent, false, sink),
    }
}

/// The length in bytes of the line break at `at`, which is CR LF, CR, LF, NEL, LS or PS; 0 without a line break.
pub(crate) fn break_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') => 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')),
        Some(0xC2) => 2 * usize::from(bytes.get(at + 1) == Some(&0x85)),
        Some(0xE2) => {
            let separator = bytes.get(at + 1) == Some(&0x80) && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9));
            3 * usize::from(separator)
        }
        _ => 0,
    }
}

/// The end of the spaces from `at`. This function exists because indentation is most of the text between the lines of a deeply nested scalar.
pub(crate) fn spaces_end(bytes: &[u8], mut at: usize) -> usize {
    const MANY: &[u8; 8] = b"        ";
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(MANY)) {
        at += MANY.len();
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// Whether the break at `at` becomes a line feed (LS and PS stay unchanged).
fn is_normal_break(bytes: &[u8], at: usize) -> bool {
    bytes[at] != 0xE2
}

/// Passes one line break to the sink.
fn put_break(text: &str, source: Range<usize>, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    if bytes[source.start] == b'\n' || !is_normal_break(bytes, source.start) {
        sink.copy(text, source);
    } else {
        sink.replace("\n", source);
    }
}

/// Passes the line breaks in a gap of blanks and breaks to the sink, without the first `skip` breaks.
fn put_breaks(text: &str, gap: Range<usize>, mut skip: usize, sink: &mut impl Sink) {
    let bytes = &text.as_bytes()[..gap.end];
    let mut at = spaces_end(bytes, gap.start);
    while at < gap.end {
        let len = break_len(bytes, at);
        if len == 0 {
            at = spaces_end(bytes, at + 1);
            continue;
        }
        if skip > 0 {
            skip -= 1;
        } else {
            put_break(text, at..at + len, sink);
        }
        at = spaces_end(bytes, at + len);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// Decodes plain and quoted scalars: folds lines, and drops blanks around line breaks.
fn flow(text: &str, inner: Range<usize>, quote: Quote, sink: &mut impl Sink) {
    let bytes = &text.as_bytes()[..inner.end];
    let special = match quote {
        Quote::None => b'\n',
        Quote::Single => b'\'',
        Quote::Double => b'\\',
    };
    let is_ascii = bytes[inner.clone()].is_ascii();
    let next = |from: usize| {
        let rest = &bytes[from..];
        let found = if is_ascii {
            memchr::memchr3(b'\n', b'\r', special, rest)
        } else {
            rest.iter()
                .position(|&it| it == special || matches!(it, b'\n' | b'\r' | 0xC2 | 0xE2))
        };
        found.map(|it| from + it)
    };
    let mut at = inner.start;
    // The bytes from this position to `at` are unchanged in the value, but have not been passed to the sink yet.
    let mut pending = at;
    while let Some(found) = next(at) {
        at = found;
        match bytes[at] {
            b'\'' => {
                if bytes.get(at + 1) == Some(&b'\'') {
                    sink.copy(text, pending..at);
                    sink.replace("'", at..at + 2);
                    pending = at + 2;
                    at = pending;
                } else {
                    at += 1;
                }
            }
            b'\\' => {
                sink.copy(text, pending..at);
                let broken = break_len(bytes, at + 1);
                if broken > 0 {
                    // The break is escaped: the blanks after it are dropped, but further breaks are kept.
                    at += 1 + broken;
                    let end = gap_end(bytes, at);
                    put_breaks(text, at..end, 0, sink);
                    at = end;
                } else {
                    at += escape(text, at, inner.end, sink);
                }
                pending = at;
            }
            _ if break_len(bytes, at) == 0 => at += 1,
            _ => {
                // The blanks before a break are dropped.
                let blanks = bytes[pending..at]
                    .iter()
                    .rev()
                    .take_while(|&&it| matches!(it, b' ' | b'\t'))
                    .count();
                let start = at - blanks;
                let end = gap_end(bytes, at);
                sink.copy(text, pending..start);
                if !is_normal_break(bytes, at) {
                    put_breaks(text, start..end, 0, sink);
                } else if count_breaks(bytes, at..end) == 1 {
                    sink.replace(" ", start..end);
                } else {
                    put_breaks(text, start..end, 1, sink);
                }
                at = end;
                pending = end;
            }
        }
    }
    sink.copy(text, pending..inner.end);
}

/// The end of the blanks and line breaks from `at`.
fn gap_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at = spaces_end(bytes, at + 1),
            _ => match break_len(bytes, at) {
                0 => return at,
                len => at = spaces_end(bytes, at + len),
            },
        }
    }
}

/// The number of line breaks in a gap of blanks and breaks.
fn count_breaks(bytes: &[u8], gap: Range<usize>) -> usize {
    let bytes = &bytes[..gap.end];
    let mut count = 0;
    let mut at = spaces_end(bytes, gap.start);
    while at < gap.end {
        if bytes[at] == b'\t' {
            at += 1;
        } else {
            at += break_len(bytes, at).max(1);
            count += 1;
        }
        at = spaces_end(bytes, at);
    }
    count
}

/// Passes the value of the escape sequence at `at` to the sink. Returns the length of the sequence in bytes.
fn escape(text: &str, at: usize, end: usize, sink: &mut impl Sink) -> usize {
    let bytes = &text.as_bytes()[..end];
    let (value, digits) = match bytes.get(at + 1) {
        Some(b'0') => ("\0", 0),
        Some(b'a') => ("\x07", 0),
        Some(b'b') => ("\x08", 0),
        Some(b't' | b'\t') => ("\t", 0),
        Some(b'n') => ("\n", 0),
        Some(b'v') => ("\x0B", 0),
        Some(b'f') => ("\x0C", 0),
        Some(b'r') => ("\r", 0),
        Some(b'e') => ("\x1B", 0),
        Some(b' ') => (" ", 0),
        Some(b'"') => ("\"", 0),
        Some(b'\'') => ("'", 0),
        Some(b'\\') => ("\\", 0),
        Some(b'N') => ("\u{85}", 0),
        Some(b'_') => ("\u{A0}", 0),
        Some(b'L') => ("\u{2028}", 0),
        Some(b'P') => ("\u{2029}", 0),
        Some(b'x') => ("", 2),
        Some(b'u') => ("", 4),
        Some(b'U') => ("", 8),
        _ => {
            sink.copy(text, at..at + 1);
            return 1;
        }
    };
    if digits == 0 {
        sink.replace(value, at..at + 2);
        return 2;
    }
    let code = bytes
        .get(at + 2..at + 2 + digits)
        .and_then(|it| {
            it.iter().try_fold(0_u32, |code, &digit| {
                Some((code << 4) | char::from(digit).to_digit(16)?)
            })
        })
        .and_then(char::from_u32);
    if let Some(code) = code {
        sink.replace(code.encode_utf8(&mut [0; 4]), at..at + 2 + digits);
        2 + digits
    } else {
        sink.copy(text, at..at + 2);
        2
    }
}

/// Decodes literal and folded scalars.
fn block(text: &str, inner: Range<usize>, indent: u32, literal: bool, sink: &mut impl Sink) {
    let bytes = &text.as_bytes()[..inner.end];
    let mut at = inner.start + 1;
    let mut chomp = b' ';
    while let Some(&header @ (b'+' | b'-' | b'0'..=b'9')) = bytes.get(at) {
        if !header.is_ascii_digit() {
            chomp = header;
        }
        at += 1;
    }
    while at < inner.end && break_len(bytes, at) == 0 {
        at += 1;
    }
    at += break_len(bytes, at);

    // The gap before a line, which extends from the break at the end of the previous line to the line's first content byte.
    let mut gap = at.min(inner.end);
    let mut after_content = false;
    let mut leading_blank = false;
    loop {
        let (start, is_content) = next_line(bytes, at, indent);
        if !is_content {
            break;
        }
        let blank = matches!(bytes[start], b' ' | b'\t');
        if after_content {
            let breaks = count_breaks(bytes, gap..start);
            let fold = !literal && !leading_blank && !blank && is_normal_break(bytes, gap);
            if fold && breaks == 1 {
                sink.replace(" ", gap..start);
            } else {
                put_breaks(text, gap..start, usize::from(fold), sink);
            }
        } else {
            put_breaks(text, gap..start, 0, sink);
        }
        leading_blank = blank;
        let end = line_end(bytes, start);
        sink.copy(text, start..end);
        after_content = true;
        gap = end;
        at = end + break_len(bytes, end);
        if at == end {
            return;
        }
    }
    match chomp {
        b'+' => put_breaks(text, gap..inner.end, 0, sink),
        b'-' => {}
        _ if after_content => put_break(text, gap..gap + break_len(bytes, gap), sink),
        _ => {}
    }
}

/// For a position at the start of a line, the first byte of the next line with content at `indent` columns, and whether such a line exists.
fn next_line(bytes: &[u8], mut at: usize, indent: u32) -> (usize, bool) {
    loop {
        let line = at;
        let indented = &bytes[..bytes.len().min(line + indent as usize)];
        at = spaces_end(indented, line);
        match break_len(bytes, at) {
            0 => return (at, at < bytes.len() && at - line == indent as usize),
            len => at += len,
        }
    }
}

/// The end of the line, before its line break.
fn line_end(bytes: &[u8], mut at: usize) -> usize {
    // The search is done in steps, so that a text without LF is not searched to its end for every line.
    const STRIDE: usize = 256;
    while at < bytes.len() {
        let stride = &bytes[at..bytes.len().min(at + STRIDE)];
        let len = memchr::memchr2(b'\n', b'\r', stride).unwrap_or(stride.len());
        if !stride[..len].is_ascii()
            && let Some(found) = (at..at + len).find(|&it| break_len(bytes, it) > 0)
        {
            return found;
        }
        at += len;
        if len < stride.len() {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes a text that the tolerant parser may take as a scalar.
    #[track_caller]
    fn check(style: ScalarStyle, text: &str, expected: &str) {
        assert_eq!(decode(text, style, Span::new(0, text.len() as u32), 2), expected);
    }

    #[test]
    fn what_no_rule_covers_is_in_the_value_as_it_stands() {
        check(ScalarStyle::SingleQuoted, "'a'b'", "a'b");
        check(ScalarStyle::SingleQuoted, "'a''", "a'");
        check(ScalarStyle::SingleQuoted, "'", "");
        check(ScalarStyle::DoubleQuoted, "\"\\q\\u12\\", "\\q\\u12");
        check(ScalarStyle::DoubleQuoted, "\"é\\\"", "é\\");
        check(ScalarStyle::DoubleQuoted, "", "");
        check(ScalarStyle::Literal, "|", "");
        check(ScalarStyle::Literal, "|\n a\n  b", "");
        check(ScalarStyle::Folded, ">-", "");
    }
}
