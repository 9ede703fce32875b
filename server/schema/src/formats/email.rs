//! Mail addresses as Go's `net/mail.ParseAddress` accepts them (RFC 5322 and 6532): one mailbox, optionally with a display
//! name or comments, or as the only member of a group.

use crd_analyzer_gostd::netip::is_ip;

use crate::go::base64::{self, Alphabet};

pub(super) fn is_email(text: &str) -> bool {
    let mut reader = Reader(text);
    matches!(reader.address(true), Some(1)) && reader.skip_comments() && reader.0.is_empty()
}

/// The unread rest of the address. After a function returns `None` or `false`, the rest is arbitrary, since the address is rejected.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    /// Reads an address and returns its number of mailboxes.
    fn address(&mut self, allows_group: bool) -> Option<usize> {
        self.skip_space();
        if self.0.is_empty() {
            return None;
        }
        let mut spec = *self;
        if spec.addr_spec() {
            *self = spec;
            self.skip_space();
            if self.consume('(') {
                let comment = self.comment()?;
                // An encoded word in an unknown charset is an error, but a malformed encoded word is plain text.
                if !comment.split([' ', '\t']).all(is_decodable_word) {
                    return None;
                }
            }
            return Some(1);
        }
        if !self.0.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if allows_group && self.consume(':') {
            return self.group();
        }
        (self.consume('<') && self.addr_spec() && self.consume('>')).then_some(1)
    }

    /// Reads the members of a group, after its colon, and returns their number.
    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.consume(';') {
            return self.skip_comments().then_some(0);
        }
        let mut members = 0;
        loop {
            self.skip_space();
            members += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.consume(';') {
                return self.skip_comments().then_some(members);
            }
            if !self.consume(',') {
                return None;
            }
        }
    }

    /// `local@domain`
    fn addr_spec(&mut self) -> bool {
        self.skip_space();
        let local = if self.0.starts_with('"') {
            self.quoted().is_some_and(|text| !text.is_empty())
        } else {
            self.atom().is_some_and(has_well_placed_dots)
        };
        if !local || !self.consume('@') {
            return false;
        }
        self.skip_space();
        if self.consume('[') {
            let end = self
                .0
                .find(|c: char| !is_visible(c) || matches!(c, '[' | ']' | '\\'))
                .unwrap_or(self.0.len());
            let literal = &self.0[..end];
            self.0 = &self.0[end..];
            self.consume(']') && is_ip(literal.as_bytes())
        } else {
            self.atom().is_some_and(has_well_placed_dots)
        }
    }

    /// Reads a display name of at least one word, up to the last readable word.
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        // Whether a non-empty encoded word follows the last plain word.
        let mut encoded = false;
        loop {
            if words > 0 && !self.skip_comments() {
                return None;
            }
            self.skip_space();
            if self.0.is_empty() {
                break;
            }
            let mut word = *self;
            let read = if word.0.starts_with('"') {
                word.quoted().map(|_| Word::Plain)
            } else {
                word.atom().map(decode)
            };
            match read {
                // A word in an unknown charset is read, but it ends the phrase.
                Some(Word::UnknownCharset) => {
                    *self = word;
                    return (words > 0 || encoded).then_some(());
                }
                Some(Word::Encoded { empty }) => encoded = encoded || !empty,
                Some(Word::Plain) => {
                    words += 1 + usize::from(encoded);
                    encoded = false;
                }
                None => return (words > 0 || encoded).then_some(()),
            }
            *self = word;
        }
        Some(())
    }

    /// Reads a quoted string and returns the text between its quotes.
    fn quoted(&mut self) -> Option<&'a str> {
        let inner = self.0.strip_prefix('"')?;
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            let is_text = is_visible(c) || c == ' ' || c == '\t';
            if !is_text {
                return None;
            }
            match c {
                _ if escaped => escaped = false,
                '"' => {
                    self.0 = &inner[at + 1..];
                    return Some(&inner[..at]);
                }
                '\\' => escaped = true,
                _ => {}
            }
        }
        None
    }

    /// Reads an atom that may contain dots.
    fn atom(&mut self) -> Option<&'a str> {
        let is_special = |c: char| {
            matches!(
                c,
                '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"'
            )
        };
        let end = self
            .0
            .find(|c: char| is_special(c) || !is_visible(c))
            .unwrap_or(self.0.len());
        let (atom, rest) = self.0.split_at(end);
        self.0 = rest;
        (!atom.is_empty()).then_some(atom)
    }

    /// Reads a comment, after its opening parenthesis, and returns the text between the parentheses.
    fn comment(&mut self) -> Option<String> {
        let (mut depth, mut escaped) = (1, false);
        let mut text = String::new();
        for (at, c) in self.0.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if at + 1 < self.0.len() => {
                    escaped = true;
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.0 = &self.0[at + 1..];
                return Some(text);
            }
            text.push(c);
        }
        None
    }

    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.consume('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    fn skip_space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }

    fn consume(&mut self, c: char) -> bool {
        match self.0.strip_prefix(c) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }
}

fn is_visible(c: char) -> bool {
    c.is_ascii_graphic() || !c.is_ascii()
}

fn has_well_placed_dots(atom: &str) -> bool {
    !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")
}

/// The kind of a word (RFC 2047).
enum Word {
    Plain,
    Encoded { empty: bool },
    UnknownCharset,
}

fn is_decodable_word(word: &str) -> bool {
    !matches!(decode(word), Word::UnknownCharset)
}

/// `mime.WordDecoder.Decode`: `=?charset?encoding?text?=`
fn decode(word: &str) -> Word {
    let Some(inner) = word.strip_prefix("=?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Word::Plain;
    };
    if word.len() < 8 || word.bytes().filter(|b| *b == b'?').count() != 4 {
        return Word::Plain;
    }
    let mut parts = inner.splitn(3, '?');
    let (Some(charset), Some(encoding), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return Word::Plain;
    };
    let is_decoded = match encoding {
        "B" | "b" => base64::decode(text, Alphabet::Standard).is_ok(),
        "Q" | "q" => is_q_encoded(text),
        _ => false,
    };
    if charset.is_empty() || !is_decoded {
        return Word::Plain;
    }
    let is_known = ["utf-8", "iso-8859-1", "us-ascii"]
        .iter()
        .any(|known| equal_fold(known, charset));
    if is_known {
        Word::Encoded { empty: text.is_empty() }
    } else {
        Word::UnknownCharset
    }
}

/// `strings.EqualFold` with an ASCII string: the long s and the Kelvin sign fold into ASCII.
fn equal_fold(ascii: &str, text: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    ascii.chars().map(fold).eq(text.chars().map(fold))
}

fn is_q_encoded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'=' => {
                let hex = |n: usize| bytes.get(at + n).is_some_and(u8::is_ascii_hexdigit);
                if !hex(1) || !hex(2) {
                    return false;
                }
                at += 3;
            }
            b' '..=b'~' | b'\n' | b'\r' | b'\t' => at += 1,
            _ => return false,
        }
    }
    true
}
