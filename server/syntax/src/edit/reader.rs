//! The tolerant reader: any text becomes a tree.
//!
//! Text that go-yaml accepts is read as go-yaml reads it. Other text keeps as much structure as its indentation tells: a line that is
//! no entry becomes a key without value, a quote or bracket that is not closed ends where its line or block ends, and a token
//! that fits nowhere goes into an error node. Nothing recurses, and each byte is looked at a bounded number of times.

use std::collections::HashMap;
use std::sync::Arc;

use super::Reading;
use super::frame::{Class, Frame, FrameKind, Pending, Target, target};
use super::scan::{self, Stop};
use super::tag;
use crate::scalar::break_len;
use crate::tree::{CollectionStyle, NodeId, Properties, ScalarStyle, Span, TreeBuilder};

/// Deepest nesting that is read; what lies deeper becomes text of an error. go-yaml's limit.
pub(super) const MAX_DEPTH: usize = 10_000;

/// Anchor and tag that wait for their node.
#[derive(Clone, Debug)]
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
    line: usize,
    /// A token stands before `at` on its line.
    in_line: bool,
    pub(super) tree: TreeBuilder,
    pub(super) frames: Vec<Frame>,
    pub(super) held: Option<Held>,
    /// Where the node that was added last ends.
    pub(super) last_end: u32,
    anchors: HashMap<&'t str, NodeId>,
    handles: HashMap<&'t str, &'t str>,
    pub(super) is_broken: bool,
    /// Plain scalars that begin before this byte are known to be one line: a line with a key follows.
    cut_at: usize,
    /// From these bytes on no single or double quote is closed.
    unclosed: [usize; 2],
    /// Bytes that may still be looked at ahead of their turn.
    lookahead: usize,
    /// In a flow collection that is not closed: the column at which it ends.
    pub(super) flow_limit: Option<i32>,
}

/// Reads the document at `span` of `text`, which is a whole file.
pub(super) fn read(text: &Arc<str>, span: Span) -> Reading {
    let bytes = &text.as_bytes()[..span.end as usize];
    let start = span.start as usize;
    let bom = if bytes[start..].starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let mut reader = Reader {
        text,
        bytes,
        at: start + bom,
        line: start + bom,
        in_line: false,
        tree: TreeBuilder::new(text.clone(), span, (bytes.len() - start) / 12),
        frames: vec![Frame {
            kind: FrameKind::Root,
            column: -1,
            pending: Pending::Content,
        }],
        held: None,
        last_end: span.start,
        anchors: HashMap::new(),
        handles: HashMap::new(),
        is_broken: false,
        cut_at: 0,
        unclosed: [usize::MAX; 2],
        lookahead: 4 * bytes.len() + 4096,
        flow_limit: None,
    };
    reader.document();
    Reading {
        is_broken: reader.is_broken,
        tree: reader.tree.finish(),
    }
}

/// A node's first token, before it is known where it goes.
struct Head {
    /// Anchor and tag on the line of the node.
    held: Option<Held>,
    /// The node's own first byte.
    start: usize,
    content: Content,
    /// The byte of the colon, if the node is a key.
    colon: Option<usize>,
}

enum Content {
    Alias(usize),
    Quoted(ScalarStyle, usize),
    /// A quote that is not closed.
    OpenQuote,
    Plain,
    Flow,
    Block(ScalarStyle),
    /// Only anchor or tag.
    Nothing,
}

