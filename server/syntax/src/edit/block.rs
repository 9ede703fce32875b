//! Block context in the tolerant parser: finds the collection to which a token belongs, by the column of the token.

use super::frame::{Class, Frame, FrameKind, Pending, Target, target};
use super::head::{Content, Head};
use super::reader::{MAX_DEPTH, Reader};
use super::scan;
use crate::scalar::break_len;
use crate::tree::{CollectionStyle, ScalarStyle, Span};

impl Reader<'_> {
    pub(super) fn block_token(&mut self, column: i32) {
        let bytes = self.bytes;
        if self.frames.len() > MAX_DEPTH {
            return self.junk();
        }
        if scan::is_blankz(bytes, self.at + 1) {
            match bytes[self.at] {
                b'-' => return self.dash(column),
                b'?' => return self.question(column),
                b':' => return self.colon(column),
                _ => {}
            }
        }
        let head = self.head();
        let is_text = self.is_text_after_key();
        if head.colon.is_some() && !is_text {
            self.key(column, &head);
        } else {
            self.node(column, &head, is_text && head.colon.is_some());
        }
    }

    /// Whether the current position is after `key: ` on the same line, where a key cannot start.
    pub(super) fn is_text_after_key(&self) -> bool {
        self.in_line
            && self.frames.last().is_some_and(
                |it| matches!(it.pending, Pending::Value { at, is_explicit: false, .. } if at as usize >= self.line),
            )
    }

    /// Finds the frame for a token and closes the frames above it. Returns false if the token was skipped as misplaced text.
    pub(super) fn place(&mut self, column: i32, class: Class) -> bool {
        let found = if self.in_line {
            let last = self.frames.len() - 1;
            if self.frames[last].is_host() {
                Target::Host(last)
            } else {
                Target::Misplaced(last)
            }
        } else {
            target(&self.frames, column, class)
        };
        match found {
            Target::Entry(at) | Target::Host(at) => self.close_above(at),
            Target::Adopted(at) => {
                self.is_broken = true;
                self.close_above(at);
                self.frames[at].column = column;
            }
            Target::Misplaced(at) => {
                self.is_broken = true;
                self.close_above(at);
                if self.in_line || self.frames[at].kind == FrameKind::Root {
                    self.junk();
                    return false;
                }
                self.frames[at].column = self.frames[at].column.min(column);
                self.open_error(at, column);
            }
        }
        true
    }

    pub(super) fn open_error(&mut self, at: usize, column: i32) {
        self.finish_pending(self.at as u32);
        if self.frames[at].kind == FrameKind::Mapping {
            // The error node becomes the key.
            self.frames[at].pending = Pending::Value {
                at: self.at as u32,
                has_colon: false,
                is_explicit: false,
            };
        }
        self.tree.open_error(self.at as u32);
        self.last_end = self.last_end.max(self.at as u32);
        self.frames.push(Frame {
            kind: FrameKind::Error,
            column,
            pending: Pending::Nothing,
        });
    }

    pub(super) fn dash(&mut self, column: i32) {
        self.is_broken |= self.is_text_after_key();
        if !self.place(column, Class::Dash) {
            return;
        }
        let top = self.frames.len() - 1;
        let is_entry =
            self.frames[top].kind == FrameKind::Sequence && self.frames[top].column == column && !self.in_line;
        if is_entry {
            self.finish_pending(self.at as u32);
        } else {
            self.take_slot();
            self.tree.open_sequence(CollectionStyle::Block, self.at as u32);
            self.put_held();
            self.frames.push(Frame {
                kind: FrameKind::Sequence,
                column,
                pending: Pending::Nothing,
            });
        }
        self.at += 1;
        self.last_end = self.at as u32;
        if let Some(top) = self.frames.last_mut() {
            top.pending = Pending::Item(self.at as u32);
        }
    }

    pub(super) fn question(&mut self, column: i32) {
        if self.open_entry(column, self.at) {
            self.at += 1;
            self.last_end = self.at as u32;
            if let Some(top) = self.frames.last_mut() {
                top.pending = Pending::ExplicitKey(self.at as u32);
            }
        }
    }

    pub(super) fn colon(&mut self, column: i32) {
        let at = self.at as u32;
        let top = self.frames.len() - 1;
        if let Pending::Colon(_) = self.frames[top].pending {
            self.at += 1;
            self.last_end = self.at as u32;
            self.frames[top].pending = Pending::Value {
                at: self.at as u32,
                has_colon: true,
                is_explicit: false,
            };
            return;
        }
        let found = if self.in_line {
            None
        } else {
            Some(target(&self.frames, column, Class::Key))
        };
        if let Some(Target::Entry(index)) = found {
            self.close_above(index);
            match self.frames[index].pending {
                Pending::ExplicitKey(after) => self.absent(after),
                Pending::ExplicitColon(_) => {}
                _ => {
                    self.finish_pending(at);
                    self.is_broken = true;
                    self.error(Span::new(at, at));
                }
            }
        } else {
            self.is_broken = true;
            if self.is_text_after_key() {
                return self.junk();
            }
            if !self.open_entry(column, self.at) {
                return;
            }
            self.error(Span::new(at, at));
        }
        self.at += 1;
        self.last_end = self.at as u32;
        if let Some(top) = self.frames.last_mut() {
            top.pending = Pending::Value {
                at: self.at as u32,
                has_colon: true,
                is_explicit: true,
            };
        }
    }

    /// Makes the mapping at `column` the last open frame, so that a key can follow.
    pub(super) fn open_entry(&mut self, column: i32, start: usize) -> bool {
        if !self.place(column, Class::Key) {
            return false;
        }
        let top = self.frames.len() - 1;
        if self.frames[top].kind == FrameKind::Mapping && self.frames[top].column == column && !self.in_line {
            self.finish_pending(start as u32);
        } else {
            self.take_slot();
            self.tree.open_mapping(CollectionStyle::Block, start as u32);
            self.put_held();
            self.frames.push(Frame {
                kind: FrameKind::Mapping,
                column,
                pending: Pending::Nothing,
            });
        }
        true
    }

    pub(super) fn key(&mut self, column: i32, head: &Head) {
        let start = head.held.as_ref().map_or(head.start, |it| it.start as usize);
        if !self.open_entry(column, start) {
            return;
        }
        let Some(colon) = head.colon else { return };
        self.held.clone_from(&head.held);
        match head.content {
            Content::Flow => {
                if let Some(top) = self.frames.last_mut() {
                    top.pending = Pending::Colon(colon as u32);
                }
                self.at = head.start;
                return self.open_flow();
            }
            Content::Nothing => self.absent(head.start as u32),
            Content::Alias(end) => self.alias(head.start, end),
            Content::Quoted(style, end) => self.scalar(style, head.start, end, 0),
            _ => {
                let (end, _) = scan::plain_line(self.bytes, head.start, false);
                self.scalar(ScalarStyle::Plain, head.start, end, 0);
            }
        }
        self.at = colon + 1;
        self.last_end = self.at as u32;
        self.wait_for_value(true);
    }

    pub(super) fn wait_for_value(&mut self, has_colon: bool) {
        let at = self.last_end;
        if let Some(top) = self.frames.last_mut() {
            top.pending = Pending::Value {
                at,
                has_colon,
                is_explicit: false,
            };
        }
    }

    /// Adds a node that is not a key. `to_line_end` is set if the node is text that contains a colon but cannot be a key.
    pub(super) fn node(&mut self, column: i32, head: &Head, to_line_end: bool) {
        let is_block_scalar = matches!(head.content, Content::Block(_)) && head.held.is_none();
        if !self.place(
            column,
            if is_block_scalar {
                Class::BlockScalar
            } else {
                Class::Node
            },
        ) {
            return;
        }
        let top = self.frames.len() - 1;
        let frame = self.frames[top];
        let is_entry = frame.kind == FrameKind::Mapping && frame.column == column && !self.in_line;
        if is_entry && !(is_block_scalar && frame.takes_block_scalar()) {
            self.finish_pending(self.at as u32);
            return self.half_key(head);
        }
        if matches!(head.content, Content::Nothing) {
            self.merge_held(head.held.clone());
            self.at = head.held.as_ref().map_or(head.start, |it| it.end as usize);
            if self.at == head.start && !scan::is_blankz(self.bytes, self.at) {
                // `&a - item`: the rest is parsed as if the item started here.
                self.is_broken = true;
            }
            return;
        }
        if let Content::Plain = head.content
            && !to_line_end
        {
            let plain = self.plain(head.start, frame.column);
            // If a deeper line, or a line at this column, has a key, then this line is also a key that lacks its colon.
            let begins_key =
                plain.cut.is_some_and(|(line, at)| (at - line) as i32 >= column) && !self.is_text_after_key();
            let is_root = frame.kind == FrameKind::Root;
            if plain.cut.is_some() {
                self.is_broken = true;
            }
            if (begins_key || (is_root && self.text_follows(plain.end))) && head.held.is_none() {
                self.open_half(column, head);
                return;
            }
            self.merge_held(head.held.clone());
            self.take_slot();
            return self.scalar(ScalarStyle::Plain, head.start, plain.end, 0);
        }
        self.merge_held(head.held.clone());
        self.take_slot();
        match head.content {
            Content::Alias(end) => self.alias(head.start, end),
            Content::Quoted(style, end) => self.scalar(style, head.start, end, 0),
            Content::OpenQuote => self.open_quote(head.start, Some(frame.column)),
            Content::Flow => {
                self.at = head.start;
                self.open_flow();
            }
            Content::Block(style) => self.block_scalar(style, head.start, frame.column),
            Content::Plain | Content::Nothing => {
                self.is_broken = true;
                let (end, _) = self.text_to_line_end(head.start);
                self.scalar(ScalarStyle::Plain, head.start, end, 0);
            }
        }
    }

    pub(super) fn text_follows(&mut self, end: usize) -> bool {
        let mut at = end;
        loop {
            at = scan::skip_blanks(self.bytes, at);
            if self.bytes.get(at) == Some(&b'#') {
                at = scan::line_end(self.bytes, at);
            }
            match break_len(self.bytes, at) {
                0 => {
                    self.look(at);
                    return at < self.bytes.len() && !scan::is_document_marker(self.bytes, at);
                }
                len => at += len,
            }
        }
    }

    pub(super) fn open_half(&mut self, column: i32, head: &Head) {
        self.take_slot();
        self.tree.open_mapping(CollectionStyle::Block, head.start as u32);
        self.put_held();
        self.frames.push(Frame {
            kind: FrameKind::Mapping,
            column,
            pending: Pending::Nothing,
        });
        self.half_key(head);
    }

    /// Adds a line that contains the key of an entry but no colon.
    pub(super) fn half_key(&mut self, head: &Head) {
        self.is_broken = true;
        self.held.clone_from(&head.held);
        match head.content {
            Content::Alias(end) => self.alias(head.start, end),
            Content::Quoted(style, end) => self.scalar(style, head.start, end, 0),
            Content::OpenQuote => self.open_quote(head.start, None),
            Content::Flow => {
                if let Some(top) = self.frames.last_mut() {
                    top.pending = Pending::Colon(head.start as u32);
                }
                self.at = head.start;
                return self.open_flow();
            }
            Content::Nothing => {
                let end = head.held.as_ref().map_or(head.start as u32, |it| it.end);
                self.absent(end);
                self.at = self.at.max(end as usize);
            }
            Content::Plain | Content::Block(_) => {
                let (end, _) = self.text_to_line_end(head.start);
                self.scalar(ScalarStyle::Plain, head.start, end, 0);
            }
        }
        self.wait_for_value(false);
    }
}
