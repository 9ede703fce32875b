//! Adds nodes to the tree: scalars, aliases, anchors and tags, and absent values.

use super::Held;
use super::frame::{FrameKind, Pending};
use super::reader::Reader;
use super::scan;
use crate::scalar::break_len;
use crate::tree::{ScalarStyle, Span};

impl Reader<'_> {
    /// Reads the text after an unclosed quote as plain text: the rest of the line, and the following lines that are indented deeper than `indent` and
    /// contain no key.
    pub(super) fn open_quote(&mut self, start: usize, indent: Option<i32>) {
        self.is_broken = true;
        let mut end = scan::line_end(self.bytes, start + 1);
        self.look(end);
        while let Some(indent) = indent
            && let Some((line, at)) = scan::next_text(self.bytes, end)
        {
            self.look(scan::line_end(self.bytes, at));
            let is_deeper = (at - line) as i32 > indent;
            let is_text = is_deeper && !scan::begins_entry(self.bytes, at);
            if !is_text || at == line && scan::is_document_marker(self.bytes, at) {
                break;
            }
            end = scan::line_end(self.bytes, at);
        }
        self.look(scan::next_text(self.bytes, end).map_or(self.bytes.len(), |it| it.1));
        let blanks = self.bytes[start + 1..end]
            .iter()
            .rev()
            .take_while(|it| matches!(it, b' ' | b'\t'))
            .count();
        self.scalar(ScalarStyle::Plain, start + 1, end - blanks, 0);
        self.at = end;
    }

    pub(super) fn block_scalar(&mut self, style: ScalarStyle, start: usize, parent: i32) {
        let found = scan::block_scalar(self.bytes, start, parent);
        self.is_broken |= !found.is_whole;
        self.scalar(style, start, found.end, found.indent);
        if let Some((start, end)) = found.comment {
            self.tree.comment(Span::new(start as u32, end as u32));
        }
        self.at = found.next;
        self.line = found.next;
    }

    /// Adds a scalar, and continues after it.
    pub(super) fn scalar(&mut self, style: ScalarStyle, start: usize, end: usize, indent: usize) {
        let span = Span::new(start as u32, end.max(start) as u32);
        self.tree.scalar(style, span, indent as u32);
        self.put_held();
        self.last_end = span.end;
        self.at = self.at.max(span.end as usize);
        self.track_line(start, end);
    }

    /// Updates the start of the current line, because a token can span several lines.
    pub(super) fn track_line(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let len = break_len(self.bytes, at);
            if len > 0 {
                self.line = at + len;
            }
            at += len.max(1);
        }
    }

    pub(super) fn alias(&mut self, start: usize, end: usize) {
        self.is_broken |= self.held.is_some();
        // The target of the alias is resolved when all anchors are known.
        let node = self.tree.alias(Span::new(start as u32, end as u32), None);
        self.aliases.push(node);
        self.put_held();
        self.last_end = end as u32;
        self.at = end;
    }

    /// Adds an absent value at `at`.
    pub(super) fn absent(&mut self, at: u32) {
        let at = self.held.as_ref().map_or(at, |it| it.end).max(self.last_end);
        self.tree.scalar(ScalarStyle::Plain, Span::new(at, at), 0);
        self.put_held();
        self.last_end = at;
    }

    /// Adds the anchor and tag on a node's line to the anchor and tag on earlier lines.
    pub(super) fn merge_held(&mut self, held: Option<Held>) {
        let Some(more) = held else { return };
        let Some(held) = &mut self.held else {
            self.held = Some(more);
            return;
        };
        held.end = more.end;
        if let Some(anchor) = more.properties.anchor {
            self.is_broken |= held.properties.anchor.replace(anchor).is_some();
        }
        if let Some(tag) = more.properties.tag {
            self.is_broken |= held.properties.tag.replace(tag).is_some();
            held.properties.tag_name = more.properties.tag_name;
        }
    }

    /// Assigns the pending anchor and tag to the last added node.
    pub(super) fn put_held(&mut self) {
        let Some(held) = self.held.take() else { return };
        self.tree.set_properties(held.properties);
    }

    /// Records that the last open frame gets the node for which it waits.
    pub(super) fn take_slot(&mut self) {
        let at = self.at as u32;
        let Some(top) = self.frames.last_mut() else { return };
        top.pending = match top.pending {
            Pending::ExplicitKey(_) => Pending::ExplicitColon(at),
            _ => Pending::Nothing,
        };
    }

    /// Adds absent nodes for all nodes that the last open frame still waits for.
    pub(super) fn finish_pending(&mut self, next: u32) {
        let Some(top) = self.frames.last_mut() else { return };
        if top.is_flow() {
            return self.finish_flow(next);
        }
        let kind = top.kind;
        let pending = std::mem::replace(&mut top.pending, Pending::Nothing);
        match pending {
            // This anchor or tag is in an error or at the root, and is not followed by a node.
            Pending::Nothing if kind != FrameKind::Error => {}
            Pending::Nothing | Pending::Content => {
                if self.held.is_some() {
                    self.absent(next);
                }
            }
            Pending::Item(at)
            | Pending::Value {
                at, has_colon: true, ..
            } => self.absent(at),
            Pending::ExplicitKey(at) => {
                self.absent(at);
                self.absent(at);
            }
            Pending::ExplicitColon(_) => self.absent(self.last_end),
            Pending::Colon(_) => {
                self.is_broken = true;
                let at = self.last_end;
                self.error(Span::new(at, at));
            }
            Pending::Value { at, .. } => {
                self.is_broken = true;
                self.held = None;
                let at = at.max(self.last_end);
                self.error(Span::new(at, at));
            }
        }
    }

    pub(super) fn error(&mut self, span: Span) {
        self.tree.open_error(span.start);
        self.tree.close(span.end);
        self.last_end = self.last_end.max(span.end);
    }
}