impl Reader<'_> {
    fn document(&mut self) {
        let is_explicit = self.prologue();
        loop {
            self.skip_blank();
            if self.at >= self.bytes.len() {
                break;
            }
            let before = (self.at, self.frames.len());
            let column = (self.at - self.line) as i32;
            if column == 0 && scan::is_document_marker(self.bytes, self.at) {
                break;
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
                // No rule moved on: never stand still.
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
        if is_explicit && self.tree.next_id().0 == 0 {
            self.absent(end);
        }
    }

    /// Directives and `---`; whether the latter is there.
    fn prologue(&mut self) -> bool {
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

    /// To the next token, over blanks, comments and line ends.
    fn skip_blank(&mut self) {
        loop {
            self.at = scan::skip_blanks(self.bytes, self.at);
            if self.bytes.get(self.at) == Some(&b'#') {
                let end = scan::line_end(self.bytes, self.at);
                self.tree.comment(Span::new(self.at as u32, end as u32));
                self.at = end;
            }
            match break_len(self.bytes, self.at) {
                0 => {
                    // A byte order mark may begin any line.
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

    fn block_token(&mut self, column: i32) {
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

    /// Whether the place is after `key: ` on one line, where no key can begin.
    fn is_text_after_key(&self) -> bool {
        self.in_line
            && self.frames.last().is_some_and(
                |it| matches!(it.pending, Pending::Value { at, is_explicit: false, .. } if at as usize >= self.line),
            )
    }

    /// Finds the frame for a token and closes those above; false if it was put away as junk.
    fn place(&mut self, column: i32, class: Class) -> bool {
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

    fn open_error(&mut self, at: usize, column: i32) {
        self.finish_pending(self.at as u32);
        if self.frames[at].kind == FrameKind::Mapping {
            // The error is the key.
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

    /// The rest of the line becomes an error, if there is a collection to hold it.
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

    fn error(&mut self, span: Span) {
        self.tree.open_error(span.start);
        self.tree.close(span.end);
        self.last_end = self.last_end.max(span.end);
    }

    fn dash(&mut self, column: i32) {
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
            self.put_held(None);
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

    fn question(&mut self, column: i32) {
        if self.open_entry(column, self.at) {
            self.at += 1;
            self.last_end = self.at as u32;
            if let Some(top) = self.frames.last_mut() {
                top.pending = Pending::ExplicitKey(self.at as u32);
            }
        }
    }

    fn colon(&mut self, column: i32) {
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

    /// Makes the mapping at `column` the last open frame, ready for a key.
    fn open_entry(&mut self, column: i32, start: usize) -> bool {
        if !self.place(column, Class::Key) {
            return false;
        }
        let top = self.frames.len() - 1;
        if self.frames[top].kind == FrameKind::Mapping && self.frames[top].column == column && !self.in_line {
            self.finish_pending(start as u32);
        } else {
            self.take_slot();
            self.tree.open_mapping(CollectionStyle::Block, start as u32);
            self.put_held(None);
            self.frames.push(Frame {
                kind: FrameKind::Mapping,
                column,
                pending: Pending::Nothing,
            });
        }
        true
    }

    fn key(&mut self, column: i32, head: &Head) {
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

    fn wait_for_value(&mut self, has_colon: bool) {
        let at = self.last_end;
        if let Some(top) = self.frames.last_mut() {
            top.pending = Pending::Value {
                at,
                has_colon,
                is_explicit: false,
            };
        }
    }

    /// A node that is no key. `to_line_end`: it is text with a colon in it, where no key can be.
    fn node(&mut self, column: i32, head: &Head, to_line_end: bool) {
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
                // `&a - item`: the rest is read as if it began here.
                self.is_broken = true;
            }
            return;
        }
        if let Content::Plain = head.content
            && !to_line_end
        {
            let plain = self.plain(head.start, frame.column);
            // A line with a key below, at this column or deeper: then this is a key, too, and lacks its colon.
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
            Content::OpenQuote => self.open_quote(head.start),
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

    /// Plain text to the end of the line or a comment, with colons in it.
    fn text_to_line_end(&self, start: usize) -> (usize, Stop) {
        let mut from = start;
        loop {
            let (end, stop) = scan::plain_line(self.bytes, from, false);
            if stop != Stop::Colon {
                return (end.max(start + 1), stop);
            }
            from = end.max(from);
            from += self.bytes[from..]
                .iter()
                .position(|&it| it == b':')
                .map_or(1, |it| it + 1);
            if scan::is_breakz(self.bytes, scan::skip_blanks(self.bytes, from)) {
                return (from, Stop::Line);
            }
        }
    }

    fn text_follows(&self, end: usize) -> bool {
        let mut at = end;
        loop {
            at = scan::skip_blanks(self.bytes, at);
            if self.bytes.get(at) == Some(&b'#') {
                at = scan::line_end(self.bytes, at);
            }
            match break_len(self.bytes, at) {
                0 => return at < self.bytes.len() && !scan::is_document_marker(self.bytes, at),
                len => at += len,
            }
        }
    }

    fn open_half(&mut self, column: i32, head: &Head) {
        self.take_slot();
        self.tree.open_mapping(CollectionStyle::Block, head.start as u32);
        self.put_held(None);
        self.frames.push(Frame {
            kind: FrameKind::Mapping,
            column,
            pending: Pending::Nothing,
        });
        self.half_key(head);
    }

    /// A line that is the key of an entry, but has no colon.
    fn half_key(&mut self, head: &Head) {
        self.is_broken = true;
        self.held.clone_from(&head.held);
        match head.content {
            Content::Alias(end) => self.alias(head.start, end),
            Content::Quoted(style, end) => self.scalar(style, head.start, end, 0),
            Content::OpenQuote => self.open_quote(head.start),
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

    /// The node at the place, as far as its first line shows it.
    fn head(&mut self) -> Head {
        let bytes = self.bytes;
        let (held, at) = self.properties(self.at);
        let mut head = Head {
            held,
            start: at,
            content: Content::Nothing,
            colon: None,
        };
        let Some(&first) = bytes.get(at) else { return head };
        let after_colon = |end: usize| {
            let at = scan::skip_blanks(bytes, end);
            (bytes.get(at) == Some(&b':') && scan::is_blankz(bytes, at + 1)).then_some(at)
        };
        match first {
            b'*' if !scan::is_blankz(bytes, at + 1) => {
                let end = scan::anchor(bytes, at);
                head.content = Content::Alias(end);
                head.colon = after_colon(end);
            }
            b'"' | b'\'' => {
                let style = if first == b'"' {
                    ScalarStyle::DoubleQuoted
                } else {
                    ScalarStyle::SingleQuoted
                };
                match self.quoted(at, false) {
                    Some((end, many)) => {
                        head.content = Content::Quoted(style, end);
                        head.colon = if many { None } else { after_colon(end) };
                    }
                    None => head.content = Content::OpenQuote,
                }
            }
            b'[' | b'{' => {
                head.content = Content::Flow;
                let end = scan::line_end(bytes, at).min(at + 1024);
                head.colon = scan::matching_bracket(bytes, at, end).and_then(after_colon);
            }
            b'|' => head.content = Content::Block(ScalarStyle::Literal),
            b'>' => head.content = Content::Block(ScalarStyle::Folded),
            b'#' => {}
            b'-' | b'?' if head.held.is_some() && scan::is_blankz(bytes, at + 1) => {}
            b':' if head.held.is_some() && scan::is_blankz(bytes, at + 1) => head.colon = Some(at),
            _ if scan::is_breakz(bytes, at) => {}
            _ => {
                self.is_broken |= matches!(first, b'@' | b'`' | b'%' | b',' | b']' | b'}' | b'&' | b'*');
                let (end, stop) = scan::plain_line(bytes, at, false);
                head.content = Content::Plain;
                if stop == Stop::Colon {
                    head.colon = Some(scan::skip_blanks(bytes, end));
                }
            }
        }
        head
    }

    /// Anchor and tag at `at`, as far as they stand on its line, and where what follows them stands.
    pub(super) fn properties(&mut self, mut at: usize) -> (Option<Held>, usize) {
        let bytes = self.bytes;
        let mut held: Option<Held> = None;
        loop {
            let end = match bytes.get(at) {
                Some(b'&') if !scan::is_blankz(bytes, at + 1) => scan::anchor(bytes, at),
                Some(b'!') => scan::tag(bytes, at),
                _ => break,
            };
            let span = Span::new(at as u32, end as u32);
            let tag_name = (bytes[at] == b'!').then(|| tag::resolve(&self.text[at..end], &self.handles));
            let held = held.get_or_insert_with(|| Held {
                properties: Properties::default(),
                start: span.start,
                end: span.end,
            });
            held.end = span.end;
            if let Some(name) = tag_name {
                self.is_broken |= held.properties.tag.replace(span).is_some();
                held.properties.tag_name = Some(name);
            } else {
                self.is_broken |= end == at + 1 || held.properties.anchor.replace(span).is_some();
            }
            self.is_broken |= !scan::is_blankz(bytes, end);
            at = scan::skip_blanks(bytes, end);
        }
        (held, at)
    }

    /// The end of a quoted scalar that is closed where it can be, and whether it has many lines.
    pub(super) fn quoted(&mut self, start: usize, in_flow: bool) -> Option<(usize, bool)> {
        let bytes = self.bytes;
        let kind = usize::from(bytes[start] == b'"');
        if start >= self.unclosed[kind] {
            return None;
        }
        let Some((end, many)) = scan::quoted(bytes, start) else {
            self.unclosed[kind] = start;
            return None;
        };
        let next = scan::skip_blanks(bytes, end);
        let fits = scan::is_breakz(bytes, next)
            || bytes[next] == b'#'
            || (in_flow && matches!(bytes[next], b',' | b']' | b'}' | b':'));
        (!many || fits).then_some((end, many))
    }

    /// The text after a quote that is not closed, as plain text of one line.
    pub(super) fn open_quote(&mut self, start: usize) {
        self.is_broken = true;
        let end = scan::line_end(self.bytes, start + 1);
        let blanks = self.bytes[start + 1..end]
            .iter()
            .rev()
            .take_while(|it| matches!(it, b' ' | b'\t'))
            .count();
        self.scalar(ScalarStyle::Plain, start + 1, end - blanks, 0);
        self.at = end;
    }

    fn plain(&mut self, start: usize, indent: i32) -> scan::Plain {
        if start < self.cut_at {
            let (end, stop) = scan::plain_line(self.bytes, start, false);
            self.is_broken = true;
            let next = scan::line_end(self.bytes, end);
            let line = next + break_len(self.bytes, next);
            return scan::Plain {
                end,
                stop,
                cut: Some((line, scan::skip_blanks(self.bytes, line))),
            };
        }
        let plain = scan::plain(self.bytes, start, indent, false, None);
        if let Some((_, at)) = plain.cut {
            self.cut_at = at;
        }
        plain
    }

    fn block_scalar(&mut self, style: ScalarStyle, start: usize, parent: i32) {
        let found = scan::block_scalar(self.bytes, start, parent);
        self.is_broken |= !found.is_whole;
        self.scalar(style, start, found.end, found.indent);
        if let Some((start, end)) = found.comment {
            self.tree.comment(Span::new(start as u32, end as u32));
        }
        self.at = found.next;
        self.line = found.next;
    }

    /// Adds a scalar and moves behind it.
    pub(super) fn scalar(&mut self, style: ScalarStyle, start: usize, end: usize, indent: usize) {
        let span = Span::new(start as u32, end.max(start) as u32);
        let node = self.tree.scalar(style, span, indent as u32);
        self.put_held(Some(node));
        self.last_end = span.end;
        self.at = self.at.max(span.end as usize);
        self.track_line(start, end);
    }

    /// The line may have changed within a token.
    fn track_line(&mut self, start: usize, end: usize) {
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
        let target = self.anchors.get(&self.text[start + 1..end]).copied();
        self.is_broken |= target.is_none() || self.held.is_some();
        let node = self.tree.alias(Span::new(start as u32, end as u32), target);
        self.put_held(Some(node));
        self.last_end = end as u32;
        self.at = end;
    }

    /// An absent value at `at`.
    pub(super) fn absent(&mut self, at: u32) {
        let at = self.held.as_ref().map_or(at, |it| it.end).max(self.last_end);
        let node = self.tree.scalar(ScalarStyle::Plain, Span::new(at, at), 0);
        self.put_held(Some(node));
        self.last_end = at;
    }

    /// Adds anchor and tag on a node's line to those on earlier lines.
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

    /// Gives the node that was added last the anchor and tag that wait.
    pub(super) fn put_held(&mut self, node: Option<NodeId>) {
        let Some(held) = self.held.take() else { return };
        let node = node.unwrap_or_else(|| NodeId(self.tree.next_id().0 - 1));
        if let Some(anchor) = held.properties.anchor {
            self.anchors
                .insert(&self.text[anchor.start as usize + 1..anchor.end as usize], node);
        }
        self.tree.set_properties(held.properties);
    }

    /// Says that the last open frame gets the node that it waits for.
    pub(super) fn take_slot(&mut self) {
        let at = self.at as u32;
        let Some(top) = self.frames.last_mut() else { return };
        top.pending = match top.pending {
            Pending::ExplicitKey(_) => Pending::ExplicitColon(at),
            _ => Pending::Nothing,
        };
    }

    /// Puts something where the last open frame still waits.
    pub(super) fn finish_pending(&mut self, next: u32) {
        let Some(top) = self.frames.last_mut() else { return };
        if top.is_flow() {
            return self.finish_flow(next);
        }
        let kind = top.kind;
        let pending = std::mem::replace(&mut top.pending, Pending::Nothing);
        match pending {
            // An anchor or tag that nothing follows, in an error or at the root.
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

    fn close_above(&mut self, index: usize) {
        while self.frames.len() > index + 1 {
            self.close_frame(self.at as u32);
        }
    }

    /// Closes the last open frame; `next` is where the next token begins.
    pub(super) fn close_frame(&mut self, next: u32) {
        self.finish_pending(next);
        self.frames.pop();
        self.tree.close(self.last_end);
    }

    /// Whether a bracket at the place is closed, as far as may be looked ahead.
    pub(super) fn is_closed(&mut self, start: usize) -> bool {
        let to = self.bytes.len().min(start + self.lookahead);
        let end = scan::matching_bracket(self.bytes, start, to);
        self.lookahead = self.lookahead.saturating_sub(end.unwrap_or(to) - start);
        end.is_some()
    }
}
