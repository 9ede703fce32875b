//! The tokens of Go's `text/scanner`, in the mode that controller-gen uses for the arguments of markers.

use std::ops::Range;

use super::{escape::escape, refused::Problem};

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name.
    Word,
    /// A number without a fraction.
    Integer,
    /// A number with a fraction or an exponent.
    Number,
    /// A string in double quotes or backquotes.
    Text,
    /// Any other character.
    Sign(char),
    /// The end of the text.
    End,
}

/// Scans a text token by token.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    /// The end of the last character that was scanned.
    pub(super) at: usize,
    /// The range of the last token. Empty if only blanks were scanned, because controller-gen then sees a token without text.
    pub(super) token: Range<usize>,
    /// Whether digits start a number.
    pub(super) has_numbers: bool,
    /// The first error, and its span.
    pub(super) problem: Option<(Range<usize>, Problem)>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            token: 0..0,
            has_numbers: true,
            problem: None,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Peeks at the next character that is not a blank.
    pub(super) fn peek_sign(&mut self) -> Option<char> {
        let before = self.at;
        self.blanks();
        if self.at > before {
            self.token.end = self.token.start;
        }
        self.peek()
    }

    pub(super) fn refuse(&mut self, span: Range<usize>, problem: Problem) {
        self.problem.get_or_insert((span, problem));
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn step(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads a token.
    pub(super) fn scan(&mut self) -> Token {
        self.blanks();
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some(first) if first == '_' || first.is_alphabetic() => {
                let is_of = |it: char| it == '_' || it.is_alphanumeric();
                let rest = self.rest();
                self.at += rest.find(|it| !is_of(it)).unwrap_or(rest.len());
                Token::Word
            }
            Some('0'..='9') if self.has_numbers => self.number(false),
            Some('.') => {
                self.at += 1;
                let is_number = self.has_numbers && self.peek().is_some_and(|it| it.is_ascii_digit());
                if is_number { self.number(true) } else { Token::Sign('.') }
            }
            Some(quote @ ('"' | '`')) => {
                self.at += 1;
                self.string(start, quote);
                Token::Text
            }
            Some(other) => {
                self.at += other.len_utf8();
                Token::Sign(other)
            }
        };
        self.token = start..self.at;
        token
    }

    fn string(&mut self, start: usize, quote: char) {
        while let Some(next) = self.step() {
            if next == quote {
                return;
            }
            if next == '\n' && quote == '"' {
                self.refuse(start..self.at, Problem::Quote);
                return;
            }
            if next == '\\' && quote == '"' {
                if let Some(length) = escape(self.rest()) {
                    self.at += length;
                } else {
                    let end = self.at + self.peek().map_or(0, char::len_utf8);
                    self.refuse(self.at - 1..end, Problem::Escape);
                }
            }
        }
        self.refuse(start..self.at, Problem::Quote);
    }

    fn digits(&mut self, base: u32) -> Digits {
        let mut digits = Digits::default();
        while let Some(next) = self.peek() {
            match next {
                '_' => {}
                '0'..='9' => digits.are_wrong |= base <= 10 && !next.is_digit(base),
                _ if base == 16 && next.is_ascii_hexdigit() => {}
                _ => break,
            }
            digits.are_some |= next != '_';
            self.at += 1;
        }
        digits
    }

    /// Scans a number. `has_point` means that the point before the digits was already scanned.
    fn number(&mut self, mut has_point: bool) -> Token {
        let start = self.at - usize::from(has_point);
        let mut token = Token::Integer;
        let mut base = 10;
        let mut prefix = None;
        let mut whole = Digits::default();
        if !has_point {
            if self.peek() == Some('0') {
                self.at += 1;
                prefix = self
                    .peek()
                    .map(|it| it.to_ascii_lowercase())
                    .filter(|it| "xob".contains(*it));
                base = match prefix {
                    Some('x') => 16,
                    Some('b') => 2,
                    _ => 8,
                };
                if prefix.is_some() {
                    self.at += 1;
                } else {
                    whole.are_some = true;
                }
            }
            whole = whole.and(self.digits(base));
            if self.peek() == Some('.') {
                self.at += 1;
                has_point = true;
            }
        }
        if has_point {
            token = Token::Number;
            let is_wrong = matches!(prefix, Some('o' | 'b'));
            let fraction = self.digits(base);
            whole.are_some |= fraction.are_some;
            if is_wrong {
                self.refuse(start..self.at, Problem::Number);
            }
        }
        let mut is_wrong = !whole.are_some;
        let exponent = self.peek().map(|it| it.to_ascii_lowercase());
        if let Some(exponent @ ('e' | 'p')) = exponent {
            is_wrong |= (exponent == 'e') == prefix.is_some() && (exponent == 'e' || prefix != Some('x'));
            self.at += 1;
            token = Token::Number;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            is_wrong |= !self.digits(10).are_some;
        } else {
            is_wrong |= prefix == Some('x') && token == Token::Number;
        }
        is_wrong |= token == Token::Integer && whole.are_wrong;
        let text = self.text[start..self.at].to_ascii_lowercase();
        is_wrong |= !are_separated(text.as_bytes());
        if is_wrong {
            self.refuse(start..self.at, Problem::Number);
        }
        token
    }
}

/// Facts about the digits that were scanned.
#[derive(Clone, Copy, Default)]
struct Digits {
    are_some: bool,
    /// Whether any digit is not valid in the base.
    are_wrong: bool,
}

impl Digits {
    fn and(self, other: Self) -> Self {
        Self {
            are_some: self.are_some || other.are_some,
            are_wrong: self.are_wrong || other.are_wrong,
        }
    }
}

/// Whether all underscores in a number are between digits. The prefix of a base is treated as a digit.
fn are_separated(number: &[u8]) -> bool {
    let has_prefix = number.len() > 1 && number[0] == b'0' && b"xob".contains(&number[1]);
    let mut before = if has_prefix { b'0' } else { b'.' };
    let is_hex = has_prefix && number[1] == b'x';
    let kind = |it: u8| match it {
        b'_' => b'_',
        b'0'..=b'9' => b'0',
        b'a'..=b'f' if is_hex => b'0',
        _ => b'.',
    };
    for byte in number.iter().skip(if has_prefix { 2 } else { 0 }) {
        let this = kind(*byte);
        let is_wrong = this == b'_' && before != b'0' || this != b'0' && before == b'_';
        if is_wrong {
            return false;
        }
        before = this;
    }
    before != b'_'
}
