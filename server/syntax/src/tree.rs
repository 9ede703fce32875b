//! The tree that both readers fill and everything above sees: an arena of nodes with byte spans.
//!
//! Nodes lie in the order of the text, a collection before its children. So a node's identifier orders it, its first child is the
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
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The span as indices into the text.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the byte at `offset` is in the span, or `offset` is its end (where a cursor still touches it).
    pub const fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether the span has no bytes.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that has both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A node of a [`Tree`]; only meaningful with the tree it came from. Orders as the text does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

/// How a scalar is written.
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

/// How a mapping or sequence is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionStyle {
    /// By indentation.
    Block,
    /// In braces or brackets.
    Flow,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// Keys and values, in the order of the text.
    Mapping(CollectionStyle),
    /// Items, in the order of the text.
    Sequence(CollectionStyle),
    /// A scalar; an absent value (`key:`) is a plain scalar with an empty span where it would stand.
    Scalar(ScalarStyle),
    /// `*name`: an alias of the node that [`Tree::alias_target`] gives.
    Alias,
    /// Text that the tolerant reader could not place. The verdict reader makes none.
    Error,
}

/// Anchor and tag of a node, which few nodes have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    /// `&name`, with the `&`.
    pub anchor: Option<Span>,
    /// The whole tag as written (`!!str`, `!local`, `!<verbatim>`).
    pub tag: Option<Span>,
    /// The tag with its handle replaced by the handle's prefix: `tag:yaml.org,2002:str` for `!!str`.
    pub tag_name: Option<Box<str>>,
}

impl Properties {
    /// Whether there is neither anchor nor tag.
    pub fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }
}

/// One node as it lies in the arena.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: NodeKind,
    /// The node has an entry in `Tree::properties`.
    pub(crate) has_properties: bool,
    /// Scalars: the value is not the text between the indicators as it stands.
    pub(crate) decode: bool,
    pub(crate) span: Span,
    /// `NO_PARENT` at the root.
    pub(crate) parent: u32,
    /// Collections: the node after the last of the subtree. Block scalars: columns of indentation of the content.
    pub(crate) extra: u32,
}

pub(crate) const NO_PARENT: u32 = u32::MAX;

/// One entry of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The key: nearly always a scalar.
    pub key: NodeId,
    /// The value: where nothing is written, an empty plain scalar.
    pub value: NodeId,
}

/// One document of a file: its nodes, comments and where they lie. Offsets are those of the whole file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    pub(crate) text: Text,
    pub(crate) nodes: Vec<NodeData>,
    /// Sorted by node.
    pub(crate) properties: Vec<(NodeId, Properties)>,
    /// Sorted by alias.
    pub(crate) alias_targets: Vec<(NodeId, NodeId)>,
    /// Nodes whose line in the API server's messages is not that of their place: line from 0, counted from the document's start.
    pub(crate) lines: Vec<(NodeId, u32)>,
    pub(crate) comments: Vec<Span>,
    pub(crate) span: Span,
    /// The end of the file's own text, where a line break was added to it.
    pub(crate) limit: u32,
    /// Of the nodes as they are: who changes them forgets it.
    pub(crate) siblings: siblings::Siblings,
}

impl Tree {
    /// The text of the whole file. If its last line has no line break, one was added (see [`crate::split`]).
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Where the document lies in the file.
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

    /// All nodes in the order of the text, a collection before its children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// What the node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.data(node).kind
    }

    /// Where the node is written, without its anchor and tag.
    ///
    /// A collection by indentation reaches from its first key or dash to the end of its last child; a quoted scalar has its quotes,
    /// a block scalar its indicator and the bytes that its value has, a final line break only if it is in the value.
    pub fn span(&self, node: NodeId) -> Span {
        self.clamp(self.data(node).span)
    }

    /// The part of a span that the file has.
    pub(crate) fn clamp(&self, span: Span) -> Span {
        Span::new(span.start.min(self.limit), span.end.min(self.limit))
    }

    /// Where the node is written, from its anchor or tag if it has one.
    pub fn full_span(&self, node: NodeId) -> Span {
        let span = self.span(node);
        self.properties(node).map_or(span, |it| {
            [it.anchor, it.tag].into_iter().flatten().fold(span, Span::join)
        })
    }

    /// The text of the node's span.
    pub fn source(&self, node: NodeId) -> &str {
        &self.text[self.span(node).range()]
    }

    /// The collection that the node is a key, value or item of.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.data(node).parent;
        (parent != NO_PARENT).then_some(NodeId(parent))
    }

    /// The collections around the node, from its parent to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |&it| self.parent(it))
    }

    /// The node and everything in it, in the order of the text.
    pub fn subtree(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (node.0..self.end(node)).map(NodeId)
    }

    /// Whether `node` is `ancestor` or lies in it.
    pub fn is_in(&self, node: NodeId, ancestor: NodeId) -> bool {
        ancestor.0 <= node.0 && node.0 < self.end(ancestor)
    }

    /// The children of a collection: its items, or its keys and values in turn. Nothing for other nodes.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children {
            tree: self,
            next: node.0 + 1,
            end: self.end(node),
        }
    }

    /// The entries of a mapping in the order of the text, duplicates and merge keys (`<<`) as they are written. Nothing for other nodes.
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

    /// The items of a sequence. Nothing for other nodes.
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

    /// The value at a key of a mapping: the last one if the key is written more than once, as it decides.
    ///
    /// Keys are compared by their decoded text. Aliases are not followed, neither to the mapping nor to a value, and `<<` is a key like others.
    pub fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        self.entry(mapping, key).map(|it| it.value)
    }

    /// As [`Tree::get`], with the key's node.
    pub fn entry(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        self.entries(mapping)
            .filter(|it| self.is_scalar(it.key) && self.scalar(it.key) == key)
            .last()
    }

    /// The entry of the parent mapping that the node is the key or the value of.
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

    /// The last node in the order of the text that begins at or before a byte: of those that begin at one place the innermost.
    pub fn last_from(&self, offset: u32) -> Option<NodeId> {
        let after = self.nodes.partition_point(|it| it.span.start <= offset);
        Some(NodeId(after.checked_sub(1)? as u32))
    }

    /// As [`Tree::last_from`], among what is in a node.
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

    /// Whether nothing is written for the node: the value of `key:`.
    pub fn is_absent(&self, node: NodeId) -> bool {
        self.kind(node) == NodeKind::Scalar(ScalarStyle::Plain) && self.span(node).is_empty()
    }

    /// Anchor and tag, if the node has either.
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

    /// Whether the document has an alias with a target.
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

    /// The comments from `#` to the end of their line, in the order of the text.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The decoded text of a scalar; borrowed where it is written as it is. Empty for other nodes.
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

    /// The node after the last of the subtree.
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
