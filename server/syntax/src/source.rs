//! Decodes a file's bytes to text, and records the encoding errors that the YAML parser will report.

use crate::reader::{Defect, Problem};

/// The text of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The text. U+001A replaces each byte that is not UTF-8, so that offsets in the text equal offsets in the bytes (unless the bytes were UTF-16).
    pub text: String,
    /// The invalid byte sequences, sorted by offset.
    pub defects: Vec<Defect>,
}

/// The replacement for a byte that is not valid UTF-8. YAML does not allow this character, so the parser always reports it.
const SUBSTITUTE: char = '\u{1A}';

impl Source {
    /// Decodes the bytes of a file: UTF-16 if they start with a byte order mark of UTF-16, otherwise UTF-8.
    ///
    /// kubectl converts UTF-16 to UTF-8 before it splits documents (`k8s.io/cli-runtime`, `FileVisitor`). This conversion replaces invalid UTF-16 by
    /// U+FFFD. Invalid UTF-8 is reported with go-yaml's messages, because an API server that gets the bytes reports it so.
    pub fn decode(bytes: Vec<u8>) -> Self {
        match bytes.get(..2) {
            Some([0xFF, 0xFE]) => Self::decode_utf16(&bytes[2..], u16::from_le_bytes),
            Some([0xFE, 0xFF]) => Self::decode_utf16(&bytes[2..], u16::from_be_bytes),
            _ => Self::decode_utf8(bytes),
        }
    }

    fn decode_utf8(bytes: Vec<u8>) -> Self {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => {
                return Self {
                    text,
                    defects: Vec::new(),
                };
            }
            Err(error) => error.into_bytes(),
        };
        let mut source = Self {
            text: String::with_capacity(bytes.len()),
            defects: Vec::new(),
        };
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(valid) => valid,
                Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
            };
            source.text.push_str(valid);
            rest = &rest[valid.len()..];
            if !rest.is_empty() {
                let (width, problem) = utf8_problem(rest);
                source.defects.push(Defect {
                    offset: source.text.len() as u32,
                    width,
                    problem: Problem::Encoding(problem),
                });
                source.text.push(SUBSTITUTE);
                rest = &rest[1..];
            }
        }
        source
    }

    fn decode_utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Self {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let chars = char::decode_utf16(pairs.iter().map(|it| unit(*it)));
        let mut text: String = chars.map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        if !rest.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        Self {
            text,
            defects: Vec::new(),
        }
    }
}

/// The error that go-yaml reports for bytes that do not start with a valid character, and the number of bytes that it looks at.
fn utf8_problem(bytes: &[u8]) -> (u8, &'static str) {
    let width = match bytes[0] {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF8 => 4,
        _ => return (1, "invalid leading UTF-8 octet"),
    };
    let problem = match bytes.get(1..width) {
        None => "incomplete UTF-8 octet sequence",
        Some(trail) if trail.iter().any(|it| it & 0xC0 != 0x80) => "invalid trailing UTF-8 octet",
        Some(trail) => {
            let lead = u32::from(bytes[0]) & (0x7F >> width);
            let code = trail.iter().fold(lead, |code, it| code << 6 | u32::from(it & 0x3F));
            let least = [0, 0, 0x80, 0x800, 0x1_0000][width];
            if code < least {
                "invalid length of a UTF-8 sequence"
            } else {
                "invalid Unicode character"
            }
        }
    };
    (width as u8, problem)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, problems: &[(u32, &str)]) {
        let source = Source::decode(bytes.to_vec());
        assert_eq!(source.text, text);
        let found: Vec<_> = source
            .defects
            .iter()
            .map(|it| (it.offset, it.problem.server_words()))
            .collect();
        let expected: Vec<_> = problems
            .iter()
            .map(|(at, words)| (*at, Cow::Borrowed(*words)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_what_is_no_utf_8() {
        check(b"a\xFFb", "a\u{1A}b", &[(1, "invalid leading UTF-8 octet")]);
        check(
            b"a\xE2\x80",
            "a\u{1A}\u{1A}",
            &[
                (1, "incomplete UTF-8 octet sequence"),
                (2, "invalid leading UTF-8 octet"),
            ],
        );
        check(b"\xC3a", "\u{1A}a", &[(0, "invalid trailing UTF-8 octet")]);
        check(
            b"\xC0\xAFa",
            "\u{1A}\u{1A}a",
            &[
                (0, "invalid length of a UTF-8 sequence"),
                (1, "invalid leading UTF-8 octet"),
            ],
        );
    }

    #[test]
    fn reads_utf_16() {
        check(b"\xFF\xFEa\0:\0", "a:", &[]);
        check(b"\xFE\xFF\0a\xD8\x3D\xDE\x00", "a\u{1F600}", &[]);
        check(b"\xFF\xFE\x00\xDCa\0", "\u{FFFD}a", &[]);
        check(b"\xFE\xFF\xD8\x3D\0a", "\u{FFFD}a", &[]);
        check(b"\xFF\xFEa\0\x3D\xD8", "a\u{FFFD}", &[]);
        check(b"\xFF\xFEa\0b", "a\u{FFFD}", &[]);
        check(b"\xFF\xFE\xFF\xFEa\0", "\u{FEFF}a", &[]);
        check(b"\xFF\xFE", "", &[]);
    }
}
