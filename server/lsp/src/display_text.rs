//! Text for the client to display: invisible characters are escaped, and long text is cut. Not for text that the client inserts into a document.

use std::path::{Path, PathBuf};

use crd_analyzer_io::escape;

use crate::limits::cut;

/// Text on one line, such as a title or a label.
pub(crate) fn line(text: &str) -> String {
    escape::line(&cut(text)).into_owned()
}

/// A path, relative to its workspace folder.
pub(crate) fn path(path: &Path, folders: &[PathBuf]) -> String {
    let from = folders.iter().find_map(|it| path.strip_prefix(it).ok());
    line(&from.unwrap_or(path).to_string_lossy())
}

/// Text of several lines.
pub(crate) fn text(text: &str) -> String {
    escape::text(&cut(text)).into_owned()
}

/// Escapes Markdown that crd-analyzer wrote. Does not cut the text, because that could remove a closing delimiter.
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
