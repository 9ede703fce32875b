//! The errors that controller-gen reports for the arguments of a marker.

use std::ops::Range;

/// An error that controller-gen reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The span of the error, in bytes of the arguments.
    pub span: Range<usize>,
    /// What is wrong.
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
    /// An argument must have a name and `=`.
    Name,
    /// The argument with this name is missing. If the name is empty, the value is missing.
    Missing(String),
    /// Text follows the arguments.
    Extra,
    /// A comma follows the value, where an argument without a name has none. The author probably meant a list.
    Comma,
    /// A quoted string is not closed.
    Quote,
    /// A backslash does not begin a Go escape sequence.
    Escape,
    /// The items are separated by the wrong character.
    Separator,
    /// A key needs a colon and a value.
    Colon,
    /// A JSON value is required.
    Json,
}

impl Problem {
    /// The problem of a text that follows the arguments.
    pub(super) fn of_rest(rest: &str) -> Self {
        if rest.starts_with(',') {
            Self::Comma
        } else {
            Self::Extra
        }
    }
}
