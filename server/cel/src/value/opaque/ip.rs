//! IP addresses and ranges as Go's `net/netip` reads and writes them.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::go::quote;

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ip {
    /// IPv4
    V4(u32),
    /// IPv6
    V6(u128),
}

/// A range of addresses: an address and how many of its bits count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cidr {
    /// The address, also of the bits that do not count.
    pub ip: Ip,
    /// How many bits count.
    pub bits: u32,
}

/// Why a text is no address.
struct ParseError<'a> {
    message: &'static str,
    at: &'a str,
}

fn fail<'a, T>(message: &'static str, at: &'a str) -> Result<T, ParseError<'a>> {
    Err(ParseError { message, at })
}

impl Ip {
    /// The address that a text is, without zone and not IPv4 in the form of IPv6 (`k8s.io/apiserver/pkg/cel/library`, `parseIPAddr`).
    pub fn parse(text: &str) -> Result<Self, String> {
        let (ip, zone) = Self::parse_go(text).map_err(|error| {
            format!(
                "IP Address {} parse error during conversion from string: {error}",
                quote(text)
            )
        })?;
        if zone {
            return Err(format!("IP address {} with zone value is not allowed", quote(text)));
        }
        if ip.is_4_in_6() {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
        }
        Ok(ip)
    }

    /// The address that a text is and whether it has a zone (`netip.ParseAddr`).
    pub(super) fn parse_go(text: &str) -> Result<(Self, bool), String> {
        let parsed = match text.bytes().find(|b| matches!(b, b'.' | b':' | b'%')) {
            Some(b'.') => parse_v4(text).map(|ip| (Self::V4(ip), false)),
            Some(b':') => parse_v6(text),
            Some(_) => fail("missing IPv6 address", ""),
            None => fail("unable to parse IP", ""),
        };
        parsed.map_err(|ParseError { message, at }| {
            let at = if at.is_empty() {
                String::new()
            } else {
                format!(" (at {})", quote(at))
            };
            format!("ParseAddr({}): {message}{at}", quote(text))
        })
    }

    fn is_4_in_6(self) -> bool {
        matches!(self, Self::V6(ip) if ip >> 32 == 0xffff)
    }

    /// How many bits it has.
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::V4(_) => 32,
            Self::V6(_) => 128,
        }
    }

    /// 4 or 6.
    pub fn family(self) -> i64 {
        match self {
            Self::V4(_) => 4,
            Self::V6(_) => 6,
        }
    }

    /// Whether it stands for any address.
    pub fn is_unspecified(self) -> bool {
        matches!(self, Self::V4(0) | Self::V6(0))
    }

    /// Whether it is the host itself.
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

    /// Whether it is link-local multicast.
    pub fn is_link_local_multicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 8 == 0x00e0_0000,
            Self::V6(ip) => (ip >> 112) & 0xff0f == 0xff02,
        }
    }

    /// Whether it is link-local unicast.
    pub fn is_link_local_unicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 16 == 0xa9fe,
            Self::V6(ip) => (ip >> 112) & 0xffc0 == 0xfe80,
        }
    }

    /// Whether it is global unicast; private addresses are.
    pub fn is_global_unicast(self) -> bool {
        !(self == Self::V4(u32::MAX)
            || self.is_unspecified()
            || self.is_loopback()
            || self.is_multicast()
            || self.is_link_local_unicast())
    }

    /// The first bits of it, the others 0.
    fn masked(self, bits: u32) -> Self {
        match self {
            Self::V4(ip) => Self::V4(ip & u32::MAX.checked_shl(32 - bits).unwrap_or(0)),
            Self::V6(ip) => Self::V6(ip & u128::MAX.checked_shl(128 - bits).unwrap_or(0)),
        }
    }
}

fn parse_v4(text: &str) -> Result<u32, ParseError<'_>> {
    let bytes = text.as_bytes();
    let (mut ip, mut value, mut digits, mut fields) = (0_u32, 0_u32, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return fail("IPv4 field has octet with leading zero", "");
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return fail("IPv4 field has value >255", "");
                }
            }
            b'.' => {
                if at == 0 || at == bytes.len() - 1 || bytes[at - 1] == b'.' {
                    return fail("IPv4 field must have at least one digit", &text[at..]);
                }
                if fields == 3 {
                    return fail("IPv4 address too long", "");
                }
                ip = ip << 8 | value;
                (value, digits) = (0, 0);
                fields += 1;
            }
            _ => return fail("unexpected character", text.get(at..).unwrap_or("")),
        }
    }
    if fields < 3 {
        return fail("IPv4 address too short", "");
    }
    Ok(ip << 8 | value)
}

