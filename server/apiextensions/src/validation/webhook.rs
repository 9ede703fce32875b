//! The address of a webhook (`k8s.io/apiserver/pkg/util/webhook`, `ValidateWebhookURL` and `ValidateWebhookService`).

use std::borrow::Cow;

use crd_analyzer_gostd::{quote_bytes, url};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Cause, Error, Path};
use crd_analyzer_schema::metadata::names;

use super::report::invalid_string;
use crate::codes;
use crate::types::ServiceReference;

/// Checks the URL of a webhook, which must be `https`.
pub(super) fn validate_webhook_url(url: &str, path: &Path, errors: &mut Vec<Error>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let code = codes::INVALID_WEBHOOK_URL;
    let url = match url::parse(url) {
        Ok(url) => url,
        Err(error) => {
            let error_words = error.clone();
            let detail = format!("url must be a valid URL: {error}{FORM}");
            let error = Error::required(code, path.clone(), detail);
            errors.push(error.because(Cause::Malformed(error_words)));
            return;
        }
    };
    if url.scheme() != "https" {
        let detail = format!("'https' is the only allowed URL scheme{FORM}");
        let error = invalid_string(code, path.clone(), url.scheme(), detail);
        errors.push(error.because(Cause::Part("scheme")));
    }
    if url.host().is_empty() {
        let detail = format!("host must be specified{FORM}");
        errors.push(invalid_string(code, path.clone(), "", detail).because(Cause::Part("host")));
    }
    if let Some(user) = url.user() {
        let detail = "user information is not permitted in the URL";
        errors.push(invalid_string(code, path.clone(), &user, detail).because(Cause::Part("user")));
    }
    if !url.fragment().is_empty() {
        let detail = "fragments are not permitted in the URL";
        let error = Error::invalid(code, path.clone(), quote_bytes(url.fragment()), detail);
        errors.push(error.because(Cause::Part("fragment")));
    }
    if !url.raw_query().is_empty() {
        let detail = "query parameters are not permitted in the URL";
        let error = invalid_string(code, path.clone(), url.raw_query(), detail);
        errors.push(error.because(Cause::Part("query")));
    }
}

/// Checks the service of a webhook.
///
/// The API server passes name and namespace in the wrong order, so a missing name is reported at `namespace` and vice
/// versa.
pub(super) fn validate_webhook_service(
    service: &ServiceReference,
    path: &Path,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let code = codes::INVALID_WEBHOOK_SERVICE;
    let since_34 = version >= KubernetesVersion::minor(34);
    if service.namespace.is_empty() {
        let detail = if since_34 { "" } else { "service name is required" };
        let error = Error::required(code, path.child("name"), detail);
        errors.push(error.really_about(path.child("namespace")));
    }
    if service.name.is_empty() {
        let detail = if since_34 { "" } else { "service namespace is required" };
        let error = Error::required(code, path.child("namespace"), detail);
        errors.push(error.really_about(path.child("name")));
    }
    if !(1..=65535).contains(&service.port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(Error::invalid(
            code,
            path.child("port"),
            service.port.to_string(),
            detail,
        ));
    }
    if let Some(url_path) = service.path.as_deref() {
        validate_url_path(url_path, errors, || path.child("path"));
    }
}

fn validate_url_path(url_path: &str, errors: &mut Vec<Error>, path: impl Fn() -> Path) {
    let code = codes::INVALID_WEBHOOK_SERVICE;
    if url_path.is_empty() || url_path == "/" {
        return;
    }
    if url_path == "//" {
        errors.push(invalid_string(code, path(), url_path, "segment[0] may not be empty"));
        return;
    }
    if !url_path.starts_with('/') {
        errors.push(invalid_string(code, path(), url_path, "must start with a '/'"));
    }
    // The API server skips the first byte even if it is not a slash. The remaining bytes of a multi-byte character are never valid in a name.
    let mut chars = url_path.chars();
    let first = chars.next().unwrap_or_default();
    let steps = chars.as_str();
    let steps = steps.strip_suffix('/').unwrap_or(steps);
    for (i, step) in steps.split('/').enumerate() {
        let is_cut = i == 0 && !first.is_ascii();
        if step.is_empty() && !is_cut {
            let detail = format!("segment[{i}] may not be empty");
            errors.push(invalid_string(code, path(), url_path, detail));
            continue;
        }
        // The remaining bytes of a multi-byte character are invalid, but they count towards the length.
        let step = if is_cut {
            Cow::Owned("_".repeat(first.len_utf8() - 1) + step)
        } else {
            Cow::Borrowed(step)
        };
        for wrong in names::dns1123_subdomain(&step) {
            errors.push(invalid_string(code, path(), url_path, format!("segment[{i}]: {wrong}")));
        }
    }
}
