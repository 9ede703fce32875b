//! Certificates as Go's `crypto/x509` parses them (Go 1.26), with its error messages.
//!
//! The parser only checks whether a certificate is valid and returns nothing else.

mod der;
mod elliptic;
mod extensions;
mod name;
pub(super) mod pem;
mod public_key;

use std::collections::HashSet;

use crd_analyzer_schema::go;

use der::{Der, context, tag};
use extensions::{Extension, check_extension};
use name::check_name;
use public_key::check_public_key;

/// The result of a parser; the error is Go's message.
type Parsed<T = ()> = Result<T, String>;

/// Returns an error with the prefix of `crypto/x509`.
fn malformed<T>(what: &str) -> Parsed<T> {
    Err(format!("x509: {what}"))
}

/// Returns the result of a read, or an error with this message.
fn or<T>(read: Option<T>, what: &str) -> Parsed<T> {
    read.map_or_else(|| malformed(what), Ok)
}

/// Checks that the bytes are exactly one valid certificate (`x509.ParseCertificate`).
pub(super) fn parse_certificate(bytes: &[u8]) -> Parsed {
    let mut outside = Der(bytes);
    let mut certificate = or(outside.read(tag::SEQUENCE), "malformed certificate")?;
    let mut tbs = or(certificate.read(tag::SEQUENCE), "malformed tbs certificate")?;

    let version = match tbs.read_optional(context::constructed(0)) {
        None => None,
        Some(None) => Some(0),
        Some(Some(mut explicit)) => explicit.read_int().filter(|_| explicit.is_empty()),
    };
    let version = or(version.filter(|&it| it >= 0), "malformed version")?;
    if version > 2 {
        return malformed("invalid version");
    }
    let serial = or(tbs.read_integer(), "malformed serial number")?;
    if der::is_negative(serial) {
        return malformed("negative serial number");
    }

    let inner = or(tbs.read(tag::SEQUENCE), "malformed signature algorithm identifier")?;
    let outer = or(certificate.read(tag::SEQUENCE), "malformed algorithm identifier")?;
    if inner != outer {
        return malformed("inner and outer signature algorithm identifiers don't match");
    }
    check_algorithm(inner)?;

    check_name(or(tbs.read(tag::SEQUENCE), "malformed issuer")?)?;
    let mut validity = or(tbs.read(tag::SEQUENCE), "malformed validity")?;
    check_time(&mut validity)?;
    check_time(&mut validity)?;
    check_name(or(tbs.read(tag::SEQUENCE), "malformed issuer")?)?;

    let mut key = or(tbs.read(tag::SEQUENCE), "malformed spki")?;
    let algorithm = or(key.read(tag::SEQUENCE), "malformed public key algorithm identifier")?;
    let algorithm = check_algorithm(algorithm)?;
    let bits = or(key.read_bit_string(), "malformed subjectPublicKey")?;
    check_public_key(&algorithm, &bits)?;

    if version > 0 {
        or(tbs.read_optional(context::primitive(1)), "malformed issuerUniqueID")?;
        or(tbs.read_optional(context::primitive(2)), "malformed subjectUniqueID")?;
    }
    if version == 2
        && let Some(extensions) = or(tbs.read_optional(context::constructed(3)), "malformed extensions")?
    {
        check_extensions(extensions)?;
    }
    or(certificate.read_bit_string(), "malformed signature")?;
    if !outside.is_empty() {
        return malformed("trailing data");
    }
    Ok(())
}

/// An algorithm and its parameters, which may be absent.
struct Algorithm<'d> {
    oid: Vec<u32>,
    /// The parameters, including tag and length.
    parameters: &'d [u8],
}

/// `parseAI`
fn check_algorithm(mut der: Der<'_>) -> Parsed<Algorithm<'_>> {
    let oid = or(der.read_oid(), "malformed OID")?;
    let rest = der;
    if der.is_empty() {
        return Ok(Algorithm { oid, parameters: &[] });
    }
    or(der.read_any(), "malformed parameters")?;
    let parameters = &rest.0[..rest.0.len() - der.0.len()];
    Ok(Algorithm { oid, parameters })
}

/// `parseTime`
fn check_time(der: &mut Der<'_>) -> Parsed {
    match der.peek() {
        Some(tag::UTC_TIME) => {
            let text = der.read(tag::UTC_TIME).map(|it| it.0);
            let is_time = |text: &[u8]| der::is_time(text, "YYMMDDhhmmssZ") || der::is_time(text, "YYMMDDhhmmZ");
            or(text.filter(|it| is_time(it)), "malformed UTCTime").map(drop)
        }
        Some(tag::GENERALIZED_TIME) => {
            let text = der.read(tag::GENERALIZED_TIME).map(|it| it.0);
            let is_time = |text: &[u8]| der::is_time(text, "CCYYMMDDhhmmssZ");
            or(text.filter(|it| is_time(it)), "malformed GeneralizedTime").map(drop)
        }
        _ => malformed("unsupported time format"),
    }
}

fn check_extensions(mut der: Der<'_>) -> Parsed {
    let mut extensions = Vec::new();
    let mut seen = HashSet::new();
    let mut list = or(der.read(tag::SEQUENCE), "malformed extensions")?;
    while !list.is_empty() {
        let mut der = or(list.read(tag::SEQUENCE), "malformed extension")?;
        let oid = or(der.read_oid(), "malformed extension OID field")?;
        let is_critical = if der.peek() == Some(tag::BOOLEAN) {
            or(der.read_boolean(), "malformed extension critical field")?
        } else {
            false
        };
        let value = or(der.read(tag::OCTET_STRING), "malformed extension value field")?;
        if !seen.insert(oid.clone()) {
            let oid: Vec<String> = oid.iter().map(u32::to_string).collect();
            let oid = go::quote(&oid.join("."));
            return malformed(&format!("certificate contains duplicate extension with OID {oid}"));
        }
        extensions.push(Extension {
            oid,
            is_critical,
            value,
        });
    }
    extensions.into_iter().try_for_each(|it| check_extension(&it))
}
