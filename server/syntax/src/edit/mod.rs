//! The editing reader: a tree for any text, kept in step with edits.
//!
//! Features run on this tree while the verdict reader rejects the text. Where that accepts, both trees are the same.

#[cfg(test)]
mod agreement;
mod flow;
mod frame;
mod reader;
mod scan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::tree::{Span, Tree};

/// Reads the document at `span` of `text`, which is a whole file. Never fails: what cannot be placed is [`NodeKind::Error`].
///
/// [`NodeKind::Error`]: crate::tree::NodeKind::Error
pub fn read(text: &Arc<str>, span: Span) -> Reading {
    reader::read(text, span)
}

/// A document as the editing reader sees it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The tree. Mappings have keys and values in turn, whatever the text is.
    pub tree: Tree,
    /// Something had to be repaired to make a tree. (False does not mean that the verdict reader accepts.)
    pub is_broken: bool,
}
