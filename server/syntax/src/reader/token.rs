//! Tokens, and the queue of tokens.

use super::cursor::Mark;
use crate::tree::ScalarStyle;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    StreamStart,
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar(ScalarStyle),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// For scalars: whether the value differs from the source text.
    pub(super) decode: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The line on which the token starts.
    pub(super) line: u32,
    /// For block scalars: the indentation. For version directives: major times 256 plus minor.
    pub(super) extra: u32,
    /// The level of the simple key that may start with this token, or `NO_KEY`.
    pub(super) key_level: u32,
}

pub(super) const NO_KEY: u32 = u32::MAX;

impl Token {
    pub(super) fn new(kind: TokenKind, start: Mark, end: u32) -> Self {
        Self {
            kind,
            decode: false,
            start: start.pos,
            end,
            line: start.line,
            extra: 0,
            key_level: NO_KEY,
        }
    }
}

/// A first-in, first-out queue in which tokens can also be inserted.
#[derive(Debug, Default)]
pub(super) struct Queue {
    tokens: Vec<Token>,
    head: usize,
    /// The number of tokens taken so far. It is also the number of the token at the head.
    taken: usize,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.head == self.tokens.len()
    }

    /// The number of the token at the head.
    pub(super) fn head_number(&self) -> usize {
        self.taken
    }

    /// The number that the next token will have.
    pub(super) fn next_number(&self) -> usize {
        self.taken + (self.tokens.len() - self.head)
    }

    pub(super) fn head(&self) -> Option<&Token> {
        self.tokens.get(self.head)
    }

    pub(super) fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Inserts a token before the token with this number.
    pub(super) fn insert(&mut self, number: usize, token: Token) {
        match number.checked_sub(self.taken) {
            Some(ahead) => self.tokens.insert(self.head + ahead, token),
            None => self.tokens.push(token),
        }
    }

    pub(super) fn take(&mut self) {
        self.taken += 1;
        self.head += 1;
        if self.is_empty() {
            self.tokens.clear();
            self.head = 0;
        } else if self.head >= 1024 && self.head * 2 >= self.tokens.len() {
            self.tokens.drain(..self.head);
            self.head = 0;
        }
    }
}
