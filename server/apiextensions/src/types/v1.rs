//! The form in which authors write CRDs (`pkg/apis/apiextensions/v1`, `types.go`), where it differs from the
//! internal one.

use super::{Names, ObjectMeta, ServiceReference, Status, Version};

/// A CRD as sent.
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
    /// `versions` is written, but empty.
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
    /// `service`, and the port that was written in it.
    pub service: Option<(ServiceReference, Option<i32>)>,
    /// `caBundle`, decoded from base64.
    pub ca_bundle: Vec<u8>,
}
