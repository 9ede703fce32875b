//! The difference between two versions of a text.

use crate::{common, tree::Span};

/// A replacement of one range that turns the old text into the new one.
pub(crate) struct Change {
    pub(crate) start: usize,
    pub(crate) old_end: usize,
    pub(crate) new_end: usize,
}

impl Change {
    /// The smallest change that turns `old` into `new`.
    pub(crate) fn between(old: &[u8], new: &[u8]) -> Self {
        let ahead = common::ahead(old, new);
        let behind = common::behind(&old[ahead..], &new[ahead..]);
        Self {
            start: ahead,
            old_end: old.len() - behind,
            new_end: new.len() - behind,
        }
    }

    /// The position in the new text of an offset that is at or after the end of the change.
    pub(crate) fn moved(&self, offset: u32) -> u32 {
        (offset as usize - self.old_end + self.new_end) as u32
    }

    /// The position in the new text of a span whose content did not change.
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
