//! The tokens of an expression.

pub(super) use crate::ast::TokenKind as Kind;

/// One token of an expression.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The start and end of the token, in bytes.
    pub(super) bytes: (u32, u32),
    /// The start of the token, in code points.
    pub(super) offset: u32,
    /// The text of a token that error recovery inserted.
    pub(super) invented: Option<String>,
}

impl Token {
    /// The text of the token.
    pub(super) fn text<'a>(&'a self, text: &'a str) -> &'a str {
        match &self.invented {
            Some(invented) => invented,
            None => &text[self.bytes.0 as usize..self.bytes.1 as usize],
        }
    }
}
