//! Finds the ends of scalars and the errors inside them. [`crate::scalar`] decodes their values.

use super::cursor::Mark;
use super::scan::Scanner;
use super::token::{Token, TokenKind};
use super::{Failure, Problem};
use crate::scalar::break_len;
use crate::tree::{ScalarStyle, Span};

/// The class of bytes that the scan of a plain scalar must look at.
const PLAIN: u8 = 1;
/// The class of bytes that the scan of a single-quoted scalar must look at.
const SINGLE: u8 = 2;
/// The class of bytes that the scan of a double-quoted scalar must look at.
const DOUBLE: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0x80;
    while byte < 256 {
        classes[byte] = PLAIN | SINGLE | DOUBLE;
        byte += 1;
    }
    let all = [0, b' ', b'\t', b'\n', b'\r'];
    let mut at = 0;
    while at < all.len() {
        classes[all[at] as usize] = PLAIN | SINGLE | DOUBLE;
        at += 1;
    }
    let plain = *b":,?[]{}";
    at = 0;
    while at < plain.len() {
        classes[plain[at] as usize] = PLAIN;
        at += 1;
    }
    classes[b'\'' as usize] = SINGLE;
    classes[b'"' as usize] = DOUBLE;
    classes[b'\\' as usize] = DOUBLE;
    classes
};

