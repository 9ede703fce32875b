//! Formats that the API server recognizes (`pkg/apiserver/validation`, `formats.go`).

use crd_analyzer_schema::{KubernetesVersion, formats};

/// Whether an API server of this Kubernetes version recognizes a format for values of a type. If so, it does not warn about the format.
///
/// A format only counts if the previous Kubernetes version also recognizes it.
pub fn is_recognized(format: &str, r#type: &str, version: KubernetesVersion) -> bool {
    !formats::is_unrecognized(format, r#type, version)
}

#[cfg(test)]
mod tests {
    use super::is_recognized;
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
