//! What the editing reader remembers of a document, so that it can go on in the middle when the text changes.
//!
//! Reading is cut into segments of a few kilobytes. Of each is kept the state in which the reader came to it, and how far it looked while it
//! read it: what comes before a change, and was read without a look at it, is as it would be read again.

use std::collections::HashMap;

use super::frame::{Frame, FrameKind, Pending};
use super::reader::{Held, Reader};
use crate::tree::{NodeId, Span, Tree};

/// Bytes of a segment, at least. In tests, so few that small texts have many.
pub(super) const STEP: usize = if cfg!(test) { 6 } else { 4096 };
/// Bytes by which a segment is longer for each collection that is open where it begins: so that what is kept stays a small part of the text.
pub(super) const STEP_A_FRAME: usize = if cfg!(test) { 0 } else { 64 };

/// All that the reader goes on from, but for the nodes that are there already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) at: u32,
    line: u32,
    last_end: u32,
    /// 0 where it lies behind.
    cut_at: u32,
    /// 0 where it lies behind, `u32::MAX` where there is none.
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

    /// Brings a reader into this state.
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

    /// Whether a reader is as deep as in this state: else the states are not the same.
    pub(super) fn is_as_deep_as(&self, reader: &Reader<'_>) -> bool {
        self.frames.len() == reader.frames.len()
    }

    /// The quote characters in which the states differ and that do not occur in the rest of the text. A quote of such a
    /// kind that is open stays open to the end.
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

    /// Moves all places.
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

/// A part of the text, as it was read.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The state in which the reader came to it.
    pub(super) start: State,
    /// The nodes that are open there.
    pub(super) open: Box<[u32]>,
    /// The nodes before it.
    pub(super) nodes: u32,
    /// The comments before it.
    pub(super) comments: u32,
    /// Something in it had to be repaired.
    is_broken: bool,
    /// No byte from here on was looked at.
    pub(super) seen: u32,
    /// Bytes that were looked at for the ends of brackets.
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

/// What is remembered of a document.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    pub(super) segments: Vec<Segment>,
    /// The aliases, in the order of the text.
    pub(super) aliases: Vec<NodeId>,
    /// It has `%TAG` directives, which the meaning of all its tags depends on.
    pub(super) has_handles: bool,
    /// `---` is before the content.
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

    /// Bytes that were looked at for the ends of brackets in the first segments.
    pub(super) fn used(&self, segments: usize) -> usize {
        self.segments[..segments].iter().map(|it| it.used).sum()
    }

    /// Looks up what the aliases stand for; returns whether something in the document had to be repaired.
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
