//! Byte offsets as lines and columns, and back.
//!
//! Lines end where editors end them: LF, CR LF or CR. (YAML also ends lines at NEL, LS and PS; see `scalar`. Editors do not.)

use crate::tree::Span;

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Unit {
    /// Bytes.
    Utf8,
    /// 16-bit units: two for a character beyond the basic plane.
    Utf16,
    /// Unicode characters, which are the units of UTF-32.
    #[default]
    Char,
}

/// A place as people and editors name it, both counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LineColumn {
    /// Line from 0.
    pub line: u32,
    /// Column from 0, in the [`Unit`] that was asked for.
    pub column: u32,
}

/// Where the lines of a text begin and end, and where columns differ from bytes.
///
/// Answers take logarithmic time, also on one line of megabytes. It does not hold the text, and belongs to one version of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineIndex {
    /// Where each line begins and where its text ends, before its break.
    lines: Vec<Span>,
    /// The characters that are more than one byte, in order.
    wide: Vec<Wide>,
    len: u32,
}

/// A character of more than one byte, with sums over it and all wide characters before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wide {
    /// The byte after it.
    end: u32,
    /// Bytes that are no UTF-16 unit of their own.
    extra_utf16: u32,
    /// Bytes that are no character of their own.
    extra_char: u32,
}

impl LineIndex {
    /// Indexes a text of less than 4 GiB.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut index = Self {
            lines: Vec::with_capacity(bytes.len() / 40 + 1),
            wide: Vec::new(),
            len: bytes.len() as u32,
        };
        let mut start = 0;
        for end in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            // The LF of a CR LF.
            if end < start {
                continue;
            }
            index.push_line(text, start, end);
            let is_pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
            start = end + 1 + usize::from(is_pair);
        }
        index.push_line(text, start, bytes.len());
        index
    }

    fn push_line(&mut self, text: &str, start: usize, end: usize) {
        self.lines.push(Span::new(start as u32, end as u32));
        let line = &text[start..end];
        if line.is_ascii() {
            return;
        }
        let mut sums = self.wide.last().map_or((0, 0), |it| (it.extra_utf16, it.extra_char));
        for (at, char) in line.char_indices().filter(|it| !it.1.is_ascii()) {
            let len = char.len_utf8();
            sums.0 += (len - char.len_utf16()) as u32;
            sums.1 += (len - 1) as u32;
            self.wide.push(Wide {
                end: (start + at + len) as u32,
                extra_utf16: sums.0,
                extra_char: sums.1,
            });
        }
    }

    /// The number of lines: one more than there are breaks.
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The length of the text in bytes.
    pub fn text_len(&self) -> u32 {
        self.len
    }

    /// The bytes of a line without its break.
    pub fn line(&self, line: u32) -> Option<Span> {
        self.lines.get(line as usize).copied()
    }

    /// The line that has the byte at `offset`; a break belongs to the line that it ends. Past the end: the last line.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines.partition_point(|it| it.start <= offset) as u32 - 1
    }

    /// Line and column of a byte offset.
    ///
    /// Inside a character the column is the character's; inside or after a line break it is the line's end; past the text's end it is the
    /// text's end.
    pub fn position(&self, offset: u32, unit: Unit) -> LineColumn {
        let line = self.line_of(offset);
        let span = self.lines[line as usize];
        let mut offset = offset.min(span.end);
        let before = self.wide.partition_point(|it| it.end <= offset);
        if let Some(next) = self.wide.get(before) {
            offset = offset.min(next.end - self.width(before));
        }
        let column = offset - span.start - (self.extra(before, unit) - self.extra_before(span.start, unit));
        LineColumn { line, column }
    }

    /// The byte offset of a line and column.
    ///
    /// A column past the line's end is the line's end, one inside a character (between two UTF-16 units) is the character's start, and a line
    /// past the last is the text's end.
    pub fn offset(&self, position: LineColumn, unit: Unit) -> u32 {
        let Some(span) = self.line(position.line) else {
            return self.len;
        };
        let first = self.wide.partition_point(|it| it.end <= span.start);
        let base = self.extra(first, unit);
        let in_line = &self.wide[first..];
        // Wide characters that end at or before the column.
        let before = first
            + in_line.partition_point(|it| {
                it.end <= span.end && it.end - span.start - (it.extra(unit) - base) <= position.column
            });
        let offset = span
            .start
            .saturating_add(position.column)
            .saturating_add(self.extra(before, unit) - base);
        let next = self.wide.get(before).map_or(u32::MAX, |it| it.end - self.width(before));
        offset.min(next).min(span.end)
    }

    /// The sum over the first `count` wide characters.
    fn extra(&self, count: usize, unit: Unit) -> u32 {
        count.checked_sub(1).map_or(0, |at| self.wide[at].extra(unit))
    }

    fn extra_before(&self, offset: u32, unit: Unit) -> u32 {
        self.extra(self.wide.partition_point(|it| it.end <= offset), unit)
    }

    /// The bytes of a wide character.
    fn width(&self, at: usize) -> u32 {
        1 + self.extra(at + 1, Unit::Char) - self.extra(at, Unit::Char)
    }
}

