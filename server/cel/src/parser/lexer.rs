//! Splits an expression into tokens, like the lexer that ANTLR generates from `cel-go`'s grammar. The longest match wins. If nothing matches,
//! everything up to and including the first unexpected character is one error.

use super::token::{Kind, Token};
use crate::ast::Source;

/// The next token or error.
pub(super) enum Lexed {
    /// A token. At the end of the expression, every call returns [`Kind::Eof`].
    Token(Token),
    /// Characters that are part of no token.
    Error {
        bytes: (u32, u32),
        offset: u32,
        text: String,
    },
}

/// A lexer with its position in the expression.
pub(super) struct Lexer<'a> {
    source: &'a Source,
    text: &'a [u8],
    at: usize,
    /// Whether names in backticks are tokens.
    escaped_identifiers: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a Source, escaped_identifiers: bool) -> Self {
        Self {
            source,
            text: source.text().as_bytes(),
            at: 0,
            escaped_identifiers,
        }
    }

    /// Reads the next token or error; whitespace and comments are skipped.
    pub(super) fn next(&mut self) -> Lexed {
        self.skip_hidden();
        let start = self.at;
        if start == self.text.len() {
            return Lexed::Token(self.token(Kind::Eof, start, start));
        }
        match self.scan(start) {
            Ok((kind, end)) => {
                self.at = end;
                Lexed::Token(self.token(kind, start, end))
            }
            Err(failed) => {
                let end = self.after_char(failed);
                self.at = end;
                Lexed::Error {
                    bytes: (start as u32, end as u32),
                    offset: self.source.offset(start) as u32,
                    text: self.source.text()[start..end].to_owned(),
                }
            }
        }
    }

    fn token(&self, kind: Kind, start: usize, end: usize) -> Token {
        Token {
            kind,
            bytes: (start as u32, end as u32),
            offset: self.source.offset(start) as u32,
            invented: None,
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// The offset after the character at `at`, at most the end of the expression.
    fn after_char(&self, at: usize) -> usize {
        let mut end = (at + 1).min(self.text.len());
        while self.text.get(end).is_some_and(|b| b & 0xc0 == 0x80) {
            end += 1;
        }
        end
    }

    fn skip_hidden(&mut self) {
        loop {
            match self.byte(self.at) {
                Some(b'\t' | b' ' | b'\r' | b'\n' | 0x0c) => self.at += 1,
                Some(b'/') if self.byte(self.at + 1) == Some(b'/') => {
                    while self.byte(self.at).is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The kind and end of the longest token at `start`, or the position of the first character that fits no token.
    fn scan(&self, start: usize) -> Result<(Kind, usize), usize> {
        let two = |second: u8, long: Kind, short: Option<Kind>| {
            if self.byte(start + 1) == Some(second) {
                Ok((long, start + 2))
            } else {
                short.map(|kind| (kind, start + 1)).ok_or(start + 1)
            }
        };
        let one = |kind| Ok((kind, start + 1));
        match self.text[start] {
            b'=' => two(b'=', Kind::Equals, None),
            b'!' => two(b'=', Kind::NotEquals, Some(Kind::Exclam)),
            b'<' => two(b'=', Kind::LessEquals, Some(Kind::Less)),
            b'>' => two(b'=', Kind::GreaterEquals, Some(Kind::Greater)),
            b'&' => two(b'&', Kind::LogicalAnd, None),
            b'|' => two(b'|', Kind::LogicalOr, None),
            b'[' => one(Kind::LBracket),
            b']' => one(Kind::RBracket),
            b'{' => one(Kind::LBrace),
            b'}' => one(Kind::RBrace),
            b'(' => one(Kind::LParen),
            b')' => one(Kind::RParen),
            b',' => one(Kind::Comma),
            b'-' => one(Kind::Minus),
            b'?' => one(Kind::QuestionMark),
            b':' => one(Kind::Colon),
            b'+' => one(Kind::Plus),
            b'*' => one(Kind::Star),
            b'/' => one(Kind::Slash),
            b'%' => one(Kind::Percent),
            b'.' if self.byte(start + 1).is_some_and(|b| b.is_ascii_digit()) => {
                let digits = self.digits(start + 1);
                Ok((Kind::Float, self.exponent(digits).unwrap_or(digits)))
            }
            b'.' => one(Kind::Dot),
            b'0'..=b'9' => Ok(self.number(start)),
            b'"' | b'\'' => self.quoted(start).map(|end| (Kind::String, end)),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => Ok(self.word(start)),
            b'`' if self.escaped_identifiers => self.escaped_identifier(start),
            _ => Err(start),
        }
    }

    fn digits(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(|b| b.is_ascii_digit()) {
            at += 1;
        }
        at
    }

    fn exponent(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), Some(b'e' | b'E')) {
            return None;
        }
        let digits = if matches!(self.byte(at + 1), Some(b'+' | b'-')) {
            at + 2
        } else {
            at + 1
        };
        let end = self.digits(digits);
        (end > digits).then_some(end)
    }

    fn number(&self, start: usize) -> (Kind, usize) {
        let unsigned = |end: usize| matches!(self.byte(end), Some(b'u' | b'U'));
        if self.text[start] == b'0' && self.byte(start + 1) == Some(b'x') {
            let mut end = start + 2;
            while self.byte(end).is_some_and(|b| b.is_ascii_hexdigit()) {
                end += 1;
            }
            if end > start + 2 {
                return if unsigned(end) {
                    (Kind::Uint, end + 1)
                } else {
                    (Kind::Int, end)
                };
            }
        }
        let end = self.digits(start);
        if self.byte(end) == Some(b'.') {
            let fraction = self.digits(end + 1);
            if fraction > end + 1 {
                return (Kind::Float, self.exponent(fraction).unwrap_or(fraction));
            }
        }
        match self.exponent(end) {
            Some(end) => (Kind::Float, end),
            None if unsigned(end) => (Kind::Uint, end + 1),
            None => (Kind::Int, end),
        }
    }

    fn word(&self, start: usize) -> (Kind, usize) {
        let mut end = start + 1;
        while self.byte(end).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            end += 1;
        }
        // Letters before a quote are a string prefix only if the string is complete. Otherwise they are a name.
        if let Some(quote @ (b'"' | b'\'')) = self.byte(end) {
            let string = match &self.text[start..end] {
                b"r" | b"R" => self.raw(end, quote).map(|end| (Kind::String, end)),
                b"b" | b"B" => self.quoted(end).ok().map(|end| (Kind::Bytes, end)),
                b"br" | b"bR" | b"Br" | b"BR" => self.raw(end, quote).map(|end| (Kind::Bytes, end)),
                _ => None,
            };
            if let Some(string) = string {
                return string;
            }
        }
        let kind = match &self.text[start..end] {
            b"in" => Kind::In,
            b"true" => Kind::True,
            b"false" => Kind::False,
            b"null" => Kind::Null,
            _ => Kind::Identifier,
        };
        (kind, end)
    }

    /// The end of the string whose opening quote is at `start`.
    fn quoted(&self, start: usize) -> Result<usize, usize> {
        let quote = self.text[start];
        if self.byte(start + 1) == Some(quote) {
            // An empty string, unless a complete triple-quoted string starts here.
            return Ok(self.triple(start).unwrap_or(start + 2));
        }
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                None | Some(b'\n' | b'\r') => return Err(at),
                Some(b'\\') => at = self.escape(at)?,
                Some(b) if b == quote => return Ok(at + 1),
                Some(_) => at += 1,
            }
        }
    }

    fn is_triple(&self, at: usize, quote: u8) -> bool {
        self.text.get(at..at + 3).is_some_and(|s| s.iter().all(|b| *b == quote))
    }

    fn triple(&self, start: usize) -> Option<usize> {
        let quote = self.text[start];
        if !self.is_triple(start, quote) {
            return None;
        }
        let mut at = start + 3;
        loop {
            if self.is_triple(at, quote) {
                return Some(at + 3);
            }
            match self.byte(at)? {
                b'\\' => at = self.escape(at).ok()?,
                _ => at += 1,
            }
        }
    }

    /// The end of the raw string whose opening quote is at `start`.
    fn raw(&self, start: usize, quote: u8) -> Option<usize> {
        if self.is_triple(start, quote)
            && let Some(end) = (start + 3..self.text.len()).find(|at| self.is_triple(*at, quote))
        {
            return Some(end + 3);
        }
        let mut at = start + 1;
        loop {
            match self.byte(at)? {
                b'\n' | b'\r' => return None,
                b if b == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// The end of the escape sequence whose backslash is at `at`, or the position where it becomes invalid.
    fn escape(&self, at: usize) -> Result<usize, usize> {
        let run = |start: usize, count: usize, valid: fn(u8) -> bool| {
            (start..start + count)
                .find(|at| !self.byte(*at).is_some_and(valid))
                .map_or(Ok(start + count), Err)
        };
        let hex = |b: u8| b.is_ascii_hexdigit();
        match self.byte(at + 1) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => Ok(at + 2),
            Some(b'x' | b'X') => run(at + 2, 2, hex),
            Some(b'u') => run(at + 2, 4, hex),
            Some(b'U') => run(at + 2, 8, hex),
            Some(b'0'..=b'3') => run(at + 2, 2, |b| (b'0'..=b'7').contains(&b)),
            _ => Err(at + 1),
        }
    }

    fn escaped_identifier(&self, start: usize) -> Result<(Kind, usize), usize> {
        let mut at = start + 1;
        while self
            .byte(at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/' | b' '))
        {
            at += 1;
        }
        if at > start + 1 && self.byte(at) == Some(b'`') {
            Ok((Kind::EscIdentifier, at + 1))
        } else {
            Err(at)
        }
    }
}
