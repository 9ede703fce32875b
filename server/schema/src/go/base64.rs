//! Base64 with padding; errors are reported at the same byte as in Go (`encoding/base64`).

/// The characters for the digits 62 and 63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alphabet {
    /// `+` and `/` (`StdEncoding`).
    Standard,
    /// `-` and `_` (`URLEncoding`).
    Url,
}

/// Returns the bytes that `text` encodes, or the offset of the invalid byte. Line breaks are ignored.
pub fn decode(text: &str, alphabet: Alphabet) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    while at < text.len() {
        at = quantum(text, at, alphabet, &mut out)?;
    }
    Ok(out)
}

/// Reads up to four digits from offset `at` and returns the offset after them.
fn quantum(text: &[u8], mut at: usize, alphabet: Alphabet, out: &mut Vec<u8>) -> Result<usize, usize> {
    let mut digits = [0u8; 4];
    let mut count = 0;
    while count < 4 {
        let Some(&byte) = text.get(at) else {
            return if count == 0 { Ok(at) } else { Err(at - count) };
        };
        at += 1;
        if let Some(digit) = digit(byte, alphabet) {
            digits[count] = digit;
            count += 1;
            continue;
        }
        if byte == b'\n' || byte == b'\r' {
            continue;
        }
        if byte != b'=' || count < 2 {
            return Err(at - 1);
        }
        if count == 2 {
            at = skip_line_ends(text, at);
            match text.get(at) {
                None => return Err(text.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        at = skip_line_ends(text, at);
        if at < text.len() {
            return Err(at);
        }
        break;
    }
    let value = digits.iter().fold(0u32, |value, digit| value << 6 | u32::from(*digit));
    out.extend_from_slice(&value.to_be_bytes()[1..count]);
    Ok(at)
}

fn digit(byte: u8, alphabet: Alphabet) -> Option<u8> {
    match (byte, alphabet) {
        (b'A'..=b'Z', _) => Some(byte - b'A'),
        (b'a'..=b'z', _) => Some(byte - b'a' + 26),
        (b'0'..=b'9', _) => Some(byte - b'0' + 52),
        (b'+', Alphabet::Standard) | (b'-', Alphabet::Url) => Some(62),
        (b'/', Alphabet::Standard) | (b'_', Alphabet::Url) => Some(63),
        _ => None,
    }
}

fn skip_line_ends(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b'\n' | b'\r')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, decode};

    #[track_caller]
    fn check(text: &str, expected: Result<&[u8], usize>) {
        assert_eq!(
            decode(text, Alphabet::Standard),
            expected.map(<[u8]>::to_vec),
            "{text:?}"
        );
    }

    #[test]
    fn decodes_and_refuses_where_go_does() {
        check("", Ok(b""));
        check("TWFu", Ok(b"Man"));
        check("TWE=", Ok(b"Ma"));
        check("TQ==\n", Ok(b"M"));
        check("TW\r\nFu\n", Ok(b"Man"));
        check("TR==", Ok(b"M"));
        check("TQ=", Err(3));
        check("TQ=\n", Err(4));
        check("TWF", Err(0));
        check("TWFuT", Err(4));
        check("TWFuT\n", Err(5));
        check("TW Fu", Err(2));
        check("=", Err(0));
        check("TQ=x", Err(2));
        check("TQ==x", Err(4));
        check("caBundle!", Err(8));
        check("+/+/", Ok(&[0xFB, 0xFF, 0xBF]));
        check("-_-_", Err(0));
        assert_eq!(decode("-_-_", Alphabet::Url), Ok(vec![0xFB, 0xFF, 0xBF]));
        assert_eq!(decode("a+b/", Alphabet::Url), Err(1));
    }
}
