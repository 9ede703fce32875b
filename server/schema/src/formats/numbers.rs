//! Formats made of digits: ISBNs, credit cards, colors, identifiers, base64.

fn digits(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_digit)
}

/// Twelve bytes in hexadecimal digits.
pub(super) fn is_bson_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Base64 in the standard alphabet, padded and not empty.
pub(super) fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    let content = match bytes {
        [content @ .., b'=', b'='] | [content @ .., b'='] => content,
        _ => bytes,
    };
    !content.is_empty()
        && bytes.len().is_multiple_of(4)
        && content
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'+' || *b == b'/')
}

/// A card number of a major issuer with a valid check digit; other characters than digits are ignored.
pub(super) fn is_credit_card(text: &str) -> bool {
    let card: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
    let lengths: &[usize] = match card.as_slice() {
        [4, ..] => &[13, 16],
        [5, 1..=5, ..] | [3 | 6, 5, ..] | [6, 0, 1, 1, ..] => &[16],
        [3, 4 | 7, ..] | [2, 1, 3, 1, ..] | [1, 8, 0, 0, ..] => &[15],
        [3, 0, 0..=5, ..] | [3, 6 | 8, ..] => &[14],
        _ => &[],
    };
    let sum: u32 = card
        .iter()
        .rev()
        .enumerate()
        .map(|(n, &digit)| {
            let digit = u32::from(digit);
            match n % 2 {
                0 => digit,
                _ if digit >= 5 => digit * 2 - 9,
                _ => digit * 2,
            }
        })
        .sum();
    lengths.contains(&card.len()) && sum.is_multiple_of(10)
}

/// The characters of a book number without white space (Go's `\s`) and hyphens.
fn book_number(text: &str) -> Vec<u8> {
    text.bytes()
        .filter(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'-'))
        .collect()
}

/// A ten-digit ISBN. The last digit can be `X`.
pub(super) fn is_isbn10(text: &str) -> bool {
    let number = book_number(text);
    let [first @ .., last] = number.as_slice() else {
        return false;
    };
    if first.len() != 9 || !digits(first) || !(last.is_ascii_digit() || *last == b'X') {
        return false;
    }
    let sum: u32 = first
        .iter()
        .zip(1..)
        .map(|(b, weight)| u32::from(b - b'0') * weight)
        .sum();
    let check = if *last == b'X' { 10 } else { u32::from(last - b'0') };
    (sum + 10 * check).is_multiple_of(11)
}

/// A thirteen-digit ISBN.
pub(super) fn is_isbn13(text: &str) -> bool {
    let number = book_number(text);
    let [first @ .., last] = number.as_slice() else {
        return false;
    };
    if first.len() != 12 || !digits(&number) {
        return false;
    }
    let sum: u32 = first
        .iter()
        .enumerate()
        .map(|(n, b)| u32::from(b - b'0') * [1, 3][n % 2])
        .sum();
    u32::from(last - b'0') == (10 - sum % 10) % 10
}

/// `123-45-6789`, with hyphens or blanks.
pub(super) fn is_ssn(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separator = |n: usize| matches!(bytes.get(n), Some(b'-' | b' '));
    bytes.len() == 11
        && separator(3)
        && separator(6)
        && digits(&bytes[..3])
        && digits(&bytes[4..6])
        && digits(&bytes[7..])
}

/// `#fff` or `#ffffff`; the `#` is optional.
pub(super) fn is_hex_color(text: &str) -> bool {
    let color = text.strip_prefix('#').unwrap_or(text);
    matches!(color.len(), 3 | 6) && color.bytes().all(|b| b.is_ascii_hexdigit())
}
