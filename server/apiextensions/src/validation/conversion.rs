//! Conversion between versions (`validateCustomResourceConversion`).

use std::collections::HashSet;

use crd_analyzer_schema::field::{Cause, Error, Path};
use crd_analyzer_schema::metadata::names;

use super::bad_value::Render;
use super::ca_bundle::ca_bundle_error;
use super::options::Options;
use super::report::{invalid_string, validate_enum_string};
use super::webhook::{validate_webhook_service, validate_webhook_url};
use crate::codes;
use crate::types::{Conversion, WebhookClientConfig};

/// The versions of ConversionReview that an API server of the previous Kubernetes version accepts, sorted.
const ACCEPTED_REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Checks `conversion`.
pub(super) fn validate_conversion(
    conversion: Option<&Conversion>,
    path: &Path,
    options: &Options<'_>,
    errors: &mut Vec<Error>,
) {
    let Some(conversion) = conversion else {
        return;
    };
    validate_enum_string(
        codes::UNKNOWN_CONVERSION_STRATEGY,
        &conversion.strategy,
        &["None", "Webhook"],
        || path.child("strategy"),
        errors,
    );
    let review_versions = conversion.conversion_review_versions.as_deref().unwrap_or_default();
    if conversion.strategy == "Webhook" {
        match &conversion.webhook_client_config {
            Some(config) => validate_client_config(config, &path.child("webhookClientConfig"), options, errors),
            None => errors.push(Error::required(
                codes::MISSING_WEBHOOK,
                path.child("webhookClientConfig"),
                "required when strategy is set to Webhook",
            )),
        }
        validate_review_versions(
            review_versions,
            &path.child("conversionReviewVersions"),
            options,
            errors,
        );
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if conversion.webhook_client_config.is_some() {
        errors.push(Error::forbidden(
            codes::WEBHOOK_WITHOUT_STRATEGY,
            path.child("webhookClientConfig"),
            detail,
        ));
    }
    if !review_versions.is_empty() {
        errors.push(Error::forbidden(
            codes::WEBHOOK_WITHOUT_STRATEGY,
            path.child("conversionReviewVersions"),
            detail,
        ));
    }
}

fn validate_client_config(config: &WebhookClientConfig, path: &Path, options: &Options<'_>, errors: &mut Vec<Error>) {
    match (&config.url, &config.service) {
        (Some(url), None) => validate_webhook_url(url, &path.child("url"), errors),
        (None, Some(service)) => {
            validate_webhook_service(service, &path.child("service"), options.version, errors);
        }
        _ => errors.push(Error::required(
            codes::MISSING_WEBHOOK,
            path.clone(),
            "exactly one of url or service is required",
        )),
    }
    if !config.ca_bundle.is_empty()
        && !options.allow_invalid_ca_bundle
        && let Some(detail) = ca_bundle_error(&config.ca_bundle)
    {
        let bad_value = options.render().bytes(&config.ca_bundle);
        let cause = Cause::Malformed(detail.clone());
        let error = Error::invalid(codes::INVALID_CA_BUNDLE, path.child("caBundle"), bad_value, detail);
        errors.push(error.because(cause));
    }
}

fn validate_review_versions(versions: &[String], path: &Path, options: &Options<'_>, errors: &mut Vec<Error>) {
    if versions.is_empty() {
        errors.push(Error::required(codes::MISSING_REVIEW_VERSIONS, path.clone(), ""));
        return;
    }
    let mut seen = HashSet::new();
    for (i, version) in versions.iter().enumerate() {
        if !seen.insert(version.as_str()) {
            let path = path.index(i);
            errors.push(invalid_string(
                codes::DUPLICATE_REVIEW_VERSION,
                path,
                version,
                "duplicate version",
            ));
            continue;
        }
        for detail in names::dns1035_label(version) {
            errors.push(invalid_string(
                codes::INVALID_REVIEW_VERSION,
                path.index(i),
                version,
                detail,
            ));
        }
    }
    if options.require_recognized_conversion_review_version && !versions.iter().any(|it| is_accepted(it)) {
        let detail = format!("must include at least one of {}", ACCEPTED_REVIEW_VERSIONS.join(", "));
        let bad_value = Render::new(options.version).strings(Some(versions));
        errors.push(Error::invalid(
            codes::UNRECOGNIZED_REVIEW_VERSIONS,
            path.clone(),
            bad_value,
            detail,
        ));
    }
}

fn is_accepted(version: &str) -> bool {
    ACCEPTED_REVIEW_VERSIONS.contains(&version)
}

/// Whether the list contains a version that the API server accepts, or is empty
/// (`hasValidConversionReviewVersionOrEmpty`).
pub(super) fn has_valid_review_version_or_none(conversion: &Conversion) -> bool {
    let versions = conversion.conversion_review_versions.as_deref().unwrap_or_default();
    versions.is_empty() || versions.iter().any(|it| is_accepted(it))
}
