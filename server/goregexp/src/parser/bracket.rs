//! Bracketed character classes.

use super::escape::{Group, WORD};
use super::{Fail, Parser, fail};
use crate::class::{append_folded_range, append_range, clean, negate};
use crate::error::ErrorCode;
use crate::tree::{Op, Rune, flags};

impl Parser<'_> {
    /// Parses the class that starts at `start` and returns its end (`parseClass`).
    pub(super) fn bracket(&mut self, start: usize) -> Result<usize, Fail> {
        let id = self.new_node(Op::CharClass);
        self.node_mut(id).flags = self.flags;
        let mut at = start + 1;
        let negated = self.byte(at) == Some(b'^');
        if negated {
            at += 1;
        }
        let mut class = Vec::new();
        let mut first = true;
        while first || self.byte(at) != Some(b']') {
            first = false;
            if let Some(end) = self.posix_class(at, &mut class)? {
                at = end;
                continue;
            }
            if let Some(end) = self.unicode_class(at, &mut class)? {
                at = end;
                continue;
            }
            if let Some(end) = self.perl_class(at, &mut class) {
                at = end;
                continue;
            }
            let range_start = at;
            let (lo, end) = self.class_char(at, start)?;
            at = end;
            let mut hi = lo;
            if self.byte(at) == Some(b'-') && self.byte(at + 1).is_some_and(|b| b != b']') {
                (hi, at) = self.class_char(at + 1, start)?;
                if hi < lo {
                    return fail(ErrorCode::InvalidCharRange, range_start..at);
                }
            }
            if self.flags & flags::FOLD_CASE == 0 {
                append_range(&mut class, lo, hi);
            } else {
                append_folded_range(&mut class, lo, hi);
            }
        }
        clean(&mut class);
        if negated {
            negate(&mut class);
        }
        self.node_mut(id).runes = class;
        self.push(id)?;
        Ok(at + 1)
    }

    fn class_char(&self, at: usize, class_start: usize) -> Result<(Rune, usize), Fail> {
        match self.byte(at) {
            None => fail(ErrorCode::MissingBracket, class_start..self.src.len()),
            Some(b'\\') => self.escape(at),
            Some(_) => Ok(self.rune(at)),
        }
    }

    /// Adds `[:alpha:]` or `[:^alpha:]` at `at` to `class` and returns its end.
    fn posix_class(&mut self, at: usize, class: &mut Vec<Rune>) -> Result<Option<usize>, Fail> {
        let rest = &self.src[at..];
        if rest.len() <= 2 || !rest.starts_with("[:") || self.no_class_name_end {
            return Ok(None);
        }
        let Some(len) = rest[2..].find(":]") else {
            self.no_class_name_end = true;
            return Ok(None);
        };
        let end = at + 2 + len + 2;
        let (positive, name) = match rest[2..2 + len].strip_prefix('^') {
            Some(name) => (false, name),
            None => (true, &rest[2..2 + len]),
        };
        let set: &[(u8, u8)] = match name {
            "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
            "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
            "ascii" => &[(0, 0x7F)],
            "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
            "cntrl" => &[(0, 0x1F), (0x7F, 0x7F)],
            "digit" => &[(b'0', b'9')],
            "graph" => &[(b'!', b'~')],
            "lower" => &[(b'a', b'z')],
            "print" => &[(b' ', b'~')],
            "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
            "space" => &[(b'\t', b'\r'), (b' ', b' ')],
            "upper" => &[(b'A', b'Z')],
            "word" => WORD,
            "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
            _ => return fail(ErrorCode::InvalidCharRange, at..end),
        };
        self.group(&Group { positive, class: set }, class);
        Ok(Some(end))
    }
}
