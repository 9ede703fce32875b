//! The v1 form in which authors write CRDs (`pkg/apis/apiextensions/v1`, `types.go`). Contains only the types that differ from the internal form.

use super::{Names, ObjectMeta, ServiceReference, Status, Version};

/// A CRD in the form of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CustomResourceDefinition {
    /// `metadata`
    pub metadata: ObjectMeta,
    /// `spec`
    pub spec: Spec,
    /// `status`
    pub status: Status,
}

/// `spec` (`CustomResourceDefinitionSpec`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// `group`
    pub group: String,
    /// `names`
    pub names: Names,
    /// `scope`
    pub scope: String,
    /// `versions`
    pub versions: Vec<Version>,
    /// Whether `versions` is present but empty.
    pub has_empty_versions: bool,
    /// `conversion`
    pub conversion: Option<Conversion>,
    /// `preserveUnknownFields`
    pub preserve_unknown_fields: bool,
}

/// `conversion` (`CustomResourceConversion`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conversion {
    /// `strategy`
    pub strategy: String,
    /// `webhook`
    pub webhook: Option<WebhookConversion>,
}

/// `conversion.webhook` (`WebhookConversion`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WebhookConversion {
    /// `clientConfig`
    pub client_config: Option<WebhookClientConfig>,
    /// `conversionReviewVersions`
    pub conversion_review_versions: Option<Vec<String>>,
}

/// `conversion.webhook.clientConfig` (`WebhookClientConfig`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WebhookClientConfig {
    /// `url`
    pub url: Option<String>,
    /// `service`, and its port as written.
    pub service: Option<(ServiceReference, Option<i32>)>,
    /// `caBundle`, decoded from base64.
    pub ca_bundle: Vec<u8>,
}