impl<const TRACKED: bool> Scanner<'_, TRACKED> {
    /// Skips bytes without a special meaning in the given kind of scalar.
    fn skip_ordinary(&mut self, class: u8) {
        if !TRACKED {
            let rest = &self.cursor.bytes[self.cursor.pos..];
            let len = rest.iter().take_while(|&&it| CLASSES[it as usize] & class == 0).count();
            self.cursor.skip_ascii(len);
        }
    }

    /// Skips to the end of the line if the rest of the line contains no special byte and no byte outside ASCII, which is true for nearly all lines of
    /// long scalars. May only be called at positions within a line, after a word.
    fn skip_rest_of_line(&mut self, stop: u8, other_stop: u8) {
        // The search is done in steps, so that a text of one long line is not searched repeatedly.
        const STRIDE: usize = 256;
        if TRACKED {
            return;
        }
        let rest = &self.cursor.bytes[self.cursor.pos..];
        let rest = &rest[..rest.len().min(STRIDE)];
        let Some(len) = memchr::memchr2(b'\n', b'\r', rest) else {
            return;
        };
        let line = &rest[..len];
        if line.is_ascii() && memchr::memchr2(stop, other_stop, line).is_none() {
            let blanks = line.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
            self.cursor.skip_ascii(len - blanks);
        }
    }

    /// Scans a plain scalar. Also returns whether a line break follows the scalar.
    pub(super) fn scan_plain(&mut self) -> Result<(Token, bool), Failure> {
        let start = self.cursor.mark();
        let indent = (self.indent + 1) as usize;
        let in_flow = self.flow_level > 0;
        let mut end = self.cursor.pos;
        let mut after_break = false;
        let mut decode = false;
        loop {
            self.cursor.need(4)?;
            if self.cursor.column() == 0 && self.document_indicator().is_some() || self.cursor.byte(0) == b'#' {
                break;
            }
            let run = self.cursor.pos;
            if run > start.pos as usize && !in_flow {
                self.skip_rest_of_line(b':', b'#');
            }
            loop {
                self.skip_ordinary(PLAIN);
                match self.cursor.byte(0) {
                    b':' if self.cursor.is_blankz(1) => break,
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' if in_flow => break,
                    _ if self.cursor.is_blankz(0) => break,
                    _ => self.cursor.skip(),
                }
                self.cursor.need(2)?;
            }
            if self.cursor.pos > run {
                decode |= after_break;
                after_break = false;
                end = self.cursor.pos;
            }
            if self.cursor.at_end() || !self.cursor.is_blankz(0) {
                break;
            }
            self.cursor.need(1)?;
            loop {
                if self.cursor.is_blank(0) {
                    if after_break && self.cursor.column() < indent && self.cursor.byte(0) == b'\t' {
                        return Err(self.error("while scanning a plain scalar", start, Problem::TabIndents));
                    }
                    if after_break && !TRACKED && self.cursor.byte(0) == b' ' {
                        self.cursor.skip_spaces(usize::MAX)?;
                    } else {
                        self.cursor.skip_ascii(1);
                    }
                } else if self.cursor.break_here() > 0 {
                    self.cursor.need(2)?;
                    self.cursor.skip_break();
                    after_break = true;
                } else {
                    break;
                }
                self.cursor.need(1)?;
            }
            if !in_flow && self.cursor.column() < indent {
                break;
            }
        }
        let mut token = Token::new(TokenKind::Scalar(ScalarStyle::Plain), start, end as u32);
        token.decode = decode;
        Ok((token, after_break))
    }

    /// Scans a quoted scalar.
    pub(super) fn scan_quoted(&mut self, single: bool) -> Result<Token, Failure> {
        let start = self.cursor.mark();
        let (quote, class) = if single { (b'\'', SINGLE) } else { (b'"', DOUBLE) };
        let mut decode = false;
        self.cursor.skip_ascii(1);
        loop {
            self.cursor.need(4)?;
            if self.cursor.column() == 0 && self.document_indicator().is_some() {
                return Err(self.error("while scanning a quoted scalar", start, Problem::DocumentIndicator));
            }
            if self.cursor.at_end() {
                let opening = Span::new(start.pos, start.pos + 1);
                return Err(self.error_at(opening, "while scanning a quoted scalar", start, Problem::EndOfStream));
            }
            if self.cursor.pos > start.pos as usize + 1 {
                self.skip_rest_of_line(quote, if single { quote } else { b'\\' });
            }
            loop {
                self.skip_ordinary(class);
                match self.cursor.byte(0) {
                    b'\'' if single && self.cursor.byte(1) == b'\'' => {
                        decode = true;
                        self.cursor.skip_ascii(2);
                    }
                    it if it == quote => break,
                    b'\\' if !single => {
                        decode = true;
                        if break_len(self.cursor.bytes, self.cursor.pos + 1) > 0 {
                            self.cursor.need(3)?;
                            self.cursor.skip_ascii(1);
                            self.cursor.skip_break();
                            break;
                        }
                        self.scan_escape(start)?;
                    }
                    _ if self.cursor.is_blankz(0) => break,
                    _ => self.cursor.skip(),
                }
                self.cursor.need(2)?;
            }
            self.cursor.need(1)?;
            if self.cursor.byte(0) == quote {
                break;
            }
            loop {
                if self.cursor.is_blank(0) {
                    self.cursor.skip_ascii(1);
                } else if self.cursor.break_here() > 0 {
                    decode = true;
                    self.cursor.need(2)?;
                    self.cursor.skip_break();
                } else {
                    break;
                }
                self.cursor.need(1)?;
            }
        }
        self.cursor.skip_ascii(1);
        let style = if single {
            ScalarStyle::SingleQuoted
        } else {
            ScalarStyle::DoubleQuoted
        };
        let mut token = Token::new(TokenKind::Scalar(style), start, self.cursor.pos as u32);
        token.decode = decode;
        Ok(token)
    }

    /// Checks and skips an escape sequence.
    fn scan_escape(&mut self, start: Mark) -> Result<(), Failure> {
        const CONTEXT: &str = "while parsing a quoted scalar";
        let digits = match self.cursor.byte(1) {
            b'0' | b'a' | b'b' | b't' | b'\t' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"' | b'\'' | b'\\'
            | b'N' | b'_' | b'L' | b'P' => 0,
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return Err(self.error(CONTEXT, start, Problem::UnknownEscape)),
        };
        self.cursor.skip_ascii(2);
        if digits == 0 {
            return Ok(());
        }
        self.cursor.need(digits)?;
        let mut code: u64 = 0;
        for at in 0..digits {
            let Some(digit) = char::from(self.cursor.byte(at)).to_digit(16) else {
                return Err(self.error(CONTEXT, start, Problem::HexadecimalNumber));
            };
            code = (code << 4) | u64::from(digit);
        }
        if (0xD800..=0xDFFF).contains(&code) || code > 0x10_FFFF {
            return Err(self.error(CONTEXT, start, Problem::InvalidEscape));
        }
        self.cursor.skip_ascii(digits);
        Ok(())
    }

    /// The tag between a key or a dash and a block scalar on the same line.
    fn tag_before(&self, scalar: Mark) -> Option<Span> {
        let before = &self.cursor.bytes[..scalar.pos as usize];
        let line = self.cursor.line_start(before.len());
        let is_begin = |it: &[u8]| matches!(it[0], b':' | b'-') && it[1..] == *b" !";
        let start = line + before[line..].windows(3).position(is_begin)? + 2;
        let end = before.trim_ascii_end().len();
        Some(Span::new(start as u32, end as u32))
    }

    /// Scans a literal or folded scalar.
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<Token, Failure> {
        const CONTEXT: &str = "while scanning a block scalar";
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        self.cursor.need(1)?;
        let mut chomp = 0;
        let mut increment = 0;
        // Both indicators are optional and may come in either order.
        for _ in 0..2 {
            match self.cursor.byte(0) {
                it @ (b'+' | b'-') if chomp == 0 => chomp = it,
                b'0' if increment == 0 => {
                    return Err(self.error(CONTEXT, start, Problem::ZeroIndentation));
                }
                it @ b'1'..=b'9' if increment == 0 => increment = i32::from(it - b'0'),
                _ => break,
            }
            self.cursor.skip_ascii(1);
            self.cursor.need(1)?;
        }
        while self.cursor.is_blank(0) {
            self.cursor.skip_ascii(1);
            self.cursor.need(1)?;
        }
        // The end of the value so far.
        let mut end = self.cursor.pos;
        if self.cursor.byte(0) == b'#' {
            self.scan_comment()?;
        }
        if !self.cursor.is_breakz() {
            return Err(match self.tag_before(start) {
                Some(tag) => self.error_at(tag, CONTEXT, start, Problem::BlockAfterTag),
                None => self.error(CONTEXT, start, Problem::CommentOrLineBreak),
            });
        }
        if self.cursor.break_here() > 0 {
            self.cursor.need(2)?;
            self.cursor.skip_break();
        }
        let mut indent = if increment > 0 {
            (self.indent.max(0) + increment) as usize
        } else {
            0
        };
        let mut breaks_end = self.scan_block_breaks(&mut indent, start)?;
        self.cursor.need(1)?;
        while self.cursor.column() == indent && !self.cursor.at_end() {
            self.cursor.skip_to_line_end()?;
            end = self.cursor.pos;
            self.cursor.need(2)?;
            self.cursor.skip_break();
            if chomp != b'-' {
                end = self.cursor.pos;
            }
            breaks_end = self.scan_block_breaks(&mut indent, start)?;
        }
        if chomp == b'+' {
            end = end.max(breaks_end);
        }
        let style = if literal {
            ScalarStyle::Literal
        } else {
            ScalarStyle::Folded
        };
        let mut token = Token::new(TokenKind::Scalar(style), start, end as u32);
        token.decode = true;
        token.extra = indent as u32;
        Ok(token)
    }

    /// Skips indentation and empty lines, and determines the indentation if it is not known yet (0). Returns the end of the last empty line.
    fn scan_block_breaks(&mut self, indent: &mut usize, start: Mark) -> Result<usize, Failure> {
        let mut end = self.cursor.pos;
        let mut deepest = 0;
        loop {
            self.cursor.need(1)?;
            let wanted = if *indent == 0 {
                usize::MAX
            } else {
                indent.saturating_sub(self.cursor.column())
            };
            self.cursor.skip_spaces(wanted)?;
            let column = self.cursor.column();
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.cursor.byte(0) == b'\t' {
                let problem = Problem::TabForSpace;
                return Err(self.error("while scanning a block scalar", start, problem));
            }
            if self.cursor.break_here() == 0 {
                break;
            }
            self.cursor.need(2)?;
            self.cursor.skip_break();
            end = self.cursor.pos;
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1).max(1) as usize);
        }
        Ok(end)
    }
}
