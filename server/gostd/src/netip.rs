//! IP addresses and prefixes (`net/netip`).

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{quote, quote_bytes};

/// An address (`netip.Addr`), without its zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addr {
    /// An IPv4 address.
    V4(u32),
    /// An IPv6 address.
    V6(u128),
}

/// The result of parsing an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// The address.
    pub addr: Addr,
    /// Whether an IPv6 zone follows the address.
    pub has_zone: bool,
}

/// An address and a prefix length (`netip.Prefix`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The address, including the bits after the prefix.
    pub addr: Addr,
    /// The length of the prefix in bits.
    pub bits: u32,
}

/// Parses an address. The input need not be UTF-8 (`netip.ParseAddr`). The error is the same as in Go.
pub fn parse_addr(text: &[u8]) -> Result<Parsed, String> {
    let parsed = match text.iter().find(|b| b".:%".contains(b)) {
        Some(b'.') => parse_v4(text).map(|ip| Parsed {
            addr: Addr::V4(ip),
            has_zone: false,
        }),
        Some(b':') => parse_v6(text),
        Some(_) => fail("missing IPv6 address", b""),
        None => fail("unable to parse IP", b""),
    };
    parsed.map_err(|ParseError { message, at }| {
        let at = match at {
            b"" => String::new(),
            at => format!(" (at {})", quote_bytes(at)),
        };
        format!("ParseAddr({}): {message}{at}", quote_bytes(text))
    })
}

/// Whether `text` is an address without a zone (`net.ParseIP`).
#[must_use]
pub fn is_ip(text: &[u8]) -> bool {
    parse_addr(text).is_ok_and(|it| !it.has_zone)
}

/// Parses a prefix (`netip.ParsePrefix`). The error is the same as in Go.
pub fn parse_prefix(text: &str) -> Result<Prefix, String> {
    prefix(text).map_err(|message| format!("netip.ParsePrefix({}): {message}", quote(text)))
}

fn prefix(text: &str) -> Result<Prefix, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let Parsed { addr, has_zone } = parse_addr(address.as_bytes())?;
    if has_zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quote(bits));
    if bits.len() > 1 && !matches!(bits.as_bytes()[0], b'1'..=b'9') {
        return Err(bad());
    }
    if bits.is_empty() || !bits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let bits: i64 = bits.parse().map_err(|_| bad())?;
    match u32::try_from(bits) {
        Ok(bits) if bits <= addr.bits() => Ok(Prefix { addr, bits }),
        _ => Err("prefix length out of range".to_owned()),
    }
}

/// The reason why a string is not an address.
struct ParseError<'a> {
    message: &'static str,
    /// The rest of the string from the error on; empty if the message does not show it.
    at: &'a [u8],
}

fn fail<'a, T>(message: &'static str, at: &'a [u8]) -> Result<T, ParseError<'a>> {
    Err(ParseError { message, at })
}

fn parse_v4(text: &[u8]) -> Result<u32, ParseError<'_>> {
    let (mut ip, mut value, mut digits, mut fields) = (0_u32, 0_u32, 0, 0);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return fail("IPv4 field has octet with leading zero", b"");
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return fail("IPv4 field has value >255", b"");
                }
            }
            b'.' => {
                if at == 0 || at == text.len() - 1 || text[at - 1] == b'.' {
                    return fail("IPv4 field must have at least one digit", &text[at..]);
                }
                if fields == 3 {
                    return fail("IPv4 address too long", b"");
                }
                ip = ip << 8 | value;
                (value, digits) = (0, 0);
                fields += 1;
            }
            _ => return fail("unexpected character", &text[at..]),
        }
    }
    if fields < 3 {
        return fail("IPv4 address too short", b"");
    }
    Ok(ip << 8 | value)
}

fn parse_v6(text: &[u8]) -> Result<Parsed, ParseError<'_>> {
    let zone = text.iter().position(|b| *b == b'%');
    if zone.is_some_and(|at| at + 1 == text.len()) {
        return fail("zone must be a non-empty string", b"");
    }
    let has_zone = zone.is_some();
    let mut rest = &text[..zone.unwrap_or(text.len())];
    let mut ip = [0_u8; 16];
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix(b"::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            let addr = Addr::V6(0);
            return Ok(Parsed { addr, has_zone });
        }
    }
    let mut at = 0;
    while at < 16 {
        let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if digits > 4 {
            return fail("each group must have 4 or less digits", rest);
        }
        if digits == 0 {
            return fail("each colon-separated field must have at least one digit", rest);
        }
        if rest.get(digits) == Some(&b'.') {
            if ellipsis.is_none() && at != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return fail(message, rest);
            }
            if at + 4 > 16 {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return fail(message, rest);
            }
            ip[at..at + 4].copy_from_slice(&parse_v4(rest)?.to_be_bytes());
            rest = b"";
            at += 4;
            break;
        }
        let value = |b: &u8| char::from(*b).to_digit(16).unwrap_or_default() as u16;
        let group = rest[..digits].iter().fold(0_u16, |group, b| group << 4 | value(b));
        ip[at..at + 2].copy_from_slice(&group.to_be_bytes());
        at += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(b":") else {
            return fail("unexpected character, want colon", rest);
        };
        if after.is_empty() {
            return fail("colon must be followed by more characters", rest);
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(b":") {
            if ellipsis.is_some() {
                return fail("multiple :: in address", rest);
            }
            ellipsis = Some(at);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return fail("trailing garbage after address", rest);
    }
    match ellipsis {
        None if at < 16 => return fail("address string too short", b""),
        Some(_) if at == 16 => return fail("the :: must expand to at least one field of zeros", b""),
        Some(start) => {
            let missing = 16 - at;
            ip.copy_within(start..at, start + missing);
            ip[start..start + missing].fill(0);
        }
        None => {}
    }
    let addr = Addr::V6(u128::from_be_bytes(ip));
    Ok(Parsed { addr, has_zone })
}

