//! Certificate extensions (`processExtensions`). Unknown extensions are accepted, even critical ones.

use std::collections::HashSet;
use std::fmt::Write as _;

use crd_analyzer_gostd::{netip::is_ip, quote_bytes, url};
use crd_analyzer_schema::go;

use super::der::{Der, context, tag};
use super::{Parsed, malformed, or};

/// A certificate extension.
pub(super) struct Extension<'d> {
    pub(super) oid: Vec<u32>,
    pub(super) is_critical: bool,
    pub(super) value: Der<'d>,
}

/// Checks one extension.
pub(super) fn check_extension(extension: &Extension<'_>) -> Parsed {
    let value = extension.value;
    match extension.oid.as_slice() {
        [2, 5, 29, 14] => {
            if extension.is_critical {
                return malformed("subject key identifier incorrectly marked critical");
            }
            let mut value = value;
            or(value.read(tag::OCTET_STRING), "invalid subject key identifier").map(drop)
        }
        [2, 5, 29, 15] => {
            let mut value = value;
            or(value.read_bit_string(), "invalid key usage").map(drop)
        }
        [2, 5, 29, 17] => check_alternative_names(value),
        [2, 5, 29, 19] => or(basic_constraints(value), "invalid basic constraints"),
        [2, 5, 29, 30] => check_name_constraints(value),
        [2, 5, 29, 31] => check_distribution_points(value),
        [2, 5, 29, 32] => or(certificate_policies(value), "invalid certificate policies"),
        [2, 5, 29, 33] => or(policy_mappings(value), "invalid policy mappings extension"),
        [2, 5, 29, 35] => {
            if extension.is_critical {
                return malformed("authority key identifier incorrectly marked critical");
            }
            or(authority_key_identifier(value), "invalid authority key identifier")
        }
        [2, 5, 29, 36] => or(policy_constraints(value), "invalid policy constraints extension"),
        [2, 5, 29, 37] => or(extended_key_usages(value), "invalid extended key usages"),
        [2, 5, 29, 54] => {
            let mut value = value;
            or(value.read_int(), "invalid inhibit any policy extension").map(drop)
        }
        [1, 3, 6, 1, 5, 5, 7, 1, 1] => {
            if extension.is_critical {
                return malformed("authority info access incorrectly marked critical");
            }
            or(authority_info_access(value), "invalid authority info access")
        }
        _ => Ok(()),
    }
}

fn basic_constraints(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    if der.peek() == Some(tag::BOOLEAN) {
        der.read_boolean()?;
    }
    if der.peek() == Some(tag::INTEGER) {
        der.read_int().filter(|&it| it >= 0)?;
    }
    Some(())
}

fn authority_key_identifier(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    der.read_optional(context::primitive(0)).map(drop)
}

fn extended_key_usages(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    while !der.is_empty() {
        der.read_oid()?;
    }
    Some(())
}

fn certificate_policies(mut der: Der<'_>) -> Option<()> {
    let mut seen = HashSet::new();
    let mut der = der.read(tag::SEQUENCE)?;
    while !der.is_empty() {
        let oid = der.read(tag::SEQUENCE)?.read(tag::OBJECT_IDENTIFIER)?.0;
        // Each number of the identifier must have the shortest form, and the last one must be complete.
        let starts = |i: usize| i == 0 || oid[i - 1] & 0x80 == 0;
        let is_padded = (0..oid.len()).any(|i| starts(i) && oid[i] == 0x80);
        if is_padded || oid.last().is_none_or(|byte| byte & 0x80 != 0) || !seen.insert(oid) {
            return None;
        }
    }
    Some(())
}

fn policy_mappings(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    while !der.is_empty() {
        let mut mapping = der.read(tag::SEQUENCE)?;
        mapping.read(tag::OBJECT_IDENTIFIER)?;
        mapping.read(tag::OBJECT_IDENTIFIER)?;
    }
    Some(())
}

fn policy_constraints(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    for tag in [context::primitive(0), context::primitive(1)] {
        if der.peek() == Some(tag) {
            super::der::int_of(der.read_integer_with_tag(tag)?)?;
        }
    }
    Some(())
}

fn authority_info_access(mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(tag::SEQUENCE)?;
    while !der.is_empty() {
        let mut access = der.read(tag::SEQUENCE)?;
        access.read_oid()?;
        access.read_optional(context::primitive(6))?;
    }
    Some(())
}

fn check_distribution_points(mut der: Der<'_>) -> Parsed {
    let mut der = or(der.read(tag::SEQUENCE), "invalid CRL distribution points")?;
    while !der.is_empty() {
        or(distribution_point(&mut der), "invalid CRL distribution point")?;
    }
    Ok(())
}

fn distribution_point(der: &mut Der<'_>) -> Option<()> {
    let mut point = der.read(tag::SEQUENCE)?;
    let Some(mut name) = point.read_optional(context::constructed(0))? else {
        return Some(());
    };
    let mut names = name.read(context::constructed(0))?;
    while names.peek() == Some(context::primitive(6)) {
        names.read(context::primitive(6))?;
    }
    Some(())
}

