//! Text that a client shows: what cannot be seen is shown by its number, and what is too long is cut. Text that a client writes into a
//! document is not meant.

use crd_analyzer_io::escape;

use crate::limits::cut;

/// A text on one line: a title, a label.
pub(crate) fn line(text: &str) -> String {
    escape::line(&cut(text)).into_owned()
}

/// A text of several lines.
pub(crate) fn text(text: &str) -> String {
    escape::text(&cut(text)).into_owned()
}

/// Escapes Markdown that we wrote. It is not cut, because a cut could remove a closing mark.
pub(crate) fn markdown(text: &str) -> String {
    escape::text(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_seen_and_has_an_end() {
        assert_eq!(line("a\n\u{202e}b"), "a\\n\\u{202e}b");
        assert_eq!(text("a\n\u{1b}b"), "a\n\\u{1b}b");
        assert!(line(&"é".repeat(100_000)).len() < 10_000);
    }
}
