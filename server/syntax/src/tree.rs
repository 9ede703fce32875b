//! The syntax tree that all parsers build and all other code uses: an arena of nodes with byte spans.
//!
//! Nodes are in document order, with a collection before its children. So identifiers sort in document order, a node's first child is the
//! next node, and a subtree is a contiguous range.

use std::borrow::Cow;

use crate::scalar;
use crate::text::Text;

mod build;
mod siblings;
pub(crate) use build::Rebuilt;
pub use build::TreeBuilder;

/// A range of bytes of the file's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, but not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The span as indices into the text.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the byte at `offset` is in the span, or `offset` is the end of the span (because a cursor still touches the span at its end).
    pub const fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether the span has no bytes.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A node of a [`Tree`]. It is only meaningful together with the tree from which it came. Nodes sort in document order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

/// The style of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarStyle {
    /// `text`
    Plain,
    /// `'text'`
    SingleQuoted,
    /// `"text"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// The style of a mapping or sequence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionStyle {
    /// Written with indentation.
    Block,
    /// Written with braces or brackets.
    Flow,
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// Keys and values, in document order.
    Mapping(CollectionStyle),
    /// Items, in document order.
    Sequence(CollectionStyle),
    /// A scalar. An absent value (`key:`) is a plain scalar with an empty span at the position of the value.
    Scalar(ScalarStyle),
    /// `*name`: an alias of the node that [`Tree::alias_target`] returns.
    Alias,
    /// Text that the tolerant parser could not place. The verdict parser never creates error nodes.
    Error,
}

/// The anchor and tag of a node. Few nodes have them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    /// The anchor, with the `&`: `&name`.
    pub anchor: Option<Span>,
    /// The whole tag as written (`!!str`, `!local`, `!<verbatim>`).
    pub tag: Option<Span>,
    /// The tag with its handle replaced by the handle's prefix: `tag:yaml.org,2002:str` for `!!str`.
    pub tag_name: Option<Box<str>>,
}

impl Properties {
    /// Whether the node has neither anchor nor tag.
    pub fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }
}

/// A node in the arena.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: NodeKind,
    /// Whether the node has an entry in `Tree::properties`.
    pub(crate) has_properties: bool,
    /// For scalars: whether the value differs from the text between the indicators.
    pub(crate) decode: bool,
    pub(crate) span: Span,
    /// The parent; `NO_PARENT` at the root.
    pub(crate) parent: u32,
    /// For collections: the node after the last node of the subtree. For block scalars: the indentation of the content in columns.
    pub(crate) extra: u32,
}

pub(crate) const NO_PARENT: u32 = u32::MAX;

/// An entry of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The key, which is nearly always a scalar.
    pub key: NodeId,
    /// The value, which is an empty plain scalar if it is absent.
    pub value: NodeId,
}

/// One document of a file: its nodes and comments, with their spans. Offsets count from the start of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    pub(crate) text: Text,
    pub(crate) nodes: Vec<NodeData>,
    /// Sorted by node.
    pub(crate) properties: Vec<(NodeId, Properties)>,
    /// Sorted by alias.
    pub(crate) alias_targets: Vec<(NodeId, NodeId)>,
    /// The lines, from 0 and counted from the start of the document, of the nodes whose line in the API server's messages differs from their actual
    /// line.
    pub(crate) lines: Vec<(NodeId, u32)>,
    pub(crate) comments: Vec<Span>,
    pub(crate) span: Span,
    /// The end of the file's own text. A line break that was added to the text is not part of it.
    pub(crate) limit: u32,
    /// Cached sibling positions, which every change of the nodes must reset.
    pub(crate) siblings: siblings::Siblings,
}

impl Tree {
    /// The text of the whole file. If its last line had no line break, one was added (see [`crate::split`]).
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The document's span in the file.
    pub fn document_span(&self) -> Span {
        self.clamp(self.span)
    }

