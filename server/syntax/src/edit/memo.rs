//! The editing parser's memory of a document, which lets it resume in the middle when the text changes.
//!
//! Parsing is divided into segments of a few kilobytes. For each segment we keep the parser's state at its start, and how far the parser
//! looked ahead. A segment before a change whose lookahead did not reach the change would be parsed the same way again, so it is kept.

use std::collections::HashMap;

use super::frame::{Frame, FrameKind, Pending};
use super::reader::{Held, Reader};
use crate::tree::{NodeId, Span, Tree};

/// The minimum length of a segment in bytes. Small in tests, so that small texts have many segments.
pub(super) const STEP: usize = if cfg!(test) { 6 } else { 4096 };
/// Extra bytes in a segment for each collection that is open at its start, so that the memory stays a small part of the text's size.
pub(super) const STEP_A_FRAME: usize = if cfg!(test) { 0 } else { 64 };

/// The complete state of the parser at a position, except for the nodes built so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) at: u32,
    line: u32,
    last_end: u32,
    /// 0 if that position was already passed.
    cut_at: u32,
    /// 0 if that position was already passed, `u32::MAX` if there is none.
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

    /// Whether the parser has as many open frames as this state. Otherwise the states cannot be equal.
    pub(super) fn is_as_deep_as(&self, reader: &Reader<'_>) -> bool {
        self.frames.len() == reader.frames.len()
    }

    /// The kinds of quotes for which the states differ although that quote character does not occur in the rest of the text. An open quote of
    /// such a kind stays open to the end.
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

/// Whether nothing depends on the column before the next line starts. That is so within brackets. Without this check, a
/// long line, as JSON often has, would always be parsed to its end.
fn has_free_column(reader: &Reader<'_>) -> bool {
    let waits = |it: &Frame| !it.is_flow() && (it.kind == FrameKind::Error || it.pending != Pending::Nothing);
    reader.in_line && reader.frames.last().is_some_and(Frame::is_flow) && !reader.frames.iter().any(waits)
}

/// A parsed part of the text.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The parser's state at the start of the segment.
    pub(super) start: State,
    /// The nodes that are open at its start.
    pub(super) open: Box<[u32]>,
    /// The number of nodes before it.
    pub(super) nodes: u32,
    /// The number of comments before it.
    pub(super) comments: u32,
    /// Whether the parser had to repair something in it.
    is_broken: bool,
    /// The parser did not look at any byte from this offset on.
    pub(super) seen: u32,
    /// The number of bytes spent on looking for closing brackets.
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

/// The parser's memory of a document.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    pub(super) segments: Vec<Segment>,
    /// The aliases in document order.
    pub(super) aliases: Vec<NodeId>,
    /// Whether the document has `%TAG` directives, which the meaning of all its tags depends on.
    pub(super) has_handles: bool,
    /// Whether `---` precedes the content.
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

    /// The number of bytes that the first segments spent on looking for closing brackets.
    pub(super) fn used(&self, segments: usize) -> usize {
        self.segments[..segments].iter().map(|it| it.used).sum()
    }

    /// Resolves the aliases. Returns whether the parser had to repair something in the document.
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
