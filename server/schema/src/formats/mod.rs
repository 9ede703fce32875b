//! String and number formats: the formats that an API server supports, and the values that they accept.
//!
//! The sources are `k8s.io/kube-openapi/pkg/validation/strfmt` (the checks) and `pkg/apiserver/validation/formats.go` of
//! `k8s.io/apiextensions-apiserver` (the formats that a CRD may use with a Kubernetes version). Names are compared without hyphens.

mod email;
mod ip;
mod numbers;
mod time;

use std::sync::LazyLock;

use crd_analyzer_cel::KubernetesVersion;
use crd_analyzer_goregexp::GoRegex;
use crd_analyzer_gostd::url;
pub use time::duration_nanos;

/// A check of a string.
type Check = fn(&str) -> bool;

/// A string format.
struct Format {
    /// The name without hyphens.
    name: &'static str,
    /// The name as authors write it.
    written: &'static str,
    /// The first Kubernetes version whose API server has the check.
    known_since: KubernetesVersion,
    /// The first compatibility version in which CRDs may use the format.
    supported_since: KubernetesVersion,
    check: Check,
}

const fn always(name: &'static str, check: Check) -> Format {
    let since = KubernetesVersion::minor(0);
    Format {
        name,
        written: name,
        known_since: since,
        supported_since: since,
        check,
    }
}

const fn since_34(name: &'static str, written: &'static str, check: Check) -> Format {
    let since = KubernetesVersion::minor(34);
    Format {
        name,
        written,
        known_since: since,
        supported_since: since,
        check,
    }
}

/// Every string format, sorted by name.
static FORMATS: [Format; 26] = [
    always("bsonobjectid", numbers::is_bson_object_id),
    always("byte", numbers::is_base64),
    always("cidr", ip::is_cidr),
    always("creditcard", numbers::is_credit_card),
    always("date", time::is_date),
    Format {
        written: "date-time",
        ..always("datetime", time::is_date_time)
    },
    always("duration", time::is_duration),
    always("email", email::is_email),
    always("hexcolor", numbers::is_hex_color),
    always("hostname", is_hostname),
    always("ipv4", ip::is_ipv4),
    always("ipv6", ip::is_ipv6),
    always("isbn", |text| numbers::is_isbn10(text) || numbers::is_isbn13(text)),
    always("isbn10", numbers::is_isbn10),
    always("isbn13", numbers::is_isbn13),
    since_34("k8slongname", "k8s-long-name", is_long_name),
    since_34("k8sshortname", "k8s-short-name", is_short_name),
    always("mac", ip::is_mac),
    always("password", |_| true),
    always("rgbcolor", is_rgb_color),
    always("ssn", numbers::is_ssn),
    always("uri", |text| url::parse_request_uri(text).is_ok()),
    always("uuid", |text| is_uuid(text, None, false)),
    always("uuid3", |text| is_uuid(text, Some(b'3'), false)),
    always("uuid4", |text| is_uuid(text, Some(b'4'), true)),
    always("uuid5", |text| is_uuid(text, Some(b'5'), true)),
];

fn find(name: &str) -> Option<&'static Format> {
    // Most schemas have no format.
    if name.is_empty() {
        return None;
    }
    let name = name.replace('-', "");
    FORMATS
        .binary_search_by(|format| format.name.cmp(name.as_str()))
        .ok()
        .map(|n| &FORMATS[n])
}

/// Whether `value` has the format `name`, or `None` if an API server of `version` has no such string format
/// (`strfmt.Registry.Validates`).
pub fn validates(name: &str, value: &str, version: KubernetesVersion) -> Option<bool> {
    let format = find(name).filter(|format| format.known_since <= version)?;
    Some((format.check)(value))
}

/// The string formats that CRDs may use on an API server of `version`, as authors write them.
pub fn string_formats(version: KubernetesVersion) -> impl Iterator<Item = &'static str> {
    FORMATS
        .iter()
        .filter(move |format| is_supported_string(format, version))
        .map(|format| format.written)
}

