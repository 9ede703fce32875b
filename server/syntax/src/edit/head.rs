//! The first token of a node, before its frame is known.

use super::Held;
use super::reader::Reader;
use super::scan::{self, Stop};
use super::tag;
use crate::scalar::break_len;
use crate::tree::{Properties, ScalarStyle, Span};

/// The first token of a node, before its frame is known.
pub(super) struct Head {
    /// The anchor and tag on the node's line.
    pub(super) held: Option<Held>,
    /// The first byte of the node itself, after its anchor and tag.
    pub(super) start: usize,
    pub(super) content: Content,
    /// The byte of the colon, if the node is a key.
    pub(super) colon: Option<usize>,
}

pub(super) enum Content {
    Alias(usize),
    Quoted(ScalarStyle, usize),
    /// A quoted scalar without a closing quote.
    OpenQuote,
    Plain,
    Flow,
    Block(ScalarStyle),
    /// The head contains only an anchor or tag.
    Nothing,
}

impl Reader<'_> {
    /// Returns the node at the current position. Only its first line is examined.
    pub(super) fn head(&mut self) -> Head {
        let bytes = self.bytes;
        let (held, at) = self.properties(self.at);
        self.look(at);
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
                self.look(scan::skip_blanks(bytes, end));
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
                head.colon = self.end_of_collection_key(at).and_then(after_colon);
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
                let next = scan::skip_blanks(bytes, end);
                self.look(next);
                head.content = Content::Plain;
                if stop == Stop::Colon {
                    head.colon = Some(next);
                }
            }
        }
        head
    }

    /// The end of the flow collection at `at`, if the collection can be a key because it ends on the same line, within 1,024 bytes.
    pub(super) fn end_of_collection_key(&mut self, at: usize) -> Option<usize> {
        // The search is limited, because one line may contain thousands of collections.
        let near = &self.bytes[..self.bytes.len().min(at + 1024)];
        let end = scan::line_end(near, at);
        let closed = scan::matching_bracket(self.bytes, at, end, -1);
        let looked = closed.unwrap_or_else(|looked| looked.max(end));
        self.look(scan::skip_blanks(self.bytes, looked));
        closed.ok()
    }

    /// The anchor and tag at `at` that are on the same line, and the position of the token after them.
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
            // go-yaml allows these characters directly after an anchor: `&a: b` is the value of an empty key.
            let ends_anchor = bytes[at] == b'&' && bytes.get(end).is_some_and(|it| b"?:,]}%@`".contains(it));
            self.is_broken |= !scan::is_blankz(bytes, end) && !ends_anchor;
            at = scan::skip_blanks(bytes, end);
        }
        (held, at)
    }

    /// The end of a quoted scalar, if it is closed within its block, and whether the scalar spans several lines.
    pub(super) fn quoted(&mut self, start: usize, in_flow: bool) -> Option<(usize, bool)> {
        let bytes = self.bytes;
        let kind = usize::from(bytes[start] == b'"');
        if start >= self.unclosed[kind] {
            return None;
        }
        let (end, many) = match scan::quoted(bytes, start) {
            Ok(found) => found,
            Err(looked) => {
                self.look(looked);
                self.unclosed[kind] = start;
                return None;
            }
        };
        let next = scan::skip_blanks(bytes, end);
        self.look(next);
        let fits = scan::is_breakz(bytes, next)
            || bytes[next] == b'#'
            || (in_flow && matches!(bytes[next], b',' | b']' | b'}' | b':'));
        (!many || fits).then_some((end, many))
    }

    pub(super) fn plain(&mut self, start: usize, indent: i32) -> scan::Plain {
        if start < self.cut_at {
            let (end, stop) = scan::plain_line(self.bytes, start, false);
            self.is_broken = true;
            let next = scan::line_end(self.bytes, end);
            let line = next + break_len(self.bytes, next);
            let text = scan::skip_blanks(self.bytes, line);
            self.look(text);
            return scan::Plain {
                end,
                stop,
                cut: Some((line, text)),
                looked: text,
            };
        }
        let plain = scan::plain(self.bytes, start, indent, None);
        self.look(plain.looked);
        if let Some((_, at)) = plain.cut {
            self.cut_at = at;
        }
        plain
    }

    /// The end of plain text that may contain colons: the end of the line or the start of a comment.
    pub(super) fn text_to_line_end(&mut self, start: usize) -> (usize, Stop) {
        self.look(scan::line_end(self.bytes, start));
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

    /// Whether the bracket at `start` is closed within the lookahead. `limit` is the column at which the entries of the surrounding collection start.
    pub(super) fn is_closed(&mut self, start: usize, limit: i32) -> bool {
        let to = self.bytes.len().min(start + self.lookahead);
        let end = scan::matching_bracket(self.bytes, start, to, limit);
        let passed = end.unwrap_or_else(|looked| looked).min(to) - start;
        self.look(end.unwrap_or_else(|looked| looked));
        self.lookahead = self.lookahead.saturating_sub(passed);
        self.used += passed;
        end.is_ok()
    }
}
