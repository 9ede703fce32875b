//! DER as `golang.org/x/crypto/cryptobyte` parses it: one-byte tags, and lengths in their shortest form.

/// The remaining DER bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Der<'d>(pub(super) &'d [u8]);

/// Tags of the universal class.
pub(super) mod tag {
    pub(in super::super) const BOOLEAN: u8 = 1;
    pub(in super::super) const INTEGER: u8 = 2;
    pub(in super::super) const BIT_STRING: u8 = 3;
    pub(in super::super) const OCTET_STRING: u8 = 4;
    pub(in super::super) const OBJECT_IDENTIFIER: u8 = 6;
    pub(in super::super) const UTF8_STRING: u8 = 12;
    pub(in super::super) const NUMERIC_STRING: u8 = 18;
    pub(in super::super) const PRINTABLE_STRING: u8 = 19;
    pub(in super::super) const T61_STRING: u8 = 20;
    pub(in super::super) const IA5_STRING: u8 = 22;
    pub(in super::super) const UTC_TIME: u8 = 23;
    pub(in super::super) const GENERALIZED_TIME: u8 = 24;
    pub(in super::super) const BMP_STRING: u8 = 30;
    pub(in super::super) const SEQUENCE: u8 = 0x30;
    pub(in super::super) const SET: u8 = 0x31;
}

/// Context-specific tags. The meaning of such a tag depends on its position.
pub(super) mod context {
    pub(in super::super) const fn primitive(number: u8) -> u8 {
        0x80 | number
    }

    pub(in super::super) const fn constructed(number: u8) -> u8 {
        0xa0 | number
    }
}

/// A bit string: the bytes, and the number of unused bits in the last byte.
pub(super) struct BitString<'d> {
    pub(super) bytes: &'d [u8],
    pub(super) padding: u8,
}

impl BitString<'_> {
    /// The bytes with the padding moved to the front (`RightAlign`).
    pub(super) fn right_aligned(&self) -> Vec<u8> {
        if self.padding == 0 {
            return self.bytes.to_vec();
        }
        let mut above = 0u8;
        let shifted = self.bytes.iter().map(|&byte| {
            let out = above << (8 - self.padding) | byte >> self.padding;
            above = byte;
            out
        });
        shifted.collect()
    }
}

impl<'d> Der<'d> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The tag of the next element.
    pub(super) fn peek(self) -> Option<u8> {
        self.0.first().copied()
    }

    /// Reads an element with any tag and returns the tag and the content.
    pub(super) fn read_any(&mut self) -> Option<(u8, Self)> {
        let &[tag, length, ref rest @ ..] = self.0 else {
            return None;
        };
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (length, rest) = if length & 0x80 == 0 {
            (usize::from(length), rest)
        } else {
            let digits = usize::from(length & 0x7f);
            if digits == 0 || digits > 4 || rest.len() < digits || rest[0] == 0 {
                return None;
            }
            let length = rest[..digits]
                .iter()
                .fold(0, |length, &digit| length << 8 | usize::from(digit));
            if length < 128 {
                return None;
            }
            (length, &rest[digits..])
        };
        let (inside, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, Self(inside)))
    }

    /// Reads an element with this tag.
    pub(super) fn read(&mut self, tag: u8) -> Option<Self> {
        let mut ahead = *self;
        let (found, inside) = ahead.read_any()?;
        if found != tag {
            return None;
        }
        *self = ahead;
        Some(inside)
    }

    /// Reads an optional element with this tag. The outer `None` is an error, and the inner `None` is a missing element.
    #[expect(clippy::option_option, reason = "malformed, absent, or there")]
    pub(super) fn read_optional(&mut self, tag: u8) -> Option<Option<Self>> {
        if self.peek() == Some(tag) {
            self.read(tag).map(Some)
        } else {
            Some(None)
        }
    }

    /// Reads an INTEGER and returns its bytes in two's complement, in the shortest form.
    pub(super) fn read_integer(&mut self) -> Option<&'d [u8]> {
        self.read_integer_with_tag(tag::INTEGER)
    }

    /// Reads an INTEGER with another tag.
    pub(super) fn read_integer_with_tag(&mut self, tag: u8) -> Option<&'d [u8]> {
        let bytes = self.read(tag)?.0;
        match bytes {
            [] | [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..] => None,
            _ => Some(bytes),
        }
    }

    /// Reads an INTEGER that fits into 64 bits.
    pub(super) fn read_int(&mut self) -> Option<i64> {
        int_of(self.read_integer()?)
    }

    /// Reads a BOOLEAN.
    pub(super) fn read_boolean(&mut self) -> Option<bool> {
        match self.read(tag::BOOLEAN)?.0 {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    /// Reads an OBJECT IDENTIFIER.
    pub(super) fn read_oid(&mut self) -> Option<Vec<u32>> {
        let mut bytes = self.read(tag::OBJECT_IDENTIFIER)?.0;
        let first = read_base_128(&mut bytes)?;
        let mut oid = if first < 80 {
            vec![first / 40, first % 40]
        } else {
            vec![2, first - 80]
        };
        while !bytes.is_empty() {
            oid.push(read_base_128(&mut bytes)?);
        }
        Some(oid)
    }

    /// Reads a BIT STRING.
    pub(super) fn read_bit_string(&mut self) -> Option<BitString<'d>> {
        let (&padding, bytes) = self.read(tag::BIT_STRING)?.0.split_first()?;
        let is_valid = match bytes.last() {
            _ if padding > 7 => false,
            None => padding == 0,
            Some(last) => last & ((1 << padding) - 1) == 0,
        };
        is_valid.then_some(BitString { bytes, padding })
    }
}

