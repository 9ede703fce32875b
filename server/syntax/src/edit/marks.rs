//! Byte order marks inside a text.
//!
//! go-yaml skips a mark that begins a line if its input buffer also begins with the mark, and otherwise reads it as a character. So the
//! meaning of a mark depends on where the 512-byte pieces that go-yaml reads end, which only the verdict parser knows.

use std::sync::Arc;

use crate::{
    text::Text,
    tree::{Span, Tree},
};

/// The byte order mark.
pub(super) const MARK: &str = "\u{FEFF}";

/// Whether a text has a byte order mark that is not at its start.
pub(super) fn has_inside(text: &str) -> bool {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    memchr::memmem::find(text.as_bytes(), MARK.as_bytes()).is_some()
}

/// Parses the document with the verdict parser; `None` if that rejects it. The tree cannot be updated by edits.
pub(super) fn read(text: &Text, span: Span) -> Option<Tree> {
    let shared: Arc<str> = text.to_shared();
    let mut tree = crate::read(&shared, span).ok()?;
    tree.text = text.clone();
    // Only the API server's messages need their lines.
    tree.lines.clear();
    Some(tree)
}
