//! The tokens of CEL, numbered and named as in `cel-go`'s grammar (`parser/gen/CEL.g4`), because messages list them in that order.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    Eof = 0,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    LogicalAnd,
    LogicalOr,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Dot,
    Comma,
    Minus,
    Exclam,
    QuestionMark,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float = 31,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscIdentifier,
}

const BY_NUMBER: [Kind; 36] = [
    Kind::Eof,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
    Kind::LogicalAnd,
    Kind::LogicalOr,
    Kind::LBracket,
    Kind::RBracket,
    Kind::LBrace,
    Kind::RBrace,
    Kind::LParen,
    Kind::RParen,
    Kind::Dot,
    Kind::Comma,
    Kind::Minus,
    Kind::Exclam,
    Kind::QuestionMark,
    Kind::Colon,
    Kind::Plus,
    Kind::Star,
    Kind::Slash,
    Kind::Percent,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
    Kind::EscIdentifier,
];

impl Kind {
    /// The kind with a number. Blanks and comments have numbers too, but are never asked for.
    pub(super) fn from_number(number: u8) -> Self {
        BY_NUMBER
            .iter()
            .copied()
            .find(|k| *k as u8 == number)
            .unwrap_or(Self::Eof)
    }

    /// How messages name the kind: the text in quotes where there is only one, else a word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Eof => "<EOF>",
            Self::Equals => "'=='",
            Self::NotEquals => "'!='",
            Self::In => "'in'",
            Self::Less => "'<'",
            Self::LessEquals => "'<='",
            Self::GreaterEquals => "'>='",
            Self::Greater => "'>'",
            Self::LogicalAnd => "'&&'",
            Self::LogicalOr => "'||'",
            Self::LBracket => "'['",
            Self::RBracket => "']'",
            Self::LBrace => "'{'",
            Self::RBrace => "'}'",
            Self::LParen => "'('",
            Self::RParen => "')'",
            Self::Dot => "'.'",
            Self::Comma => "','",
            Self::Minus => "'-'",
            Self::Exclam => "'!'",
            Self::QuestionMark => "'?'",
            Self::Colon => "':'",
            Self::Plus => "'+'",
            Self::Star => "'*'",
            Self::Slash => "'/'",
            Self::Percent => "'%'",
            Self::True => "'true'",
            Self::False => "'false'",
            Self::Null => "'null'",
            Self::Float => "NUM_FLOAT",
            Self::Int => "NUM_INT",
            Self::Uint => "NUM_UINT",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Identifier => "IDENTIFIER",
            Self::EscIdentifier => "ESC_IDENTIFIER",
        }
    }
}

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
    /// What is written.
    pub(super) fn text<'a>(&'a self, text: &'a str) -> &'a str {
        match &self.invented {
            Some(invented) => invented,
            None => &text[self.bytes.0 as usize..self.bytes.1 as usize],
        }
    }
}
