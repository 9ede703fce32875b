//! The verdict parser: parses YAML exactly like the API server and its clients.
//!
//! Kubernetes parses YAML with go-yaml v2 (`go.yaml.in/yaml/v2`, before 1.34 `sigs.k8s.io/yaml/goyaml.v2` and `gopkg.in/yaml.v2`, which all contain
//! the same code), a port of libyaml. This parser has the same grammar, limits, error order and messages. It parses only the first document of a text
//! and ignores the text after it.

#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors are boxed so that results of the inner loops stay small"
)]

use std::sync::Arc;

pub use problem::Problem;

use crate::tree::{Span, Tree};

mod cursor;
mod parse;
mod parse_flow;
mod problem;
mod scan;
mod scan_scalar;
pub(crate) mod tag;
mod token;

/// The reason why a text is not YAML, with the API server's message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The problem in the text.
    pub problem: Problem,
    /// The message, such as `yaml: line 3: mapping values are not allowed in this context`. The line is the API server's: it is counted from the
    /// start of the document and is sometimes off by one, so use `span` for positions.
    pub message: String,
    /// The location of the error in the file.
    pub span: Span,
    /// The construct that was being parsed. The API server does not report it.
    pub context: Option<ErrorContext>,
}

/// The construct that was being parsed when the error occurred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorContext {
    /// A description such as `while parsing a block mapping`.
    pub text: &'static str,
    /// The start of that construct.
    pub span: Span,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// The message without its beginning, `yaml: line 3: `.
    pub fn without_line(&self) -> &str {
        let message = self.message.strip_prefix("yaml: ").unwrap_or(&self.message);
        let numbered = message.strip_prefix("line ").and_then(|it| it.split_once(": "));
        numbered.map_or(message, |it| it.1)
    }
}

type Failure = Box<ReadError>;

/// A character or byte sequence that YAML does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    /// The offset of the character or sequence in the text.
    pub offset: u32,
    /// The length in bytes of the sequence, as announced by its first byte.
    pub width: u8,
    /// The problem with the character or sequence.
    pub problem: Problem,
}

/// The original encoding of a file's bytes, as far as it affects the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-8: the text equals the bytes.
    #[default]
    Utf8,
    /// UTF-8, but the parser gets LF instead of each CR LF. This applies to the documents of a file that was [split](crate::split).
    Utf8WithLineFeeds,
}

/// Parses the document at `span` of `text`, which is a whole file.
///
/// The bounds of `span` must be on character boundaries. For the documents of a file use [`crate::split::read_document`], which parses
/// them as the API server's clients do. The tree's offsets are offsets in the file.
pub fn read(text: &Arc<str>, span: Span) -> Result<Tree, ReadError> {
    read_decoded(text, span, &[], Encoding::Utf8)
}

/// Like [`read`], for a text decoded from bytes (see [`crate::source::Source`]). `defects` contains the errors in the bytes, sorted by offset.
pub fn read_decoded(text: &Arc<str>, span: Span, defects: &[Defect], encoding: Encoding) -> Result<Tree, ReadError> {
    let inspection = inspect(text.as_bytes(), span, defects);
    let tree = if inspection.tracked {
        parse::parse::<true>(text, span, inspection.defect, encoding)
    } else {
        parse::parse::<false>(text, span, None, encoding)
    };
    tree.map_err(|it| *it)
}

struct Inspection {
    tracked: bool,
    defect: Option<Defect>,
}

/// Looks for a reason to use a tracked cursor: a character that is not allowed, or a byte order mark that is not at the start.
fn inspect(text: &[u8], span: Span, defects: &[Defect]) -> Inspection {
    const STRIDE: usize = 128;
    let mut inspection = Inspection {
        tracked: false,
        defect: None,
    };
    let end = span.end as usize;
    let mut at = span.start as usize;
    at += mark_len(&text[at..end]);
    while at < end {
        let stride = &text[at..end.min(at + STRIDE)];
        if stride
            .iter()
            .fold(0, |odd, &it| odd | u8::from(it >= 0x80) | u8::from(!is_allowed(it)))
            == 0
        {
            at += stride.len();
            continue;
        }
        let stop = at + stride.len();
        while at < stop {
            let (width, bad) = match text[at] {
                it @ 0..0x80 => (1, !is_allowed(it)),
                0xC2 => (2, text[at + 1] < 0xA0 && text[at + 1] != 0x85),
                0xC0..0xE0 => (2, false),
                0xEF => {
                    inspection.tracked |= text[at + 1] == 0xBB && text[at + 2] == 0xBF;
                    (3, text[at + 1] == 0xBF && text[at + 2] >= 0xBE)
                }
                0xE0..0xF0 => (3, false),
                _ => (4, false),
            };
            if bad {
                let offset = at as u32;
                let known = defects
                    .binary_search_by_key(&offset, |it| it.offset)
                    .ok()
                    .map(|it| defects[it].clone());
                inspection.tracked = true;
                inspection.defect = Some(known.unwrap_or(Defect {
                    offset,
                    width,
                    problem: Problem::ControlCharacter,
                }));
                return inspection;
            }
            at += width as usize;
        }
    }
    inspection
}

/// The length of the byte order mark at the start of the text, or 0.
fn mark_len(text: &[u8]) -> usize {
    if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

/// Whether YAML allows a one-byte character.
fn is_allowed(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | b'\r' | 0x20..=0x7E | 0x80..)
}
