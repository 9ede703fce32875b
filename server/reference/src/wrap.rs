//! Wraps lines as kubectl does (`WrapString` of `github.com/mitchellh/go-wordwrap`).

/// A non-breaking space. It is part of a word.
const NO_BREAK: char = '\u{a0}';

/// Wraps a text at blanks, so that its lines have at most `limit` characters. A longer word is not broken.
pub(crate) fn wrap(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    let (mut word, mut blanks) = (Part::default(), Part::default());
    for c in text.chars() {
        if c == '\n' {
            if word.text.is_empty() {
                // Blanks at the end of a line are only kept if they fit.
                if column + blanks.length <= limit {
                    out.push_str(&blanks.text);
                }
            } else {
                out.push_str(&blanks.text);
                out.push_str(&word.text);
                word.clear();
            }
            blanks.clear();
            out.push('\n');
            column = 0;
        } else if c.is_whitespace() && c != NO_BREAK {
            if blanks.text.is_empty() || !word.text.is_empty() {
                column += blanks.length + word.length;
                out.push_str(&blanks.text);
                out.push_str(&word.text);
                blanks.clear();
                word.clear();
            }
            blanks.push(c);
        } else {
            word.push(c);
            if column + word.length + blanks.length > limit && word.length < limit {
                out.push('\n');
                column = 0;
                blanks.clear();
            }
        }
    }
    if !word.text.is_empty() {
        out.push_str(&blanks.text);
        out.push_str(&word.text);
    } else if column + blanks.length <= limit {
        out.push_str(&blanks.text);
    }
    out
}

/// Characters that have not been written yet, and their number.
#[derive(Default)]
struct Part {
    text: String,
    length: usize,
}

impl Part {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.length += 1;
    }

    fn clear(&mut self) {
        self.text.clear();
        self.length = 0;
    }
}

/// Indents each line of a text by `columns` blanks.
pub(crate) fn indent(text: &str, columns: usize) -> String {
    let pad = " ".repeat(columns);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

#[cfg(test)]
mod tests {
    use super::{indent, wrap};

    #[track_caller]
    fn check(text: &str, limit: usize, expected: &str) {
        assert_eq!(wrap(text, limit), expected, "{text:?} at {limit}");
    }

    #[test]
    fn breaks_lines_at_blanks() {
        check("", 5, "");
        check("one two three", 7, "one two\nthree");
        check("one  two", 7, "one\ntwo");
        check("one\ntwo", 7, "one\ntwo");
        check("a longerthanthat b", 6, "a\nlongerthanthat\nb");
        check("one\u{a0}two three", 8, "one\u{a0}two\nthree");
        check("one   \ntwo   ", 4, "one\ntwo");
        check("one \ntwo ", 4, "one \ntwo ");
    }

    #[test]
    fn indents_empty_lines_too() {
        assert_eq!(indent("a\n\nb\n", 2), "  a\n  \n  b\n  ");
    }
}
