//! The kinds of tokens of CEL, numbered and named as in `cel-go`'s grammar (`parser/gen/CEL.g4`), because messages list them in that
//! order.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TokenKind {
    /// The end of the expression.
    Eof = 0,
    /// `==`
    Equals,
    /// `!=`
    NotEquals,
    /// `in`
    In,
    /// `<`
    Less,
    /// `<=`
    LessEquals,
    /// `>=`
    GreaterEquals,
    /// `>`
    Greater,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
    /// `[`
    LBracket,
    /// `]`
    RBracket,
    /// `{`
    LBrace,
    /// `}`
    RBrace,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `-`
    Minus,
    /// `!`
    Exclam,
    /// `?`
    QuestionMark,
    /// `:`
    Colon,
    /// `+`
    Plus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// `1.5`
    Float = 31,
    /// `1`
    Int,
    /// `1u`
    Uint,
    /// `'text'`
    String,
    /// `b'bytes'`
    Bytes,
    /// A name.
    Identifier,
    /// A name in backticks.
    EscIdentifier,
}

const BY_NUMBER: [TokenKind; 36] = [
    TokenKind::Eof,
    TokenKind::Equals,
    TokenKind::NotEquals,
    TokenKind::In,
    TokenKind::Less,
    TokenKind::LessEquals,
    TokenKind::GreaterEquals,
    TokenKind::Greater,
    TokenKind::LogicalAnd,
    TokenKind::LogicalOr,
    TokenKind::LBracket,
    TokenKind::RBracket,
    TokenKind::LBrace,
    TokenKind::RBrace,
    TokenKind::LParen,
    TokenKind::RParen,
    TokenKind::Dot,
    TokenKind::Comma,
    TokenKind::Minus,
    TokenKind::Exclam,
    TokenKind::QuestionMark,
    TokenKind::Colon,
    TokenKind::Plus,
    TokenKind::Star,
    TokenKind::Slash,
    TokenKind::Percent,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Null,
    TokenKind::Float,
    TokenKind::Int,
    TokenKind::Uint,
    TokenKind::String,
    TokenKind::Bytes,
    TokenKind::Identifier,
    TokenKind::EscIdentifier,
];

impl TokenKind {
    /// The kind with this number. Whitespace and comments have numbers too, but no caller passes them.
    pub(crate) fn from_number(number: u8) -> Self {
        BY_NUMBER
            .iter()
            .copied()
            .find(|k| *k as u8 == number)
            .unwrap_or(Self::Eof)
    }

    /// The name in `cel-go`'s messages: the quoted symbol if the token has a single spelling, otherwise a word.
    pub fn name(self) -> &'static str {
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
