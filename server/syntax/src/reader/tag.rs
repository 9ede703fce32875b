//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::cursor::Mark;
use super::scan::Scanner;
use super::token::{Token, TokenKind};
use super::{Failure, Problem};
use crate::tree::Span;

/// Whether a byte may occur in an anchor, a tag handle or a directive's name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether a byte may occur in a tag.
fn is_uri(byte: u8) -> bool {
    is_word(byte) || b";/?:@&=+$,.!~*'()[]%".contains(&byte)
}

/// The context in error messages about a tag.
fn tag_context(directive: bool) -> &'static str {
    if directive {
        "while parsing a %TAG directive"
    } else {
        "while parsing a tag"
    }
}

impl<const TRACKED: bool> Scanner<'_, TRACKED> {
    /// Scans `*name` or `&name`.
    pub(super) fn scan_anchor(&mut self, kind: TokenKind) -> Result<Token, Failure> {
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        self.cursor.need(1)?;
        self.skip_words()?;
        let empty = self.cursor.pos == start.pos as usize + 1;
        let ends = self.cursor.is_blankz(0) || b"?:,]}%@`".contains(&self.cursor.byte(0));
        if empty || !ends {
            let context = if kind == TokenKind::Anchor {
                "while scanning an anchor"
            } else {
                "while scanning an alias"
            };
            return Err(self.error(context, start, Problem::AnchorName));
        }
        Ok(Token::new(kind, start, self.cursor.pos as u32))
    }

    fn skip_words(&mut self) -> Result<(), Failure> {
        while is_word(self.cursor.byte(0)) {
            self.cursor.skip_ascii(1);
            self.cursor.need(1)?;
        }
        Ok(())
    }

    /// Scans a tag. [`Tag::read`] splits it into its parts.
    pub(super) fn scan_tag(&mut self) -> Result<Token, Failure> {
        const CONTEXT: &str = "while scanning a tag";
        let start = self.cursor.mark();
        self.cursor.need(2)?;
        if self.cursor.byte(1) == b'<' {
            self.cursor.skip_ascii(2);
            self.scan_uri(false, false, start)?;
            if self.cursor.byte(0) != b'>' {
                return Err(self.error(CONTEXT, start, Problem::ClosingAngle));
            }
            self.cursor.skip_ascii(1);
        } else {
            let is_handle = self.scan_tag_handle(false, start)?;
            // Without a second `!`, the text that was read so far is part of the tag, and the tag may end here.
            self.scan_uri(false, !is_handle, start)?;
        }
        self.cursor.need(1)?;
        if !self.cursor.is_blankz(0) {
            return Err(self.error(CONTEXT, start, Problem::WhitespaceOrLineBreak));
        }
        Ok(Token::new(TokenKind::Tag, start, self.cursor.pos as u32))
    }

    /// Scans `!` or `!name!`. The second `!` is optional outside of a directive. Returns whether the second `!` was present.
    fn scan_tag_handle(&mut self, directive: bool, start: Mark) -> Result<bool, Failure> {
        self.cursor.need(1)?;
        if self.cursor.byte(0) != b'!' {
            return Err(self.error(tag_context(directive), start, Problem::TagExclamation));
        }
        let first = self.cursor.pos;
        self.cursor.skip_ascii(1);
        self.cursor.need(1)?;
        self.skip_words()?;
        if self.cursor.byte(0) == b'!' {
            self.cursor.skip_ascii(1);
            return Ok(true);
        }
        if directive && self.cursor.pos != first + 1 {
            return Err(self.error(tag_context(directive), start, Problem::TagExclamation));
        }
        Ok(false)
    }

    fn scan_uri(&mut self, directive: bool, mut has_tag: bool, start: Mark) -> Result<(), Failure> {
        self.cursor.need(1)?;
        while is_uri(self.cursor.byte(0)) {
            if self.cursor.byte(0) == b'%' {
                self.scan_uri_escapes(directive, start)?;
            } else {
                self.cursor.skip_ascii(1);
            }
            self.cursor.need(1)?;
            has_tag = true;
        }
        if has_tag {
            Ok(())
        } else {
            Err(self.error(tag_context(directive), start, Problem::TagUri))
        }
    }

    /// Checks and skips the escaped bytes of one character.
    fn scan_uri_escapes(&mut self, directive: bool, start: Mark) -> Result<(), Failure> {
        let mut left = None;
        while left != Some(0) {
            self.cursor.need(3)?;
            let Some(octet) = escaped_octet(self.cursor.bytes, self.cursor.pos) else {
                return Err(self.error(tag_context(directive), start, Problem::UriOctet));
            };
            left = Some(match left {
                None => match octet {
                    0..0x80 => 0,
                    0xC0..0xE0 => 1,
                    0xE0..0xF0 => 2,
                    0xF0..0xF8 => 3,
                    _ => {
                        return Err(self.error(tag_context(directive), start, Problem::LeadingOctet));
                    }
                },
                Some(left) => {
                    if octet & 0xC0 != 0x80 {
                        return Err(self.error(tag_context(directive), start, Problem::TrailingOctet));
                    }
                    left - 1
                }
            });
            self.cursor.skip_ascii(3);
        }
        Ok(())
    }

    /// Scans `%YAML 1.1` or `%TAG handle prefix`, with the rest of the line.
    pub(super) fn scan_directive(&mut self) -> Result<Token, Failure> {
        const CONTEXT: &str = "while scanning a directive";
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        self.cursor.need(1)?;
        let name = self.cursor.pos;
        self.skip_words()?;
        if self.cursor.pos == name {
            return Err(self.error(CONTEXT, start, Problem::DirectiveName));
        }
        if !self.cursor.is_blankz(0) {
            return Err(self.error(CONTEXT, start, Problem::NotAlphabetical));
        }
        let token = match &self.cursor.bytes[name..self.cursor.pos] {
            b"YAML" => {
                let version = self.scan_version(start)?;
                let mut token = Token::new(TokenKind::VersionDirective, start, self.cursor.pos as u32);
                token.extra = version;
                token
            }
            b"TAG" => {
                self.scan_tag_directive(start)?;
                Token::new(TokenKind::TagDirective, start, self.cursor.pos as u32)
            }
            _ => return Err(self.error(CONTEXT, start, Problem::UnknownDirective)),
        };
        self.cursor.need(1)?;
        self.skip_blanks()?;
        if self.cursor.byte(0) == b'#' {
            self.scan_comment()?;
        }
        if !self.cursor.is_breakz() {
            return Err(self.error(CONTEXT, start, Problem::CommentOrLineBreak));
        }
        if self.cursor.break_here() > 0 {
            self.cursor.need(2)?;
            self.cursor.skip_break();
        }
        Ok(token)
    }

    fn skip_blanks(&mut self) -> Result<(), Failure> {
        while self.cursor.is_blank(0) {
            self.cursor.skip_ascii(1);
            self.cursor.need(1)?;
        }
        Ok(())
    }

    /// Scans a version such as `1.1`. Returns major times 256 plus minor.
    fn scan_version(&mut self, start: Mark) -> Result<u32, Failure> {
        self.cursor.need(1)?;
        self.skip_blanks()?;
        let major = self.scan_version_number(start)?;
        if self.cursor.byte(0) != b'.' {
            let problem = Problem::VersionDigit;
            return Err(self.error("while scanning a %YAML directive", start, problem));
        }
        self.cursor.skip_ascii(1);
        let minor = self.scan_version_number(start)?;
        Ok(major * 256 + minor)
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u32, Failure> {
        const CONTEXT: &str = "while scanning a %YAML directive";
        self.cursor.need(1)?;
        let mut value = 0;
        let mut length = 0;
        while self.cursor.byte(0).is_ascii_digit() {
            length += 1;
            if length > 2 {
                return Err(self.error(CONTEXT, start, Problem::LongVersion));
            }
            value = value * 10 + u32::from(self.cursor.byte(0) - b'0');
            self.cursor.skip_ascii(1);
            self.cursor.need(1)?;
        }
        if length == 0 {
            return Err(self.error(CONTEXT, start, Problem::VersionNumber));
        }
        Ok(value)
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Result<(), Failure> {
        const CONTEXT: &str = "while scanning a %TAG directive";
        self.cursor.need(1)?;
        self.skip_blanks()?;
        self.scan_tag_handle(true, start)?;
        self.cursor.need(1)?;
        if !self.cursor.is_blank(0) {
            return Err(self.error(CONTEXT, start, Problem::Whitespace));
        }
        self.skip_blanks()?;
        self.scan_uri(true, false, start)?;
        self.cursor.need(1)?;
        if !self.cursor.is_blankz(0) {
            return Err(self.error(CONTEXT, start, Problem::WhitespaceOrLineBreak));
        }
        Ok(())
    }
}

/// The byte that `%hh` at `at` encodes.
fn escaped_octet(bytes: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = bytes.get(at..at + 3)? else {
        return None;
    };
    let digit = |it: u8| char::from(it).to_digit(16);
    Some((digit(*high)? << 4 | digit(*low)?) as u8)
}

/// Decodes all `%hh`.
pub(crate) fn unescape(uri: &str) -> Cow<'_, str> {
    if !uri.contains('%') {
        return Cow::Borrowed(uri);
    }
    let bytes = uri.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if let Some(octet) = escaped_octet(bytes, at) {
            plain.push(octet);
            at += 3;
        } else {
            plain.push(bytes[at]);
            at += 1;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

/// The text of a tag, split into two parts.
#[derive(Debug)]
pub(crate) struct Tag<'t> {
    /// `!`, `!!` or `!name!`; empty if the suffix is the whole tag.
    pub(crate) handle: &'t str,
    pub(crate) suffix: Cow<'t, str>,
}

impl<'t> Tag<'t> {
    /// Splits the text of a tag token.
    pub(crate) fn read(text: &'t str) -> Self {
        if let Some(verbatim) = text.strip_prefix("!<") {
            return Self {
                handle: "",
                suffix: unescape(verbatim.strip_suffix('>').unwrap_or(verbatim)),
            };
        }
        let rest = text.strip_prefix('!').unwrap_or(text);
        let word = rest.bytes().take_while(|&it| is_word(it)).count();
        if rest[word..].starts_with('!') {
            let (handle, suffix) = text.split_at(word + 2);
            return Self {
                handle,
                suffix: unescape(suffix),
            };
        }
        if rest.is_empty() {
            return Self {
                handle: "",
                suffix: Cow::Borrowed("!"),
            };
        }
        Self {
            handle: &text[..1],
            suffix: unescape(rest),
        }
    }
}

/// The handle and prefix in the token of a `%TAG` directive.
pub(super) fn read_tag_directive(text: &str, span: Span) -> (String, String) {
    let mut words = text[span.range()]
        .split([' ', '\t'])
        .filter(|it| !it.is_empty())
        .skip(1);
    let handle = words.next().unwrap_or_default().to_owned();
    let prefix = unescape(words.next().unwrap_or_default()).into_owned();
    (handle, prefix)
}
