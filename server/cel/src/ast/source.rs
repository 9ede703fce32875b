//! The source text of an expression, and the positions of expressions in it.
//!
//! `cel-go` counts code points, an editor needs bytes. A [`Source`] converts between them, and a [`SourceInfo`] keeps both.

use crate::KubernetesVersion;

/// Since this Kubernetes version, the first code point of a line is reported on that line. Older versions report it at the end of the previous line.
const LINES_BEGIN_SINCE: KubernetesVersion = KubernetesVersion::minor(32);

/// A line (from 1) and a column (from 0, in code points), as `cel-go` keeps them. `cel-go` prints the column plus 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The line, from 1.
    pub line: i32,
    /// The column, from 0, in code points.
    pub column: i32,
}

impl Location {
    /// The location of a problem with the whole expression (printed as `-1:0`).
    pub const NONE: Self = Self { line: -1, column: -1 };
}

/// The position of an expression in the source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The position that `cel-go` reports for the expression, in code points from the start of the text: the operator of a binary expression, the dot
    /// of a selection, the parenthesis of a call, otherwise the first character. -1 if the expression has no position.
    pub offset: i32,
    /// The byte range of the token or literal that begins at `offset`.
    pub bytes: (u32, u32),
}

/// The source text of an expression.
#[derive(Clone, Debug)]
pub struct Source {
    text: String,
    /// The name of the source in messages.
    description: String,
    /// The offset after each line feed, and one past the end, in code points.
    line_offsets: Vec<i32>,
    /// The byte offset of each code point, and one past the end. Empty for an ASCII text.
    bytes: Vec<u32>,
    len: usize,
}

impl Source {
    /// The source text of a rule. Messages call it `<input>`, as the API server does.
    pub fn new(text: impl Into<String>) -> Self {
        Self::with_description(text, "<input>")
    }

    /// A source text whose messages use another name than `<input>`.
    pub fn with_description(text: impl Into<String>, description: impl Into<String>) -> Self {
        let text = text.into();
        let ascii = text.is_ascii();
        let mut bytes = Vec::new();
        let mut line_offsets = Vec::new();
        let mut len = 0;
        if ascii {
            line_offsets.extend(memchr_lines(&text));
            len = text.len();
        } else {
            for (at, c) in text.char_indices() {
                bytes.push(at as u32);
                len += 1;
                if c == '\n' {
                    line_offsets.push(len as i32);
                }
            }
            bytes.push(text.len() as u32);
        }
        // As in `cel-go`, the only line of an empty text ends at 0, and the last line of any other text ends one past the end of the text.
        line_offsets.push(if text.is_empty() { 0 } else { len as i32 + 1 });
        Self {
            text,
            description: description.into(),
            line_offsets,
            bytes,
            len,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the source in messages.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The length of the text in code points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The byte offset of a code point, or the end of the text if the code point is past it.
    pub fn byte(&self, offset: usize) -> usize {
        if self.bytes.is_empty() {
            offset.min(self.len)
        } else {
            self.bytes.get(offset).map_or(self.text.len(), |b| *b as usize)
        }
    }

    /// The index of the code point that contains a byte.
    pub fn offset(&self, byte: usize) -> usize {
        if self.bytes.is_empty() {
            byte.min(self.len)
        } else {
            self.bytes.partition_point(|b| *b as usize <= byte).saturating_sub(1)
        }
    }

    /// The line and column of a code point. Offsets past the end are on the last line.
    pub fn location(&self, offset: i32) -> Location {
        let line = self.line_offsets.partition_point(|o| *o <= offset);
        let start = if line == 0 { 0 } else { self.line_offsets[line - 1] };
        Location {
            line: line as i32 + 1,
            column: offset - start,
        }
    }

    /// The location that API servers before 1.32 report for type errors: the first code point of a line counts as one past the end of the
    /// previous line.
    pub fn location_before_line(&self, offset: i32) -> Location {
        let line = self.line_offsets.partition_point(|o| *o < offset);
        let start = if line == 0 { 0 } else { self.line_offsets[line - 1] };
        Location {
            line: line as i32 + 1,
            column: offset - start,
        }
    }

    /// The offset (code points) of a line and column, or `None` if the line does not exist.
    pub fn location_offset(&self, location: Location) -> Option<i32> {
        Some(self.line_start(location.line)? + location.column)
    }

    /// The byte offset of a line and column, or 0 for [`Location::NONE`].
    pub fn location_byte(&self, location: Location) -> usize {
        self.location_offset(location)
            .map_or(0, |o| self.byte(o.max(0) as usize))
    }

    /// A line of the text without its line end, or `None` if the line does not exist.
    pub fn snippet(&self, line: i32) -> Option<&str> {
        let start = self.line_start(line)?;
        if self.is_empty() {
            return None;
        }
        let end = self
            .line_start(line + 1)
            .map_or(self.len, |next| (next - 1).max(0) as usize);
        let (start, end) = (self.byte(start as usize), self.byte(end));
        self.text.get(start..end.max(start))
    }

    fn line_start(&self, line: i32) -> Option<i32> {
        match line {
            1 => Some(0),
            _ if line > 1 => self.line_offsets.get(line as usize - 2).copied(),
            _ => None,
        }
    }

    /// The offset (code points) where each line ends, after its line feed; the last is one past the end.
    pub fn line_offsets(&self) -> &[i32] {
        &self.line_offsets
    }
}

fn memchr_lines(text: &str) -> impl Iterator<Item = i32> + '_ {
    text.bytes()
        .enumerate()
        .filter(|(_, b)| *b == b'\n')
        .map(|(at, _)| at as i32 + 1)
}

/// The positions of the expressions of one source text, by their `cel-go` id.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceInfo {
    spans: Vec<Option<Span>>,
}

impl SourceInfo {
    /// The position of the expression `id`.
    pub fn span(&self, id: i64) -> Option<Span> {
        self.spans.get(usize::try_from(id).ok()?).copied().flatten()
    }

    /// The line and column of the expression `id`, or [`Location::NONE`] if it has no position.
    pub fn location(&self, source: &Source, id: i64) -> Location {
        self.span(id).map_or(Location::NONE, |s| source.location(s.offset))
    }

    /// The location of the expression `id` as an API server of this Kubernetes version reports it for a type error.
    pub fn location_told(&self, source: &Source, id: i64, version: KubernetesVersion) -> Location {
        if version < LINES_BEGIN_SINCE {
            self.span(id)
                .map_or(Location::NONE, |s| source.location_before_line(s.offset))
        } else {
            self.location(source, id)
        }
    }

    /// Sets the position of the expression `id`. Ids start at 1 and are dense; a negative id has no position.
    pub fn set_span(&mut self, id: i64, span: Span) {
        let Ok(at) = usize::try_from(id) else { return };
        if at >= self.spans.len() {
            self.spans.resize(at + 1, None);
        }
        self.spans[at] = Some(span);
    }

    /// Removes the position of the expression `id`.
    pub fn clear(&mut self, id: i64) {
        if let Some(slot) = usize::try_from(id).ok().and_then(|at| self.spans.get_mut(at)) {
            *slot = None;
        }
    }

    /// All ids that have a position, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Span)> + '_ {
        self.spans
            .iter()
            .enumerate()
            .filter_map(|(id, s)| Some((id as i64, (*s)?)))
    }
}
