//! Text as Go's functions see it, where it need not be UTF-8 or where Rust's own functions differ.

use std::fmt::Write as _;

use crd_analyzer_schema::go;

/// Bytes in double quotes as Go's `%q` prints a string of them (`strconv.Quote`).
pub(super) fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        let quoted = go::quote(chunk.valid());
        out.push_str(&quoted[1..quoted.len() - 1]);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

/// Lower case as Go's `strings.ToLower` has it: each character by its simple mapping, which never makes two of one.
pub(super) fn to_lower(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_bytes_that_are_no_text() {
        assert_eq!(quote_bytes(b"a\"\xff\xc3b\n"), r#""a\"\xff\xc3b\n""#);
    }

    #[test]
    fn lowers_by_simple_mappings() {
        assert_eq!(to_lower("\u{130}\u{212a}Σ"), "ikσ");
    }
}