fn parse_v6(text: &str) -> Result<(Ip, bool), ParseError<'_>> {
    let (mut rest, zone) = match text.split_once('%') {
        Some((_, "")) => return fail("zone must be a non-empty string", ""),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    let mut ip = [0_u8; 16];
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok((Ip::V6(0), zone));
        }
    }
    let mut at = 0;
    while at < 16 {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return fail("each group must have 4 or less digits", rest);
        }
        if digits == 0 {
            return fail("each colon-separated field must have at least one digit", rest);
        }
        if rest.as_bytes().get(digits) == Some(&b'.') {
            if ellipsis.is_none() && at != 12 {
                return fail(
                    "embedded IPv4 address must replace the final 2 fields of the address",
                    rest,
                );
            }
            if at + 4 > 16 {
                return fail(
                    "too many hex fields to fit an embedded IPv4 at the end of the address",
                    rest,
                );
            }
            ip[at..at + 4].copy_from_slice(&parse_v4(rest)?.to_be_bytes());
            rest = "";
            at += 4;
            break;
        }
        let group = u16::from_str_radix(&rest[..digits], 16).unwrap_or(0);
        ip[at..at + 2].copy_from_slice(&group.to_be_bytes());
        at += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return fail("unexpected character, want colon", rest);
        };
        if after.is_empty() {
            return fail("colon must be followed by more characters", rest);
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
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
        None if at < 16 => return fail("address string too short", ""),
        Some(_) if at == 16 => return fail("the :: must expand to at least one field of zeros", ""),
        Some(start) => {
            let missing = 16 - at;
            ip.copy_within(start..at, start + missing);
            ip[start..start + missing].fill(0);
        }
        None => {}
    }
    Ok((Ip::V6(u128::from_be_bytes(ip)), zone))
}

impl Cidr {
    /// The range that a text is (`k8s.io/apiserver/pkg/cel/library`, `parseCIDR`).
    pub fn parse(text: &str) -> Result<Self, String> {
        let cidr = Self::parse_go(text).map_err(|message| {
            format!(
                "network address parse error during conversion from string: netip.ParsePrefix({}): {message}",
                quote(text)
            )
        })?;
        if cidr.ip.is_4_in_6() {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
        }
        Ok(cidr)
    }

    fn parse_go(text: &str) -> Result<Self, String> {
        let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
        let (ip, zone) = Ip::parse_go(address)?;
        if zone {
            return Err("IPv6 zones cannot be present in a prefix".to_owned());
        }
        let bad = || format!("bad bits after slash: {}", quote(bits));
        if bits.len() > 1 && !matches!(bits.as_bytes()[0], b'1'..=b'9') {
            return Err(bad());
        }
        let digits = bits.strip_prefix(['+', '-']).unwrap_or(bits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let bits: i64 = bits.parse().map_err(|_| bad())?;
        u32::try_from(bits)
            .ok()
            .filter(|bits| *bits <= ip.bits())
            .map(|bits| Self { ip, bits })
            .ok_or_else(|| "prefix length out of range".to_owned())
    }

    /// Whether an address is in it.
    pub fn contains_ip(self, ip: Ip) -> bool {
        self.ip.bits() == ip.bits() && self.ip.masked(self.bits) == ip.masked(self.bits)
    }

    /// Whether a range is in it.
    pub fn contains_cidr(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains_ip(other.ip)
    }

    /// The range with the bits that do not count 0.
    #[must_use]
    pub fn masked(self) -> Self {
        Self {
            ip: self.ip.masked(self.bits),
            bits: self.bits,
        }
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(ip) => write!(f, "{}", Ipv4Addr::from(*ip)),
            Self::V6(ip) => write!(f, "{}", Ipv6Addr::from(*ip)),
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.ip, self.bits)
    }
}
