//! The context of a cursor in a possibly incomplete text: the node or gap at the cursor, and what can be written there.
//!
//! It only uses the tree of the error-tolerant parser, so no request parses the text again.

mod flow;
mod layout;
mod lines;
mod misplaced;
#[cfg(test)]
mod tests;
mod token;

use crd_analyzer_syntax::{
    paths::{Step, path_of},
    tree::{CollectionStyle, Entry, NodeId, NodeKind, ScalarStyle, Tree},
};

pub use layout::Layout;
pub use token::Token;

/// The context of a cursor in a document.
#[derive(Clone, Debug)]
pub struct CursorContext<'t> {
    /// The document.
    pub tree: &'t Tree,
    /// The byte offset of the cursor in the file.
    pub offset: u32,
    /// The path of the mapping if a key is being written, or the path of the value.
    pub path: Vec<Step<'t>>,
    /// The kind of text at the cursor.
    pub slot: Slot,
    /// The existing text.
    pub token: Token,
    /// Whether the cursor is in braces or brackets.
    pub is_flow: bool,
}

/// The kind of text at a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A key.
    Key {
        /// The mapping that contains the key, if it has other entries.
        mapping: Option<NodeId>,
        /// The entry whose key is being written.
        entry: Option<Entry>,
        /// Whether a colon follows the key.
        has_colon: bool,
        /// A list that could have another item here, because its dashes are in the same column as the keys.
        list: Option<NodeId>,
    },
    /// A value.
    Value {
        /// The existing value; `None` or an absent scalar if there is none.
        node: Option<NodeId>,
        /// Whether the value is the first text on its line or after a dash. If so, it could also become the first key of a mapping or an item of a
        /// list.
        on_own_line: bool,
    },
    /// An item of a list whose dash is still missing.
    Dash {
        /// The list.
        list: NodeId,
    },
}

impl<'t> CursorContext<'t> {
    /// The context of a cursor. `None` where nothing can be completed: in comments, anchors and tags, and between a value and its closing quote or
    /// bracket.
    pub fn at(tree: &'t Tree, offset: u32) -> Option<Self> {
        let in_comment = |it: &crd_analyzer_syntax::tree::Span| it.start < offset && offset <= it.end;
        let comments = tree.comments();
        let next = comments.partition_point(|it| it.start < offset);
        if next.checked_sub(1).is_some_and(|it| in_comment(&comments[it])) {
            return None;
        }
        if let Some(node) = token::touched(tree, offset) {
            return token::place(tree, offset, node);
        }
        if let Some(place) = token::in_tag(tree, offset) {
            return Some(place);
        }
        if let Some(flow) = flow::around(tree, offset) {
            return flow::place(tree, offset, flow).or_else(|| lines::behind_text_in_flow(tree, offset));
        }
        Self::behind_quote_in_flow(tree, offset).or_else(|| lines::place(tree, offset))
    }

    /// The context after a quote that the user has just typed in brackets, if nothing follows on the line.
    fn behind_quote_in_flow(tree: &'t Tree, offset: u32) -> Option<Self> {
        let text = tree.text();
        let quote = text[..offset as usize]
            .chars()
            .next_back()
            .filter(|it| matches!(it, '\'' | '"'))?;
        let rest = &text[offset as usize..line_end(tree, offset) as usize];
        let node = flow::around(tree, offset - 1)?;
        let mut place = flow::place(tree, offset - 1, node)?;
        place.offset = offset;
        place.token = Token::open(offset, quote);
        rest.trim().is_empty().then_some(place)
    }

    /// The other keys of the mapping, besides the one that the user is writing.
    pub fn siblings(&self) -> Vec<std::borrow::Cow<'t, str>> {
        let Slot::Key {
            mapping: Some(mapping),
            entry,
            ..
        } = self.slot
        else {
            return Vec::new();
        };
        // An opening quote that the user has just typed starts a key without text.
        let is_written = |it: &Entry| Some(*it) != entry && !self.tree.is_absent(it.key);
        let others = self.tree.entries(mapping).filter(is_written);
        others.map(|it| self.tree.scalar(it.key)).collect()
    }

    /// The mapping that contains the key, if it has other entries.
    pub fn mapping(&self) -> Option<NodeId> {
        match self.slot {
            Slot::Key { mapping, .. } => mapping,
            _ => None,
        }
    }

    /// The scalar at the cursor, if it is a value, and the offset of the cursor in the scalar's decoded text.
    pub fn in_scalar(&self) -> Option<(NodeId, usize)> {
        let Slot::Value { node: Some(node), .. } = self.slot else {
            return None;
        };
        if !self.tree.is_scalar(node) {
            return None;
        }
        let map = self.tree.source_map(node);
        Some((node, map.to_value(self.offset).unwrap_or_else(|| map.value_len())))
    }

    /// Whether keys are written in double quotes here, as in JSON.
    pub fn is_json(&self) -> bool {
        let Some(root) = self.tree.root() else { return false };
        let is_flow = |it: NodeId| {
            matches!(
                self.tree.kind(it),
                NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow)
            )
        };
        let first_key = self.tree.children(root).next();
        // An unterminated quote is not part of the tree, so look at the text before the node.
        let is_open = |it: NodeId| self.tree.text()[..self.tree.span(it).start as usize].ends_with('"');
        let is_quoted = first_key.is_none_or(|it| {
            self.tree.kind(it) == NodeKind::Scalar(ScalarStyle::DoubleQuoted) || is_flow(it) || is_open(it)
        });
        self.is_flow && is_flow(root) && is_quoted
    }
}

/// The path of the mapping that contains a key, or of a value.
fn path(tree: &Tree, node: NodeId) -> Vec<Step<'_>> {
    path_of(tree, node)
}

/// The column of an offset, in bytes from the start of the line.
fn column(tree: &Tree, offset: u32) -> u32 {
    offset - line_start(tree, offset)
}

/// The start of the line that contains an offset.
fn line_start(tree: &Tree, offset: u32) -> u32 {
    let before = &tree.text()[..offset as usize];
    before.rfind(['\n', '\r']).map_or(0, |it| it as u32 + 1)
}

/// The end of the line that contains an offset, without its line break.
fn line_end(tree: &Tree, offset: u32) -> u32 {
    let after = &tree.text()[offset as usize..];
    offset + after.find(['\n', '\r']).unwrap_or(after.len()) as u32
}
