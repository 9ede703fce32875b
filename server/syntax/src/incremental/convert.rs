//! Converts tree-sitter's nodes to our tree.
//!
//! The conversion is one walk over the nodes in document order. It is not recursive, because flow collections can be nested to any depth.

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter::Node;

use crate::edit::{resolve_tag, scan};
use crate::scalar::break_len;
use crate::tree::{CollectionStyle, NodeId, Properties, ScalarStyle, Span, Tree, TreeBuilder};

/// Converts the document at `span` of `text`. `parsed` is tree-sitter's tree of the document's bytes. `None` if the document has no content, if `---`
/// and `...` split it into several documents, or if both parsers might not build the same tree for it.
pub(super) fn convert(parsed: &tree_sitter::Tree, text: &Arc<str>, span: Span) -> Option<Tree> {
    let bytes = &text.as_bytes()[..span.end as usize];
    let mut converter = Converter {
        text,
        bytes,
        start: span.start,
        tree: TreeBuilder::new(text, span, (bytes.len() - span.start as usize) / 12),
        frames: Vec::new(),
        held: None,
        last_end: span.start,
        anchors: HashMap::new(),
        handles: HashMap::new(),
        documents: 0,
        has_ended: false,
        is_other: false,
        roots: 0,
    };
    converter.walk(parsed);
    (converter.documents == 1 && converter.roots == 1 && !converter.is_other).then(|| converter.tree.finish())
}

/// An anchor and tag whose node has not been read yet.
struct Held {
    properties: Properties,
    end: u32,
}

/// A tree-sitter node on the path of the walk, reduced to the parts that the conversion needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// A node that the conversion does not need.
    Other,
    /// A node with properties (anchor, tag).
    Holder {
        is_lone_key: bool,
    },
    /// A block collection at a column.
    Block {
        column: i32,
    },
    FlowMapping,
    FlowSequence,
    /// An item after its dash, and whether the item already has a node.
    Item {
        dash: u32,
        is_filled: bool,
    },
    /// A pair: the ends of its `?` and `:`, and the parts that it already has.
    Pair {
        place: PairIn,
        question: Option<u32>,
        colon: Option<u32>,
        has_key: bool,
        has_value: bool,
    },
}

/// The collection that contains a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairIn {
    Block,
    FlowMapping,
    /// A flow sequence. The pair is a mapping of its own in it.
    FlowSequence,
}

struct Converter<'t> {
    text: &'t str,
    /// The file's bytes up to the end of the document.
    bytes: &'t [u8],
    /// The offset in the file of tree-sitter's position 0.
    start: u32,
    tree: TreeBuilder,
    frames: Vec<Frame>,
    held: Option<Held>,
    /// The end of the last token or node.
    last_end: u32,
    anchors: HashMap<&'t str, NodeId>,
    handles: HashMap<&'t str, &'t str>,
    documents: usize,
    /// Whether the walk has passed `...`, where go-yaml stops.
    has_ended: bool,
    /// Whether tree-sitter parses any of the text differently from go-yaml.
    is_other: bool,
    /// The number of top-level nodes.
    roots: usize,
}

