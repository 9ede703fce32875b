//! The current position in the text, with the line and column that the scanner's rules use, and a model of go-yaml's input buffer.
//!
//! go-yaml reads its input in pieces of 512 bytes, and checks each piece for invalid characters as a whole. So it reports an invalid character before
//! a syntax error that is earlier in the same piece, but after a syntax error in an earlier piece. For texts with an invalid character (or with a
//! byte order mark inside, which is compared with the start of the buffer), the cursor is `TRACKED` and follows the pieces. For other texts this has
//! no cost. (`yaml_parser_update_buffer`, `is_bom`)

use super::{Defect, Encoding, Failure, ReadError};
use crate::scalar::{break_len, spaces_end};
use crate::tree::Span;

/// A position in all units that the scanner's rules need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// Byte offset in the file.
    pub(super) pos: u32,
    /// Line from 0, counted from the document's start.
    pub(super) line: u32,
    /// Column from 0, in characters.
    pub(super) column: u32,
    /// Character index from 0, counted from the document's start.
    pub(super) index: u32,
}

#[derive(Debug)]
pub(super) struct Cursor<'t, const TRACKED: bool> {
    /// The file's bytes up to the end of the document.
    pub(super) bytes: &'t [u8],
    /// The byte offset of the next byte.
    pub(super) pos: usize,
    pub(super) line: u32,
    /// The column is `pos - line_base`. `line_base` is the start of the line plus the number of UTF-8 continuation bytes in the line.
    line_base: usize,
    /// The character index is `pos - index_base`.
    index_base: usize,
    buffer: Buffer,
}

/// The state of go-yaml's input buffer.
#[derive(Debug)]
struct Buffer {
    /// The offset of the first byte in the buffer.
    start: usize,
    /// The end of the decoded bytes.
    filled: usize,
    defect: Option<Defect>,
    encoding: Encoding,
}

/// The number of bytes that go-yaml reads at a time.
const PIECE: usize = 512;

/// The number of bytes per step of the search for a line's end. The search is done in steps, so that a text of one long line is not searched
/// repeatedly.
const STRIDE: usize = 256;

impl<'t, const TRACKED: bool> Cursor<'t, TRACKED> {
    /// Creates a cursor at the start of the document at `span`, after its byte order mark.
    pub(super) fn new(text: &'t [u8], span: Span, defect: Option<Defect>, encoding: Encoding) -> Self {
        let bytes = &text[..span.end as usize];
        let start = span.start as usize;
        let mark = super::mark_len(&bytes[start..]);
        let pos = start + mark;
        let buffer = Buffer {
            start: pos,
            filled: start,
            defect,
            encoding,
        };
        Self {
            bytes,
            pos,
            line: 0,
            line_base: pos,
            index_base: pos,
            buffer,
        }
    }

    /// The offset at which the line with the byte before `end` starts.
    pub(super) fn line_start(&self, end: usize) -> usize {
        let before = &self.bytes[..end];
        let last_break = before.iter().rposition(|it| matches!(it, b'\n' | b'\r'));
        last_break.map_or(0, |it| it + 1)
    }

