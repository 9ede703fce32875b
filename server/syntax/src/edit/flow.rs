//! Flow collections (`[…]`, `{…}`) in the tolerant parser.
//!
//! A frame waits for an entry (`Pending::Content`), for another part of an entry, or for a comma (`Pending::Nothing`).

use super::frame::{Frame, FrameKind, Pending};
use super::reader::{MAX_DEPTH, Reader};
use super::scan::{self, Stop};
use crate::tree::{CollectionStyle, ScalarStyle};

impl Reader<'_> {
    /// Opens the collection whose bracket is at the current position.
    pub(super) fn open_flow(&mut self) {
        let start = self.at;
        let top = self.frames[self.frames.len() - 1];
        if !top.is_flow() && !self.is_closed(start, top.column) {
            self.flow_limit = Some(top.column);
        }
        let kind = if self.bytes[start] == b'[' {
            self.tree.open_sequence(CollectionStyle::Flow, start as u32);
            FrameKind::FlowSequence
        } else {
            self.tree.open_mapping(CollectionStyle::Flow, start as u32);
            FrameKind::FlowMapping
        };
        self.put_held();
        self.frames.push(Frame {
            kind,
            column: top.column,
            pending: Pending::Content,
        });
        self.at = start + 1;
        self.last_end = self.at as u32;
    }

    /// Closes the flow collections that should have been closed before the current line.
    pub(super) fn leave_flow(&mut self) {
        self.is_broken = true;
        self.flow_limit = None;
        while self.frames.last().is_some_and(Frame::is_flow) {
            let at = self.last_end;
            self.close_frame(at);
        }
    }

    /// Parses one token in a flow collection.
    pub(super) fn flow_token(&mut self) {
        if self.frames.len() > MAX_DEPTH {
            return self.junk();
        }
        match self.bytes[self.at] {
            b']' => self.close_flow(FrameKind::FlowSequence),
            b'}' => self.close_flow(FrameKind::FlowMapping),
            b',' => self.comma(),
            b'?' => self.flow_question(),
            b':' => self.flow_colon(),
            _ => self.flow_node(),
        }
    }

    fn close_flow(&mut self, kind: FrameKind) {
        let open = self
            .frames
            .iter()
            .rposition(|it| !it.is_flow() || it.kind == kind)
            .unwrap_or(0);
        if self.frames[open].kind != kind {
            self.is_broken = true;
            self.at += 1;
            return;
        }
        while self.frames.len() > open + 1 {
            self.is_broken |= self.frames.last().is_some_and(|it| it.kind != FrameKind::FlowPair);
            self.close_frame(self.at as u32);
        }
        self.finish_flow(self.at as u32);
        self.step();
        self.frames.pop();
        self.tree.close(self.last_end);
        if !self.frames.last().is_some_and(Frame::is_flow) {
            self.flow_limit = None;
        }
    }

    fn comma(&mut self) {
        if self.top_kind() == FrameKind::FlowPair {
            self.close_frame(self.at as u32);
        }
        self.is_broken |= self.pending() == Pending::Content && self.held.is_none();
        self.finish_flow(self.at as u32);
        self.step();
        self.set_pending(Pending::Content);
    }

    fn flow_question(&mut self) {
        if self.top_kind() == FrameKind::FlowPair {
            self.is_broken = true;
            self.close_frame(self.at as u32);
        }
        if self.pending() != Pending::Content {
            self.is_broken = true;
            self.finish_flow(self.at as u32);
        }
        if self.top_kind() == FrameKind::FlowSequence {
            self.open_pair(self.at);
        }
        self.step();
        self.set_pending(Pending::ExplicitKey(self.at as u32));
    }

    fn flow_colon(&mut self) {
        let at = self.at as u32;
        match self.pending() {
            Pending::Colon(_) | Pending::ExplicitColon(_) => {}
            Pending::ExplicitKey(_) => self.absent(at),
            // This key has only an anchor or tag.
            Pending::Content if self.held.is_some() => {
                let start = self.held.as_ref().map_or(self.at, |it| it.start as usize);
                self.begin_pair(self.top_kind() == FrameKind::FlowSequence, start);
                self.absent(at);
            }
            _ if self.top_kind() == FrameKind::FlowSequence => {
                self.is_broken = true;
                return self.step();
            }
            _ => {
                self.is_broken = true;
                self.finish_flow(at);
                self.absent(at);
            }
        }
        self.step();
        self.set_pending(Pending::Value {
            at: self.at as u32,
            has_colon: true,
            is_explicit: false,
        });
    }

    /// Makes the last open frame ready for the next entry, even if a comma is missing.
    fn next_entry(&mut self) {
        if self.top_kind() == FrameKind::FlowPair && self.pending() == Pending::Nothing {
            self.is_broken = true;
            self.close_frame(self.at as u32);
        }
        if !matches!(
            self.pending(),
            Pending::Content | Pending::ExplicitKey(_) | Pending::Value { .. }
        ) {
            self.is_broken = true;
            self.finish_flow(self.at as u32);
            self.set_pending(Pending::Content);
        }
    }

    fn flow_node(&mut self) {
        let first = self.at;
        let (held, start) = self.properties(self.at);
        self.look(start);
        self.merge_held(held);
        self.at = start;
        let bytes = self.bytes;
        if scan::is_breakz(bytes, start) || matches!(bytes[start], b',' | b']' | b'}' | b'#' | b':') && start > first {
            return;
        }
        if self.is_value_missing(start) {
            self.is_broken = true;
            self.finish_flow(self.last_end);
        }
        self.next_entry();
        let begin = self.held.as_ref().map_or(start, |it| it.start as usize);
        let in_sequence = self.top_kind() == FrameKind::FlowSequence;
        match bytes[start] {
            b'[' | b'{' => {
                let key = in_sequence.then(|| self.end_of_collection_key(start)).flatten();
                let is_pair = key.is_some_and(|end| self.colon_follows(end));
                self.begin_pair(is_pair, begin);
                self.fill();
                self.open_flow();
            }
            b'*' if !scan::is_blankz(bytes, start + 1) => {
                let end = scan::anchor(bytes, start);
                let is_pair = in_sequence && self.colon_follows(end);
                self.begin_pair(is_pair, begin);
                self.fill();
                self.alias(start, end);
            }
            quote @ (b'"' | b'\'') => {
                let style = if quote == b'"' {
                    ScalarStyle::DoubleQuoted
                } else {
                    ScalarStyle::SingleQuoted
                };
                if let Some((end, _)) = self.quoted(start, true) {
                    let is_pair = in_sequence && self.colon_follows(end);
                    self.begin_pair(is_pair, begin);
                    self.fill();
                    self.scalar(style, start, end, 0);
                } else {
                    self.fill();
                    self.open_quote(start, None);
                }
            }
            _ => {
                self.is_broken |= matches!(bytes[start], b'|' | b'>' | b'@' | b'`' | b'%' | b'*')
                    || (bytes[start] == b'-' && scan::is_blankz(bytes, start + 1));
                let flow = scan::InFlow {
                    limit: self.flow_limit,
                    is_explicit_key: matches!(self.pending(), Pending::ExplicitKey(_)),
                };
                let plain = scan::plain(bytes, start, -1, Some(flow));
                self.look(plain.looked);
                let end = if plain.end > start {
                    plain.end
                } else {
                    start + self.char_len(start)
                };
                self.begin_pair(in_sequence && plain.stop == Stop::Colon, begin);
                self.fill();
                self.scalar(ScalarStyle::Plain, start, end, 0);
            }
        }
    }

    /// Whether a colon is still without its value, and the token at `start` on a later line is already the next key.
    fn is_value_missing(&mut self, start: usize) -> bool {
        let Pending::Value { at, .. } = self.pending() else {
            return false;
        };
        let bytes = self.bytes;
        if self.held.is_some() || !bytes[at as usize..start].contains(&b'\n') {
            return false;
        }
        let end = match bytes[start] {
            b'[' | b'{' | b'*' => return false,
            b'"' | b'\'' => match self.quoted(start, true) {
                Some((end, false)) => end,
                _ => return false,
            },
            _ => scan::plain_line(bytes, start, true).0,
        };
        self.colon_follows(end)
    }

    fn colon_follows(&mut self, end: usize) -> bool {
        let next = scan::skip_blanks(self.bytes, end);
        self.look(next);
        self.bytes.get(next) == Some(&b':')
    }

    /// Opens a single-pair mapping in a sequence, if the item is a pair.
    fn begin_pair(&mut self, is_pair: bool, start: usize) {
        if is_pair {
            let held = self.held.take();
            self.open_pair(start);
            self.held = held;
        }
    }

    fn open_pair(&mut self, start: usize) {
        self.set_pending(Pending::Nothing);
        let column = self.frames[self.frames.len() - 1].column;
        self.tree.open_mapping(CollectionStyle::Flow, start as u32);
        self.put_held();
        self.frames.push(Frame {
            kind: FrameKind::FlowPair,
            column,
            pending: Pending::Content,
        });
    }

    /// Records that the last open frame gets the node for which it waits.
    fn fill(&mut self) {
        let at = self.at as u32;
        let next = match (self.pending(), self.top_kind()) {
            (Pending::Content, FrameKind::FlowMapping | FrameKind::FlowPair) => Pending::Colon(at),
            (Pending::ExplicitKey(_), _) => Pending::ExplicitColon(at),
            _ => Pending::Nothing,
        };
        self.set_pending(next);
    }

    /// Adds absent nodes for all nodes that the last open frame, a flow collection, still waits for. `next` is the start of the next token.
    pub(super) fn finish_flow(&mut self, next: u32) {
        let is_mapping = self.top_kind() != FrameKind::FlowSequence;
        match self.pending() {
            Pending::Content if self.held.is_some() => {
                self.absent(next);
                if is_mapping {
                    self.absent(next);
                }
            }
            Pending::Value { at, .. } if self.top_kind() == FrameKind::FlowPair => self.absent(at),
            Pending::Colon(_) | Pending::ExplicitColon(_) | Pending::Value { .. } => self.absent(next),
            Pending::ExplicitKey(_) => {
                self.absent(next);
                self.absent(next);
            }
            _ => {}
        }
        // A comma is missing after this anchor or tag.
        self.is_broken |= self.held.take().is_some();
        self.set_pending(Pending::Nothing);
    }

    /// Moves past a one-byte indicator.
    fn step(&mut self) {
        self.at += 1;
        self.last_end = self.at as u32;
    }

    fn top_kind(&self) -> FrameKind {
        self.frames.last().map_or(FrameKind::Root, |it| it.kind)
    }

    fn pending(&self) -> Pending {
        self.frames.last().map_or(Pending::Nothing, |it| it.pending)
    }

    fn set_pending(&mut self, pending: Pending) {
        if let Some(top) = self.frames.last_mut() {
            top.pending = pending;
        }
    }

    fn char_len(&self, at: usize) -> usize {
        self.text[at..].chars().next().map_or(1, char::len_utf8)
    }
}
