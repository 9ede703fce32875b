//! Generates literals: strings, bytes, and numbers near the bounds of their types.

use std::fmt::Write as _;

use fastrand::Rng;

use super::{pick, texts};

/// A string literal, with special characters escaped in a random way.
pub(super) fn quoted(rng: &mut Rng, text: &str) -> String {
    if rng.u8(..6) == 0 && !text.contains(['\'', '\n', '\u{2028}']) && !text.contains('\r') {
        return format!("r'{text}'");
    }
    let quote = pick(rng, &["'", "'", "'", "\"", "'''", "\"\"\""]);
    let letter = quote.chars().next().unwrap_or('\'');
    let mut literal = quote.to_owned();
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            _ if c == letter => {
                literal.push('\\');
                literal.push(c);
            }
            _ if !c.is_ascii() && rng.u8(..6) == 0 => match u32::from(c) {
                code if code > 0xffff || rng.bool() => drop(write!(literal, "\\U{code:08x}")),
                code => drop(write!(literal, "\\u{code:04X}")),
            },
            _ if c.is_ascii_control() => drop(write!(literal, "\\x{:02x}", u32::from(c))),
            _ if c.is_ascii() && rng.u8(..80) == 0 => drop(write!(literal, "\\{:03o}", u32::from(c))),
            _ => literal.push(c),
        }
    }
    literal + quote
}

/// A bytes literal, which need not be valid UTF-8.
pub(super) fn bytes(rng: &mut Rng) -> String {
    let body = texts::several(rng, 5, |rng| match rng.u8(..5) {
        0 => format!("\\x{:02x}", rng.u8(..)),
        1 => format!("\\{:03o}", rng.u8(..)),
        2 => pick(
            rng,
            &[
                "é",
                "😀",
                "\\xf0\\x9f\\x98\\x80",
                "\\xed\\xa0\\x80",
                "\\xc3",
                "\\n",
                "\\u00e9",
            ],
        )
        .to_owned(),
        _ => pick(rng, &["a", "b", "1", " "]).to_owned(),
    });
    format!("{}'{body}'", pick(rng, &["b", "b", "b", "B", "bR", "rb"]))
}

/// An integer near a bound, or any integer.
pub(super) fn int(rng: &mut Rng) -> String {
    let bounds = [
        0_i64,
        0,
        i64::MAX,
        i64::MIN,
        1 << 53,
        -(1 << 53),
        1 << 31,
        1 << 32,
        -62_135_596_800,
        253_402_300_799,
    ];
    let value = match rng.u8(..4) {
        0 => rng.i64(..),
        1 => rng.i64(-20..20),
        _ => bounds[rng.usize(..bounds.len())].wrapping_add(rng.i64(-2..=2)),
    };
    match rng.u8(..8) {
        0 if value >= 0 => format!("0x{value:X}"),
        1 if value > i64::MIN && value < 0 => format!("-0x{:x}", -value),
        _ => value.to_string(),
    }
}

/// An unsigned integer near a bound, or any unsigned integer.
pub(super) fn uint(rng: &mut Rng) -> String {
    let bounds = [0_u64, 1 << 63, u64::MAX, 1 << 53, 1 << 32];
    let value = match rng.u8(..4) {
        0 => rng.u64(..),
        1 => rng.u64(..20),
        _ => bounds[rng.usize(..bounds.len())]
            .wrapping_add(rng.u64(..3))
            .wrapping_sub(1),
    };
    format!("{value}{}", pick(rng, &["u", "u", "U"]))
}

/// A double: an edge case, any bit pattern, or an expression for values without a literal.
pub(super) fn double(rng: &mut Rng) -> String {
    match rng.u8(..5) {
        0 => {
            let value = f64::from_bits(rng.u64(..));
            if value.is_finite() {
                format!("{value:?}")
            } else {
                "double('NaN')".to_owned()
            }
        }
        1 => format!("{}.{}", texts::digits(rng, 4), texts::digits(rng, 6)),
        2 => format!(
            "{}{}.{}e{}{}",
            pick(rng, &["", "-"]),
            texts::digits(rng, 2),
            texts::digits(rng, 2),
            pick(rng, &["", "-", "+"]),
            rng.u16(..330)
        ),
        _ => pick(
            rng,
            &[
                "double('NaN')",
                "double('inf')",
                "double('-inf')",
                "-0.0",
                "0.0",
                "1e308",
                "1.7976931348623157e308",
                "5e-324",
                "2.2250738585072014e-308",
                "9223372036854775807.0",
                "9223372036854775808.0",
                "-9223372036854775808.0",
                "18446744073709551615.0",
                "18446744073709549568.0",
                "9007199254740993.0",
                "0.1",
                "1e21",
                "1e20",
                "123456789012345680.0",
                "1e-5",
                "0.00001",
                "1.5",
                "2.5",
                "-1.5",
                "0.5",
                "1e15",
                "1e16",
            ],
        )
        .to_owned(),
    }
}

/// An index: common, negative or large.
pub(super) fn index(rng: &mut Rng) -> String {
    pick(
        rng,
        &[
            "0",
            "0",
            "1",
            "1",
            "2",
            "3",
            "4",
            "-1",
            "-2",
            "5",
            "7",
            "12",
            "100",
            "9223372036854775807",
            "-9223372036854775808",
            "2147483648",
            "4294967296",
        ],
    )
    .to_owned()
}
