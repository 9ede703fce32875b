//! What Go says of a text that it cannot parse.

use std::ops::Range;

/// The first error of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Go's words, without the name of the template and the line.
    pub message: String,
    /// The offset of an action that began on another line, if Go says so after the message.
    pub started: Option<usize>,
    /// The offset of the token that Go has read last. Go reports its line.
    pub at: usize,
    /// The text that is wrong: a word, an action, or the action of a block without an end.
    pub span: Range<usize>,
    /// The offset of the action around the place.
    pub action: usize,
    /// The innermost block that is open at the place, and probably lacks its end.
    pub open: Option<Open>,
    /// What is wrong, as far as a correction can be proposed.
    pub cause: Cause,
}

/// A block without an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// The word with which it begins: `if`, `range`, `with`, `define` or `block`.
    pub keyword: &'static str,
    /// Its first action.
    pub span: Range<usize>,
}

/// What is wrong with a text, as far as a correction can be proposed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A function with this name does not exist.
    Function(String),
    /// A variable with this name is not declared. The names of the variables that are declared.
    Variable(String, Vec<String>),
    /// A block has no end: [`Error::open`]. The span of the error is its first action.
    NotClosed,
    /// An `end` or `else` without a block.
    NotOpened(&'static str),
    /// The action has no closing braces.
    ActionNotClosed,
    /// Anything else.
    Other,
}

impl Error {
    /// The line that Go reports, counted from 1.
    #[must_use]
    pub fn line(&self, text: &str) -> usize {
        line(text, self.at)
    }

    /// Go's words, including where the action started. Go names a template by its file.
    #[must_use]
    pub fn words(&self, text: &str, file: &str) -> String {
        let Some(started) = self.started else {
            return self.message.clone();
        };
        // Go does not say "action in action".
        let between = if self.message.ends_with(" action") {
            ""
        } else {
            " in action"
        };
        format!("{}{between} started at {file}:{}", self.message, line(text, started))
    }
}

/// The line of an offset, counted from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}
