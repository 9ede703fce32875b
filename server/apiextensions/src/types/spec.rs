//! `spec` of a CRD, in the internal form.

use crd_analyzer_schema::JsonSchemaProps;

/// `spec` (`CustomResourceDefinitionSpec`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// `group`
    pub group: String,
    /// The name of the first version. v1 has no such field; the conversion sets it.
    pub version: String,
    /// `names`
    pub names: Names,
    /// `scope`: `Cluster` or `Namespaced`; validation rejects other values.
    pub scope: String,
    /// The schema of all versions, if all have the same one.
    pub validation: Option<Validation>,
    /// The subresources of all versions, if all have the same ones.
    pub subresources: Option<Subresources>,
    /// `versions`; parts that are equal in all versions are in the fields of this struct instead.
    pub versions: Vec<Version>,
    /// Whether `versions` is present but empty.
    pub has_empty_versions: bool,
    /// The printer columns of all versions, if all have the same ones.
    pub additional_printer_columns: Option<Vec<ColumnDefinition>>,
    /// The selectable fields of all versions, if all have the same ones.
    pub selectable_fields: Option<Vec<SelectableField>>,
    /// `conversion`
    pub conversion: Option<Conversion>,
    /// `preserveUnknownFields`
    pub preserve_unknown_fields: Option<bool>,
}

/// Lookups of the parts of a version. A part is either set in the version or shared by all versions.
impl Spec {
    /// The schema of a version.
    pub fn schema_of<'s>(&'s self, version: &'s Version) -> Option<&'s JsonSchemaProps> {
        let validation = version.schema.as_ref().or(self.validation.as_ref());
        validation.and_then(|it| it.open_api_v3_schema.as_ref())
    }

    /// The subresources of a version.
    pub fn subresources_of<'s>(&'s self, version: &'s Version) -> Option<&'s Subresources> {
        version.subresources.as_ref().or(self.subresources.as_ref())
    }

    /// The printer columns of a version.
    pub fn columns_of<'s>(&'s self, version: &'s Version) -> &'s [ColumnDefinition] {
        let own = version.additional_printer_columns.as_deref();
        own.or(self.additional_printer_columns.as_deref()).unwrap_or_default()
    }

    /// The selectable fields of a version.
    pub fn selectable_fields_of<'s>(&'s self, version: &'s Version) -> &'s [SelectableField] {
        let own = version.selectable_fields.as_deref();
        own.or(self.selectable_fields.as_deref()).unwrap_or_default()
    }
}

/// One version (`CustomResourceDefinitionVersion`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Version {
    /// `name`
    pub name: String,
    /// `served`
    pub served: bool,
    /// `storage`
    pub storage: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `deprecationWarning`
    pub deprecation_warning: Option<String>,
    /// `schema`, if versions differ in it.
    pub schema: Option<Validation>,
    /// `subresources`, if versions differ in them.
    pub subresources: Option<Subresources>,
    /// `additionalPrinterColumns`, if versions differ in them.
    pub additional_printer_columns: Option<Vec<ColumnDefinition>>,
    /// `selectableFields`, if versions differ in them.
    pub selectable_fields: Option<Vec<SelectableField>>,
}

/// `schema` of a version (`CustomResourceValidation`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Validation {
    /// `openAPIV3Schema`
    pub open_api_v3_schema: Option<JsonSchemaProps>,
}

/// `subresources` (`CustomResourceSubresources`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Subresources {
    /// Whether `status` is present. It has no fields.
    pub status: Option<()>,
    /// `scale`
    pub scale: Option<SubresourceScale>,
}

/// `subresources.scale` (`CustomResourceSubresourceScale`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SubresourceScale {
    /// `specReplicasPath`
    pub spec_replicas_path: String,
    /// `statusReplicasPath`
    pub status_replicas_path: String,
    /// `labelSelectorPath`
    pub label_selector_path: Option<String>,
}

/// One printer column (`CustomResourceColumnDefinition`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnDefinition {
    /// `name`
    pub name: String,
    /// `type`
    pub r#type: String,
    /// `format`
    pub format: String,
    /// `description`
    pub description: String,
    /// `priority`
    pub priority: i32,
    /// `jsonPath`
    pub json_path: String,
}

/// One selectable field (`SelectableField`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SelectableField {
    /// `jsonPath`
    pub json_path: String,
}

/// `names` (`CustomResourceDefinitionNames`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Names {
    /// `plural`
    pub plural: String,
    /// `singular`
    pub singular: String,
    /// `shortNames`
    pub short_names: Vec<String>,
    /// `kind`
    pub kind: String,
    /// `listKind`
    pub list_kind: String,
    /// `categories`
    pub categories: Vec<String>,
}

/// `conversion` (`CustomResourceConversion`). The fields inside v1's `webhook` are directly in this struct.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conversion {
    /// `strategy`: `None` or `Webhook`; validation rejects other values.
    pub strategy: String,
    /// v1: `webhook.clientConfig`
    pub webhook_client_config: Option<WebhookClientConfig>,
    /// v1: `webhook.conversionReviewVersions`
    pub conversion_review_versions: Option<Vec<String>>,
}

/// The settings for calling a conversion webhook (`WebhookClientConfig`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WebhookClientConfig {
    /// `url`
    pub url: Option<String>,
    /// `service`
    pub service: Option<ServiceReference>,
    /// `caBundle`, decoded from base64.
    pub ca_bundle: Vec<u8>,
}

/// The service of a webhook (`ServiceReference`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ServiceReference {
    /// `namespace`
    pub namespace: String,
    /// `name`
    pub name: String,
    /// `path`
    pub path: Option<String>,
    /// `port`; 443 if the author omits it.
    pub port: i32,
}
