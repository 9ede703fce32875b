//! URIs as `net/url.ParseRequestURI` of Go accepts them.

use super::ip::{Ip, parse_addr};

/// Which part is unescaped; what may stand there differs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    UserInfo,
    Host,
    Zone,
}

/// An absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|b| b < b' ' || b == 0x7F) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else {
        return false;
    };
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    let mut path = rest;
    if !scheme.is_empty()
        && let Some(after) = rest.strip_prefix("//")
    {
        let end = after.find('/').unwrap_or(after.len());
        path = &after[end..];
        if !is_authority(&scheme.to_ascii_lowercase(), &after[..end]) {
            return false;
        }
    }
    unescape(path, Part::Path).is_some()
}

/// The scheme, empty if there is none, and what follows it; `None` if the text begins with a colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (n, b) in text.bytes().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if n > 0 => {}
            b':' if n == 0 => return None,
            b':' => return Some((&text[..n], &text[n + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(scheme: &str, authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    is_host(scheme, host)
        && user.is_none_or(|user| {
            let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
            user.bytes().all(allowed) && user.splitn(2, ':').all(|part| unescape(part, Part::UserInfo).is_some())
        })
}

fn is_host(scheme: &str, host: &str) -> bool {
    match host.rfind('[') {
        Some(0) => return is_bracketed(host),
        Some(_) => return false,
        None => {}
    }
    if let Some(first) = host.find(':') {
        // Lists of hosts with ports are tolerated but where the scheme is the web's.
        let strict = scheme == "http" || scheme == "https";
        let colon = if strict {
            first
        } else {
            host.rfind(':').unwrap_or(first)
        };
        if !is_optional_port(&host[colon..]) {
            return false;
        }
    }
    unescape(host, Part::Host).is_some()
}

/// `[address%25zone]:port`
fn is_bracketed(host: &str) -> bool {
    let Some(close) = host.rfind(']') else { return false };
    let (name, port) = (&host[1..close], &host[close + 1..]);
    if !is_optional_port(port) || unescape(port, Part::Host).is_none() {
        return false;
    }
    let name = match name.find("%25") {
        Some(zone) => unescape(&name[..zone], Part::Host)
            .zip(unescape(&name[zone..], Part::Zone))
            .map(|(mut address, zone)| {
                address.extend(zone);
                address
            }),
        None => unescape(name, Part::Host),
    };
    // Only the zone may hold anything but ASCII, and only its being there matters.
    name.is_some_and(|name| parse_addr(&String::from_utf8_lossy(&name)) == Some(Ip::V6))
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

fn allowed_in_host(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~".contains(&b)
}

/// The text with its escapes replaced, or `None` if one is malformed or a character may not stand there.
fn unescape(text: &str, part: Part) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if b == b'%' {
            let hex = |n: usize| bytes.get(at + n).and_then(|b| char::from(*b).to_digit(16));
            let (high, low) = (hex(1)?, hex(2)?);
            let value = (high * 16 + low) as u8;
            let is_percent = value == b'%';
            if part == Part::Host && value < 0x80 && !is_percent {
                return None;
            }
            if part == Part::Zone && !is_percent && value != b' ' && !allowed_in_host(value) {
                return None;
            }
            out.push(value);
            at += 3;
        } else {
            if matches!(part, Part::Host | Part::Zone) && b < 0x80 && !allowed_in_host(b) {
                return None;
            }
            out.push(b);
            at += 1;
        }
    }
    Some(out)
}
