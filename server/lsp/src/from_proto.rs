//! Converts positions and paths from LSP.

use std::path::PathBuf;

use crd_analyzer_syntax::lines::ColumnUnit;
use lsp_types::{Position, Range, Uri};
use ropey::Rope;

/// Converts an LSP range to character indexes.
///
/// A line past the last is the end of the text, a column past the end of the line is the end of the line (before its line break), and a column
/// inside a character is the start of that character. A range that ends before it begins is empty.
pub(crate) fn range(text: &Rope, range: Range, unit: ColumnUnit) -> std::ops::Range<usize> {
    let start = position(text, range.start, unit);
    start..position(text, range.end, unit).max(start)
}

/// Converts an LSP position to a character index.
pub(crate) fn position(text: &Rope, position: Position, unit: ColumnUnit) -> usize {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return text.len_chars();
    }
    let start = text.line_to_char(line);
    let end = line_end(text, line);
    let column = position.character as usize;
    let found = match unit {
        ColumnUnit::Utf32 => start.saturating_add(column),
        ColumnUnit::Utf16 => {
            let at = text.char_to_utf16_cu(start).saturating_add(column);
            text.utf16_cu_to_char(at.min(text.char_to_utf16_cu(end)))
        }
        ColumnUnit::Utf8 => {
            let at = text.char_to_byte(start).saturating_add(column);
            text.byte_to_char(at.min(text.char_to_byte(end)))
        }
    };
    found.min(end)
}

/// The end of a line, before its line break, as a character index.
fn line_end(text: &Rope, line: usize) -> usize {
    let start = text.line_to_char(line);
    let mut end = text.line_to_char(line + 1);
    for expected in ['\n', '\r'] {
        let is_break = end > start && text.get_char(end - 1) == Some(expected);
        // The last line may have no line break. CR LF is two characters.
        if is_break {
            end -= 1;
        }
    }
    end
}

/// The path of a `file:` URI.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    is_file
        .then(|| uri.to_file_path().map(std::borrow::Cow::into_owned))
        .flatten()
}

/// The key of a document: its path if it is a file, else its URI.
pub(crate) fn place_of(uri: &Uri) -> PathBuf {
    path_of(uri).unwrap_or_else(|| PathBuf::from(uri.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\r\né😀b\rc\u{2028}d\n\nlast";

    fn check(line: u32, column: u32, unit: ColumnUnit, expected: &str) {
        let rope = Rope::from_str(TEXT);
        let at = position(&rope, Position::new(line, column), unit);
        let rest: String = TEXT.chars().skip(at).collect();
        assert!(
            rest.starts_with(expected),
            "{line}:{column} in {unit:?} is before {rest:?}"
        );
        assert!(
            !expected.is_empty() || rest.is_empty(),
            "{line}:{column} in {unit:?} is before {rest:?}"
        );
    }

    #[test]
    fn columns_count_what_was_agreed() {
        use ColumnUnit::{Utf8, Utf16, Utf32};
        for (unit, of_face, of_b) in [(Utf8, 2, 6), (Utf16, 1, 3), (Utf32, 1, 2)] {
            check(1, 0, unit, "é");
            check(1, of_face, unit, "😀");
            check(1, of_b, unit, "b");
            check(1, of_b + 1, unit, "\rc");
        }
        // A column inside a character: the position is the start of that character.
        check(1, 1, Utf8, "é");
        check(1, 4, Utf8, "😀");
        check(1, 2, Utf16, "😀");
    }

    #[test]
    fn places_past_an_end_are_the_end() {
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            check(0, 9, unit, "\r\né");
            check(1, 99, unit, "\rc");
            check(2, u32::MAX, unit, "\n\nlast");
            check(3, 1, unit, "\nlast");
            check(4, 99, unit, "");
            check(99, 0, unit, "");
        }
    }

    #[test]
    fn lines_end_at_breaks_of_editors_only() {
        check(2, 2, ColumnUnit::Utf32, "d\n");
        check(2, 0, ColumnUnit::Utf16, "c\u{2028}");
    }

    #[test]
    fn a_range_that_ends_before_it_begins_is_empty() {
        let rope = Rope::from_str("abc\ndef");
        let backwards = Range::new(Position::new(1, 2), Position::new(0, 1));
        assert_eq!(range(&rope, backwards, ColumnUnit::Utf16), 6..6);
    }
}
