//! URLs (`net/url`).

use std::fmt::{self, Write as _};

use crate::{
    netip::{Addr, parse_addr},
    quote, quote_bytes,
};

/// A URL. Percent-decoded parts are stored as bytes, since they need not be UTF-8.
#[derive(Clone, Default, Debug)]
pub struct Url {
    scheme: String,
    /// The part after the scheme, if it is not a path.
    opaque: String,
    user: Option<UserInfo>,
    host: Vec<u8>,
    path: Encoded,
    raw_query: String,
    force_query: bool,
    omit_host: bool,
    fragment: Encoded,
}

/// The part before the `@`, decoded.
#[derive(Clone, Debug)]
struct UserInfo {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// A decoded part of a URL. Contains the original form if encoding the part again would give another form.
#[derive(Clone, Default, Debug)]
struct Encoded {
    decoded: Vec<u8>,
    raw: String,
}

/// The part of a URL to encode. In each part, different characters are allowed without escapes (`net/url`, `encoding`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// The maximum number of query parameters. Longer queries are not parsed (`net/url`, `defaultMaxParams`).
const MAX_PARAMETERS: usize = 10_000;

/// Parses a URL (`url.Parse`). The error is the same as in Go.
pub fn parse(text: &str) -> Result<Url, String> {
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = read(rest, false).map_err(|error| wrap(rest, &error))?;
    url.fragment = Encoded::read(fragment, Part::Fragment).map_err(|error| wrap(text, &error))?;
    Ok(url)
}

/// Parses the URL of a request: an absolute URL or an absolute path (`url.ParseRequestURI`).
pub fn parse_request_uri(text: &str) -> Result<Url, String> {
    read(text, true).map_err(|error| wrap(text, &error))
}

/// The message of a `url.Error`.
fn wrap(url: &str, error: &str) -> String {
    format!("parse {}: {error}", quote(url))
}

fn read(text: &str, via_request: bool) -> Result<Url, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && via_request {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        url.path.decoded = b"*".to_vec();
        return Ok(url);
    }
    let (scheme, mut rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    if rest.ends_with('?') && rest.matches('?').count() == 1 {
        url.force_query = true;
        rest = &rest[..rest.len() - 1];
    } else if let Some((before, query)) = rest.split_once('?') {
        query.clone_into(&mut url.raw_query);
        rest = before;
    }
    let has_scheme = !url.scheme.is_empty();
    if !rest.starts_with('/') {
        if has_scheme {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if via_request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    if (has_scheme || !via_request && !rest.starts_with("///")) && rest.starts_with("//") {
        let authority = &rest[2..];
        let end = authority.find('/').unwrap_or(authority.len());
        rest = &authority[end..];
        (url.user, url.host) = read_authority(&url.scheme, &authority[..end])?;
    } else if has_scheme && rest.starts_with('/') {
        url.omit_host = true;
    }
    url.path = Encoded::read(rest, Part::Path)?;
    Ok(url)
}

/// Splits off the scheme, which may be empty.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
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

fn read_authority(scheme: &str, authority: &str) -> Result<(Option<UserInfo>, Vec<u8>), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, read_host(scheme, authority)?));
    };
    let host = read_host(scheme, host)?;
    let valid = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !user.bytes().all(valid) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = match user.split_once(':') {
        Some((name, password)) => (name, Some(password)),
        None => (user, None),
    };
    let name = unescape(name, Part::User)?;
    let password = password.map(|it| unescape(it, Part::User)).transpose()?;
    Ok((Some(UserInfo { name, password }), host))
}

fn read_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return read_ip_literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Hosts may have several colons only for schemes where lists of hosts are common, which excludes http and https.
    let colon = if matches!(scheme, "http" | "https") {
        host.find(':')
    } else {
        host.rfind(':')
    };
    if let Some(colon) = colon {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host)
}

