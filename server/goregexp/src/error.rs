//! Why a pattern is refused, in Go's words.

use std::fmt;
use std::ops::Range;

/// What is wrong with a pattern (`regexp/syntax.ErrorCode`). Prints Go's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A range of a class runs backwards, or a class has no such name.
    InvalidCharRange,
    /// A backslash before something that has no escape.
    InvalidEscape,
    /// A group's name is missing or holds other characters than letters, digits and underscores.
    InvalidNamedCapture,
    /// `(?` with something unknown, such as a look-ahead.
    InvalidPerlOp,
    /// A repetition of a repetition.
    InvalidRepeatOp,
    /// A counted repetition over 1000, alone or nested, or with bounds in the wrong order.
    InvalidRepeatSize,
    /// A class that does not end.
    MissingBracket,
    /// A group that does not end.
    MissingParen,
    /// A repetition of nothing.
    MissingRepeatArgument,
    /// A backslash at the end.
    TrailingBackslash,
    /// The end of a group that did not begin.
    UnexpectedParen,
    /// More than 1000 levels.
    NestingDepth,
    /// More than Go is willing to compile.
    Large,
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidCharRange => "invalid character class range",
            Self::InvalidEscape => "invalid escape sequence",
            Self::InvalidNamedCapture => "invalid named capture",
            Self::InvalidPerlOp => "invalid or unsupported Perl syntax",
            Self::InvalidRepeatOp => "invalid nested repetition operator",
            Self::InvalidRepeatSize => "invalid repeat count",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestingDepth => "expression nests too deeply",
            Self::Large => "expression too large",
        })
    }
}

/// A refused pattern. Prints as Go's error does: ``error parsing regexp: missing closing ): `(a` ``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoRegexError {
    /// The whole message.
    pub message: String,
    /// What is wrong.
    pub code: ErrorCode,
    /// The part of the pattern that the message quotes, in bytes of the pattern.
    pub span: Range<usize>,
}

impl GoRegexError {
    pub(crate) fn new(code: ErrorCode, pattern: &str, span: Range<usize>) -> Self {
        let message = format!("error parsing regexp: {code}: `{}`", &pattern[span.clone()]);
        Self { message, code, span }
    }
}

impl fmt::Display for GoRegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GoRegexError {}
