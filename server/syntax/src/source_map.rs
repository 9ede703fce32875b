//! Maps offsets in a scalar's value to positions in its source text, and back.

use std::ops::Range;

use crate::scalar::{self, Sink};
use crate::tree::{NodeId, NodeKind, Span, Tree};

/// A piece of a value, and the source bytes from which it comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    value: usize,
    value_len: usize,
    source: u32,
    source_len: u32,
    /// Whether the bytes of the piece are the same in the value and the source. If not, the piece is mapped as a whole.
    copied: bool,
}

impl Piece {
    fn value_end(self) -> usize {
        self.value + self.value_len
    }

    fn source_end(self) -> u32 {
        self.source + self.source_len
    }
}

/// The piecewise linear map between byte offsets in a scalar's value and byte offsets in the file.
///
/// Source bytes that are not part of the value (quotes, indentation, a block scalar's header) lie between the pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceMap {
    /// The pieces, in the order of both the value and the source.
    pieces: Vec<Piece>,
    /// The source without quotes.
    inner: Span,
    /// The end of the file's own text. A line break that was added to the text is not part of it.
    limit: u32,
}

impl Tree {
    /// The map between the value that [`Tree::scalar`] returns and the file. For a node that is not a scalar, the map is for an empty value at the
    /// start of the node.
    pub fn source_map(&self, node: NodeId) -> SourceMap {
        let data = self.data(node);
        let NodeKind::Scalar(style) = data.kind else {
            return SourceMap {
                pieces: Vec::new(),
                inner: Span::new(data.span.start, data.span.start),
                limit: self.limit,
            };
        };
        let inner = scalar::inner(style, data.span);
        let mut pieces = Pieces(Vec::new());
        if data.decode {
            scalar::walk(&self.text, style, data.span, data.extra, &mut pieces);
        } else {
            pieces.copy(&self.text, inner.range());
        }
        SourceMap {
            pieces: pieces.0,
            inner,
            limit: self.limit,
        }
    }
}

impl SourceMap {
    /// The length of the value in bytes.
    pub fn value_len(&self) -> usize {
        self.pieces.last().map_or(0, |it| it.value_end())
    }

    /// The source position of the value's byte at `value_offset`. For an escape sequence or fold, this is its start. At or past the end of the value,
    /// this is the position where a byte appended to the value would be written.
    pub fn to_source(&self, value_offset: usize) -> u32 {
        let found = self.pieces.partition_point(|it| it.value_end() <= value_offset);
        let source = match self.pieces.get(found) {
            Some(piece) if piece.copied => piece.source + (value_offset - piece.value) as u32,
            Some(piece) => piece.source,
            None => self.pieces.last().map_or(self.inner.start, |it| it.source_end()),
        };
        source.min(self.limit)
    }

    /// The source span of a range of the value, from the start of the first byte's source to the end of the last byte's source.
    pub fn span(&self, value: Range<usize>) -> Span {
        let start = self.to_source(value.start);
        if value.is_empty() {
            return Span::new(start, start);
        }
        let last = value.end - 1;
        let found = self.pieces.partition_point(|it| it.value_end() <= last);
        let end = match self.pieces.get(found) {
            Some(piece) if piece.copied => piece.source + (last - piece.value) as u32 + 1,
            Some(piece) => piece.source_end(),
            None => start,
        };
        Span::new(start, end.max(start).min(self.limit))
    }

    /// The offset in the value for a position in the file. For a position in an escape sequence, this is the start of the byte that the sequence
    /// represents. For a position in indentation or other bytes that are not part of the value, this is the next byte of the value. `None` outside of
    /// the scalar.
    pub fn to_value(&self, source_offset: u32) -> Option<usize> {
        if !self.inner.touches(source_offset) {
            return None;
        }
        let found = self.pieces.partition_point(|it| it.source_end() <= source_offset);
        Some(match self.pieces.get(found) {
            Some(piece) if piece.copied && source_offset > piece.source => {
                piece.value + (source_offset - piece.source) as usize
            }
            Some(piece) => piece.value,
            None => self.value_len(),
        })
    }
}

/// Collects pieces, and joins adjacent copied pieces.
struct Pieces(Vec<Piece>);

impl Pieces {
    fn push(&mut self, value_len: usize, source: Range<usize>, copied: bool) {
        if value_len == 0 {
            return;
        }
        let value = self.0.last().map_or(0, |it| it.value_end());
        let (start, len) = (source.start as u32, source.len() as u32);
        match self.0.last_mut() {
            Some(last) if copied && last.copied && last.source_end() == start => {
                last.value_len += value_len;
                last.source_len += len;
            }
            _ => self.0.push(Piece {
                value,
                value_len,
                source: start,
                source_len: len,
                copied,
            }),
        }
    }
}

impl Sink for Pieces {
    fn copy(&mut self, _text: &str, source: Range<usize>) {
        self.push(source.len(), source, true);
    }

    fn replace(&mut self, value: &str, source: Range<usize>) {
        self.push(value.len(), source, false);
    }
}