fn read_ip_literal(host: &str) -> Result<Vec<u8>, String> {
    let close = host.rfind(']').ok_or("missing ']' in host")?;
    let port = &host[close + 1..];
    check_port(port)?;
    let name = &host[1..close];
    let name = match name.find("%25") {
        Some(zone) => [
            unescape(&name[..zone], Part::Host)?,
            unescape(&name[zone..], Part::Zone)?,
        ]
        .concat(),
        None => unescape(name, Part::Host)?,
    };
    let parsed = parse_addr(&name).map_err(|error| format!("invalid host: {error}"))?;
    if matches!(parsed.addr, Addr::V4(_)) {
        return Err("invalid IP-literal".to_owned());
    }
    Ok([b"[", &*name, b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port.as_bytes()) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quote(port)))
}

/// Whether `text` is empty or a port with its colon (`net/url.validOptionalPort`).
fn is_port(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b":");
    text.is_empty() || digits.is_some_and(|it| it.iter().all(u8::is_ascii_digit))
}

/// Whether a byte has to be encoded in this part of a URL (`net/url.shouldEscape`).
fn is_escaped(byte: u8, part: Part) -> bool {
    let stands = match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'.' | b'_' | b'~' => true,
        b'"' | b'\'' | b'<' | b'>' | b'[' | b']' => matches!(part, Part::Host | Part::Zone),
        b'!' | b'(' | b')' | b'*' => matches!(part, Part::Host | Part::Zone | Part::Fragment),
        b'$' | b'&' | b'+' | b',' | b';' | b'=' => part != Part::Query,
        b':' => !matches!(part, Part::User | Part::Query),
        b'/' | b'@' => matches!(part, Part::Path | Part::Fragment),
        b'?' => part == Part::Fragment,
        _ => false,
    };
    !stands
}

fn escape(text: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text {
        if is_escaped(*byte, part) {
            let _ = write!(out, "%{byte:02X}");
        } else {
            out.push(char::from(*byte));
        }
    }
    out
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let in_host = matches!(part, Part::Host | Part::Zone);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'%' => {
                let hex = |n: usize| after.get(n).and_then(|b| char::from(*b).to_digit(16));
                let sequence = [b"%", &after[..after.len().min(2)]].concat();
                let invalid = || format!("invalid URL escape {}", quote_bytes(&sequence));
                let (high, low) = hex(0).zip(hex(1)).ok_or_else(invalid)?;
                let value = (high << 4 | low) as u8;
                let refused = match part {
                    Part::Host => value < 0x80 && value != b'%',
                    Part::Zone => !matches!(value, b'%' | b' ') && is_escaped(value, Part::Host),
                    _ => false,
                };
                if refused {
                    return Err(invalid());
                }
                out.push(value);
                rest = &after[2..];
            }
            b'+' if part == Part::Query => out.push(b' '),
            byte if in_host && byte.is_ascii() && is_escaped(*byte, part) => {
                return Err(format!("invalid character {} in host name", quote_bytes(&[*byte])));
            }
            byte => out.push(*byte),
        }
    }
    Ok(out)
}

impl Encoded {
    /// `URL.setPath`, `URL.setFragment`
    fn read(text: &str, part: Part) -> Result<Self, String> {
        let decoded = unescape(text, part)?;
        let is_usual = escape(&decoded, part) == text;
        let raw = if is_usual { String::new() } else { text.to_owned() };
        Ok(Self { decoded, raw })
    }

    /// The original form if it is valid, otherwise an encoded form (`URL.EscapedPath`, `URL.EscapedFragment`).
    fn written(&self, part: Part) -> String {
        let valid = |byte: u8| b"!$&'()*+,;=:@[]%".contains(&byte) || !is_escaped(byte, part);
        if !self.raw.is_empty() && self.raw.bytes().all(valid) {
            return self.raw.clone();
        }
        escape(&self.decoded, part)
    }
}

impl Url {
    /// The scheme in lower case; empty without a scheme.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The user information, encoded again (`Userinfo.String`).
    #[must_use]
    pub fn user(&self) -> Option<String> {
        let UserInfo { name, password } = self.user.as_ref()?;
        let mut out = escape(name, Part::User);
        if let Some(password) = password {
            out.push(':');
            out.push_str(&escape(password, Part::User));
        }
        Some(out)
    }

