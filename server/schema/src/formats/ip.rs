//! Addresses: IP, CIDR and MAC.
//!
//! Kubernetes parses IPv4 addresses and CIDRs with its own parser, which allows leading zeros
//! (`k8s.io/utils/net`, `ParseIPSloppy`, `ParseCIDRSloppy`), and IPv6 addresses with Go's (`net.ParseIP`).

use crd_analyzer_gostd::netip;

pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.')
        && match text.find(['.', ':']) {
            Some(first) if text.as_bytes()[first] == b'.' => parse_v4(text),
            _ => parse_v6(text),
        }
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && netip::is_ip(text.as_bytes())
}

/// `parseIPv4` of `k8s.io/utils/net`: allows leading zeros.
fn parse_v4(text: &str) -> bool {
    let mut parts = 0;
    for part in text.split('.') {
        parts += 1;
        // A part may have any number of leading zeros, but its value must fit.
        let value = part.bytes().try_fold(0_u32, |value, b| {
            b.is_ascii_digit()
                .then(|| value.saturating_mul(10).saturating_add(u32::from(b - b'0')))
        });
        if parts > 4 || part.is_empty() || value.is_none_or(|value| value > 255) {
            return false;
        }
    }
    parts == 4
}

/// `parseIPv6` of `k8s.io/utils/net`: without a zone.
fn parse_v6(text: &str) -> bool {
    let mut rest = text.as_bytes();
    let mut ellipsis = false;
    if let [b':', b':', after @ ..] = rest {
        ellipsis = true;
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    let mut len = 0;
    while len < 16 {
        let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        // Any number of digits is valid as long as the value fits.
        let value = rest[..digits].iter().fold(0_u32, |value, b| {
            value
                .saturating_mul(16)
                .saturating_add(char::from(*b).to_digit(16).unwrap_or(0))
        });
        if digits == 0 || value > 0xFFFF {
            return false;
        }
        if rest.get(digits) == Some(&b'.') {
            if (!ellipsis && len != 12) || len + 4 > 16 {
                return false;
            }
            let Ok(v4) = std::str::from_utf8(rest) else {
                return false;
            };
            if !parse_v4(v4) {
                return false;
            }
            rest = &[];
            len += 4;
            break;
        }
        len += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        let [b':', after @ ..] = rest else { return false };
        rest = after;
        match rest {
            [] => return false,
            [b':', after @ ..] => {
                if ellipsis {
                    return false;
                }
                ellipsis = true;
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            _ => {}
        }
    }
    rest.is_empty() && ellipsis == (len < 16)
}

pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, mask)) = text.split_once('/') else {
        return false;
    };
    let bits = if parse_v4(address) {
        32
    } else if parse_v6(address) {
        128
    } else {
        return false;
    };
    !mask.is_empty()
        && mask.bytes().all(|b| b.is_ascii_digit())
        && mask
            .bytes()
            .fold(0_u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
            <= bits
}

/// `net.ParseMAC`: 6, 8 or 20 bytes, separated by colons or hyphens, by a dot after every second byte, or not at all.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 12 {
        return false;
    }
    let (group, separator) = match (bytes[2], bytes[4]) {
        (separator @ (b':' | b'-'), _) => (2, Some(separator)),
        (_, b'.') => (4, Some(b'.')),
        _ => (2, None),
    };
    let stride = group + usize::from(separator.is_some());
    let padded = bytes.len() + usize::from(separator.is_some());
    if !padded.is_multiple_of(stride) || !matches!(padded / stride * (group / 2), 6 | 8 | 20) {
        return false;
    }
    bytes.chunks(stride).enumerate().all(|(n, chunk)| {
        let (digits, rest) = chunk.split_at(group.min(chunk.len()));
        let is_last = (n + 1) * stride >= bytes.len();
        digits.iter().all(u8::is_ascii_hexdigit) && (is_last || rest.first().copied() == separator)
    })
}
