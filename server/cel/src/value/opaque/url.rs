//! URLs as Go's `net/url` reads and writes them.

use std::fmt;

use super::ip::Ip;
use crate::go::quote;

/// A URL.
#[derive(Clone, Default, Debug)]
pub struct Url {
    scheme: String,
    /// What follows the scheme, if that is not a path.
    opaque: String,
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    host: String,
    path: Vec<u8>,
    /// The path as it was written, if that is not how it would be written.
    raw_path: String,
    query: String,
    force_query: bool,
    fragment: Option<String>,
    omit_host: bool,
}

/// Which part of a URL is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
}

fn should_escape(byte: u8, part: Part) -> bool {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => false,
        b'!' | b'\'' | b'(' | b')' | b'*' | b'[' | b']' | b'<' | b'>' | b'"' => {
            !matches!(part, Part::Host | Part::Zone)
        }
        b'$' | b'&' | b'+' | b',' | b';' | b'=' | b':' => match part {
            Part::Path | Part::Host | Part::Zone => false,
            Part::User => byte == b':',
            Part::Query => true,
        },
        b'/' | b'@' => part != Part::Path,
        _ => true,
    }
}

fn escape(text: &[u8], part: Part) -> String {
    let mut escaped = String::new();
    for byte in text {
        if should_escape(*byte, part) {
            let digit = |nibble: u8| {
                char::from_digit(u32::from(nibble), 16)
                    .unwrap_or('0')
                    .to_ascii_uppercase()
            };
            escaped.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        } else {
            escaped.push(char::from(*byte));
        }
    }
    escaped
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|d| d as u8)
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'%' => {
                let digits = bytes
                    .get(at + 1)
                    .copied()
                    .and_then(hex)
                    .zip(bytes.get(at + 2).copied().and_then(hex));
                let sequence = String::from_utf8_lossy(&bytes[at..(at + 3).min(bytes.len())]).into_owned();
                let invalid = || format!("invalid URL escape {}", quote(&sequence));
                let (high, low) = digits.ok_or_else(invalid)?;
                let value = high << 4 | low;
                let refused = match part {
                    Part::Host => high < 8 && sequence != "%25",
                    Part::Zone => sequence != "%25" && value != b' ' && should_escape(value, Part::Host),
                    _ => false,
                };
                if refused {
                    return Err(invalid());
                }
                out.push(value);
                at += 3;
            }
            b'+' if part == Part::Query => {
                out.push(b' ');
                at += 1;
            }
            byte => {
                if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && should_escape(byte, part) {
                    return Err(format!(
                        "invalid character {} in host name",
                        quote(&char::from(byte).to_string())
                    ));
                }
                out.push(byte);
                at += 1;
            }
        }
    }
    Ok(out)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

