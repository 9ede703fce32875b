//! SHA-256 and base64, for the names and the content of generated objects.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Encodes bytes as base64. A result of more than 70 characters is split into lines of 70.
pub(crate) fn base64_lines(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const LINE: usize = 70;
    let mut whole = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n)) as usize & 63];
            whole.push(if n > chunk.len() { '=' } else { digit as char });
        }
    }
    if whole.len() / LINE == 0 {
        return whole;
    }
    let mut lines = String::new();
    for (n, c) in whole.chars().enumerate() {
        if n > 0 && n % LINE == 0 {
            lines.push('\n');
        }
        lines.push(c);
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        let of = |text: &str| sha256(text.as_bytes());
        assert_eq!(
            of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            of(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert!(of(&"a".repeat(200)).starts_with("c2a908d98f5df987"));
    }

    #[test]
    fn base64() {
        assert_eq!(base64_lines(b"ab"), "YWI=");
        assert_eq!(base64_lines(b"abc"), "YWJj");
        assert_eq!(base64_lines(b""), "");
        assert_eq!(base64_lines(&[b'a'; 60]).matches('\n').count(), 2);
    }
}
