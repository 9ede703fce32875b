//! The tolerant parser, which turns any text into a tree.
//!
//! Text that go-yaml accepts is parsed in the same way as by go-yaml. For other text, the tree has the structure that the indentation shows: a line
//! that is not an entry becomes a key without a value, an unclosed quote or bracket ends with its line or block, and a token that fits nowhere goes
//! into an error node. The parser is not recursive, and looks at each byte a limited number of times.

use std::collections::HashMap;

use super::TolerantTree;
use super::frame::{Frame, FrameKind, Pending};
use super::marks;
use super::memo::{self, Memo, Segment, State};
use super::resync::Resync;
use super::scan;
use crate::scalar::break_len;
use crate::text::Text;
use crate::tree::{NodeId, Properties, Span, TreeBuilder};

/// The maximum depth of nesting, the same as in go-yaml. Deeper text goes into an error node.
pub(super) const MAX_DEPTH: usize = 10_000;

/// The number of bytes after a position that the parser may look at without recording it.
const NEAR: usize = 16;

/// An anchor and tag whose node has not been read yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Held {
    pub(super) properties: Properties,
    pub(super) start: u32,
    pub(super) end: u32,
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The file's bytes up to the end of the document.
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    pub(super) line: usize,
    /// Whether a token precedes `at` on the same line.
    pub(super) in_line: bool,
    pub(super) tree: TreeBuilder,
    pub(super) frames: Vec<Frame>,
    pub(super) held: Option<Held>,
    /// The end of the last added node.
    pub(super) last_end: u32,
    pub(super) aliases: Vec<NodeId>,
    pub(super) handles: HashMap<&'t str, &'t str>,
    /// Whether `---` precedes the content.
    pub(super) is_explicit: bool,
    /// Whether the current segment had to be repaired.
    pub(super) is_broken: bool,
    pub(super) seen: usize,
    pub(super) used: usize,
    pub(super) segments: Vec<Segment>,
    /// The offset up to which plain scalars are known to have one line, because a line with a key follows.
    pub(super) cut_at: usize,
    /// For single and for double quotes, the offset after which no such quote is closed.
    pub(super) unclosed: [usize; 2],
    /// The number of bytes that the parser may still look ahead.
    pub(super) lookahead: usize,
    /// In an unclosed flow collection, the column at which the collection ends.
    pub(super) flow_limit: Option<i32>,
}

/// The number of bytes that the parser may look ahead in a document.
pub(super) fn budget(span: Span) -> usize {
    4 * span.range().len() + 4096
}

/// Parses the document at `span` of `text`, which is a whole file.
pub(super) fn read(text: &Text, span: Span) -> TolerantTree {
    let has_marks = marks::has_inside(&text[span.range()]);
    if has_marks && let Some(tree) = marks::read(text, span) {
        let memo = Memo {
            segments: Vec::new(),
            aliases: Vec::new(),
            has_handles: false,
            is_explicit: false,
        };
        return TolerantTree {
            tree,
            is_broken: false,
            memo,
            has_marks,
        };
    }
    let nodes = span.range().len() / 12;
    let mut reader = Reader::new(text, span, TreeBuilder::new(text, span, nodes));
    reader.document(None);
    let segments = std::mem::take(&mut reader.segments);
    let memo = Memo::of(&mut reader, segments);
    let mut tree = reader.tree.finish();
    TolerantTree {
        is_broken: memo.settle(&mut tree),
        tree,
        memo,
        has_marks,
    }
}

impl<'t> Reader<'t> {
    /// Creates a parser at the start of a document.
    pub(super) fn new(text: &'t Text, span: Span, tree: TreeBuilder) -> Self {
        let bytes = &text.as_bytes()[..span.end as usize];
        let start = span.start as usize;
        let bom = if bytes[start..].starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        Self {
            text,
            bytes,
            at: start + bom,
            line: start + bom,
            in_line: false,
            tree,
            frames: vec![Frame {
                kind: FrameKind::Root,
                column: -1,
                pending: Pending::Content,
            }],
            held: None,
            last_end: span.start,
            aliases: Vec::new(),
            handles: HashMap::new(),
            is_explicit: false,
            is_broken: false,
            seen: 0,
            used: 0,
            segments: Vec::new(),
            cut_at: 0,
            unclosed: [usize::MAX; 2],
            lookahead: budget(span),
            flow_limit: None,
        }
    }
}