    /// The topmost node; `None` if the document has no content.
    pub fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the document has no content.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes in document order, each collection before its children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The kind of the node.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.data(node).kind
    }

    /// The span of the node, without its anchor and tag.
    ///
    /// A block collection extends from its first key or dash to the end of its last child. A quoted scalar includes its quotes. A block scalar
    /// includes its indicator and the bytes of its value, and a final line break only if that is part of the value.
    pub fn span(&self, node: NodeId) -> Span {
        self.clamp(self.data(node).span)
    }

    /// The part of a span that is inside the file.
    pub(crate) fn clamp(&self, span: Span) -> Span {
        Span::new(span.start.min(self.limit), span.end.min(self.limit))
    }

    /// The span of the node, including its anchor and tag.
    pub fn full_span(&self, node: NodeId) -> Span {
        let span = self.span(node);
        self.properties(node).map_or(span, |it| {
            [it.anchor, it.tag].into_iter().flatten().fold(span, Span::join)
        })
    }

    /// The source text of the node's span.
    pub fn source(&self, node: NodeId) -> &str {
        &self.text[self.span(node).range()]
    }

    /// The collection that contains the node as a key, value or item.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.data(node).parent;
        (parent != NO_PARENT).then_some(NodeId(parent))
    }

    /// The collections around the node, from its parent to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |&it| self.parent(it))
    }

    /// The node and its descendants, in document order.
    pub fn subtree(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (node.0..self.end(node)).map(NodeId)
    }

    /// Whether `node` is `ancestor` or inside it.
    pub fn is_in(&self, node: NodeId, ancestor: NodeId) -> bool {
        ancestor.0 <= node.0 && node.0 < self.end(ancestor)
    }

    /// The children of a collection: its items, or alternating keys and values. Empty for other nodes.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children {
            tree: self,
            next: node.0 + 1,
            end: self.end(node),
        }
    }

    /// The entries of a mapping in document order, including duplicates, with merge keys (`<<`) as written. Empty for other nodes.
    pub fn entries(&self, node: NodeId) -> Entries<'_> {
        let end = if matches!(self.kind(node), NodeKind::Mapping(_)) {
            self.end(node)
        } else {
            node.0 + 1
        };
        Entries {
            children: Children {
                tree: self,
                next: node.0 + 1,
                end,
            },
        }
    }

    /// The items of a sequence. Empty for other nodes.
    pub fn items(&self, node: NodeId) -> Children<'_> {
        let end = if matches!(self.kind(node), NodeKind::Sequence(_)) {
            self.end(node)
        } else {
            node.0 + 1
        };
        Children {
            tree: self,
            next: node.0 + 1,
            end,
        }
    }

    /// The value at a key of a mapping. If the key is duplicated, the last entry wins.
    ///
    /// Keys are compared by their decoded value. Aliases to the mapping or to a value are not followed, and `<<` is an ordinary key.
    pub fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        self.entry(mapping, key).map(|it| it.value)
    }

    /// Like [`Tree::get`], but also returns the key's node.
    pub fn entry(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        self.entries(mapping)
            .filter(|it| self.is_scalar(it.key) && self.scalar(it.key) == key)
            .last()
    }

    /// The entry of the parent mapping whose key or value is the node.
    pub fn entry_of(&self, node: NodeId) -> Option<Entry> {
        let parent = self.parent(node)?;
        if !matches!(self.kind(parent), NodeKind::Mapping(_)) {
            return None;
        }
        let is_key = self.position(node).is_multiple_of(2);
        let (key, value) = if is_key {
            (node, self.next_sibling(node)?)
        } else {
            (self.previous_sibling(node)?, node)
        };
        Some(Entry { key, value })
    }

    /// Whether the node is a mapping's key.
    pub fn is_key(&self, node: NodeId) -> bool {
        self.entry_of(node).is_some_and(|it| it.key == node)
    }

    /// The last node in document order that starts at or before a byte. If several nodes start at the same byte, this is the innermost node.
    pub fn last_from(&self, offset: u32) -> Option<NodeId> {
        let after = self.nodes.partition_point(|it| it.span.start <= offset);
        Some(NodeId(after.checked_sub(1)? as u32))
    }

    /// Like [`Tree::last_from`], but only among the descendants of a node.
    pub(crate) fn last_in(&self, node: NodeId, offset: u32) -> Option<NodeId> {
        let first = node.0 + 1;
        let inside = &self.nodes[first as usize..self.end(node).max(first) as usize];
        let after = inside.partition_point(|it| it.span.start <= offset) as u32;
        (after > 0).then(|| NodeId(first + after - 1))
    }

    /// Whether the node is a scalar.
    pub fn is_scalar(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::Scalar(_))
    }

    /// Whether the node is an absent value, as in `key:`.
    pub fn is_absent(&self, node: NodeId) -> bool {
        self.kind(node) == NodeKind::Scalar(ScalarStyle::Plain) && self.span(node).is_empty()
    }

    /// The node's anchor and tag, if it has at least one of them.
    pub fn properties(&self, node: NodeId) -> Option<&Properties> {
        if !self.data(node).has_properties {
            return None;
        }
        let found = self.properties.binary_search_by_key(&node, |it| it.0).ok()?;
        Some(&self.properties[found].1)
    }

    /// The name of the node's anchor, without `&`.
    pub fn anchor(&self, node: NodeId) -> Option<&str> {
        let span = self.properties(node)?.anchor?;
        Some(&self.text[span.range()][1..])
    }

    /// The node's tag with its handle resolved (`tag:yaml.org,2002:str` for `!!str`).
    pub fn tag(&self, node: NodeId) -> Option<&str> {
        self.properties(node)?.tag_name.as_deref()
    }

    /// All nodes with an anchor or tag.
    pub fn all_properties(&self) -> &[(NodeId, Properties)] {
        &self.properties
    }

    /// Whether the document has an alias whose anchor exists.
    pub fn has_aliases(&self) -> bool {
        !self.alias_targets.is_empty()
    }

    /// The target of an alias. `None` if the node is not an alias, or if its anchor does not exist (tolerant parser).
    pub fn alias_target(&self, alias: NodeId) -> Option<NodeId> {
        if self.kind(alias) != NodeKind::Alias {
            return None;
        }
        let found = self.alias_targets.binary_search_by_key(&alias, |it| it.0).ok()?;
        Some(self.alias_targets[found].1)
    }

    /// The node itself, or its target if it is an alias. (An anchor never marks an alias.)
    pub fn resolve(&self, node: NodeId) -> NodeId {
        self.alias_target(node).unwrap_or(node)
    }

    /// The spans of the comments, from `#` to the end of their line, in document order.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The decoded value of a scalar, borrowed if it contains nothing to decode. Empty for other nodes.
    pub fn scalar(&self, node: NodeId) -> Cow<'_, str> {
        let data = self.data(node);
        match data.kind {
            NodeKind::Scalar(style) => {
                let inner = scalar::inner(style, data.span);
                if data.decode {
                    Cow::Owned(scalar::decode(&self.text, style, data.span, data.extra))
                } else {
                    Cow::Borrowed(&self.text[inner.range()])
                }
            }
            _ => Cow::Borrowed(""),
        }
    }

    pub(crate) fn data(&self, node: NodeId) -> &NodeData {
        &self.nodes[node.0 as usize]
    }

    /// The index of the node after the subtree's last one.
    pub(crate) fn end(&self, node: NodeId) -> u32 {
        let data = self.data(node);
        match data.kind {
            NodeKind::Mapping(_) | NodeKind::Sequence(_) | NodeKind::Error => data.extra,
            NodeKind::Scalar(_) | NodeKind::Alias => node.0 + 1,
        }
    }
}

/// The children of a collection.
#[derive(Clone, Debug)]
pub struct Children<'t> {
    tree: &'t Tree,
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let node = NodeId(self.next);
        self.next = self.tree.end(node);
        Some(node)
    }
}

/// The entries of a mapping.
#[derive(Clone, Debug)]
pub struct Entries<'t> {
    children: Children<'t>,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        Some(Entry {
            key: self.children.next()?,
            value: self.children.next()?,
        })
    }
}
