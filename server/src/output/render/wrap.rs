//! The width of text in a terminal, and wrapping of long text.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// A character that turns the preceding character into an emoji, which is two columns wide.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// The width of a character in columns. The width is never too small, because characters that a terminal joins are counted individually.
pub(crate) fn width_of(c: char) -> usize {
    match c {
        EMOJI_SELECTOR => 1,
        c => c.width().unwrap_or(0),
    }
}

/// The width of text without characters to escape, in columns.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(width_of).sum()
}

/// The longest prefix that fits into the given number of columns.
fn fitting(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += width_of(c);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// Splits text into lines. The first line has at most `first` columns, the others at most `rest`. Lines end at spaces; a word that is longer than a
/// line is split after a slash, or otherwise at the end of the line. File names stay whole, so that programs recognize them.
pub(crate) fn wrap(text: &str, first: usize, rest: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut left = text;
    loop {
        let columns = if lines.is_empty() { first } else { rest }.max(1);
        let fits = fitting(left, columns);
        if fits.len() == left.len() {
            lines.push(left);
            return lines;
        }
        let (line, behind) = if let Some(at) = last_blank(left, fits.len()) {
            (left[..at].trim_end_matches(' '), left[at..].trim_start_matches(' '))
        } else if lines.is_empty() && rest > first {
            // A word that does not fit beside the title may fit on the next line.
            ("", left)
        } else if is_file(first_word(left)) {
            let (word, behind) = left.split_at(first_word(left).len());
            (word, behind.trim_start_matches(' '))
        } else {
            left.split_at(break_of_word(left, fits))
        };
        lines.push(line);
        left = behind;
        if left.is_empty() {
            return lines;
        }
    }
}

/// The first word, with the spaces before it.
fn first_word(text: &str) -> &str {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let end = text[blanks..].find(' ').map_or(text.len(), |it| blanks + it);
    &text[..end]
}

/// Whether a word contains the name of a manifest, perhaps with a line number.
fn is_file(word: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|it| word.contains(it))
}

/// The position at which a word that is longer than a line is split: after the last slash that fits, or at the end of the line.
fn break_of_word(word: &str, fits: &str) -> usize {
    match fits.rfind('/') {
        Some(at) if at > 0 => at + 1,
        // A character that is wider than the line gets a line of its own.
        _ if fits.is_empty() => word.chars().next().map_or(word.len(), char::len_utf8),
        _ => fits.len(),
    }
}

/// The offset of the last space at or before a byte offset, if a word precedes it.
fn last_blank(text: &str, end: usize) -> Option<usize> {
    let end = end + usize::from(text[end..].starts_with(' '));
    let at = text[..end].rfind(' ')?;
    (!text[..at].trim_start_matches(' ').is_empty()).then_some(at)
}

/// Cuts text to the given number of columns, with an ellipsis at the cut.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", fitting(text, columns.saturating_sub(1))))
}

/// The longest suffix that fits into the given number of columns.
pub(crate) fn last_columns(text: &str, columns: usize) -> &str {
    let mut left = width(text);
    let mut from = 0;
    for c in text.chars() {
        if left <= columns {
            break;
        }
        left -= width_of(c);
        from += c.len_utf8();
    }
    &text[from..]
}

/// Shortens text to a number of characters, and adds the number of removed characters.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let left_out = text[at..].chars().count();
            Cow::Owned(format!("{}… ({left_out} more characters)", &text[..at]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_a_terminal() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("値段"), 4);
        assert_eq!(width("e\u{301}"), 1, "a combining accent");
        assert_eq!(width("😀"), 2);
        assert_eq!(width("❤\u{fe0f}"), 2);
    }

    #[test]
    fn text_is_broken_at_blanks() {
        assert_eq!(wrap("one two three", 20, 20), ["one two three"]);
        assert_eq!(wrap("one two three", 7, 20), ["one two", "three"]);
        assert_eq!(wrap("one two three", 6, 5), ["one", "two", "three"]);
        assert_eq!(wrap("", 5, 5), [""]);
        assert_eq!(wrap("  indented text", 12, 12), ["  indented", "text"]);
    }

    #[test]
    fn long_words_are_broken_anywhere() {
        assert_eq!(wrap("abcdefgh", 3, 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("config/crd/bases", 12, 12), ["config/crd/", "bases"]);
        assert_eq!(
            wrap("in config/crd/a.yaml:1:1 there", 12, 12),
            ["in", "config/crd/a.yaml:1:1", "there"]
        );
        assert_eq!(wrap("値段値段", 3, 3), ["値", "段", "値", "段"]);
        assert_eq!(wrap("値", 1, 1), ["値"]);
        assert_eq!(wrap("long-word", 4, 9), ["", "long-word"]);
    }

    #[test]
    fn no_line_is_too_wide_and_nothing_is_lost() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..5_000 {
            let words = ["a", "bc", "値段", "/x/y/", "longer-than-most", " ", "😀", "e\u{301}"];
            let text: String = (0..random.usize(..20))
                .map(|_| words[random.usize(..words.len())])
                .collect();
            let (first, rest) = (random.usize(2..30), random.usize(2..30));
            let lines = wrap(&text, first, rest);
            for (n, line) in lines.iter().enumerate() {
                assert!(width(line) <= if n == 0 { first } else { rest }, "{line:?} of {text:?}");
            }
            let without_blanks = |it: &str| it.replace(' ', "");
            assert_eq!(without_blanks(&lines.concat()), without_blanks(&text));
        }
    }

    #[test]
    fn the_end_of_an_indentation() {
        assert_eq!(last_columns("│  │  ├─ ", 4), " ├─ ");
        assert_eq!(last_columns("ab", 4), "ab");
        assert_eq!((cut("値段", 4), cut("値段", 3)), ("値段".into(), "値…".into()));
    }

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größen", 5), "größe… (1 more characters)");
    }
}
