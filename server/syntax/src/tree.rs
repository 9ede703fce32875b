//! The tree that both readers fill and everything above sees: an arena of nodes with byte spans.

use std::sync::Arc;

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
}

/// A node of a [`Tree`]; only meaningful with the tree it came from.
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
    /// `*name`: stands for the node that [`Tree::alias_target`] gives.
    Alias,
    /// Text that the tolerant reader could not place. The verdict reader makes none.
    Error,
}

/// Anchor and tag of a node, which few nodes have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    /// The name after `&`.
    pub anchor: Option<Span>,
    /// The whole tag as written (`!!str`, `!local`, `!<verbatim>`).
    pub tag: Option<Span>,
}

/// One node as it lies in the arena. Children of collections lie in [`Tree::children`]; a mapping's are key, value, key, value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
    pub(crate) parent: Option<NodeId>,
    /// Collections: range of `Tree::children`.
    pub(crate) first_child: u32,
    pub(crate) child_count: u32,
}

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
    pub(crate) text: Arc<str>,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) children: Vec<NodeId>,
    pub(crate) properties: Vec<(NodeId, Properties)>,
    pub(crate) alias_targets: Vec<(NodeId, NodeId)>,
    pub(crate) comments: Vec<Span>,
    pub(crate) root: Option<NodeId>,
    pub(crate) span: Span,
}
