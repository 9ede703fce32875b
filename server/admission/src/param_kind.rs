//! `spec.paramKind` (`validateParamKind`).

use crd_analyzer_apiextensions::kind::parse_group_version;
use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::go::{quote, to_lower};
use crd_analyzer_schema::metadata::names::{dns1035_label, dns1123_subdomain};

use crate::codes;
use crate::view::View;

pub(crate) fn validate(kind: View<'_>, at: &Path, errors: &mut Vec<Error>) {
    let invalid =
        |at: Path, value: &str, detail: String| Error::invalid(codes::POLICY_INVALID_VALUE, at, quote(value), detail);
    let (api_version, at_version) = (kind.text("apiVersion"), at.child("apiVersion"));
    if api_version.is_empty() {
        errors.push(Error::required(codes::POLICY_MISSING_FIELD, at_version, ""));
    } else {
        match parse_group_version(api_version) {
            Err(why) => errors.push(invalid(at_version, api_version, why)),
            Ok((group, version)) => {
                let words = dns1123_subdomain(group);
                if !group.is_empty() && !words.is_empty() {
                    errors.push(invalid(at_version.clone(), group, words.join(",")));
                }
                let words = dns1035_label(version);
                if version.is_empty() {
                    errors.push(invalid(at_version, api_version, "version must be specified".to_owned()));
                } else if !words.is_empty() {
                    errors.push(invalid(at_version, version, words.join(",")));
                }
            }
        }
    }
    let (name, at_kind) = (kind.text("kind"), at.child("kind"));
    if name.is_empty() {
        errors.push(Error::required(codes::POLICY_MISSING_FIELD, at_kind, ""));
        return;
    }
    let words = dns1035_label(&to_lower(name));
    if !words.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", words.join(","));
        errors.push(invalid(at_kind, name, detail));
    }
}
