//! Byte order marks inside a text.
//!
//! go-yaml reads its input in pieces of 512 bytes. If a line starts with a mark and go-yaml's input buffer also starts with it, go-yaml skips the
//! mark; otherwise it reads the mark as a character. So the meaning of a mark depends on the positions of these pieces, and only the verdict parser
//! tracks them.

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

/// Parses the document with the verdict parser; `None` if that parser rejects it. Edits cannot update the tree.
pub(super) fn read(text: &Text, span: Span) -> Option<Tree> {
    let shared: Arc<str> = text.to_shared();
    let mut tree = crate::read(&shared, span).ok()?;
    tree.text = text.clone();
    // The lines are only needed for messages of the API server.
    tree.lines.clear();
    Some(tree)
}
