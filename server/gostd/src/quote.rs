//! Quoting strings like Go (`strconv.Quote`, the verb `%q`).

use std::fmt::Write as _;

use crate::is_print;

/// `text` in double quotes, with unprintable characters escaped.
#[must_use]
pub fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// Like [`quote`], for bytes that need not be UTF-8. A byte that is not part of a character is escaped on its own.
#[must_use]
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push_escaped(&mut out, c);
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' | '\\' => {
            out.push('\\');
            out.push(c);
        }
        _ if is_print(c) => out.push(c),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        _ => {
            let code = c as u32;
            let _ = match code {
                0..0x20 | 0x7f => write!(out, "\\x{code:02x}"),
                0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, quoted: &str) {
        assert_eq!(quote(text), quoted);
    }

    #[test]
    fn quotes_as_go_does() {
        check("a.b[0]", r#""a.b[0]""#);
        check("a\"\\\n\u{7}\u{1}\u{7f}", r#""a\"\\\n\a\x01\x7f""#);
        check(
            "é\u{a0}\u{200b}世\u{e000}\u{1f600}\u{10ffff}",
            "\"é\\u00a0\\u200b世\\ue000😀\\U0010ffff\"",
        );
    }

    #[test]
    fn quotes_bytes_that_are_no_text() {
        assert_eq!(quote_bytes(b"a\"\xff\xc3b\n"), r#""a\"\xff\xc3b\n""#);
    }
}