impl Converter<'_> {
    fn walk(&mut self, parsed: &tree_sitter::Tree) {
        let mut cursor = parsed.walk();
        loop {
            let inside = self.enter(cursor.node(), cursor.field_name());
            if let Some(frame) = inside {
                self.frames.push(frame);
                if cursor.goto_first_child() {
                    continue;
                }
                self.leave();
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    fn span(&self, node: Node<'_>) -> Span {
        let range = node.byte_range();
        Span::new(self.start + range.start as u32, self.start + range.end as u32)
    }

    /// Enters a node. Returns `Some` if its children matter.
    fn enter(&mut self, node: Node<'_>, field: Option<&str>) -> Option<Frame> {
        let span = self.span(node);
        match node.kind() {
            "stream" => return Some(Frame::Other),
            "document" => {
                self.documents += 1;
                return Some(Frame::Other);
            }
            "comment" if self.has_ended => {}
            "comment" => self.tree.comment(span),
            "..." => self.has_ended = true,
            "tag_directive" => self.directive(span),
            // YAML 1.2 allows more characters in names than go-yaml does.
            "anchor" | "alias" if scan::anchor(self.bytes, span.start as usize) != span.end as usize => {
                self.is_other = true;
            }
            "anchor" => self.hold(span, |it| it.anchor = Some(span)),
            "tag" => {
                let name = resolve_tag(&self.text[span.range()], &self.handles);
                self.hold(span, |it| {
                    it.tag = Some(span);
                    it.tag_name = Some(name);
                });
            }
            "block_node" | "flow_node" => {
                let is_lone_key = self.frames.last() == Some(&Frame::FlowMapping);
                self.fill(field);
                return Some(Frame::Holder { is_lone_key });
            }
            "alias" => {
                let target = self.anchors.get(&self.text[span.range()][1..]).copied();
                self.root();
                self.tree.alias(span, target);
                self.added(span.end);
            }
            "plain_scalar" => self.scalar(ScalarStyle::Plain, span, 0),
            "double_quote_scalar" => self.scalar(ScalarStyle::DoubleQuoted, span, 0),
            "single_quote_scalar" => self.scalar(ScalarStyle::SingleQuoted, span, 0),
            "block_scalar" => self.block_scalar(span),
            "block_mapping" => {
                self.root();
                self.tree.open_mapping(CollectionStyle::Block, span.start);
                return Some(self.block(span));
            }
            "block_sequence" => {
                self.root();
                self.tree.open_sequence(CollectionStyle::Block, span.start);
                return Some(self.block(span));
            }
            "flow_mapping" => {
                self.root();
                self.tree.open_mapping(CollectionStyle::Flow, span.start);
                self.added(span.start);
                return Some(Frame::FlowMapping);
            }
            "flow_sequence" => {
                self.root();
                self.tree.open_sequence(CollectionStyle::Flow, span.start);
                self.added(span.start);
                return Some(Frame::FlowSequence);
            }
            "block_sequence_item" => {
                return Some(Frame::Item {
                    dash: span.start,
                    is_filled: false,
                });
            }
            "block_mapping_pair" => return Some(Self::pair(PairIn::Block)),
            "flow_pair" => {
                if self.frames.last() != Some(&Frame::FlowSequence) {
                    return Some(Self::pair(PairIn::FlowMapping));
                }
                self.tree.open_mapping(CollectionStyle::Flow, span.start);
                return Some(Self::pair(PairIn::FlowSequence));
            }
            indicator => self.indicator(indicator, span),
        }
        None
    }

    fn pair(place: PairIn) -> Frame {
        Frame::Pair {
            place,
            question: None,
            colon: None,
            has_key: false,
            has_value: false,
        }
    }

    fn block(&mut self, span: Span) -> Frame {
        let before = &self.bytes[..span.start as usize];
        let line = before
            .iter()
            .rposition(|it| matches!(it, b'\n' | b'\r'))
            .map_or(0, |it| it + 1);
        let column = span.start as usize - line.max(self.start as usize);
        self.added(span.start);
        Frame::Block { column: column as i32 }
    }

    fn indicator(&mut self, kind: &str, span: Span) {
        let mut missing_key = None;
        match (self.frames.last_mut(), kind) {
            (Some(Frame::Item { dash, .. }), "-") => *dash = span.end,
            (Some(Frame::Pair { question, .. }), "?") => *question = Some(span.end),
            (
                Some(Frame::Pair {
                    place,
                    question,
                    colon,
                    has_key,
                    ..
                }),
                ":",
            ) => {
                if !*has_key {
                    let is_block = *place == PairIn::Block;
                    missing_key = Some(question.filter(|_| is_block).unwrap_or(span.start));
                    *has_key = true;
                }
                *colon = Some(span.end);
                // `[a:]`: in go-yaml the colon is part of the text.
                let at = span.start as usize;
                let is_behind_text =
                    at > 0 && !scan::is_blankz(self.bytes, at - 1) && !b"\"']}[{,".contains(&self.bytes[at - 1]);
                self.is_other |=
                    *place != PairIn::Block && is_behind_text && !scan::is_blankz(self.bytes, span.end as usize);
            }
            (Some(Frame::FlowMapping | Frame::FlowSequence), _) => {}
            _ => return,
        }
        if let Some(at) = missing_key {
            self.absent(at);
        }
        self.last_end = span.end;
    }

    /// Records that the next node belongs to the current entry of a collection.
    fn fill(&mut self, field: Option<&str>) {
        match self.frames.last_mut() {
            Some(Frame::Item { is_filled, .. }) => *is_filled = true,
            Some(Frame::Pair { has_key, has_value, .. }) => {
                *has_key |= field == Some("key");
                *has_value |= field == Some("value");
            }
            _ => {}
        }
    }

    /// Leaves the last entered node.
    fn leave(&mut self) {
        match self.frames.pop() {
            Some(Frame::Holder { is_lone_key }) => {
                if let Some(end) = self.held.as_ref().map(|it| it.end) {
                    self.absent(end);
                }
                if is_lone_key {
                    self.absent(self.next_token());
                }
            }
            Some(Frame::Block { .. } | Frame::FlowMapping | Frame::FlowSequence) => self.tree.close(self.last_end),
            Some(Frame::Item { dash, is_filled: false }) => self.absent(dash),
            Some(Frame::Pair {
                place,
                question,
                colon,
                has_key,
                has_value,
            }) => {
                let next = self.next_token();
                if !has_key {
                    self.absent(question.filter(|_| place == PairIn::Block).unwrap_or(next));
                }
                if !has_value {
                    self.absent(match (place, colon) {
                        (PairIn::FlowMapping, _) => next,
                        (_, Some(at)) => at,
                        (PairIn::Block, None) => self.last_end,
                        (PairIn::FlowSequence, None) => next,
                    });
                }
                if place == PairIn::FlowSequence {
                    self.tree.close(self.last_end);
                }
            }
            _ => {}
        }
    }

    /// The start of the next token.
    fn next_token(&self) -> u32 {
        let mut at = self.last_end as usize;
        loop {
            at = scan::skip_blanks(self.bytes, at);
            if self.bytes.get(at) == Some(&b'#') {
                at = scan::line_end(self.bytes, at);
            }
            match break_len(self.bytes, at) {
                0 => return at as u32,
                len => at += len,
            }
        }
    }

    fn directive(&mut self, span: Span) {
        let mut words = self.text[span.range()].split_ascii_whitespace().skip(1);
        if let (Some(handle), Some(prefix)) = (words.next(), words.next()) {
            self.handles.insert(handle, prefix);
        }
    }

    fn hold(&mut self, span: Span, set: impl FnOnce(&mut Properties)) {
        let held = self.held.get_or_insert_with(|| Held {
            properties: Properties::default(),
            end: span.end,
        });
        held.end = span.end;
        set(&mut held.properties);
    }

    fn scalar(&mut self, style: ScalarStyle, span: Span, indent: u32) {
        self.root();
        self.tree.scalar(style, span, indent);
        self.added(span.end);
    }

    /// Adds a block scalar. In tree-sitter it ends with its text, so we compute the end of its value ourselves.
    fn block_scalar(&mut self, span: Span) {
        let parent = self.frames.iter().rev().find_map(|it| match it {
            Frame::Block { column } => Some(*column),
            _ => None,
        });
        let start = span.start as usize;
        let found = scan::block_scalar(self.bytes, start, parent.unwrap_or(-1));
        let style = if self.bytes[start] == b'|' {
            ScalarStyle::Literal
        } else {
            ScalarStyle::Folded
        };
        self.scalar(style, Span::new(span.start, found.end as u32), found.indent as u32);
        if let Some((start, end)) = found.comment {
            self.tree.comment(Span::new(start as u32, end as u32));
        }
        // The first line of text may start with `#`, which tree-sitter takes as a comment.
        let behind = self.bytes.get(span.end as usize..found.end).unwrap_or_default();
        self.is_other |= behind.iter().any(|it| !it.is_ascii_whitespace());
        // tree-sitter takes comments after a block scalar without text as the text of the scalar.
        let mut at = found.next;
        while at < span.end as usize {
            at = scan::skip_blanks(self.bytes, at);
            let end = scan::line_end(self.bytes, at);
            if self.bytes.get(at) == Some(&b'#') {
                self.tree.comment(Span::new(at as u32, end as u32));
            } else {
                self.is_other |= at < end;
            }
            at = end + break_len(self.bytes, end).max(1);
        }
    }

    /// Adds an absent node at `at`, or after its anchor and tag.
    fn absent(&mut self, at: u32) {
        let at = self.held.as_ref().map_or(at, |it| it.end).max(self.last_end);
        self.scalar(ScalarStyle::Plain, Span::new(at, at), 0);
    }

    fn root(&mut self) {
        self.roots += usize::from(self.tree.current().is_none());
    }

    /// Gives the last added node its anchor and tag.
    fn added(&mut self, end: u32) {
        self.last_end = end;
        let Some(held) = self.held.take() else { return };
        if let Some(anchor) = held.properties.anchor {
            let node = NodeId(self.tree.next_id().0 - 1);
            self.anchors.insert(&self.text[anchor.range()][1..], node);
        }
        self.tree.set_properties(held.properties);
    }
}
