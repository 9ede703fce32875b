//! The classified tokens of an expression, for editors. The expression does not have to be valid.

use super::lexer::{Lexed, Lexer};
use super::token::Kind;
use crate::ast::Source;

/// The class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenClass {
    /// A name.
    Identifier,
    /// A name in backticks.
    EscapedIdentifier,
    /// `true`, `false`, `null`
    Constant,
    /// `1`, `1u`, `1.5`
    Number,
    /// A string or bytes.
    String,
    /// `in`
    In,
    /// An operator of one or two characters, including `?` and `:`.
    Operator,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `(`, `[` or `{`
    Open,
    /// `)`, `]` or `}`
    Close,
    /// `// …`
    Comment,
    /// Characters that fit no token.
    Unknown,
}

/// A token with its position in the source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenToken {
    /// The class of the token.
    pub class: TokenClass,
    /// The offset of the token's first byte.
    pub start: u32,
    /// The offset after the token's last byte.
    pub end: u32,
}

impl WrittenToken {
    /// The text of the token.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether a cursor at this byte offset touches the token.
    pub const fn touches(self, byte: u32) -> bool {
        self.start <= byte && byte <= self.end
    }
}

/// The tokens and comments of an expression, in order. They cover everything except whitespace.
pub fn tokens(source: &Source) -> Vec<WrittenToken> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(source, true);
    let mut end = 0;
    loop {
        let (class, bytes) = match lexer.next() {
            Lexed::Token(token) if token.kind == Kind::Eof => break,
            Lexed::Token(token) => (class(token.kind), token.bytes),
            Lexed::Error { bytes, .. } => (TokenClass::Unknown, bytes),
        };
        comments(source.text(), end, bytes.0, &mut found);
        end = bytes.1;
        found.push(WrittenToken {
            class,
            start: bytes.0,
            end: bytes.1,
        });
    }
    comments(source.text(), end, source.text().len() as u32, &mut found);
    found
}

/// Adds the comments between two tokens. Each comment extends to the end of its line.
fn comments(text: &str, from: u32, to: u32, found: &mut Vec<WrittenToken>) {
    let mut at = from as usize;
    while let Some(start) = text[at..to as usize].find("//").map(|it| at + it) {
        let end = text[start..to as usize]
            .find(['\n', '\r'])
            .map_or(to as usize, |it| start + it);
        found.push(WrittenToken {
            class: TokenClass::Comment,
            start: start as u32,
            end: end as u32,
        });
        at = end;
    }
}

fn class(kind: Kind) -> TokenClass {
    match kind {
        Kind::Identifier => TokenClass::Identifier,
        Kind::EscIdentifier => TokenClass::EscapedIdentifier,
        Kind::True | Kind::False | Kind::Null => TokenClass::Constant,
        Kind::Float | Kind::Int | Kind::Uint => TokenClass::Number,
        Kind::String | Kind::Bytes => TokenClass::String,
        Kind::In => TokenClass::In,
        Kind::Dot => TokenClass::Dot,
        Kind::Comma => TokenClass::Comma,
        Kind::LBracket | Kind::LBrace | Kind::LParen => TokenClass::Open,
        Kind::RBracket | Kind::RBrace | Kind::RParen => TokenClass::Close,
        _ => TokenClass::Operator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, TokenClass)]) {
        let found = tokens(&Source::new(text));
        let found: Vec<_> = found.iter().map(|it| (it.text(text), it.class)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_character_but_blanks_is_in_a_token() {
        use TokenClass::{
            Close, Comma, Comment, Constant, Dot, EscapedIdentifier, Identifier, In, Number, Open, Operator, String,
            Unknown,
        };
        check(
            "é# self.`a-b`.f('x', 1u) // why\n ? null : a in [] // end",
            &[
                ("é", Unknown),
                ("#", Unknown),
                ("self", Identifier),
                (".", Dot),
                ("`a-b`", EscapedIdentifier),
                (".", Dot),
                ("f", Identifier),
                ("(", Open),
                ("'x'", String),
                (",", Comma),
                ("1u", Number),
                (")", Close),
                ("// why", Comment),
                ("?", Operator),
                ("null", Constant),
                (":", Operator),
                ("a", Identifier),
                ("in", In),
                ("[", Open),
                ("]", Close),
                ("// end", Comment),
            ],
        );
        check("", &[]);
    }
}