fn host(scheme: &str, text: &str) -> Result<String, String> {
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    match text.rfind('[') {
        Some(0) => {
            let close = text.rfind(']').ok_or("missing ']' in host")?;
            let port = &text[close + 1..];
            if !is_port(port) {
                return Err(format!("invalid port {} after host", quote(port)));
            }
            let name = &text[1..close];
            let name = match name.find("%25") {
                Some(zone) => {
                    lossy(unescape(&name[..zone], Part::Host)?) + &lossy(unescape(&name[zone..], Part::Zone)?)
                }
                None => lossy(unescape(name, Part::Host)?),
            };
            match Ip::parse_go(&name) {
                Ok((Ip::V4(_), _)) => return Err("invalid IP-literal".to_owned()),
                Ok(_) => {}
                Err(error) => return Err(format!("invalid host: {error}")),
            }
            return Ok(format!("[{name}]{port}"));
        }
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    if let (Some(first), Some(last)) = (text.find(':'), text.rfind(':')) {
        let port = &text[if matches!(scheme, "http" | "https") {
            first
        } else {
            last
        }..];
        if !is_port(port) {
            return Err(format!("invalid port {} after host", quote(port)));
        }
    }
    unescape(text, Part::Host).map(lossy)
}

impl Url {
    /// The URL that a text is, or Go's words on why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_part(text, true).map_err(|error| format!("parse {}: {error}", quote(text)))?;
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = Self::parse_part(rest, false).map_err(|error| format!("parse {}: {error}", quote(rest)))?;
        if !fragment.is_empty() {
            unescape(fragment, Part::Path).map_err(|error| format!("parse {}: {error}", quote(text)))?;
            url.fragment = Some(fragment.to_owned());
        }
        Ok(url)
    }

    /// Why a text is no URL that can be requested, in Go's words.
    pub fn check_request(text: &str) -> Result<(), String> {
        Self::parse_part(text, true)
            .map(|_| ())
            .map_err(|error| format!("parse {}: {error}", quote(text)))
    }

    fn parse_part(text: &str, request: bool) -> Result<Self, String> {
        if text.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && request {
            return Err("empty url".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, mut rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        if rest.ends_with('?') && rest.matches('?').count() == 1 {
            url.force_query = true;
            rest = &rest[..rest.len() - 1];
        } else if let Some((before, query)) = rest.split_once('?') {
            query.clone_into(&mut url.query);
            rest = before;
        }
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if request {
                return Err("invalid URI for request".to_owned());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let absolute = !url.scheme.is_empty();
        if (absolute || !request && !rest.starts_with("///")) && rest.starts_with("//") {
            let authority = &rest[2..];
            let end = authority.find('/').unwrap_or(authority.len());
            rest = &authority[end..];
            url.set_authority(&authority[..end])?;
        } else if absolute && rest.starts_with('/') {
            url.omit_host = true;
        }
        url.path = unescape(rest, Part::Path)?;
        if escape(&url.path, Part::Path) != rest {
            rest.clone_into(&mut url.raw_path);
        }
        Ok(url)
    }

    fn set_authority(&mut self, authority: &str) -> Result<(), String> {
        let Some((user, rest)) = authority.rsplit_once('@') else {
            self.host = host(&self.scheme, authority)?;
            return Ok(());
        };
        self.host = host(&self.scheme, rest)?;
        let valid = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
        if !user.chars().all(valid) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        self.user = Some(match user.split_once(':') {
            None => (unescape(user, Part::User)?, None),
            Some((name, password)) => (unescape(name, Part::User)?, Some(unescape(password, Part::User)?)),
        });
        Ok(())
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host with its port.
    pub fn host(&self) -> &str {
        &self.host
    }

    fn host_and_port(&self) -> (&str, &str) {
        let (host, port) = match self.host.rfind(':') {
            Some(colon) if is_port(&self.host[colon..]) => (&self.host[..colon], &self.host[colon + 1..]),
            _ => (&*self.host, ""),
        };
        (
            host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host),
            port,
        )
    }

    /// The host without port and brackets.
    pub fn hostname(&self) -> &str {
        self.host_and_port().0
    }

    /// The port.
    pub fn port(&self) -> &str {
        self.host_and_port().1
    }

    /// The path, escaped: as it was written, if that is valid.
    pub fn escaped_path(&self) -> String {
        let valid = |byte: u8| b"!$&'()*+,;=:@[]%".contains(&byte) || !should_escape(byte, Part::Path);
        if !self.raw_path.is_empty() && self.raw_path.bytes().all(valid) {
            return self.raw_path.clone();
        }
        if self.path == b"*" {
            return "*".to_owned();
        }
        escape(&self.path, Part::Path)
    }

    /// The parameters of the query in the order in which their names appear; those that cannot be read are left out.
    pub fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut parameters: Vec<(String, Vec<String>)> = Vec::new();
        let text = |text: &str| unescape(text, Part::Query).map(|t| String::from_utf8_lossy(&t).into_owned());
        for parameter in self.query.split('&').filter(|p| !p.is_empty() && !p.contains(';')) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let (Ok(name), Ok(value)) = (text(name), text(value)) else {
                continue;
            };
            match parameters.iter_mut().find(|(n, _)| *n == name) {
                Some((_, values)) => values.push(value),
                None => parameters.push((name, vec![value])),
            }
        }
        parameters
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let has_host = !self.host.is_empty() || self.user.is_some();
            if has_host || !self.scheme.is_empty() && !self.omit_host && !self.path.is_empty() {
                f.write_str("//")?;
                if let Some((name, password)) = &self.user {
                    f.write_str(&escape(name, Part::User))?;
                    if let Some(password) = password {
                        write!(f, ":{}", escape(password, Part::User))?;
                    }
                    f.write_str("@")?;
                }
                f.write_str(&escape(self.host.as_bytes(), Part::Host))?;
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                f.write_str("/")?;
            }
            f.write_str(&path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.force_query || !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}
