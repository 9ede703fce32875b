//! What controller-gen refuses of the arguments of a marker.

use std::ops::Range;

/// What controller-gen refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Where, in bytes of the arguments.
    pub span: Range<usize>,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An integer is needed.
    Integer,
    /// A number is needed.
    Number,
    /// `true` or `false` is needed.
    Bool,
    /// The marker has no argument of this name.
    Unknown(String),
    /// A name, and `=`, are needed.
    Name,
    /// The argument of this name is needed; without a name: a value.
    Missing(String),
    /// Text is left behind the arguments.
    Extra,
    /// A string in quotes does not end.
    Quote,
    /// A backslash begins not an escape sequence of Go.
    Escape,
    /// Items are separated otherwise.
    Separator,
    /// A key needs a colon, and a value.
    Colon,
    /// A value in JSON is needed.
    Json,
}
