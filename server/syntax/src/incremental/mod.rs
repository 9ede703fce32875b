//! The incremental parser: keeps tree-sitter's trees of a file's documents and updates them with edits.
//!
//! tree-sitter-yaml can parse most of the text that go-yaml parses, and the result is the same [`Tree`]. If tree-sitter gives up or may not parse the
//! text (`guard`), [`crate::edit`] parses it. So every text has a tree, and callers do not see a difference between the parsers.

mod convert;
mod guard;
mod parse;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tree_sitter::{InputEdit, Point};

use crate::tree::{Span, Tree};
use crate::{common, edit};

/// The documents of a file. After a change of the file, only a part of them is parsed again.
#[derive(Clone, Debug)]
pub struct IncrementalTrees {
    text: Arc<str>,
    documents: Vec<Parsed>,
}

/// One document.
#[derive(Clone, Debug)]
struct Parsed {
    span: Span,
    /// tree-sitter's tree of the latest text that it could parse, adjusted by later changes.
    tree: Option<tree_sitter::Tree>,
    /// Whether the tree belongs to the current text.
    is_current: bool,
}

impl IncrementalTrees {
    /// Parses a file of less than 4 GiB.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let spans = edit::document_spans(&text);
        let documents = spans.into_iter().map(|span| Parsed::new(&text, span)).collect();
        Self { text, documents }
    }

    /// The file's text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Updates the trees to the file's new text. Unchanged documents keep their trees, and a changed document is only parsed again around the change.
    pub fn update(&mut self, text: impl Into<Arc<str>>) {
        let text = text.into();
        let spans = edit::document_spans(&text);
        let old = std::mem::take(&mut self.documents);
        let same = |old: &Parsed, new: Span| self.text[old.span.range()] == text[new.range()];
        let shorter = old.len().min(spans.len());
        let ahead = (0..shorter).take_while(|&it| same(&old[it], spans[it])).count();
        let behind = (0..shorter - ahead)
            .take_while(|it| same(&old[old.len() - 1 - it], spans[spans.len() - 1 - it]))
            .count();
        let is_one = old.len() == spans.len() && old.len() - ahead - behind == 1;
        let moved_from = spans.len() - behind;
        let gone = old.len() - behind;
        let mut old = old.into_iter();
        let mut documents: Vec<Parsed> = old.by_ref().take(ahead).collect();
        let changed: Vec<Parsed> = old.by_ref().take(gone - ahead).collect();
        for &span in &spans[ahead..moved_from] {
            documents.push(match changed.first() {
                Some(before) if is_one => before.edited(&self.text[before.span.range()], &text, span),
                _ => Parsed::new(&text, span),
            });
        }
        documents.extend(old);
        for (document, span) in documents.iter_mut().zip(spans) {
            document.span = span;
        }
        self.text = text;
        self.documents = documents;
    }

    /// The tree of the document that contains the offset or ends at it.
    pub fn tree_at(&self, offset: u32) -> Option<Tree> {
        let next = self.documents.partition_point(|it| it.span.start <= offset);
        let found = &self.documents[next.checked_sub(1)?];
        found.span.touches(offset).then(|| found.read(&self.text))
    }

    /// The trees of the documents that have content, in file order.
    pub fn trees(&self) -> impl Iterator<Item = Tree> + '_ {
        self.documents.iter().map(|it| it.read(&self.text))
    }
}

impl Parsed {
    fn new(text: &str, span: Span) -> Self {
        let text = &text[span.range()];
        let tree = guard::allows(text).then(|| parse::parse(text, None)).flatten();
        Self {
            span,
            is_current: tree.is_some(),
            tree,
        }
    }

    /// The document at `span` of a new text. `before` is the document's old text.
    fn edited(&self, before: &str, text: &str, span: Span) -> Self {
        let Some(tree) = &self.tree else {
            return Self::new(text, span);
        };
        let after = &text[span.range()];
        let mut tree = tree.clone();
        tree.edit(&change(before, after));
        let parsed = guard::allows(after).then(|| parse::parse(after, Some(&tree))).flatten();
        Self {
            span,
            is_current: parsed.is_some(),
            tree: Some(parsed.unwrap_or(tree)),
        }
    }

    fn read(&self, text: &Arc<str>) -> Tree {
        self.tree
            .as_ref()
            .filter(|_| self.is_current)
            .and_then(|it| convert::convert(it, text, self.span))
            .unwrap_or_else(|| edit::read(text, self.span).tree)
    }
}

/// The edit that turns one text into the other. It replaces the bytes between their common prefix and suffix.
fn change(before: &str, after: &str) -> InputEdit {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let ahead = common::ahead(old, new);
    // The bounds move to character boundaries, because the parser reads whole characters.
    let start = before.floor_char_boundary(ahead);
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let mut behind = common::behind(old_rest, new_rest);
    while !before.is_char_boundary(old.len() - behind) {
        behind -= 1;
    }
    let (old_end, new_end) = (old.len() - behind, new.len() - behind);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, start),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

/// A position in tree-sitter's units: lines end with a line feed, columns are bytes.
fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let line = memchr::memrchr(b'\n', before).map_or(0, |it| it + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), at - line)
}