    /// The host with its port, decoded.
    #[must_use]
    pub fn host(&self) -> &[u8] {
        &self.host
    }

    /// The host without port and brackets.
    #[must_use]
    pub fn hostname(&self) -> &[u8] {
        self.host_and_port().0
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> &[u8] {
        self.host_and_port().1
    }

    fn host_and_port(&self) -> (&[u8], &[u8]) {
        let colon = self.host.iter().rposition(|b| *b == b':');
        let (host, port): (&[u8], &[u8]) = match colon {
            Some(colon) if is_port(&self.host[colon..]) => (&self.host[..colon], &self.host[colon + 1..]),
            _ => (&self.host, b""),
        };
        let inside = host.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]"));
        (inside.unwrap_or(host), port)
    }

    /// The encoded path, in its original form if this form is valid (`URL.EscapedPath`).
    #[must_use]
    pub fn escaped_path(&self) -> String {
        if self.path.decoded == b"*" && self.path.raw.is_empty() {
            return "*".to_owned();
        }
        self.path.written(Part::Path)
    }

    /// The part after `?`, in its original form.
    #[must_use]
    pub fn raw_query(&self) -> &str {
        &self.raw_query
    }

    /// The query parameters without invalid ones, in the order in which their names first occur (`URL.Query`).
    #[must_use]
    pub fn query(&self) -> Vec<(Vec<u8>, Vec<Vec<u8>>)> {
        let mut parameters: Vec<(Vec<u8>, Vec<Vec<u8>>)> = Vec::new();
        if self.raw_query.matches('&').count() >= MAX_PARAMETERS {
            return parameters;
        }
        for parameter in self
            .raw_query
            .split('&')
            .filter(|it| !it.is_empty() && !it.contains(';'))
        {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let (Ok(name), Ok(value)) = (unescape(name, Part::Query), unescape(value, Part::Query)) else {
                continue;
            };
            match parameters.iter_mut().find(|(it, _)| *it == name) {
                Some((_, values)) => values.push(value),
                None => parameters.push((name, vec![value])),
            }
        }
        parameters
    }

    /// The part after `#`, decoded.
    #[must_use]
    pub fn fragment(&self) -> &[u8] {
        &self.fragment.decoded
    }
}

