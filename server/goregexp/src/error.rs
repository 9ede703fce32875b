//! Errors in patterns, with Go's messages.

use std::fmt;
use std::ops::Range;

/// The kind of an error in a pattern (`regexp/syntax.ErrorCode`). Displays as Go's message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A range of a class is reversed, or a class has an unknown name.
    InvalidCharRange,
    /// A backslash before a character that has no escape.
    InvalidEscape,
    /// A group's name is missing or contains characters other than letters, digits and underscores.
    InvalidNamedCapture,
    /// `(?` with an unknown continuation, such as a look-ahead.
    InvalidPerlOp,
    /// A repetition operator directly after another one.
    InvalidRepeatOp,
    /// A counted repetition of more than 1000, alone or nested, or with bounds in the wrong order.
    InvalidRepeatSize,
    /// A class without its closing bracket.
    MissingBracket,
    /// A group without its closing parenthesis.
    MissingParen,
    /// A repetition operator without an operand.
    MissingRepeatArgument,
    /// A backslash at the end of the pattern.
    TrailingBackslash,
    /// A closing parenthesis without a group.
    UnexpectedParen,
    /// More than 1000 nested levels.
    NestingDepth,
    /// A pattern that exceeds Go's size limits.
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

/// An invalid pattern. Displays as Go's error: ``error parsing regexp: missing closing ): `(a` ``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoRegexError {
    /// The complete message.
    pub message: String,
    /// The kind of error.
    pub code: ErrorCode,
    /// The part of the pattern that the message quotes, as a byte range.
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