impl Reader<'_> {
    /// Records that the parser looked at the byte at `at`, or at a few bytes after it.
    pub(super) fn look(&mut self, at: usize) {
        self.seen = self.seen.max(at + NEAR);
    }

    /// Parses to the end of the document, or to the point after which the rest of an older tree is still valid. Returns whether this point was
    /// reached.
    pub(super) fn document(&mut self, mut resync: Option<&mut Resync<'_>>) -> bool {
        if self.segments.is_empty() {
            self.begin_segment();
            self.is_explicit = self.prologue();
        }
        loop {
            self.skip_blank();
            self.look(self.at);
            if self.at >= self.bytes.len() {
                break;
            }
            let before = (self.at, self.frames.len());
            let column = (self.at - self.line) as i32;
            if column == 0 && scan::is_document_marker(self.bytes, self.at) {
                break;
            }
            if resync.as_mut().is_some_and(|it| it.is_met(self)) {
                self.end_segment();
                return true;
            }
            if self.is_far() {
                self.end_segment();
                self.begin_segment();
            }
            if self.frames.last().is_some_and(Frame::is_flow) {
                let leaves = !self.in_line && self.flow_limit.is_some_and(|it| column <= it);
                if leaves { self.leave_flow() } else { self.flow_token() }
            } else {
                self.block_token(column);
            }
            if self.at != before.0 {
                self.in_line = self.at > self.line;
            } else if before.1 == self.frames.len() {
                // If no branch has advanced, the parser skips text, so that it always makes progress.
                self.junk();
            }
        }
        let end = self.at.min(self.bytes.len()) as u32;
        if self.frames.iter().any(Frame::is_flow) {
            self.is_broken = true;
        }
        while self.frames.len() > 1 {
            self.close_frame(end);
        }
        self.finish_pending(end);
        if self.is_explicit && self.tree.next_id().0 == 0 {
            self.absent(end);
        }
        self.end_segment();
        false
    }

    /// Whether the current segment is long enough for a new one to start. The memory for a segment grows with the nesting depth.
    fn is_far(&self) -> bool {
        let begun = self.segments.last().map_or(0, |it| it.start.at as usize);
        self.at >= begun + memo::STEP + memo::STEP_A_FRAME * self.frames.len()
    }

    pub(super) fn begin_segment(&mut self) {
        self.seen = self.at + NEAR;
        self.used = 0;
        self.is_broken = false;
        self.segments.push(Segment::begin(
            State::of(self),
            self.tree.open(),
            self.tree.next_id().0,
            self.tree.comments(),
        ));
    }

    fn end_segment(&mut self) {
        if let Some(last) = self.segments.last_mut() {
            last.end(self.is_broken, self.seen, self.used);
        }
    }

    /// Parses directives and `---`. Returns whether the document has a `---`.
    pub(super) fn prologue(&mut self) -> bool {
        loop {
            self.skip_blank();
            if self.at == self.line && self.bytes.get(self.at) == Some(&b'%') {
                let end = scan::line_end(self.bytes, self.at);
                let mut words = self.text[self.at..end].split_ascii_whitespace();
                if words.next() == Some("%TAG")
                    && let (Some(handle), Some(prefix)) = (words.next(), words.next())
                {
                    self.handles.insert(handle, prefix);
                }
                self.at = end;
                continue;
            }
            let is_start = self.at == self.line
                && self.bytes[self.at..].starts_with(b"---")
                && scan::is_blankz(self.bytes, self.at + 3);
            if is_start {
                self.at += 3;
                self.last_end = self.at as u32;
                self.in_line = true;
            }
            return is_start;
        }
    }

    /// Moves to the next token, after blanks, comments and line ends.
    pub(super) fn skip_blank(&mut self) {
        loop {
            self.at = scan::skip_blanks(self.bytes, self.at);
            if self.bytes.get(self.at) == Some(&b'#') {
                let end = scan::line_end(self.bytes, self.at);
                self.tree.comment(Span::new(self.at as u32, end as u32));
                self.at = end;
            }
            match break_len(self.bytes, self.at) {
                0 => {
                    // A byte order mark is allowed at the start of any line.
                    if self.at == self.line && self.bytes[self.at..].starts_with(b"\xEF\xBB\xBF") {
                        self.at += 3;
                        self.line = self.at;
                        continue;
                    }
                    return;
                }
                len => {
                    self.at += len;
                    self.line = self.at;
                    self.in_line = false;
                }
            }
        }
    }

    /// Turns the rest of the line into an error node, if an open collection can contain the node.
    pub(super) fn junk(&mut self) {
        self.is_broken = true;
        let end = scan::line_end(self.bytes, self.at);
        let span = Span::new(self.at as u32, end as u32);
        self.at = end;
        let Some(top) = self.frames.last() else { return };
        match top.kind {
            FrameKind::Root => {}
            FrameKind::Mapping | FrameKind::FlowMapping | FrameKind::FlowPair => {
                self.finish_pending(span.start);
                self.error(span);
                self.error(Span::new(span.end, span.end));
            }
            _ => {
                self.finish_pending(span.start);
                self.error(span);
            }
        }
    }

    pub(super) fn close_above(&mut self, index: usize) {
        while self.frames.len() > index + 1 {
            self.close_frame(self.at as u32);
        }
    }

    /// Closes the last open frame. `next` is the start of the next token.
    pub(super) fn close_frame(&mut self, next: u32) {
        self.finish_pending(next);
        self.frames.pop();
        self.tree.close(self.last_end);
    }
}