/// `URL.String`
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let has_host = !self.host.is_empty() || self.user.is_some();
            if has_host || !self.scheme.is_empty() && !self.omit_host && !self.path.decoded.is_empty() {
                f.write_str("//")?;
            }
            if let Some(user) = self.user() {
                write!(f, "{user}@")?;
            }
            f.write_str(&escape(&self.host, Part::Host))?;
            let path = self.escaped_path();
            let is_first = self.scheme.is_empty() && !has_host;
            if is_first && path.split('/').next().is_some_and(|it| it.contains(':')) {
                // Without this prefix, the first path segment would be parsed as a scheme.
                f.write_str("./")?;
            }
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                f.write_str("/")?;
            }
            f.write_str(&path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.force_query || !self.raw_query.is_empty() {
            write!(f, "?{}", self.raw_query)?;
        }
        if !self.fragment.decoded.is_empty() {
            write!(f, "#{}", self.fragment.written(Part::Fragment))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Result<(&str, Option<&str>, &str, &str, &str), &str>) {
        let url = parse(raw);
        let user = url.as_ref().ok().and_then(Url::user);
        let seen = url.as_ref().map(|url| {
            let text = |bytes| std::str::from_utf8(bytes).expect("these are UTF-8");
            (
                url.scheme(),
                user.as_deref(),
                text(url.host()),
                url.raw_query(),
                text(url.fragment()),
            )
        });
        assert_eq!(seen.map_err(String::as_str), expected, "{raw}");
    }

    #[test]
    fn splits_urls() {
        check("https://a.b/c", Ok(("https", None, "a.b", "", "")));
        check(
            "HTTPS://u:p%40@h:80/p?q#f%20g",
            Ok(("https", Some("u:p%40"), "h:80", "q", "f g")),
        );
        check("https://h?", Ok(("https", None, "h", "", "")));
        check("mailto:a@b", Ok(("mailto", None, "", "", "")));
        check("//h/p", Ok(("", None, "h", "", "")));
        check(
            "https://[fe80::1%25en0]:80/",
            Ok(("https", None, "[fe80::1%en0]:80", "", "")),
        );
        check("mysql://a:1,b:2/", Ok(("mysql", None, "a:1,b:2", "", "")));
    }

    #[test]
    fn words_errors_as_go_does() {
        check(":a", Err(r#"parse ":a": missing protocol scheme"#));
        check(
            "a:b:c/\u{7f}",
            Err(r#"parse "a:b:c/\x7f": net/url: invalid control character in URL"#),
        );
        check(
            "1:2",
            Err(r#"parse "1:2": first path segment in URL cannot contain colon"#),
        );
        check(
            "https://h:x/",
            Err(r#"parse "https://h:x/": invalid port ":x" after host"#),
        );
        check(
            "https://a b/",
            Err(r#"parse "https://a b/": invalid character " " in host name"#),
        );
        check(
            "https://h/%zz",
            Err(r#"parse "https://h/%zz": invalid URL escape "%zz""#),
        );
        check("https://h/%4", Err(r#"parse "https://h/%4": invalid URL escape "%4""#));
        check("https://%41/", Err(r#"parse "https://%41/": invalid URL escape "%41""#));
        check(
            "https://[1.2.3.4]/",
            Err(r#"parse "https://[1.2.3.4]/": invalid IP-literal"#),
        );
        check("https://[::1/", Err(r#"parse "https://[::1/": missing ']' in host"#));
        check(
            "https://::1/",
            Err(r#"parse "https://::1/": invalid port "::1" after host"#),
        );
        check("https://a[::1]/", Err(r#"parse "https://a[::1]/": invalid IP-literal"#));
        check(
            "https://[x]/",
            Err(r#"parse "https://[x]/": invalid host: ParseAddr("x"): unable to parse IP"#),
        );
        check(
            "https://\u{e9}\u{22}@h/",
            Err("parse \"https://é\\\"@h/\": net/url: invalid userinfo"),
        );
        let request_error = |text: &str| parse_request_uri(text).map(|it| it.to_string());
        assert_eq!(
            request_error("a/b"),
            Err(r#"parse "a/b": invalid URI for request"#.to_owned())
        );
        assert_eq!(request_error(""), Err(r#"parse "": empty url"#.to_owned()));
    }

    #[test]
    fn writes_urls() {
        let check = |text: &str, written: &str| {
            assert_eq!(parse(text).map(|it| it.to_string()), Ok(written.to_owned()), "{text}");
        };
        check("HTTP://u:p@h:1/a%2Fb?q#f", "http://u:p@h:1/a%2Fb?q#f");
        check("http://h/a b#c d", "http://h/a%20b#c%20d");
        check("http://%ff/", "http://%FF/");
        check("mailto:a@b?", "mailto:a@b?");
        check("file:/a", "file:/a");
        check("file:///a", "file:///a");
        check("http:///a", "http:///a");
        check("a%3Ab c", "./a:b%20c");
        check("*", "*");
    }

    #[test]
    fn reads_queries() {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("these are UTF-8");
        let parameters = parse("http://h/?a=1+2&b&a=%33&c;d=1&=e&%zz").map(|it| it.query());
        let parameters = parameters.expect("it is a URL").into_iter();
        let shown: Vec<String> = parameters
            .map(|(name, values)| format!("{}={:?}", text(name), values.into_iter().map(text).collect::<Vec<_>>()))
            .collect();
        assert_eq!(shown, [r#"a=["1 2", "3"]"#, r#"b=[""]"#, r#"=["e"]"#]);
    }
}
