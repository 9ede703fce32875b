//! Decodes string and bytes literals (`cel-go` `parser/unescape.go`).

use crate::ast::LiteralProblem;

/// The code points that an escape sequence accepts. Later versions of `cel-go` accept fewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CodePoints {
    /// All code points up to U+10FFFF; surrogates become U+FFFD.
    WithSurrogates,
    /// Escape sequences may only represent characters; other code points are an error.
    Characters,
}

/// The bytes of a literal, given with its quotes (and with `r`, but without `b`). The bytes of a string are UTF-8.
pub(super) fn unescape(literal: &str, is_bytes: bool, code_points: CodePoints) -> Result<Vec<u8>, LiteralProblem> {
    let literal = literal.replace("\r\n", "\n").replace('\r', "\n");
    if literal.len() < 2 {
        return Err(LiteralProblem::Escape);
    }
    let (raw, literal) = match literal.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, literal.as_str()),
    };
    let quote = literal
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .ok_or(LiteralProblem::Escape)?;
    let triple = [quote; 3].iter().collect::<String>();
    let content = if literal.len() >= 6 && literal.starts_with(&triple) {
        literal.strip_prefix(&triple).and_then(|l| l.strip_suffix(&triple))
    } else {
        literal.strip_prefix(quote).and_then(|l| l.strip_suffix(quote))
    };
    let content = content.ok_or(LiteralProblem::Escape)?;
    if raw || !content.contains('\\') {
        return Ok(content.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = escape(&rest[at + 1..], is_bytes, code_points, &mut out)?;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Decodes the escape sequence at the start of `rest` (after the backslash), and returns the remaining input.
fn escape<'a>(
    rest: &'a str,
    is_bytes: bool,
    code_points: CodePoints,
    out: &mut Vec<u8>,
) -> Result<&'a str, LiteralProblem> {
    let c = *rest.as_bytes().first().ok_or(LiteralProblem::LastBackslash)?;
    let simple = match c {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'\'' | b'"' | b'`' | b'?' => c,
        _ => {
            let (digits, radix, from, failure) = match c {
                b'x' | b'X' => (2, 16, 1, LiteralProblem::Escape),
                b'u' if !is_bytes => (4, 16, 1, LiteralProblem::Escape),
                b'U' if !is_bytes => (8, 16, 1, LiteralProblem::Escape),
                b'0'..=b'3' => (3, 8, 0, LiteralProblem::OctalEscape),
                _ => return Err(LiteralProblem::Escape),
            };
            let text = rest.get(from..from + digits).ok_or(failure)?;
            let value = text
                .chars()
                .try_fold(0_u32, |v, c| Some(v.wrapping_mul(radix) + c.to_digit(radix)?))
                .ok_or(failure)?;
            if is_bytes {
                out.push(value as u8);
            } else {
                let c = match char::from_u32(value) {
                    Some(c) => c,
                    None if code_points == CodePoints::Characters => return Err(LiteralProblem::CodePoint),
                    None if (0x0011_0000..0x8000_0000).contains(&value) => return Err(LiteralProblem::Escape),
                    None => char::REPLACEMENT_CHARACTER,
                };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            return Ok(&rest[from + digits..]);
        }
    };
    out.push(simple);
    Ok(&rest[1..])
}
