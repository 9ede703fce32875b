//! URLs as Go's `net/url` reads them (Go 1.26), with its words for what is wrong.

use crd_analyzer_schema::go;

use super::go_text::quote_bytes;

/// What the server looks at in a URL (`url.URL`). Parts are bytes, since percent-encoding can hide any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Url {
    /// In lower case, empty if there is none.
    pub(super) scheme: String,
    /// User information, encoded again (`Userinfo.String`).
    pub(super) user: Option<String>,
    /// Host and port.
    pub(super) host: Vec<u8>,
    /// What stands behind `?`, as written.
    pub(super) raw_query: String,
    /// What stands behind `#`, decoded.
    pub(super) fragment: Vec<u8>,
}

/// `url.Parse`.
pub(super) fn parse(raw: &str) -> Result<Url, String> {
    let (rest, fragment) = raw.split_once('#').unwrap_or((raw, ""));
    let mut url = parse_without_fragment(rest, false).map_err(|error| wrap(rest, &error))?;
    if !fragment.is_empty() {
        url.fragment = unescape(fragment.as_bytes(), Part::Fragment).map_err(|error| wrap(raw, &error))?;
    }
    Ok(url)
}

/// `url.ParseRequestURI`.
pub(super) fn parse_request_uri(raw: &str) -> Result<Url, String> {
    parse_without_fragment(raw, true).map_err(|error| wrap(raw, &error))
}

/// The text of a `url.Error`.
fn wrap(url: &str, error: &str) -> String {
    format!("parse {}: {error}", go::quote(url))
}

fn parse_without_fragment(raw: &str, via_request: bool) -> Result<Url, String> {
    if raw.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if raw.is_empty() && via_request {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if raw == "*" {
        return Ok(url);
    }

    let (scheme, mut rest) = split_scheme(raw)?;
    url.scheme = scheme.to_ascii_lowercase();
    if rest.ends_with('?') && rest.matches('?').count() == 1 {
        rest = &rest[..rest.len() - 1];
    } else if let Some((before, query)) = rest.split_once('?') {
        rest = before;
        query.clone_into(&mut url.raw_query);
    }

    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Ok(url);
        }
        if via_request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }

    if (!url.scheme.is_empty() || !via_request && !rest.starts_with("///")) && rest.starts_with("//") {
        let authority = &rest[2..];
        let end = authority.find('/').unwrap_or(authority.len());
        (url.user, url.host) = parse_authority(&url.scheme, &authority[..end])?;
        rest = &authority[end..];
    }
    unescape(rest.as_bytes(), Part::Path)?;
    Ok(url)
}

fn split_scheme(raw: &str) -> Result<(&str, &str), String> {
    for (i, c) in raw.bytes().enumerate() {
        match c {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&raw[..i], &raw[i + 1..])),
            _ => return Ok(("", raw)),
        }
    }
    Ok(("", raw))
}

fn parse_authority(scheme: &str, authority: &str) -> Result<(Option<String>, Vec<u8>), String> {
    let Some(at) = authority.rfind('@') else {
        return Ok((None, parse_host(scheme, authority)?));
    };
    let host = parse_host(scheme, &authority[at + 1..])?;
    let user_info = &authority[..at];
    let valid = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !user_info.bytes().all(valid) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = match user_info.split_once(':') {
        Some((name, password)) => (name, Some(password)),
        None => (user_info, None),
    };
    let mut user = escape_user(&unescape(name.as_bytes(), Part::User)?);
    if let Some(password) = password {
        user.push(':');
        user.push_str(&escape_user(&unescape(password.as_bytes(), Part::User)?));
    }
    Ok((Some(user), host))
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_ip_literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Several colons are only let pass where lists of hosts are customary: not in http and https.
    let colon = if matches!(scheme, "http" | "https") {
        host.find(':')
    } else {
        host.rfind(':')
    };
    if let Some(colon) = colon {
        check_port(&host[colon..])?;
    }
    unescape(host.as_bytes(), Part::Host)
}

fn parse_ip_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some(close) = host.rfind(']') else {
        return Err("missing ']' in host".to_owned());
    };
    let port = &host[close + 1..];
    check_port(port)?;
    let port = unescape(port.as_bytes(), Part::Host)?;
    let name = &host[1..close];
    let name = match name.find("%25") {
        Some(zone) => {
            let mut host = unescape(&name.as_bytes()[..zone], Part::Host)?;
            host.extend(unescape(&name.as_bytes()[zone..], Part::Zone)?);
            host
        }
        None => unescape(name.as_bytes(), Part::Host)?,
    };
    if super::go_ip::is_v4(&name).map_err(|error| format!("invalid host: {error}"))? {
        return Err("invalid IP-literal".to_owned());
    }
    Ok([b"[".as_slice(), &name, b"]", &port].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    let digits = port.strip_prefix(':');
    if port.is_empty() || digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", go::quote(port)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Fragment,
}

fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        let byte = text[i];
        if byte == b'%' {
            let rest = &text[i..text.len().min(i + 3)];
            let bad = || format!("invalid URL escape {}", quote_bytes(rest));
            let (Some(high), Some(low)) = (hex(rest.get(1)), hex(rest.get(2))) else {
                return Err(bad());
            };
            let value = high << 4 | low;
            if part == Part::Host && high < 8 && rest != b"%25" {
                return Err(bad());
            }
            if part == Part::Zone && rest != b"%25" && value != b' ' && !is_host_byte(value) {
                return Err(bad());
            }
            out.push(value);
            i += 3;
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && !is_host_byte(byte) {
            return Err(format!("invalid character {} in host name", quote_bytes(&[byte])));
        }
        out.push(byte);
        i += 1;
    }
    Ok(out)
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    (*byte? as char).to_digit(16).map(|digit| digit as u8)
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~".contains(&byte)
}

fn escape_user(text: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Result<(&str, Option<&str>, &str, &str, &str), &str>) {
        let url = parse(raw);
        let seen = url.as_ref().map(|url| {
            let text = |bytes| std::str::from_utf8(bytes).expect("these are UTF-8");
            (
                url.scheme.as_str(),
                url.user.as_deref(),
                text(&url.host),
                url.raw_query.as_str(),
                text(&url.fragment),
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
        assert_eq!(
            parse_request_uri("a/b"),
            Err(r#"parse "a/b": invalid URI for request"#.to_owned())
        );
        assert_eq!(parse_request_uri(""), Err(r#"parse "": empty url"#.to_owned()));
    }
}
