//! Decides whether tree-sitter-yaml may parse a text.
//!
//! The scanner of tree-sitter-yaml (0.7.2) stores rows and columns in 16 bits, and saves its open indentations in a 1,024-byte buffer without a
//! bounds check: the 254th indentation is written past the end. So a text is only allowed if it cannot open that many indentations.
//!
//! While a text parses without an error, each open indentation is further right than the one around it, except for a sequence that starts at its
//! key's column. So the number of open indentations is at most twice the number of columns at which a token starts. After an error this is no longer
//! true, because the scanner loses count. But [`super::parse`] stops at most [`ACTIONS_AFTER_ERROR`] steps after an error, and a step opens one
//! indentation.

/// The number of parser steps between two checks for an error. Each step may open one indentation. (`OP_COUNT_PER_PARSER_CALLBACK_CHECK` in
/// tree-sitter)
const ACTIONS_AFTER_ERROR: usize = 100;

/// The number of open indentations that the scanner can save: 10 bytes are used for other data, and each indentation takes 4.
const MAX_OPEN: usize = (1_024 - 10) / 4;

/// The maximum number of columns at which a token starts. Twice this number, plus a block scalar and the steps after an error, stays below
/// [`MAX_OPEN`].
pub(super) const MAX_COLUMNS: usize = 72;

const _: () = assert!(2 * MAX_COLUMNS + 2 + ACTIONS_AFTER_ERROR < MAX_OPEN);

/// The maximum number of lines, and of bytes in a line. They are limited because the scanner stores both as signed 16-bit integers.
const MAX_IN_16_BITS: usize = 32_000;

/// The largest text that tree-sitter parses, in bytes. For a text of this size, tree-sitter with the checks of [`super::parse`] needs about 30 ms and
/// 4 MB. Our own parser needs less than a millisecond.
pub(super) const MAX_BYTES: usize = 1 << 18;

/// Whether a document may be given to tree-sitter-yaml.
pub(super) fn allows(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() > MAX_BYTES || has_other_breaks(bytes) {
        return false;
    }
    let mut columns = Columns::default();
    let mut lines = 0;
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |it| start + it);
        lines += 1;
        if lines > MAX_IN_16_BITS || end - start > MAX_IN_16_BITS || !columns.add(&bytes[start..end]) {
            return false;
        }
        start = end + 1;
    }
    true
}

/// Whether the text contains a NUL, which ends the text for the scanner, or a character that is a line end or the start of the text for go-yaml but
/// not for the scanner (U+0085, U+2028, U+2029, U+FEFF).
fn has_other_breaks(bytes: &[u8]) -> bool {
    memchr::memchr3_iter(0, 0xC2, 0xE2, bytes).any(|at| {
        let rest = &bytes[at..];
        rest[0] == 0
            || rest.starts_with("\u{85}".as_bytes())
            || rest.starts_with("\u{2028}".as_bytes())
            || rest.starts_with("\u{2029}".as_bytes())
    }) || memchr::memmem::find(bytes, "\u{FEFF}".as_bytes()).is_some()
}

/// The set of columns, from 0, at which a token starts on any line.
#[derive(Default)]
struct Columns {
    seen: [u64; 8],
    count: usize,
}

impl Columns {
    /// Adds the columns of a line: its leading indicators `-`, `?` and `:`, and the first other token. False if there are too many.
    fn add(&mut self, line: &[u8]) -> bool {
        let mut at = 0;
        loop {
            while matches!(line.get(at), Some(b' ' | b'\t')) {
                at += 1;
            }
            let Some(first) = line.get(at) else { return true };
            let Some(word) = self.seen.get_mut(at / 64) else {
                return false;
            };
            let bit = 1 << (at % 64);
            if *word & bit == 0 {
                *word |= bit;
                self.count += 1;
                if self.count > MAX_COLUMNS {
                    return false;
                }
            }
            let is_indicator = matches!(first, b'-' | b'?' | b':');
            if !is_indicator || !matches!(line.get(at + 1), Some(b' ' | b'\t')) {
                return true;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(allows(text), expected, "{}", text.chars().take(80).collect::<String>());
    }

    #[test]
    fn what_the_scanner_cannot_count_is_kept_from_it() {
        check("a: 1\nb:\n- 2\n", true);
        check(&"a:\n".repeat(32_000), true);
        check(&"a:\n".repeat(32_001), false);
        check(&"a: 1\r\n".repeat(16_001), false);
        check(&format!("a: {}\n", "x".repeat(31_000)), true);
        check(&format!("a: {}\n", "x".repeat(33_000)), false);
        check(&"a: 1 # much\n".repeat(MAX_BYTES / 12), true);
        check(&"a: 1 # much\n".repeat(MAX_BYTES / 12 + 1), false);
        for bad in ['\0', '\u{85}', '\u{2028}', '\u{2029}', '\u{FEFF}'] {
            check(&format!("a: x{bad}y\n"), false);
        }
        check("a: é€ÂÃ…\n", true);
    }

    #[test]
    fn nesting_is_bounded_by_the_columns_in_use() {
        let nested = |count: usize| {
            let lines: Vec<String> = (0..count).map(|it| format!("{:it$}a:\n", "")).collect();
            lines.concat()
        };
        check(&nested(MAX_COLUMNS), true);
        check(&nested(MAX_COLUMNS + 1), false);
        check(&"- ".repeat(MAX_COLUMNS + 1), false);
        check(&format!("{}a: 1", "? ".repeat(MAX_COLUMNS)), false);
        check(&format!("{:600}a: 1", ""), false);
        // The text is deep, but all tokens start at the same few columns.
        check(&"a:\n                    b: 1\n".repeat(900), true);
    }
}
