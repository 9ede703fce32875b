//! What differs between two versions of a text.

use crate::{common, tree::Span};

/// One replacement that turns a text into another.
pub(crate) struct Change {
    pub(crate) start: usize,
    pub(crate) old_end: usize,
    pub(crate) new_end: usize,
}

impl Change {
    /// The smallest one.
    pub(crate) fn between(old: &[u8], new: &[u8]) -> Self {
        let ahead = common::ahead(old, new);
        let behind = common::behind(&old[ahead..], &new[ahead..]);
        Self {
            start: ahead,
            old_end: old.len() - behind,
            new_end: new.len() - behind,
        }
    }

    /// Where an offset at or behind the change is in the new text.
    pub(crate) fn moved(&self, offset: u32) -> u32 {
        (offset as usize - self.old_end + self.new_end) as u32
    }

    /// Where a span is in the new text that nothing changed in.
    pub(crate) fn moved_span(&self, span: Span) -> Span {
        let moved = |it: u32| {
            if it as usize >= self.old_end {
                self.moved(it)
            } else {
                it
            }
        };
        Span::new(moved(span.start), moved(span.end))
    }
}
