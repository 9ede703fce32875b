//! The errors that controller-gen reports for the arguments of a marker.

use std::ops::Range;

/// An error that controller-gen reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Its position, in bytes of the arguments.
    pub span: Range<usize>,
    /// The error.
    pub problem: Problem,
}

/// The kinds of errors in arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An integer is required.
    Integer,
    /// A number is required.
    Number,
    /// `true` or `false` is required.
    Bool,
    /// The marker has no argument with this name.
    Unknown(String),
    /// A name and `=` are required.
    Name,
    /// The argument with this name is missing; for an empty name, a value.
    Missing(String),
    /// There is text after the arguments.
    Extra,
    /// A quoted string is not closed.
    Quote,
    /// A backslash does not begin a Go escape sequence.
    Escape,
    /// The items have the wrong separator.
    Separator,
    /// A key needs a colon and a value.
    Colon,
    /// A JSON value is required.
    Json,
}