/// The formats that CRDs may use for `type: integer` on an API server of `version`.
pub fn integer_formats(version: KubernetesVersion) -> &'static [&'static str] {
    if version >= NUMBERS_SINCE {
        &["int32", "int64"]
    } else {
        &[]
    }
}

/// The formats that CRDs may use for `type: number` on an API server of `version`.
pub fn number_formats(version: KubernetesVersion) -> &'static [&'static str] {
    if version >= NUMBERS_SINCE {
        &["float", "double"]
    } else {
        &[]
    }
}

/// The first Kubernetes version with formats for numbers, which interprets a format by the type of its schema.
const NUMBERS_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// Whether CRDs may use the format: an API server supports the formats of the previous Kubernetes version.
fn is_supported_string(format: &Format, version: KubernetesVersion) -> bool {
    format.supported_since <= version.compatibility()
}

/// Whether an API server of `version` validates values against `format`. The API server ignores all other formats
/// (`StripUnsupportedFormatsPostProcessorForVersion`).
///
/// `type` is the type of the schema; empty if the schema has no type or several types (int-or-string has two).
pub fn is_enforced(format: &str, r#type: &str, version: KubernetesVersion) -> bool {
    let string = || find(format).is_some_and(|format| is_supported_string(format, version));
    if version < NUMBERS_SINCE {
        return string();
    }
    match r#type {
        "" | "string" => string(),
        "integer" => integer_formats(version).contains(&format),
        "number" => number_formats(version).contains(&format),
        _ => false,
    }
}

/// Whether an API server of `version` warns of an `unrecognized format` in a schema with this `type` and `format`
/// (`GetUnrecognizedFormats`, with the compatibility version of the API server).
///
/// `type` is the type as written. API servers of 1.34 and 1.35 only warn of formats of strings. Earlier API servers never warn.
pub fn is_unrecognized(format: &str, r#type: &str, version: KubernetesVersion) -> bool {
    if format.is_empty() || version < KubernetesVersion::minor(34) {
        return false;
    }
    if version < NUMBERS_SINCE && r#type != "string" {
        return false;
    }
    !is_enforced(format, r#type, version)
}

fn regex(cell: &'static LazyLock<Option<GoRegex>>, text: &str) -> bool {
    cell.as_ref().is_some_and(|regex| regex.is_match(text).unwrap_or(true))
}

fn is_hostname(text: &str) -> bool {
    static PATTERN: LazyLock<Option<GoRegex>> = LazyLock::new(|| {
        GoRegex::new(
            r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$",
        )
        .ok()
    });
    // The length limits are cheaper to check, and the order of the two checks has no visible effect.
    text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && regex(&PATTERN, text)
}

fn is_rgb_color(text: &str) -> bool {
    static PATTERN: LazyLock<Option<GoRegex>> = LazyLock::new(|| {
        const PART: &str = r"(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*";
        GoRegex::new(&format!(r"^rgb\(\s*{PART},\s*{PART},\s*{PART}\)$")).ok()
    });
    regex(&PATTERN, text)
}

fn is_short_name(text: &str) -> bool {
    text.len() <= 63 && is_segment(text)
}

fn is_long_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_segment)
}

/// Lower-case letters, digits and, except at the ends, hyphens.
fn is_segment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_end = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    bytes.first().is_some_and(is_end)
        && bytes.last().is_some_and(is_end)
        && bytes.iter().all(|b| is_end(b) || *b == b'-')
}

/// Eight, four, four, four and twelve hexadecimal digits, with optional hyphens between the groups.
fn is_uuid(text: &str, version: Option<u8>, checks_variant: bool) -> bool {
    let mut bytes = text.as_bytes();
    for (group, digits) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if group > 0
            && let [b'-', rest @ ..] = bytes
        {
            bytes = rest;
        }
        let Some((part, rest)) = bytes.split_at_checked(digits) else {
            return false;
        };
        let fits = match group {
            2 => version.is_none_or(|version| part[0] == version),
            3 if checks_variant => matches!(part[0], b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ => true,
        };
        if !fits || !part.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        bytes = rest;
    }
    bytes.is_empty()
}

#[cfg(test)]
mod tests;
