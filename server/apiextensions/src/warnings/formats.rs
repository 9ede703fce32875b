//! Formats that the server checks (`pkg/apiserver/validation`, `formats.go`).

use crd_analyzer_schema::KubernetesVersion;

/// Since this minor formats of other types than string are looked at, too.
const OTHER_TYPES_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// Formats of strings without their dashes, and the minor that brought them.
const FORMATS: &[(&str, KubernetesVersion)] = {
    const ALWAYS: KubernetesVersion = KubernetesVersion::minor(0);
    const NAMES: KubernetesVersion = KubernetesVersion::minor(34);
    &[
        ("bsonobjectid", ALWAYS),
        ("byte", ALWAYS),
        ("cidr", ALWAYS),
        ("creditcard", ALWAYS),
        ("date", ALWAYS),
        ("datetime", ALWAYS),
        ("duration", ALWAYS),
        ("email", ALWAYS),
        ("hexcolor", ALWAYS),
        ("hostname", ALWAYS),
        ("ipv4", ALWAYS),
        ("ipv6", ALWAYS),
        ("isbn", ALWAYS),
        ("isbn10", ALWAYS),
        ("isbn13", ALWAYS),
        ("k8slongname", NAMES),
        ("k8sshortname", NAMES),
        ("mac", ALWAYS),
        ("password", ALWAYS),
        ("rgbcolor", ALWAYS),
        ("ssn", ALWAYS),
        ("uri", ALWAYS),
        ("uuid", ALWAYS),
        ("uuid3", ALWAYS),
        ("uuid4", ALWAYS),
        ("uuid5", ALWAYS),
    ]
};

/// Whether a server of this minor knows a format for values of a type, so that it does not warn about it.
///
/// A new definition may only use what the minor before knew.
pub fn is_recognized(format: &str, r#type: &str, version: KubernetesVersion) -> bool {
    match r#type {
        "string" => is_string_format(format, version),
        _ if version < OTHER_TYPES_SINCE => true,
        "" => is_string_format(format, version),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

fn is_string_format(format: &str, version: KubernetesVersion) -> bool {
    let plain = format.replace('-', "");
    let found = FORMATS.binary_search_by(|(name, _)| (*name).cmp(&plain));
    found.is_ok_and(|at| FORMATS[at].1 <= version.compatibility())
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, is_recognized};
    use crd_analyzer_schema::KubernetesVersion;

    #[track_caller]
    fn check(format: &str, r#type: &str, minor: u8, recognized: bool) {
        assert_eq!(
            is_recognized(format, r#type, KubernetesVersion::minor(minor)),
            recognized,
            "{format} {type} {minor}"
        );
    }

    #[test]
    fn recognizes_what_each_minor_knows() {
        assert!(FORMATS.is_sorted());
        check("date-time", "string", 34, true);
        check("da-te", "string", 37, true);
        check("int-or-string", "string", 34, false);
        check("k8s-short-name", "string", 34, false);
        check("k8s-short-name", "string", 35, true);
        check("int8", "integer", 35, true);
        check("int8", "integer", 36, false);
        check("int32", "integer", 37, true);
        check("double", "number", 37, true);
        check("int64", "number", 37, false);
        check("ipv4", "", 37, true);
        check("int64", "", 37, false);
        check("date", "object", 35, true);
        check("date", "object", 36, false);
    }
}
