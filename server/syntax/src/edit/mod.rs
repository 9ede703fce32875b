//! The editing parser: builds a tree for any text and updates it with edits.
//!
//! Editor features use this tree while the verdict parser rejects the text. For text that the verdict parser accepts, both trees are the same.

#[cfg(test)]
pub(crate) mod agreement;
mod block;
mod flow;
mod frame;
mod head;
mod known_difference;
mod marks;
mod memo;
mod nodes;
mod reader;
mod resync;
#[cfg(test)]
mod resync_tests;
pub(crate) mod scan;
mod tag;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;

pub use known_difference::known_difference;
use memo::Memo;
use reader::Held;
use resync::Change;
pub(crate) use tag::resolve as resolve_tag;

use crate::split::{has_content, split};
use crate::text::Text;
use crate::tree::{Span, Tree};

/// Parses the document at `span` of `text`, which is a whole file. Never fails: misplaced text becomes a [`NodeKind::Error`].
///
/// [`NodeKind::Error`]: crate::tree::NodeKind::Error
pub fn read(text: impl Into<Text>, span: Span) -> TolerantTree {
    reader::read(&text.into(), span)
}

/// The spans of the documents with content in a file. If a separator is invalid, all text after it is one document.
pub(crate) fn document_spans(text: &str) -> Vec<Span> {
    let cut = split(text);
    let mut spans: Vec<_> = cut.documents.iter().map(|it| it.span).collect();
    if let Some(error) = cut.error {
        let line = text[..error.span.start as usize].rfind('\n').map_or(0, |it| it + 1);
        spans.push(Span::new(line as u32, text.len() as u32));
    }
    spans
}

/// A document as the editing parser reads it.
#[derive(Clone, Debug)]
pub struct TolerantTree {
    /// The tree. In every mapping, keys and values alternate, even if the text is broken.
    pub tree: Tree,
    /// Whether the parser had to repair the text. (If not, the verdict parser may still reject the text.)
    pub is_broken: bool,
    memo: Memo,
    /// Whether the document has byte order marks inside. If it does, each edit parses the whole document again.
    has_marks: bool,
}

/// All documents of a file, updated with each edit.
///
/// An edit usually re-parses only the segment around it, a few kilobytes. The nodes after that segment are only moved, which takes less than a tenth
/// of a millisecond per megabyte.
#[derive(Clone, Debug)]
pub struct EditingTree {
    text: Text,
    documents: Vec<TolerantTree>,
}

impl EditingTree {
    /// Parses a file of less than 4 GiB.
    pub fn new(text: impl Into<Text>) -> Self {
        let text = text.into();
        let spans = document_spans(&text);
        let documents = spans.into_iter().map(|it| reader::read(&text, it)).collect();
        Self { text, documents }
    }

    /// The file's text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The documents that have content, in file order.
    pub fn documents(&self) -> &[TolerantTree] {
        &self.documents
    }

    /// The document that contains the offset or ends at it.
    pub fn document_at(&self, offset: u32) -> Option<&TolerantTree> {
        self.index_at(offset).map(|it| &self.documents[it])
    }

    /// The index in [`EditingTree::documents`] of the document that contains the offset or ends at it.
    pub fn index_at(&self, offset: u32) -> Option<usize> {
        let next = self
            .documents
            .partition_point(|it| it.tree.document_span().start <= offset);
        let found = next.checked_sub(1)?;
        let span = self.documents[found].tree.document_span();
        span.touches(offset).then_some(found)
    }

    /// Replaces a range of bytes and updates the trees. A bound past the end of the text means the end of the text, and a bound inside a character
    /// means the start of the character.
    pub fn edit(&mut self, range: Range<usize>, new_text: &str) {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end).max(start);
        let change = Change {
            start: start as u32,
            old_end: end as u32,
            new_end: (start + new_text.len()) as u32,
        };
        let document = self.document_of(change);
        let had_brace = begins_with_brace(&self.text);
        // The documents' references to the text are dropped, so that the text can be changed in place.
        for document in &mut self.documents {
            document.tree.text = Text::default();
        }
        self.text.replace(start..end, new_text);
        let has_marks = document.is_some_and(|it| self.documents[it.0].has_marks) || new_text.contains(marks::MARK);
        let document = document.filter(|_| !has_marks);
        let span = document.map(|(at, span)| (at, Span::new(span.start, change.behind(span.end))));
        let is_cut_alike = |at: usize, span: Span| {
            !cuts(&self.text, start, change.new_end as usize)
                && had_brace == begins_with_brace(&self.text)
                && (!had_brace || document_spans(&self.text) == self.spans_after(at, span, change))
                && has_content(&self.text[span.range()])
        };
        let Some((at, span)) = span.filter(|it| is_cut_alike(it.0, it.1)) else {
            *self = Self::new(std::mem::take(&mut self.text));
            return;
        };
        for document in &mut self.documents[at + 1..] {
            resync::move_behind(document, change);
        }
        let changed = self.documents.remove(at);
        self.documents
            .insert(at, resync::reread(changed, &self.text, span, change));
        for document in &mut self.documents {
            document.tree.text = self.text.clone();
        }
    }

    /// The spans of the documents after a change in the document at index `at`. `span` is the new span of this document.
    fn spans_after(&self, at: usize, span: Span, change: Change) -> Vec<Span> {
        let mut spans: Vec<Span> = self.documents.iter().map(|it| it.tree.span).collect();
        spans[at] = span;
        for behind in &mut spans[at + 1..] {
            *behind = Span::new(change.behind(behind.start), change.behind(behind.end));
        }
        spans
    }

    /// The index and span of the document that contains a change, unless the text that the change removes contains a document separator.
    fn document_of(&self, change: Change) -> Option<(usize, Span)> {
        let next = self.documents.partition_point(|it| it.tree.span.start <= change.start);
        let at = next.checked_sub(1)?;
        let span = self.documents[at].tree.span;
        let is_in = change.old_end <= span.end && change.start as usize >= marks::MARK.len();
        (is_in && !cuts(&self.text, change.start as usize, change.old_end as usize)).then_some((at, span))
    }
}

/// Whether a line in the given range starts with a document separator.
fn cuts(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let mut line = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |it| it + 1);
    loop {
        if bytes[line..].starts_with(b"---") {
            return true;
        }
        match memchr::memchr(b'\n', &bytes[line..end.max(line)]) {
            Some(found) => line += found + 1,
            None => return false,
        }
    }
}

/// Whether a file starts with a brace, so that it may be JSON.
fn begins_with_brace(text: &str) -> bool {
    let text = text.strip_prefix(marks::MARK).unwrap_or(text);
    text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{')
}
