//! The tokens of a template.

use std::ops::Range;

use crd_analyzer_gostd::quote;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The lexer has found an error.
    Error,
    Eof,
    /// The text around actions.
    Text,
    LeftDelim,
    RightDelim,
    Space,
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    /// Another printable character, such as a comma.
    Char,
    Bool,
    CharConstant,
    Complex,
    Number,
    String,
    RawString,
    Field,
    Identifier,
    Variable,
    Keyword(Keyword),
}

/// The words with a meaning of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Dot,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Keyword {
    /// The keyword that is written like this.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "." => Self::Dot,
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "nil" => Self::Nil,
            "range" => Self::Range,
            "template" => Self::Template,
            "with" => Self::With,
            _ => return None,
        })
    }
}

/// A token, with its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// A token before anything is read.
    pub(crate) const NONE: Self = Self {
        kind: Kind::Eof,
        start: 0,
        end: 0,
    };

    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The text of the token.
    pub(crate) fn written<'t>(&self, text: &'t str) -> &'t str {
        &text[self.span()]
    }

    /// The token as Go's messages name it.
    pub(crate) fn named(&self, text: &str) -> String {
        let written = self.written(text);
        match self.kind {
            Kind::Eof => "EOF".to_owned(),
            Kind::Keyword(_) => format!("<{written}>"),
            _ if written.len() > 10 => format!("{}...", quote(&written.chars().take(10).collect::<String>())),
            _ => quote(written),
        }
    }
}
