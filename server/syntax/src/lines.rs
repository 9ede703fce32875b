//! Converts byte offsets to lines and columns, and back.

use std::{fmt, sync::OnceLock};

/// The unit of a column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Unicode characters.
    #[default]
    Utf32,
}

impl ColumnUnit {
    fn width(self, text: &str) -> u32 {
        let width = match self {
            Self::Utf8 => text.len(),
            _ if text.is_ascii() => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        };
        width as u32
    }

    fn width_of(self, c: char) -> u32 {
        match self {
            Self::Utf8 => c.len_utf8() as u32,
            Self::Utf16 => c.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }
}

/// The line break of the line that contains a byte, for lines that are inserted next to it. For the last line of a text, the result is LF.
pub fn line_break_at(text: &str, at: usize) -> &'static str {
    let rest = &text[at..];
    match rest.find('\n') {
        Some(end) if text[..at + end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The maximum length in bytes of a short line, whose columns are always counted from its start. In longer lines, counting starts at a milestone.
const SHORT_LINE: usize = 1 << 12;

/// The number of bytes between two milestones.
const MILESTONE: usize = 1 << 10;

/// The counts up to a position in the text.
#[derive(Clone, Copy, Debug)]
struct Milestone {
    /// The offset of a character's first byte.
    at: u32,
    utf16: u32,
    utf32: u32,
}

impl Milestone {
    fn passed(self, unit: ColumnUnit) -> u32 {
        match unit {
            ColumnUnit::Utf8 => self.at,
            ColumnUnit::Utf16 => self.utf16,
            ColumnUnit::Utf32 => self.utf32,
        }
    }

    /// All milestones of a text. Each milestone is at most [`MILESTONE`] bytes after the previous one. The first milestone is the start of the text.
    fn all(text: &str) -> Box<[Self]> {
        let mut found = Vec::with_capacity(text.len() / MILESTONE + 1);
        let mut last = Self {
            at: 0,
            utf16: 0,
            utf32: 0,
        };
        found.push(last);
        while text.len() - last.at as usize > MILESTONE {
            let from = last.at as usize;
            let to = text.floor_char_boundary(from + MILESTONE);
            let passed = &text[from..to];
            last = Self {
                at: to as u32,
                utf16: last.utf16 + ColumnUnit::Utf16.width(passed),
                utf32: last.utf32 + ColumnUnit::Utf32.width(passed),
            };
            found.push(last);
        }
        found.into()
    }
}

/// The starts of the lines in a text. A line ends with LF, CRLF or CR, and with nothing else.
///
/// Looking up a position takes logarithmic time, even in a long line.
#[derive(Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
    /// The milestones. They are computed when a position far into a long line is first looked up.
    milestones: OnceLock<Box<[Milestone]>>,
}

impl PartialEq for LineIndex {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.starts == other.starts
    }
}

impl Eq for LineIndex {}

impl fmt::Debug for LineIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts = &self.starts;
        f.debug_struct("LineIndex")
            .field("starts", starts)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl LineIndex {
    /// Builds the index of a text of up to 4 GiB.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Self {
            starts,
            len: bytes.len() as u32,
            milestones: OnceLock::new(),
        }
    }

    /// Updates the index after a change. `text` is the new text, in which `len` bytes replace the range `old`.
    pub fn edit(&mut self, text: &str, old: std::ops::Range<usize>, len: usize) {
        let bytes = text.as_bytes();
        let (start, old_end, new_end) = (old.start as u32, old.end as u32, (old.start + len) as u32);
        // Whether a line starts at a byte depends only on that byte and the byte before it.
        let from = self.starts.partition_point(|it| *it < start).max(1);
        let to = self.starts.partition_point(|it| *it <= old_end).max(from);
        for it in &mut self.starts[to..] {
            *it = it.wrapping_add(new_end).wrapping_sub(old_end);
        }
        let begins = |it: &u32| {
            let at = *it as usize;
            bytes[at - 1] == b'\n' || bytes[at - 1] == b'\r' && bytes.get(at) != Some(&b'\n')
        };
        self.starts.splice(from..to, (start.max(1)..=new_end).filter(begins));
        self.len = bytes.len() as u32;
        self.milestones = OnceLock::new();
    }

    /// The number of lines. A text that ends with a line break has an empty last line.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The first byte of a line (from 0), or the end of the text for lines after the last line.
    pub fn line_start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.len)
    }

    /// The start of the line break of a line, counted from 0. The result is the end of the text for the last line and for lines after it.
    pub fn line_end(&self, text: &str, line: u32) -> u32 {
        let (start, end) = (self.line_start(line), self.line_start(line + 1));
        end_of_line(text, start as usize, end as usize) as u32
    }

    /// The line (from 0) that contains a byte.
    pub fn line_of(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= offset) - 1) as u32
    }

    /// The line and the column of a byte offset, both from 0. The column is counted in Unicode characters.
    pub fn line_column(&self, text: &str, offset: u32) -> (u32, u32) {
        self.position(text, offset, ColumnUnit::Utf32)
    }

    /// The line and the column of a byte offset, both from 0. For an offset past the end or inside a character, the result is the nearest position
    /// before it.
    pub fn position(&self, text: &str, offset: u32, unit: ColumnUnit) -> (u32, u32) {
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let line = self.line_of(end as u32);
        let start = self.line_start(line) as usize;
        let column = if end - start <= SHORT_LINE {
            unit.width(&text[start..end])
        } else {
            self.passed(text, end, unit) - self.passed(text, start, unit)
        };
        (line, column)
    }

    fn milestones(&self, text: &str) -> &[Milestone] {
        self.milestones.get_or_init(|| Milestone::all(text))
    }

    /// The number of units before a byte, counted from the start of the text.
    fn passed(&self, text: &str, offset: usize, unit: ColumnUnit) -> u32 {
        let milestones = self.milestones(text);
        let near = milestones[milestones.partition_point(|it| it.at as usize <= offset) - 1];
        near.passed(unit) + unit.width(&text[near.at as usize..offset])
    }

    /// The byte offset of a line and column, both from 0. A column past the end of its line or inside a character means the nearest position before
    /// it. A line after the last line means the end of the text.
    pub fn offset(&self, text: &str, line: u32, column: u32, unit: ColumnUnit) -> u32 {
        if line >= self.line_count() {
            return self.len;
        }
        let start = self.line_start(line) as usize;
        let end = self.line_start(line + 1) as usize;
        let (mut offset, mut passed) = (start, 0);
        if end - start > SHORT_LINE && column as usize > SHORT_LINE {
            let milestones = self.milestones(text);
            let before = self.passed(text, start, unit);
            let wanted = before.saturating_add(column);
            let near = milestones[milestones.partition_point(|it| it.passed(unit) <= wanted) - 1];
            if (start..end).contains(&(near.at as usize)) {
                (offset, passed) = (near.at as usize, near.passed(unit) - before);
            } else if near.at as usize >= end {
                return end_of_line(text, start, end) as u32;
            }
        }
        for c in text[offset..].chars() {
            passed += unit.width_of(c);
            if passed > column || c == '\n' || c == '\r' {
                break;
            }
            offset += c.len_utf8();
        }
        offset as u32
    }
}