/// `parseSANExtension`
fn check_alternative_names(mut der: Der<'_>) -> Parsed {
    let mut der = or(der.read(tag::SEQUENCE), "invalid subject alternative names")?;
    while !der.is_empty() {
        let (tag, Der(name)) = or(der.read_any(), "invalid subject alternative name")?;
        match tag ^ 0x80 {
            1 if !name.is_ascii() => return malformed("SAN rfc822Name is malformed"),
            2 if !name.is_ascii() => return malformed("SAN dNSName is malformed"),
            6 => check_uri(name)?,
            7 if !matches!(name.len(), 4 | 16) => {
                return malformed(&format!("cannot parse IP address of length {}", name.len()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_uri(uri: &[u8]) -> Parsed {
    let Some(uri) = ascii(uri) else {
        return malformed("SAN uniformResourceIdentifier is malformed");
    };
    match url::parse(uri) {
        Err(error) => malformed(&format!("cannot parse URI {}: {error}", go::quote(uri))),
        Ok(url) if !is_domain(url.host(), false) => {
            malformed(&format!("cannot parse URI {}: invalid domain", go::quote(uri)))
        }
        Ok(_) => Ok(()),
    }
}

fn ascii(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|it| it.is_ascii())
}

/// `domainNameValid`, which only checks that no label is empty and that all characters are printable.
fn is_domain(name: &[u8], is_constraint: bool) -> bool {
    if name.is_empty() {
        return true;
    }
    let name = if is_constraint {
        name.strip_prefix(b".").unwrap_or(name)
    } else {
        name
    };
    !name.ends_with(b".")
        && name.iter().all(|byte| (33..=126).contains(byte))
        && name.split(|&byte| byte == b'.').all(|label| !label.is_empty())
}

/// `parseNameConstraintsExtension`
fn check_name_constraints(mut der: Der<'_>) -> Parsed {
    let trees = der.read(tag::SEQUENCE);
    let trees = trees.filter(|_| der.is_empty()).and_then(|mut inside| {
        let permitted = inside.read_optional(context::constructed(0))?;
        let excluded = inside.read_optional(context::constructed(1))?;
        inside.is_empty().then_some([permitted, excluded])
    });
    let trees = or(trees, "invalid NameConstraints extension")?;
    if trees.iter().flatten().all(|it| it.is_empty()) {
        return malformed("empty name constraints extension");
    }
    for mut tree in trees.into_iter().flatten() {
        while !tree.is_empty() {
            let base = tree.read(tag::SEQUENCE).and_then(|mut it| it.read_any());
            let (tag, Der(value)) = or(base, "invalid NameConstraints extension")?;
            check_constraint(tag, value)?;
        }
    }
    Ok(())
}

fn check_constraint(tag: u8, value: &[u8]) -> Parsed {
    const EMAIL: u8 = context::primitive(1);
    const DNS: u8 = context::primitive(2);
    const URI: u8 = context::primitive(6);
    const IP: u8 = context::primitive(7);
    let quoted = || quote_bytes(value);
    if matches!(tag, EMAIL | DNS | URI) && !value.is_ascii() {
        let why = format!("x509: {} cannot be encoded as an IA5String", quoted());
        return malformed(&format!("invalid constraint value: {why}"));
    }
    match tag {
        DNS if !is_domain(value, true) => malformed(&format!("failed to parse dnsName constraint {}", quoted())),
        EMAIL => {
            let is_valid = if value.contains(&b'@') {
                is_mailbox(value)
            } else {
                is_domain(value, true)
            };
            if is_valid {
                return Ok(());
            }
            malformed(&format!("failed to parse rfc822Name constraint {}", quoted()))
        }
        URI if is_ip(value) => malformed(&format!(
            "failed to parse URI constraint {}: cannot be IP address",
            quoted()
        )),
        URI if !is_domain(value, true) => malformed(&format!("failed to parse URI constraint {}", quoted())),
        IP => {
            if !matches!(value.len(), 8 | 32) {
                return malformed(&format!("IP constraint contained value of length {}", value.len()));
            }
            let mask = &value[value.len() / 2..];
            let ones = mask
                .iter()
                .map(|byte| byte.leading_ones())
                .take_while(|&ones| ones == 8)
                .count();
            let is_valid = mask
                .get(ones)
                .is_none_or(|byte| byte.leading_ones() == byte.count_ones())
                && mask.iter().skip(ones + 1).all(|&byte| byte == 0);
            if is_valid {
                return Ok(());
            }
            let mut words = "IP constraint contained invalid mask ".to_owned();
            for byte in mask {
                let _ = write!(words, "{byte:02x}");
            }
            malformed(&words)
        }
        _ => Ok(()),
    }
}

/// `parseRFC2821Mailbox`
fn is_mailbox(text: &[u8]) -> bool {
    let Some(domain) = local_part(text).and_then(|rest| rest.strip_prefix(b"@")) else {
        return false;
    };
    // Go accepts an empty domain after the `@`.
    domain.is_empty()
        || domain.split(|&byte| byte == b'.').all(|label| !label.is_empty())
            && domain.iter().all(|byte| (33..=126).contains(byte))
}

/// The rest after the local part of a mailbox; `None` if the local part is invalid.
fn local_part(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    if let Some(quoted) = text.strip_prefix(b"\"") {
        rest = quoted;
        loop {
            let (&byte, after) = rest.split_first()?;
            rest = after;
            match byte {
                b'"' => return Some(rest),
                b'\\' => {
                    let (&escaped, after) = rest.split_first()?;
                    if !matches!(escaped, 1..=9 | 11 | 12 | 14..=127) {
                        return None;
                    }
                    rest = after;
                }
                1..=8 | 11 | 12 | 14..=33 | 35..=91 | 93..=127 => {}
                _ => return None,
            }
        }
    }
    let mut local = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        let byte = if byte == b'\\' {
            // Any escaped character is valid.
            rest = after;
            *rest.first()?
        } else if byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte) {
            byte
        } else {
            break;
        };
        local.push(byte);
        rest = &rest[1..];
    }
    let has_two_dots = local.windows(2).any(|pair| pair == b"..");
    let is_valid = !local.is_empty() && !local.starts_with(b".") && !local.ends_with(b".") && !has_two_dots;
    is_valid.then_some(rest)
}