impl Addr {
    /// Whether the address is an IPv4-mapped IPv6 address.
    #[must_use]
    pub fn is_4_in_6(self) -> bool {
        matches!(self, Self::V6(ip) if ip >> 32 == 0xffff)
    }

    /// The length of the address in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::V4(_) => 32,
            Self::V6(_) => 128,
        }
    }

    /// Whether the address is the unspecified address (`0.0.0.0` or `::`).
    #[must_use]
    pub fn is_unspecified(self) -> bool {
        matches!(self, Self::V4(0) | Self::V6(0))
    }

    /// Whether the address is a loopback address.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 24 == 127,
            Self::V6(ip) => ip == 1,
        }
    }

    fn is_multicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 28 == 0xe,
            Self::V6(ip) => ip >> 120 == 0xff,
        }
    }

    /// Whether the address is a link-local multicast address.
    #[must_use]
    pub fn is_link_local_multicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 8 == 0x00e0_0000,
            Self::V6(ip) => (ip >> 112) & 0xff0f == 0xff02,
        }
    }

    /// Whether the address is a link-local unicast address.
    #[must_use]
    pub fn is_link_local_unicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 16 == 0xa9fe,
            Self::V6(ip) => (ip >> 112) & 0xffc0 == 0xfe80,
        }
    }

    /// Whether the address is a global unicast address, which includes private addresses.
    #[must_use]
    pub fn is_global_unicast(self) -> bool {
        !(self == Self::V4(u32::MAX)
            || self.is_unspecified()
            || self.is_loopback()
            || self.is_multicast()
            || self.is_link_local_unicast())
    }

    /// The address with all bits after the first `bits` set to 0.
    fn masked(self, bits: u32) -> Self {
        match self {
            Self::V4(ip) => Self::V4(ip & u32::MAX.checked_shl(32 - bits).unwrap_or(0)),
            Self::V6(ip) => Self::V6(ip & u128::MAX.checked_shl(128 - bits).unwrap_or(0)),
        }
    }
}

impl Prefix {
    /// Whether the prefix contains an address.
    #[must_use]
    pub fn contains(self, addr: Addr) -> bool {
        self.addr.bits() == addr.bits() && self.addr.masked(self.bits) == addr.masked(self.bits)
    }

    /// The prefix with all bits of the address after the prefix set to 0.
    #[must_use]
    pub fn masked(self) -> Self {
        Self {
            addr: self.addr.masked(self.bits),
            bits: self.bits,
        }
    }
}

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(ip) => write!(f, "{}", Ipv4Addr::from(*ip)),
            Self::V6(ip) => write!(f, "{}", Ipv6Addr::from(*ip)),
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.addr, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = parse_addr(text.as_bytes()).map(|it| it.addr.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn reads_addresses() {
        check("1.2.3.4", Ok("1.2.3.4"));
        check("::", Ok("::"));
        check("1::8", Ok("1::8"));
        check("fe80::1%eth0", Ok("fe80::1"));
        check("::ffff:1.2.3.4", Ok("::ffff:1.2.3.4"));
        check("1:2:3:4:5:6:7:8", Ok("1:2:3:4:5:6:7:8"));
    }

    #[test]
    fn words_errors_as_go_does() {
        check("", Err(r#"ParseAddr(""): unable to parse IP"#));
        check("1.2.3", Err(r#"ParseAddr("1.2.3"): IPv4 address too short"#));
        check(
            "1.02.3.4",
            Err(r#"ParseAddr("1.02.3.4"): IPv4 field has octet with leading zero"#),
        );
        check("1.2.3.é", Err(r#"ParseAddr("1.2.3.é"): unexpected character (at "é")"#));
        check(
            "1:2:",
            Err(r#"ParseAddr("1:2:"): colon must be followed by more characters (at ":")"#),
        );
        check("::1::", Err(r#"ParseAddr("::1::"): multiple :: in address (at ":")"#));
        check("1:2", Err(r#"ParseAddr("1:2"): address string too short"#));
        check(
            "::12345",
            Err(r#"ParseAddr("::12345"): each group must have 4 or less digits (at "12345")"#),
        );
        check("::1%", Err(r#"ParseAddr("::1%"): zone must be a non-empty string"#));
        check("%a", Err(r#"ParseAddr("%a"): missing IPv6 address"#));
    }

    #[test]
    fn reads_prefixes() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let found = parse_prefix(text).map(|it| it.masked().to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        };
        check("10.1.2.3/8", Ok("10.0.0.0/8"));
        check("fd00::1/0", Ok("::/0"));
        check("10.0.0.0", Err(r#"netip.ParsePrefix("10.0.0.0"): no '/'"#));
        check(
            "10.0.0.0/08",
            Err(r#"netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08""#),
        );
        check(
            "10.0.0.0/33",
            Err(r#"netip.ParsePrefix("10.0.0.0/33"): prefix length out of range"#),
        );
        check(
            "fe80::1%a/8",
            Err(r#"netip.ParsePrefix("fe80::1%a/8"): IPv6 zones cannot be present in a prefix"#),
        );
    }
}
