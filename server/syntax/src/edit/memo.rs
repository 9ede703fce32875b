//! The editing parser's stored results for a document. With them, the parser can resume in the middle when the text changes.
//!
//! Parsing is divided into segments of a few kilobytes. For each segment we keep the state of the parser at the start of the segment, and the
//! distance that the parser looked ahead. If a segment is before a change and its lookahead did not reach the change, parsing it again would give the
//! same result, so the segment is kept.

use std::collections::HashMap;

use super::frame::{Frame, FrameKind, Pending};
use super::reader::{Held, Reader};
use crate::tree::{NodeId, Span, Tree};

/// The minimum length of a segment in bytes. It is small in tests, so that small texts have many segments.
pub(super) const STEP: usize = if cfg!(test) { 6 } else { 4096 };
/// Extra bytes in a segment for each collection that is open at the start of the segment, so that the stored results stay small compared with the
/// text.
pub(super) const STEP_A_FRAME: usize = if cfg!(test) { 0 } else { 64 };

/// The complete state of the parser at a position, except for the nodes that are already built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) at: u32,
    line: u32,
    last_end: u32,
    /// 0 if the parser has already passed that position.
    cut_at: u32,
    /// 0 if the parser has already passed that position, and `u32::MAX` without such a position.
    unclosed: [u32; 2],
    flow_limit: Option<i32>,
    in_line: bool,
    held: Option<Box<Held>>,
    frames: Box<[Frame]>,
}

impl State {
    pub(super) fn of(reader: &Reader<'_>) -> Self {
        let ahead = |it: usize| {
            if it <= reader.at {
                0
            } else {
                u32::try_from(it).unwrap_or(u32::MAX)
            }
        };
        Self {
            at: reader.at as u32,
            line: if has_free_column(reader) {
                reader.at.saturating_sub(1)
            } else {
                reader.line
            } as u32,
            last_end: reader.last_end,
            cut_at: ahead(reader.cut_at),
            unclosed: reader.unclosed.map(ahead),
            flow_limit: reader.flow_limit,
            in_line: reader.in_line,
            held: reader.held.clone().map(Box::new),
            frames: reader.frames.as_slice().into(),
        }
    }

    /// Puts a parser into this state.
    pub(super) fn restore(&self, reader: &mut Reader<'_>) {
        reader.at = self.at as usize;
        reader.line = self.line as usize;
        reader.last_end = self.last_end;
        reader.cut_at = self.cut_at as usize;
        reader.unclosed = self
            .unclosed
            .map(|it| if it == u32::MAX { usize::MAX } else { it as usize });
        reader.flow_limit = self.flow_limit;
        reader.in_line = self.in_line;
        reader.held = self.held.as_deref().cloned();
        reader.frames = self.frames.to_vec();
    }

    /// The column of the next token.
    pub(super) fn column(&self) -> u32 {
        self.at - self.line
    }

    /// Whether the parser has as many open frames as this state. If not, the states cannot be equal.
    pub(super) fn is_as_deep_as(&self, reader: &Reader<'_>) -> bool {
        self.frames.len() == reader.frames.len()
    }

    /// The kinds of quotes for which the states differ although the rest of the text does not contain this quote character. An open quote of such a
    /// kind stays open to the end.
    pub(super) fn indifferent_quotes(&self, other: &Self, rest: &[u8]) -> [Option<u32>; 2] {
        [0, 1].map(|kind| {
            let is_known = |it: u32| matches!(it, 0 | u32::MAX);
            let (was, now) = (self.unclosed[kind], other.unclosed[kind]);
            let differs = was != now && is_known(was) && is_known(now);
            (differs && memchr::memchr([b'\'', b'"'][kind], rest).is_none()).then_some(now)
        })
    }

    pub(super) fn set_unclosed(&mut self, unclosed: [Option<u32>; 2]) {
        for (known, now) in std::iter::zip(&mut self.unclosed, unclosed) {
            *known = now.unwrap_or(*known);
        }
    }

