//! The verdict reader: YAML as the API server and its clients read it.
//!
//! Kubernetes reads YAML with go-yaml v2 (`go.yaml.in/yaml/v2`, before 1.34 `sigs.k8s.io/yaml/goyaml.v2` and `gopkg.in/yaml.v2`: the
//! same code in all of them), a port of libyaml. This is that grammar with its limits, its order of finding errors and its words. Only the first document of
//! a text is read, and nothing after it is looked at.

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

/// Why a text is not YAML, in the API server's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// What is wrong.
    pub problem: Problem,
    /// The message, such as `yaml: line 3: mapping values are not allowed in this context`. The line is the API server's: it counts from
    /// the document's start and is sometimes one off; take places from `span`.
    pub message: String,
    /// Where the error lies in the file.
    pub span: Span,
    /// What was being read, which the API server does not say.
    pub context: Option<ErrorContext>,
}

/// What the reader was reading when it met an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorContext {
    /// Such as `while parsing a block mapping`.
    pub text: &'static str,
    /// Where that began.
    pub span: Span,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

type Failure = Box<ReadError>;

/// A character or byte sequence that no YAML may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    /// Where it is in the text.
    pub offset: u32,
    /// Bytes that its first byte announces.
    pub width: u8,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What the bytes of a file were before they became text, as far as it shows in a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// The text is the bytes.
    #[default]
    Utf8,
    /// As UTF-8, but the reader gets LF for each CR LF: the documents of a file that was [split](crate::split).
    Utf8WithLineFeeds,
}

/// Reads the document at `span` of `text`, which is a whole file.
///
/// Spans are on character boundaries. For the documents of a file see [`crate::split::read_document`], which reads them as the
/// server's clients do. The tree's offsets are those of the file.
pub fn read(text: &Arc<str>, span: Span) -> Result<Tree, ReadError> {
    read_decoded(text, span, &[], Encoding::Utf8)
}

/// As [`read`], for a text that was decoded from bytes (see [`crate::source::Source`]), with what was wrong with them, sorted by offset.
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

/// Looks for what makes the cursor keep book: a character that is not allowed, a byte order mark after the first.
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

/// The length of the byte order mark that begins the text.
fn mark_len(text: &[u8]) -> usize {
    if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

/// Whether a one-byte character may occur.
fn is_allowed(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | b'\r' | 0x20..=0x7E | 0x80..)
}
