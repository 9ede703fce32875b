//! Byte order marks inside a text.
//!
//! go-yaml passes over a mark that begins a line where its input buffer begins with one, and else reads it as a character of the text. So
//! what a mark means depends on where the pieces of 512 bytes end that are read, which only the verdict reader knows.

use std::sync::Arc;

use crate::{
    text::Text,
    tree::{Span, Tree},
};

/// The mark.
pub(super) const MARK: &str = "\u{FEFF}";

/// Whether a text has a mark that it does not begin with.
pub(super) fn has_inside(text: &str) -> bool {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    memchr::memmem::find(text.as_bytes(), MARK.as_bytes()).is_some()
}

/// The document as the verdict reader reads it; `None` if that rejects it. It cannot be kept in step with edits.
pub(super) fn read(text: &Text, span: Span) -> Option<Tree> {
    let shared: Arc<str> = text.to_shared();
    let mut tree = crate::read(&shared, span).ok()?;
    tree.text = text.clone();
    // Their lines are only for the server's messages.
    tree.lines.clear();
    Some(tree)
}
