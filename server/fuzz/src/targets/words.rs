//! Short values: URLs, IP addresses, times, formats, quoted strings.

use crd_analyzer_gostd::{netip, quote, quote_bytes, url};
use crd_analyzer_schema::formats;

use crate::{
    Target,
    dictionary::owned,
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "words",
    run,
    seeds: |_| WORDS.iter().map(|it| input(&[0], &[it])).collect(),
    words: || owned(WORDS),
};

const WORDS: &[&str] = &[
    "https://user:p%40ss@example.com:443/a/b;c?d=e&f#g%20h",
    "http://[fe80::1%25eth0]:80/",
    "mailto:a@example.com",
    "//host/path",
    "?a=%zz",
    "10.0.0.0/8",
    "255.255.255.256",
    "::ffff:1.2.3.4",
    "2001:db8::/129",
    "1::2::3",
    "fe80::1%eth0",
    "2024-02-30T23:59:60.123456789Z",
    "2024-01-01",
    "1h2m3.5s",
    "-9223372036854775808ns",
    "3 weeks",
    "a@example.com",
    "\"a b\"@[1.2.3.4]",
    "12345678-1234-1234-1234-123456789abc",
    "4111 1111 1111 1111",
    "#ffaa00",
    "rgb(1,2,3)",
    "YWJj",
    "00:1b:44:11:3a:b7",
    "example.com",
    "xn--nxasmq6b",
    "978-3-16-148410-0",
    "1.2.3-rc.1+build",
    "100Mi",
    "1e-9223372036854775808",
    "\u{0}\u{7f}\u{85}\u{feff}\u{fffe}é\u{1F600}",
];

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let bytes = input.rest();
    let quoted = quote_bytes(bytes);
    assert!(quoted.starts_with('"') && quoted.ends_with('"') && quoted.len() >= bytes.len() + 2);
    if let Ok(parsed) = netip::parse_addr(bytes) {
        assert_eq!(netip::is_ip(bytes), !parsed.has_zone);
        let written = parsed.addr.to_string();
        let again = netip::parse_addr(written.as_bytes()).expect("an address that was written");
        assert_eq!(again.addr, parsed.addr, "{written}");
    }
    let text = String::from_utf8_lossy(bytes);
    assert!(!quote(&text).contains(char::is_control));
    if let Ok(prefix) = netip::parse_prefix(&text) {
        let masked = prefix.masked();
        assert_eq!(masked.masked(), masked);
        assert!(prefix.contains(masked.addr));
    }
    for parse in [url::parse, url::parse_request_uri] {
        let Ok(url) = parse(&text) else { continue };
        let _ = (url.scheme(), url.user(), url.host(), url.hostname(), url.port());
        let _ = (url.escaped_path(), url.raw_query(), url.query(), url.fragment());
        let written = url.to_string();
        // For some hosts, Go writes a URL that it cannot parse.
        if let Ok(again) = parse(&written) {
            assert_eq!(again.to_string(), written, "of {text:?}");
        }
    }
    for format in formats::string_formats(version) {
        let _ = formats::validates(format, &text, version);
    }
}