    /// The byte at a distance of `ahead` bytes from the current position; 0 past the end.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    pub(super) fn column(&self) -> usize {
        self.pos - self.line_base
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos as u32,
            line: self.line,
            column: self.column() as u32,
            index: (self.pos - self.index_base) as u32,
        }
    }

    pub(super) fn break_here(&self) -> usize {
        break_len(self.bytes, self.pos)
    }

    /// Whether the byte at `ahead` is a space or tab.
    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Whether the current position is at a line break or at the end.
    pub(super) fn is_breakz(&self) -> bool {
        self.at_end() || self.break_here() > 0
    }

    /// Whether a space, tab, line break or the end is at `ahead`.
    pub(super) fn is_blankz(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b' ' | b'\t' | b'\n' | b'\r' => true,
            0 => self.pos + ahead >= self.bytes.len(),
            0xC2 | 0xE2 => break_len(self.bytes, self.pos + ahead) > 0,
            _ => false,
        }
    }

    /// Skips `count` one-byte characters.
    pub(super) fn skip_ascii(&mut self, count: usize) {
        self.pos += count;
    }

    /// Skips one character.
    pub(super) fn skip(&mut self) {
        let width = width(self.byte(0));
        self.pos += width;
        self.line_base += width - 1;
        self.index_base += width - 1;
    }

    /// Skips the line break at the current position, if any.
    pub(super) fn skip_break(&mut self) {
        let len = self.break_here();
        if len == 0 {
            return;
        }
        // CR LF counts as two characters; NEL, LS and PS count as one.
        if self.bytes[self.pos] >= 0x80 {
            self.index_base += len - 1;
        }
        self.pos += len;
        self.line += 1;
        self.line_base = self.pos;
    }

    /// Starts a new line at the end of the stream, like go-yaml.
    pub(super) fn force_line(&mut self) {
        if self.column() != 0 {
            self.line += 1;
            self.line_base = self.pos;
        }
    }

    /// Skips to the end of the line.
    pub(super) fn skip_to_line_end(&mut self) -> Result<(), Failure> {
        if TRACKED {
            while !self.is_breakz() {
                self.skip();
                self.need(1)?;
            }
            return Ok(());
        }
        loop {
            let stride = &self.bytes[self.pos..self.bytes.len().min(self.pos + STRIDE)];
            let len = memchr::memchr2(b'\n', b'\r', stride).unwrap_or(stride.len());
            if stride[..len].is_ascii() {
                self.pos += len;
                if len < STRIDE {
                    return Ok(());
                }
            } else {
                let end = self.pos + len;
                while self.pos < end {
                    if self.break_here() > 0 {
                        return Ok(());
                    }
                    self.skip();
                }
                if len < stride.len() || self.at_end() {
                    return Ok(());
                }
            }
        }
    }

    /// Skips spaces.
    pub(super) fn skip_spaces(&mut self, at_most: usize) -> Result<(), Failure> {
        if TRACKED {
            let mut left = at_most;
            while left > 0 && self.byte(0) == b' ' {
                self.skip();
                self.need(1)?;
                left -= 1;
            }
            return Ok(());
        }
        let stop = self.bytes.len().min(self.pos.saturating_add(at_most));
        self.pos = spaces_end(&self.bytes[..stop], self.pos);
        Ok(())
    }

    /// Makes sure that the buffer contains `count` characters, and reads more if necessary.
    #[inline]
    pub(super) fn need(&mut self, count: usize) -> Result<(), Failure> {
        if TRACKED { self.refill(count) } else { Ok(()) }
    }

    /// Whether the buffer starts with a byte order mark. This depends on the start of the buffer, not on the current position.
    pub(super) fn buffer_starts_with_bom(&self) -> bool {
        self.bytes[self.buffer.start..].starts_with(b"\xEF\xBB\xBF")
    }

    #[cold]
    fn refill(&mut self, count: usize) -> Result<(), Failure> {
        let mut moved = false;
        loop {
            let mut at = self.pos;
            let mut unread = 0;
            while unread < count && at < self.buffer.filled {
                at += width(self.bytes[at]);
                unread += 1;
            }
            if unread >= count {
                return Ok(());
            }
            if !moved {
                self.buffer.start = self.pos;
                moved = true;
            }
            let filled = self.buffer.filled;
            if filled >= self.bytes.len() {
                return Ok(());
            }
            let (raw_end, mut end) = self.next_piece(filled);
            if let Some(defect) = &self.buffer.defect {
                let offset = defect.offset as usize;
                if filled <= offset && offset < raw_end {
                    if offset + defect.width as usize <= raw_end || offset == filled {
                        return Err(Box::new(ReadError {
                            message: format!("yaml: {}", defect.problem.server_words()),
                            problem: defect.problem.clone(),
                            span: Span::new(defect.offset, self.char_end(offset + defect.width as usize) as u32),
                            context: None,
                        }));
                    }
                    end = end.min(offset);
                }
            }
            self.buffer.filled = end;
        }
    }

    /// The end of the character that contains an offset. The offset can be inside a character, because the declared length of an invalid sequence may
    /// extend into the next character.
    fn char_end(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|it| it & 0xC0 == 0x80) {
            at += 1;
        }
        at.min(self.bytes.len())
    }

    /// The end of the next piece of input, and of the last whole character in it.
    fn next_piece(&self, filled: usize) -> (usize, usize) {
        let len = self.bytes.len();
        if self.buffer.encoding == Encoding::Utf8 {
            let raw_end = len.min(filled + PIECE);
            let mut end = raw_end;
            while end > filled && self.bytes.get(end).is_some_and(|it| it & 0xC0 == 0x80) {
                end -= 1;
            }
            return (raw_end, end);
        }
        let mut left = PIECE;
        let mut end = filled;
        while end < len {
            let width = width(self.bytes[end]);
            let raw = match self.bytes[end] {
                b'\r' if self.bytes.get(end + 1) == Some(&b'\n') => 0,
                _ => width,
            };
            if raw > left {
                break;
            }
            left -= raw;
            end += width;
        }
        (end, end)
    }
}

/// The length of a character according to its first byte.
fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
