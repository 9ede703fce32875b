//! Parses IP addresses, address ranges and URLs (`k8s.io/apiserver/pkg/cel/library`).

use crd_analyzer_gostd::{
    netip::{self, Addr, Prefix},
    quote,
    url::{self, Url},
};

/// Parses an IP address. Zones and IPv4-mapped IPv6 addresses are rejected (`parseIPAddr`).
pub(crate) fn parse_ip(text: &str) -> Result<Addr, String> {
    let parsed = netip::parse_addr(text.as_bytes()).map_err(|error| {
        let text = quote(text);
        format!("IP Address {text} parse error during conversion from string: {error}")
    })?;
    if parsed.has_zone {
        return Err(format!("IP address {} with zone value is not allowed", quote(text)));
    }
    if parsed.addr.is_4_in_6() {
        return Err(is_mapped(text));
    }
    Ok(parsed.addr)
}

/// Parses an address range (`parseCIDR`).
pub(crate) fn parse_cidr(text: &str) -> Result<Prefix, String> {
    let prefix = netip::parse_prefix(text)
        .map_err(|error| format!("network address parse error during conversion from string: {error}"))?;
    if prefix.addr.is_4_in_6() {
        return Err(is_mapped(text));
    }
    Ok(prefix)
}

fn is_mapped(text: &str) -> String {
    format!("IPv4-mapped IPv6 address {} is not allowed", quote(text))
}

/// Parses a URL of a request (`stringToURL`). The error is the message of Go.
pub(crate) fn parse_url(text: &str) -> Result<Url, String> {
    url::parse_request_uri(text)?;
    url::parse(text)
}
