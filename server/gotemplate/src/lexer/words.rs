//! Names, numbers and quoted texts.

use crd_analyzer_goregexp::{is_digit, is_letter};
use crd_analyzer_gostd::{is_print, quote};

use super::{BLANKS, Lexer, RIGHT};
use crate::token::{Keyword, Kind, Token};

/// Whether a character can be part of a name.
pub(super) fn is_of_word(c: char) -> bool {
    c == '_' || is_letter(c) || is_digit(c)
}

/// A character as Go's verb `%#U` prints it.
pub(super) fn code_point(c: char) -> String {
    let printed = if is_print(c) { format!(" '{c}'") } else { String::new() };
    format!("U+{:04X}{printed}", c as u32)
}

impl Lexer<'_> {
    /// Whether a name may end here.
    fn is_at_end(&self) -> bool {
        let ends = |it: char| BLANKS.contains(&it) || matches!(it, '.' | ',' | '|' | ':' | ')' | '(');
        self.peek().is_none_or(ends) || self.rest().starts_with(RIGHT)
    }

    /// A name that may not be followed by the next character.
    fn bad(&mut self) -> Token {
        let next = self.bump().map(code_point).unwrap_or_default();
        self.fail(format!("bad character {next}"))
    }

    /// Reads a function, a keyword, or a boolean.
    pub(super) fn word(&mut self) -> Token {
        self.take_while(is_of_word);
        if !self.is_at_end() {
            return self.bad();
        }
        let word = &self.text[self.start..self.at];
        let kind = match Keyword::of(word) {
            Some(keyword) => Kind::Keyword(keyword),
            None if word == "true" || word == "false" => Kind::Bool,
            None => Kind::Identifier,
        };
        self.token(kind)
    }

    /// Reads a field or a variable after its first character.
    pub(super) fn name(&mut self, kind: Kind) -> Token {
        if self.is_at_end() {
            return self.token(match kind {
                Kind::Variable => kind,
                _ => Kind::Keyword(Keyword::Dot),
            });
        }
        self.take_while(is_of_word);
        if self.is_at_end() { self.token(kind) } else { self.bad() }
    }

    /// Reads the rest of a string or a character in quotes.
    pub(super) fn quoted(&mut self, quote: char) -> Token {
        loop {
            match self.bump() {
                Some('\\') if self.peek().is_some_and(|it| it != '\n') => {
                    self.bump();
                }
                Some(it) if it == quote => break,
                None | Some('\n' | '\\') => {
                    return self.fail(if quote == '"' {
                        "unterminated quoted string"
                    } else {
                        "unterminated character constant"
                    });
                }
                Some(_) => {}
            }
        }
        self.token(if quote == '"' { Kind::String } else { Kind::CharConstant })
    }

    /// Reads the rest of a string in back quotes.
    pub(super) fn raw(&mut self) -> Token {
        if let Some(end) = self.rest().find('`') {
            self.at += end + 1;
            self.token(Kind::RawString)
        } else {
            self.at = self.text.len();
            self.fail("unterminated raw quoted string")
        }
    }

    /// Reads a number. Whether it has a value is known later.
    pub(super) fn number(&mut self) -> Token {
        if !self.digits() {
            return self.bad_number();
        }
        if !matches!(self.peek(), Some('+' | '-')) {
            return self.token(Kind::Number);
        }
        // A sum of a real and an imaginary number.
        if self.digits() && self.text[..self.at].ends_with('i') {
            self.token(Kind::Complex)
        } else {
            self.bad_number()
        }
    }

    fn bad_number(&mut self) -> Token {
        let written = quote(&self.text[self.start..self.at]);
        self.fail(format!("bad number syntax: {written}"))
    }

    /// Takes a character if it is one of these.
    fn accept(&mut self, wanted: &[char]) -> bool {
        let is_wanted = self.peek().is_some_and(|it| wanted.contains(&it));
        if is_wanted {
            self.bump();
        }
        is_wanted
    }

    /// Takes a number with an optional sign. Returns whether no letter follows.
    fn digits(&mut self) -> bool {
        self.accept(&['+', '-']);
        let is_octal = |it: char| matches!(it, '0'..='7' | '_');
        let is_binary = |it: char| matches!(it, '0' | '1' | '_');
        let is_decimal = |it: char| it.is_ascii_digit() || it == '_';
        let is_hex = |it: char| it.is_ascii_hexdigit() || it == '_';
        let mut is_digit: &dyn Fn(char) -> bool = &is_decimal;
        let mut exponent: &[char] = &['e', 'E'];
        if self.accept(&['0']) {
            if self.accept(&['x', 'X']) {
                (is_digit, exponent) = (&is_hex, &['p', 'P']);
            } else if self.accept(&['o', 'O']) {
                (is_digit, exponent) = (&is_octal, &[]);
            } else if self.accept(&['b', 'B']) {
                (is_digit, exponent) = (&is_binary, &[]);
            }
        }
        self.take_while(is_digit);
        if self.accept(&['.']) {
            self.take_while(is_digit);
        }
        if self.accept(exponent) {
            self.accept(&['+', '-']);
            self.take_while(is_decimal);
        }
        self.accept(&['i']);
        if self.peek().is_some_and(is_of_word) {
            self.bump();
            return false;
        }
        true
    }
}