/// Reads a base 128 number of at most 31 bits.
fn read_base_128(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        if number >= 1 << 24 || i == 0 && byte == 0x80 {
            return None;
        }
        number = number << 7 | u32::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            *bytes = &bytes[i + 1..];
            return Some(number);
        }
    }
    None
}

/// Whether the integer is negative.
pub(super) fn is_negative(integer: &[u8]) -> bool {
    integer.first().is_some_and(|byte| byte & 0x80 != 0)
}

/// Whether the integer is positive.
pub(super) fn is_positive(integer: &[u8]) -> bool {
    !is_negative(integer) && integer.iter().any(|&byte| byte != 0)
}

/// The integer, if it fits into 64 bits.
pub(super) fn int_of(integer: &[u8]) -> Option<i64> {
    if integer.len() > 8 {
        return None;
    }
    let sign = if is_negative(integer) { -1 } else { 0 };
    Some(integer.iter().fold(sign, |number, &byte| number << 8 | i64::from(byte)))
}

/// Whether the text is a time in the format. `Z` in the format matches a time zone: `Z`, or an offset other than zero.
pub(super) fn is_time(text: &[u8], format: &str) -> bool {
    let digits = format.len() - 1;
    let Some((clock, zone)) = text.split_at_checked(digits) else {
        return false;
    };
    if !clock.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let number = |unit: &str| {
        let at = format.find(unit)?;
        let digits = &clock[at..at + unit.len()];
        Some(
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + u32::from(digit - b'0')),
        )
    };
    // Two-digit years mean 1969 to 2068. The century only matters for leap days, and 1900 is not in the range.
    let year = number("CCYY").or_else(|| number("YY")).unwrap_or_default();
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || number("CCYY").is_none());
    let month = number("MM").unwrap_or_default();
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    let in_range = |unit: &str, range: std::ops::Range<u32>| number(unit).is_none_or(|it| range.contains(&it));
    in_range("DD", 1..days + 1)
        && in_range("hh", 0..24)
        && in_range("mm", 0..60)
        && in_range("ss", 0..60)
        && is_zone(zone)
}

/// Whether a time zone is in canonical form: an offset of zero must be written as `Z`.
fn is_zone(zone: &[u8]) -> bool {
    match zone {
        b"Z" => true,
        [b'+' | b'-', hour @ .., m1, m2] if hour.len() == 2 => {
            let digits = [hour[0], hour[1], *m1, *m2];
            let [h1, h2, m1, m2] = digits.map(|digit| u32::from(digit.wrapping_sub(b'0')));
            let is_number = [h1, h2, m1, m2].iter().all(|&digit| digit < 10);
            let (hours, minutes) = (h1 * 10 + h2, m1 * 10 + m2);
            is_number && hours <= 24 && minutes < 60 && hours + minutes > 0
        }
        _ => false,
    }
}
