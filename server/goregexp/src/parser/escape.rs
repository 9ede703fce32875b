//! Escapes: assertions, quoted text, classes, and individual characters.

use super::{Fail, Parser, fail};
use crate::class::{append_class, append_folded_range, append_negated, clean, of_ranges};
use crate::error::ErrorCode;
use crate::tree::{MAX_RUNE, Op, Rune, flags};
use crate::unicode;

/// A named set of ASCII characters, or its complement.
pub(super) struct Group {
    pub(super) positive: bool,
    pub(super) class: &'static [(u8, u8)],
}

const DIGIT: &[(u8, u8)] = &[(b'0', b'9')];
const SPACE: &[(u8, u8)] = &[(b'\t', b'\n'), (0x0C, b'\r'), (b' ', b' ')];
pub(super) const WORD: &[(u8, u8)] = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

impl Parser<'_> {
    /// Parses a backslash outside of brackets and returns the end of the escape.
    pub(super) fn backslash(&mut self, at: usize) -> Result<usize, Fail> {
        match self.byte(at + 1) {
            Some(b'A') => {
                self.op(Op::BeginText)?;
                return Ok(at + 2);
            }
            Some(b'b') => {
                self.op(Op::WordBoundary)?;
                return Ok(at + 2);
            }
            Some(b'B') => {
                self.op(Op::NoWordBoundary)?;
                return Ok(at + 2);
            }
            Some(b'C') => return fail(ErrorCode::InvalidEscape, at..at + 2),
            Some(b'Q') => return self.quoted(at + 2),
            Some(b'z') => {
                self.op(Op::EndText)?;
                return Ok(at + 2);
            }
            _ => {}
        }
        let id = self.new_node(Op::CharClass);
        self.node_mut(id).flags = self.flags;
        let mut class = Vec::new();
        let end = match self.unicode_class(at, &mut class)? {
            Some(end) => Some(end),
            None => self.perl_class(at, &mut class),
        };
        if let Some(end) = end {
            self.node_mut(id).runes = class;
            self.push(id)?;
            return Ok(end);
        }
        self.reuse(id);
        let (rune, end) = self.escape(at)?;
        self.literal(rune)?;
        Ok(end)
    }

    /// Parses the text from `\Q` to `\E` or to the end.
    fn quoted(&mut self, start: usize) -> Result<usize, Fail> {
        let rest = &self.src[start..];
        let (text, end) = match rest.find("\\E") {
            Some(n) => (&rest[..n], start + n + 2),
            None => (rest, self.src.len()),
        };
        for c in text.chars() {
            self.literal(c as Rune)?;
        }
        Ok(end)
    }

    /// Adds `\pN`, `\p{Name}` or `\P{^Name}` at `at` to `class`; `None` if no class starts there.
    pub(super) fn unicode_class(&self, at: usize, class: &mut Vec<Rune>) -> Result<Option<usize>, Fail> {
        if self.byte(at) != Some(b'\\') {
            return Ok(None);
        }
        let mut positive = match self.byte(at + 1) {
            Some(b'p') => true,
            Some(b'P') => false,
            _ => return Ok(None),
        };
        let (c, mut end) = self.rune(at + 2);
        let mut name = &self.src[at + 2..end];
        if c == '{' as Rune {
            let Some(close) = self.src[at..].find('}') else {
                return fail(ErrorCode::InvalidCharRange, at..self.src.len());
            };
            name = &self.src[at + 3..at + close];
            end = at + close + 1;
        }
        if let Some(rest) = name.strip_prefix('^') {
            positive = !positive;
            name = rest;
        }
        let Some(table) = unicode::table(name) else {
            return fail(ErrorCode::InvalidCharRange, at..end);
        };
        if table.inverted {
            positive = !positive;
        }
        let mut runes: Vec<Rune> = of_ranges(table.ranges).collect();
        if let Some(fold) = table.fold.filter(|_| self.flags & flags::FOLD_CASE != 0) {
            runes.extend(of_ranges(fold));
            clean(&mut runes);
        }
        if positive {
            append_class(class, &runes);
        } else {
            append_negated(class, &runes);
        }
        Ok(Some(end))
    }

    /// Adds `\d`, `\s`, `\w` or a complement of these at `at` to `class`.
    pub(super) fn perl_class(&self, at: usize, class: &mut Vec<Rune>) -> Option<usize> {
        if self.byte(at) != Some(b'\\') {
            return None;
        }
        let letter = self.byte(at + 1)?;
        let set = match letter.to_ascii_lowercase() {
            b'd' => DIGIT,
            b's' => SPACE,
            b'w' => WORD,
            _ => return None,
        };
        self.group(
            &Group {
                positive: letter.is_ascii_lowercase(),
                class: set,
            },
            class,
        );
        Some(at + 2)
    }

    /// Adds a named set to `class`. With `(?i)`, also adds its letters in other cases (`appendGroup`).
    pub(super) fn group(&self, group: &Group, class: &mut Vec<Rune>) {
        let mut runes = Vec::with_capacity(group.class.len() * 2);
        for &(lo, hi) in group.class {
            let (lo, hi) = (Rune::from(lo), Rune::from(hi));
            if self.flags & flags::FOLD_CASE == 0 {
                runes.extend([lo, hi]);
            } else {
                append_folded_range(&mut runes, lo, hi);
            }
        }
        clean(&mut runes);
        if group.positive {
            append_class(class, &runes);
        } else {
            append_negated(class, &runes);
        }
    }

    /// Parses the backslash at `at`. Returns the escaped character and the end of the escape (`parseEscape`).
    pub(super) fn escape(&self, at: usize) -> Result<(Rune, usize), Fail> {
        if at + 1 >= self.src.len() {
            let end = self.src.len();
            return fail(ErrorCode::TrailingBackslash, end..end);
        }
        let (c, mut end) = self.rune(at + 1);
        let octal = |at: usize| {
            self.byte(at)
                .filter(|b| (b'0'..=b'7').contains(b))
                .map(|b| Rune::from(b - b'0'))
        };
        let Ok(letter) = u8::try_from(c) else {
            return fail(ErrorCode::InvalidEscape, at..end);
        };
        match letter {
            b'1'..=b'7' if octal(end).is_none() => {}
            b'0'..=b'7' => {
                let mut rune = Rune::from(letter - b'0');
                for _ in 1..3 {
                    let Some(digit) = octal(end) else { break };
                    rune = rune * 8 + digit;
                    end += 1;
                }
                return Ok((rune, end));
            }
            b'x' if end < self.src.len() => {
                let (rune, after) = self.hex(end);
                if let Some(rune) = rune {
                    return Ok((rune, after));
                }
                end = after;
            }
            b'a' => return Ok((0x07, end)),
            b'f' => return Ok((0x0C, end)),
            b'n' => return Ok((0x0A, end)),
            b'r' => return Ok((0x0D, end)),
            b't' => return Ok((0x09, end)),
            b'v' => return Ok((0x0B, end)),
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => return Ok((c, end)),
            _ => {}
        }
        fail(ErrorCode::InvalidEscape, at..end)
    }

    /// Parses the digits after `\x`: two digits, or any number of digits in braces. Also returns the offset where parsing stopped.
    fn hex(&self, at: usize) -> (Option<Rune>, usize) {
        let digit = |c: Rune| {
            u8::try_from(c)
                .ok()
                .and_then(|b| char::from(b).to_digit(16))
                .map(|d| d as Rune)
        };
        let (c, mut end) = self.rune(at);
        if c != '{' as Rune {
            let (second, after) = self.rune(end);
            let rune = digit(c).zip(digit(second)).map(|(hi, lo)| hi * 16 + lo);
            return (rune, after);
        }
        let (mut rune, mut digits) = (0, 0);
        while end < self.src.len() {
            let (c, after) = self.rune(end);
            end = after;
            if c == '}' as Rune {
                return ((digits > 0).then_some(rune), end);
            }
            let Some(value) = digit(c) else { break };
            rune = rune * 16 + value;
            if rune > MAX_RUNE {
                break;
            }
            digits += 1;
        }
        (None, end)
    }
}