impl Wide {
    fn extra(self, unit: Unit) -> u32 {
        match unit {
            Unit::Utf8 => 0,
            Unit::Utf16 => self.extra_utf16,
            Unit::Char => self.extra_char,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line and column by counting.
    fn slow(text: &str, offset: usize, unit: Unit) -> LineColumn {
        let (mut line, mut start, mut at) = (0, 0, 0);
        let bytes = text.as_bytes();
        while at < offset {
            if bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                line += 1;
                start = at + 1;
            }
            at += 1;
        }
        let before = text[start..offset].trim_end_matches('\r');
        let column = match unit {
            Unit::Utf8 => before.len(),
            Unit::Utf16 => before.encode_utf16().count(),
            Unit::Char => before.chars().count(),
        };
        LineColumn {
            line,
            column: column as u32,
        }
    }

    #[test]
    fn every_offset_there_and_back() {
        for text in [
            "",
            "a",
            "\n",
            "a\r\nb\rc\n\nd",
            "é\n😀x😀\r\n\u{2028}y\u{85}z\n",
            "\r\r\n\n\r",
            "ab😀",
            "日本語\n日本語: 😀😀\nx",
        ] {
            let index = LineIndex::new(text);
            for unit in [Unit::Utf8, Unit::Utf16, Unit::Char] {
                for offset in (0..=text.len()).filter(|&it| text.is_char_boundary(it)) {
                    let position = index.position(offset as u32, unit);
                    assert_eq!(position, slow(text, offset, unit), "{offset} of {text:?} in {unit:?}");
                    let inside_pair = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                    if !inside_pair {
                        assert_eq!(
                            index.offset(position, unit),
                            offset as u32,
                            "{position:?} of {text:?} in {unit:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn places_that_are_none() {
        let text = "a😀b\r\n日\n";
        let index = LineIndex::new(text);
        let at = |line, column| LineColumn { line, column };
        // Inside a character, a surrogate pair, a line break.
        assert_eq!(index.position(3, Unit::Utf16), at(0, 1));
        assert_eq!(index.position(7, Unit::Utf16), at(0, 4));
        assert_eq!(index.offset(at(0, 2), Unit::Utf16), 1);
        assert_eq!(index.offset(at(0, 3), Unit::Utf8), 1);
        // Past the end of a line, of the text.
        assert_eq!(index.offset(at(0, 99), Unit::Utf16), 6);
        assert_eq!(index.offset(at(1, u32::MAX), Unit::Char), 11);
        assert_eq!(index.offset(at(99, 0), Unit::Char), text.len() as u32);
        assert_eq!(index.position(u32::MAX, Unit::Char), at(2, 0));
    }

    #[test]
    fn lines_end_where_editors_end_them() {
        let index = LineIndex::new("a\r\nb\u{2028}c\rd\n");
        assert_eq!(index.line_count(), 4);
        let ends: Vec<_> = (0..4)
            .filter_map(|it| index.line(it))
            .map(|it| (it.start, it.end))
            .collect();
        assert_eq!(ends, [(0, 1), (3, 8), (9, 10), (11, 11)]);
        assert_eq!(index.line_of(2), 0);
        assert_eq!(index.line_of(3), 1);
    }
}
