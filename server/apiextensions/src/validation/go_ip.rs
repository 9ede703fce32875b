//! IP addresses as Go's `net/netip` reads them, with its words for what is wrong.

use super::go_text::quote_bytes;

/// Whether the text is an IPv4 address, or else an IPv6 one; an error if it is neither (`netip.ParseAddr`).
pub(super) fn is_v4(text: &[u8]) -> Result<bool, String> {
    match text.iter().find(|b| b".:%".contains(b)) {
        Some(b'.') => parse_v4(text, text).map(|()| true),
        Some(b':') => parse_v6(text).map(|()| false),
        Some(_) => Err(error(text, "missing IPv6 address", b"")),
        None => Err(error(text, "unable to parse IP", b"")),
    }
}

/// Whether the text is an IP address without a zone (`net.ParseIP`).
pub(super) fn is_ip(text: &[u8]) -> bool {
    !text.contains(&b'%') && is_v4(text).is_ok()
}

fn error(text: &[u8], message: &str, at: &[u8]) -> String {
    let at = if at.is_empty() {
        String::new()
    } else {
        format!(" (at {})", quote_bytes(at))
    };
    format!("ParseAddr({}): {message}{at}", quote_bytes(text))
}

/// `part` of the address `text` must be a dotted quad.
fn parse_v4(text: &[u8], part: &[u8]) -> Result<(), String> {
    let (mut value, mut digits, mut fields) = (0u32, 0, 0);
    for (i, &byte) in part.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(error(text, "IPv4 field has octet with leading zero", b""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(error(text, "IPv4 field has value >255", b""));
                }
            }
            b'.' => {
                if i == 0 || i == part.len() - 1 || part[i - 1] == b'.' {
                    return Err(error(text, "IPv4 field must have at least one digit", &part[i..]));
                }
                if fields == 3 {
                    return Err(error(text, "IPv4 address too long", b""));
                }
                fields += 1;
                (value, digits) = (0, 0);
            }
            _ => return Err(error(text, "unexpected character", &part[i..])),
        }
    }
    if fields < 3 {
        return Err(error(text, "IPv4 address too short", b""));
    }
    Ok(())
}

fn parse_v6(text: &[u8]) -> Result<(), String> {
    let mut rest = text;
    if let Some(percent) = rest.iter().position(|&b| b == b'%') {
        if percent + 1 == text.len() {
            return Err(error(text, "zone must be a non-empty string", b""));
        }
        rest = &rest[..percent];
    }
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix(b"::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(());
        }
    }
    let mut filled = 0;
    while filled < 16 {
        let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if digits > 4 {
            return Err(error(text, "each group must have 4 or less digits", rest));
        }
        if digits == 0 {
            return Err(error(
                text,
                "each colon-separated field must have at least one digit",
                rest,
            ));
        }
        if rest.get(digits) == Some(&b'.') {
            if ellipsis.is_none() && filled != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(error(text, message, rest));
            }
            if filled + 4 > 16 {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(error(text, message, rest));
            }
            parse_v4(text, rest)?;
            rest = b"";
            filled += 4;
            break;
        }
        filled += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        if rest[0] != b':' {
            return Err(error(text, "unexpected character, want colon", rest));
        }
        if rest.len() == 1 {
            return Err(error(text, "colon must be followed by more characters", rest));
        }
        rest = &rest[1..];
        if rest[0] == b':' {
            if ellipsis.is_some() {
                return Err(error(text, "multiple :: in address", rest));
            }
            ellipsis = Some(filled);
            rest = &rest[1..];
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(error(text, "trailing garbage after address", rest));
    }
    match ellipsis {
        None if filled < 16 => Err(error(text, "address string too short", b"")),
        Some(_) if filled == 16 => Err(error(text, "the :: must expand to at least one field of zeros", b"")),
        _ => Ok(()),
    }
}