    /// Moves all positions.
    pub(super) fn move_by(&mut self, place: &mut impl FnMut(u32) -> u32) {
        for at in [&mut self.at, &mut self.line, &mut self.last_end] {
            *at = place(*at);
        }
        for at in std::iter::once(&mut self.cut_at).chain(&mut self.unclosed) {
            if !matches!(*at, 0 | u32::MAX) {
                *at = place(*at);
            }
        }
        if let Some(held) = &mut self.held {
            held.start = place(held.start);
            held.end = place(held.end);
            let properties = &mut held.properties;
            for span in properties.anchor.iter_mut().chain(&mut properties.tag) {
                *span = Span::new(place(span.start), place(span.end));
            }
        }
        for frame in &mut self.frames {
            frame.pending.move_by(place);
        }
    }
}

/// Whether nothing depends on the column before the next line starts, which is true inside brackets. Without this check, a long line, which is common
/// in JSON, would always be parsed to its end.
fn has_free_column(reader: &Reader<'_>) -> bool {
    let waits = |it: &Frame| !it.is_flow() && (it.kind == FrameKind::Error || it.pending != Pending::Nothing);
    reader.in_line && reader.frames.last().is_some_and(Frame::is_flow) && !reader.frames.iter().any(waits)
}

/// A parsed part of the text.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The parser's state at the start of the segment.
    pub(super) start: State,
    /// The nodes that are open at the start of the segment.
    pub(super) open: Box<[u32]>,
    /// The number of nodes before the segment.
    pub(super) nodes: u32,
    /// The number of comments before the segment.
    pub(super) comments: u32,
    /// Whether the parser had to repair text in the segment.
    is_broken: bool,
    /// The offset after the last byte that the parser looked at.
    pub(super) seen: u32,
    /// The number of bytes that the parser examined in search of closing brackets.
    used: usize,
}

impl Segment {
    pub(super) fn begin(start: State, open: &[u32], nodes: u32, comments: usize) -> Self {
        Self {
            start,
            open: open.into(),
            nodes,
            comments: comments as u32,
            is_broken: false,
            seen: 0,
            used: 0,
        }
    }

    pub(super) fn end(&mut self, is_broken: bool, seen: usize, used: usize) {
        self.is_broken = is_broken;
        self.seen = u32::try_from(seen).unwrap_or(u32::MAX);
        self.used = used;
    }
}

/// The stored results for a document.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    pub(super) segments: Vec<Segment>,
    /// The aliases in document order.
    pub(super) aliases: Vec<NodeId>,
    /// Whether the document has `%TAG` directives, on which the meaning of all tags in the document depends.
    pub(super) has_handles: bool,
    /// Whether `---` precedes the content of the document.
    pub(super) is_explicit: bool,
}

impl Memo {
    pub(super) fn of(reader: &mut Reader<'_>, segments: Vec<Segment>) -> Self {
        Self {
            segments,
            aliases: std::mem::take(&mut reader.aliases),
            has_handles: !reader.handles.is_empty(),
            is_explicit: reader.is_explicit,
        }
    }

    /// The number of bytes that the parser examined in the first segments in search of closing brackets.
    pub(super) fn used(&self, segments: usize) -> usize {
        self.segments[..segments].iter().map(|it| it.used).sum()
    }

    /// Resolves the aliases. Returns whether the parser had to repair text in the document.
    pub(super) fn settle(&self, tree: &mut Tree) -> bool {
        let mut is_broken = self.segments.iter().any(|it| it.is_broken);
        tree.alias_targets.clear();
        if self.aliases.is_empty() {
            return is_broken;
        }
        let mut anchors = HashMap::new();
        let mut properties = tree.properties.iter().peekable();
        for &alias in &self.aliases {
            while let Some((node, found)) = properties.next_if(|it| it.0 < alias) {
                if let Some(anchor) = found.anchor {
                    anchors.insert(&tree.text[anchor.range()][1..], *node);
                }
            }
            let name = &tree.text[tree.nodes[alias.0 as usize].span.range()][1..];
            match anchors.get(name) {
                Some(target) => tree.alias_targets.push((alias, *target)),
                None => is_broken = true,
            }
        }
        is_broken
    }
}
