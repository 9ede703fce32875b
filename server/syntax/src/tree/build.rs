//! The builder with which parsers create a tree. It gets nodes in document order, and collections are opened and closed.

use super::{
    CollectionStyle, NO_PARENT, NodeData, NodeId, NodeKind, Properties, ScalarStyle, Span, Tree, siblings::Siblings,
};
use crate::scalar;
use crate::text::Text;

/// Builds a [`Tree`]. The caller adds nodes in document order and closes the nodes that it opens.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
    open: Vec<u32>,
    /// The nodes of an older tree. Nodes before `first` stay valid.
    kept: Vec<NodeData>,
    /// The identifier of the first node that this builder creates.
    first: u32,
}

/// The result of rebuilding a part of a tree.
#[derive(Debug)]
pub(crate) struct Rebuilt {
    /// The new nodes, with their properties, aliases, lines and comments.
    pub(crate) fresh: Tree,
    /// The nodes of the older tree. Nodes that were still open before the new nodes have updated ends.
    pub(crate) kept: Vec<NodeData>,
    /// The nodes that are still open.
    pub(crate) open: Vec<u32>,
}

impl TreeBuilder {
    /// Starts the tree of the document at `span` of `text`, with memory for about `nodes` nodes.
    pub fn new(text: impl Into<Text>, span: Span, nodes: usize) -> Self {
        Self {
            tree: Tree {
                text: text.into(),
                nodes: Vec::with_capacity(nodes),
                properties: Vec::new(),
                alias_targets: Vec::new(),
                lines: Vec::new(),
                comments: Vec::new(),
                span,
                limit: u32::MAX,
                siblings: Siblings::default(),
            },
            open: Vec::new(),
            kept: Vec::new(),
            first: 0,
        }
    }

    /// Continues after the first nodes of a tree. The nodes in `open` are not closed yet.
    pub(crate) fn resume(text: Text, span: Span, kept: Vec<NodeData>, first: u32, open: Vec<u32>) -> Self {
        Self {
            open,
            kept,
            first,
            ..Self::new(text, span, 0)
        }
    }

    /// The open nodes, from the root.
    pub(crate) fn open(&self) -> &[u32] {
        &self.open
    }

    /// The number of comments so far.
    pub(crate) fn comments(&self) -> usize {
        self.tree.comments.len()
    }

    /// The nodes built so far. Open nodes are not closed.
    pub(crate) fn into_parts(self) -> Rebuilt {
        Rebuilt {
            fresh: self.tree,
            kept: self.kept,
            open: self.open,
        }
    }

    /// The node that will be the parent of the next node.
    pub fn current(&self) -> Option<NodeId> {
        self.open.last().map(|&it| NodeId(it))
    }

    /// The identifier of the next node.
    pub fn next_id(&self) -> NodeId {
        NodeId(self.first + self.tree.nodes.len() as u32)
    }

    /// Opens a mapping: the nodes up to [`TreeBuilder::close`] are alternating keys and values.
    pub fn open_mapping(&mut self, style: CollectionStyle, start: u32) -> NodeId {
        self.open_node(NodeKind::Mapping(style), start)
    }

    /// Opens a sequence: the nodes up to [`TreeBuilder::close`] are its items.
    pub fn open_sequence(&mut self, style: CollectionStyle, start: u32) -> NodeId {
        self.open_node(NodeKind::Sequence(style), start)
    }

    /// Opens an error node. Nodes that were recognized inside it become its children.
    pub fn open_error(&mut self, start: u32) -> NodeId {
        self.open_node(NodeKind::Error, start)
    }

    /// Closes the node that was opened last, with byte `end` as its end.
    pub fn close(&mut self, end: u32) {
        let after = self.next_id().0;
        if let Some(node) = self.open.pop() {
            let data = match node.checked_sub(self.first) {
                Some(at) => &mut self.tree.nodes[at as usize],
                None => &mut self.kept[node as usize],
            };
            data.extra = after;
            data.span.end = end.max(data.span.start);
        }
    }

    /// Adds a scalar. `span` includes the quotes or the block indicator, and `indent` is the indentation of a block scalar's content in columns.
    pub fn scalar(&mut self, style: ScalarStyle, span: Span, indent: u32) -> NodeId {
        let decode = scalar::needs_decoding(&self.tree.text, style, span);
        self.scalar_known(style, span, indent, decode)
    }

    /// Like [`TreeBuilder::scalar`], for callers that know whether the value differs from the text between the indicators.
    pub(crate) fn scalar_known(&mut self, style: ScalarStyle, span: Span, indent: u32, decode: bool) -> NodeId {
        self.push(NodeKind::Scalar(style), span, indent, decode)
    }

    /// Adds an alias (`*name`) and its target, if the anchor exists.
    pub fn alias(&mut self, span: Span, target: Option<NodeId>) -> NodeId {
        let node = self.push(NodeKind::Alias, span, 0, false);
        if let Some(target) = target {
            self.tree.alias_targets.push((node, target));
        }
        node
    }

    /// Sets the anchor and tag of the node that was added or opened last.
    pub fn set_properties(&mut self, properties: Properties) {
        if properties.is_empty() {
            return;
        }
        let node = NodeId(self.next_id().0.saturating_sub(1));
        if let Some(data) = self.tree.nodes.last_mut() {
            data.has_properties = true;
            self.tree.properties.push((node, properties));
        }
    }

    /// Sets the line of the last added node in the API server's messages, if it differs from the node's actual line.
    pub(crate) fn set_line(&mut self, line: u32) {
        self.tree.lines.push((NodeId(self.tree.nodes.len() as u32 - 1), line));
    }

    /// Adds a comment, from its `#` to the end of the line.
    pub fn comment(&mut self, span: Span) {
        self.tree.comments.push(span);
    }

    /// Replaces the comments. The new comments must be in document order.
    pub(crate) fn set_comments(&mut self, comments: Vec<Span>) {
        self.tree.comments = comments;
    }

    /// Returns the finished tree. Nodes that are still open end at the end of the document.
    pub fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close(self.tree.span.end);
        }
        self.tree
    }

    fn open_node(&mut self, kind: NodeKind, start: u32) -> NodeId {
        let node = self.push(kind, Span::new(start, start), 0, false);
        self.open.push(node.0);
        node
    }

    fn push(&mut self, kind: NodeKind, span: Span, extra: u32, decode: bool) -> NodeId {
        let node = self.next_id();
        let parent = self.open.last().copied().unwrap_or(NO_PARENT);
        self.tree.nodes.push(NodeData {
            kind,
            has_properties: false,
            decode,
            span,
            parent,
            extra,
        });
        node
    }
}
