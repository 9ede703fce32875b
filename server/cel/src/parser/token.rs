//! The tokens of an expression.

pub(super) use crate::ast::TokenKind as Kind;

/// One token of a text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it starts and ends, in bytes.
    pub(super) bytes: (u32, u32),
    /// Where it starts, in code points.
    pub(super) offset: u32,
    /// The text of a token that is not in the expression: error recovery made it up.
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