/// The start of a line's break, or the end of the text.
fn end_of_line(text: &str, start: usize, end: usize) -> usize {
    start + text[start..end].trim_end_matches(['\n', '\r']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_comes_back_in_every_unit() {
        let text = "a\r\nbä\u{2028}c\rд😀x\n\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.line_count(), 5, "U+2028 ends no line");
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            for (offset, c) in text.char_indices().chain([(text.len(), ' ')]) {
                if c == '\n' && text[..offset].ends_with('\r') {
                    continue; // an offset between CR and LF has no position of its own
                }
                let (line, column) = lines.position(text, offset as u32, unit);
                assert_eq!(
                    lines.offset(text, line, column, unit) as usize,
                    offset,
                    "{unit:?} {line}:{column}"
                );
            }
        }
    }

    #[test]
    fn long_lines_count_as_short_ones() {
        // The piece contains characters of one to four bytes, so that milestones fall inside characters.
        let piece = "aé€😀";
        let long = piece.repeat(SHORT_LINE);
        let text = format!("{long}\r\nshort é\n{long}{long}\r{long}");
        let lines = LineIndex::new(&text);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            let (mut line, mut column) = (0, 0);
            for (offset, c) in text.char_indices() {
                // Checking every position is too slow in a test without optimization.
                if offset % 97 < 4 || c == '\n' || c == '\r' {
                    let place = lines.position(&text, offset as u32, unit);
                    assert!(
                        text[..offset].ends_with('\r') || place == (line, column),
                        "{unit:?} {offset}: {place:?}, not {:?}",
                        (line, column)
                    );
                    let back = lines.offset(&text, line, column, unit) as usize;
                    assert!(
                        back == offset || text[..offset].ends_with('\r'),
                        "{unit:?} {offset}: {back}"
                    );
                }
                column += unit.width_of(c);
                if c == '\n' || c == '\r' && !text[offset + 1..].starts_with('\n') {
                    (line, column) = (line + 1, 0);
                }
            }
            let past = lines.offset(&text, 0, u32::MAX, unit) as usize;
            assert_eq!(past, long.len(), "{unit:?}: the break of the line");
            assert_eq!(lines.offset(&text, 3, u32::MAX, unit) as usize, text.len());
        }
    }

    #[test]
    fn milestones_are_those_of_the_edited_text() {
        let mut text = "é".repeat(SHORT_LINE * 2);
        let mut lines = LineIndex::new(&text);
        let end = text.len() as u32;
        assert_eq!(lines.line_column(&text, end).1, SHORT_LINE as u32 * 2);
        text.replace_range(0..2, "ab");
        lines.edit(&text, 0..2, 2);
        assert_eq!(lines.line_column(&text, end).1, SHORT_LINE as u32 * 2 + 1);
    }

    #[test]
    fn an_edited_index_is_that_of_the_new_text() {
        let texts = ["", "a\r\nb\rc\n\nd", "\r\n\r\n", "\n\r", "x"];
        for (text, insert) in texts.into_iter().flat_map(|it| texts.map(|insert| (it, insert))) {
            for start in 0..=text.len() {
                for end in start..=text.len() {
                    let edited = [&text[..start], insert, &text[end..]].concat();
                    let mut lines = LineIndex::new(text);
                    lines.edit(&edited, start..end, insert.len());
                    assert_eq!(
                        lines,
                        LineIndex::new(&edited),
                        "{start}..{end} of {text:?} becomes {insert:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn counts_astral_characters_as_the_unit_does() {
        let text = "😀x";
        let at = |unit| LineIndex::new(text).position(text, 4, unit);
        assert_eq!(
            (at(ColumnUnit::Utf8), at(ColumnUnit::Utf16), at(ColumnUnit::Utf32)),
            ((0, 4), (0, 2), (0, 1))
        );
    }

    #[test]
    fn places_that_do_not_exist_are_moved_before_them() {
        let text = "ab\r\n😀\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.offset(text, 0, 99, ColumnUnit::Utf16), 2, "before the line break");
        assert_eq!(lines.offset(text, 1, 1, ColumnUnit::Utf16), 4, "not inside a character");
        assert_eq!(lines.offset(text, 9, 0, ColumnUnit::Utf16), text.len() as u32);
        assert_eq!(lines.position(text, 5, ColumnUnit::Utf16), (1, 0));
        assert_eq!(lines.position(text, 99, ColumnUnit::Utf16), (2, 0));
    }
}
