//! Validation of names: each function returns the problems of a name as the API server's messages.
//!
//! The source is `k8s.io/apimachinery/pkg/util/validation` and, for qualified names and label values since 1.35,
//! `k8s.io/apimachinery/pkg/api/validate/content`, which checks the same lengths but calls them bytes.

use crd_analyzer_cel::KubernetesVersion;

/// The maximum length of a DNS label, in bytes.
pub const DNS_LABEL_MAX_LENGTH: usize = 63;
/// The maximum length of a DNS subdomain, in bytes.
pub const DNS_SUBDOMAIN_MAX_LENGTH: usize = 253;
/// The maximum length of the name part of a qualified name, and of a label value, in bytes.
pub const QUALIFIED_NAME_MAX_LENGTH: usize = 63;

const DNS_1123_LABEL_WORDS: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
    '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
    validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN_WORDS: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
    validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035_LABEL_WORDS: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
    with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used \
    for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_NAME_WORDS: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
    with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_WORDS: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', \
    '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
    regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// The unit that messages about a length name. The API server counts bytes in both cases.
#[derive(Clone, Copy)]
enum Unit {
    Characters,
    Bytes,
}

impl Unit {
    fn of_qualified_names(version: KubernetesVersion) -> Self {
        if version >= KubernetesVersion::minor(35) {
            Self::Bytes
        } else {
            Self::Characters
        }
    }

    fn too_long(self, max: usize) -> String {
        match self {
            Self::Characters => format!("must be no more than {max} characters"),
            Self::Bytes => format!("must be no more than {max} bytes"),
        }
    }
}

/// `IsDNS1123Label`
pub fn dns1123_label(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    if name.len() > DNS_LABEL_MAX_LENGTH {
        words.push(Unit::Characters.too_long(DNS_LABEL_MAX_LENGTH));
    }
    if !is_dns1123_label(name) {
        let dotted = is_dns1123_subdomain(name);
        words.push(
            if dotted {
                "must not contain dots"
            } else {
                DNS_1123_LABEL_WORDS
            }
            .to_owned(),
        );
    }
    words
}

/// `IsDNS1123Subdomain`
pub fn dns1123_subdomain(name: &str) -> Vec<String> {
    subdomain(name, Unit::Characters)
}

/// `IsDNS1035Label`
pub fn dns1035_label(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    if name.len() > DNS_LABEL_MAX_LENGTH {
        words.push(Unit::Characters.too_long(DNS_LABEL_MAX_LENGTH));
    }
    if !(name.starts_with(|c: char| c.is_ascii_lowercase()) && is_dns1123_label(name)) {
        words.push(DNS_1035_LABEL_WORDS.to_owned());
    }
    words
}

/// `IsQualifiedName`: the key of a label, a finalizer.
pub fn qualified_name(value: &str, version: KubernetesVersion) -> Vec<String> {
    let unit = Unit::of_qualified_names(version);
    let mut words = Vec::new();
    let name = match value.split_once('/') {
        None => value,
        Some((prefix, name)) if !name.contains('/') => {
            if prefix.is_empty() {
                words.push("prefix part must be non-empty".to_owned());
            } else {
                words.extend(
                    subdomain(prefix, unit)
                        .into_iter()
                        .map(|it| format!("prefix part {it}")),
                );
            }
            name
        }
        Some(_) => {
            let subject = match unit {
                Unit::Characters => "a qualified name",
                Unit::Bytes => "a valid label key",
            };
            return vec![format!(
                "{subject} {QUALIFIED_NAME_WORDS} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        words.push("name part must be non-empty".to_owned());
    } else if name.len() > QUALIFIED_NAME_MAX_LENGTH {
        words.push(format!("name part {}", unit.too_long(QUALIFIED_NAME_MAX_LENGTH)));
    }
    if !is_qualified_part(name) {
        words.push(format!("name part {QUALIFIED_NAME_WORDS}"));
    }
    words
}

/// `IsValidLabelValue`
pub fn label_value(value: &str, version: KubernetesVersion) -> Vec<String> {
    let mut words = Vec::new();
    if value.len() > QUALIFIED_NAME_MAX_LENGTH {
        words.push(Unit::of_qualified_names(version).too_long(QUALIFIED_NAME_MAX_LENGTH));
    }
    if !value.is_empty() && !is_qualified_part(value) {
        words.push(LABEL_VALUE_WORDS.to_owned());
    }
    words
}

/// `ValidatePathSegmentName`: the minimum requirements for every resource name. If `prefix` is set, `name` is only the start of a name.
pub fn path_segment(name: &str, prefix: bool) -> Vec<String> {
    if !prefix && (name == "." || name == "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|part| name.contains(part))
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}

/// `NameIsDNSSubdomain`. If `prefix` is set, `name` is only the start of a name.
pub fn name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    dns1123_subdomain(&masked(name, prefix))
}

/// `NameIsDNSLabel`, `ValidateNamespaceName`. If `prefix` is set, `name` is only the start of a name.
pub fn name_is_dns_label(name: &str, prefix: bool) -> Vec<String> {
    dns1123_label(&masked(name, prefix))
}

/// The start of a name, where a dash at the end is allowed: `maskTrailingDash` replaces the dash by a letter (and drops the byte before it).
fn masked(name: &str, prefix: bool) -> std::borrow::Cow<'_, str> {
    match name.strip_suffix('-') {
        Some(rest) if prefix && !rest.is_empty() => {
            let mut kept = rest.to_owned();
            kept.pop();
            kept.push('a');
            kept.into()
        }
        _ => name.into(),
    }
}

fn subdomain(name: &str, unit: Unit) -> Vec<String> {
    let mut words = Vec::new();
    if name.len() > DNS_SUBDOMAIN_MAX_LENGTH {
        words.push(unit.too_long(DNS_SUBDOMAIN_MAX_LENGTH));
    }
    if !is_dns1123_subdomain(name) {
        words.push(DNS_1123_SUBDOMAIN_WORDS.to_owned());
    }
    words
}

fn is_dns1123_label(name: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

fn is_dns1123_subdomain(name: &str) -> bool {
    name.split('.').all(is_dns1123_label)
}

fn is_qualified_part(name: &str) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let end = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    name.bytes().all(inner) && end(name.bytes().next()) && end(name.bytes().last())
}
