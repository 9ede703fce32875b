//! The CRD in `apiextensions.k8s.io/v1beta1` (`pkg/apis/apiextensions/v1beta1`, `types.go`).
//!
//! API servers no longer serve this version, but their decoder still contains it: it decodes an object that is sent to the endpoint of v1 with this
//! `apiVersion` and without a `kind`.

use crd_analyzer_syntax::json::Json;

use super::state::{Decoder, Stop};
use crate::types::{Conversion, CustomResourceDefinition, ServiceReference, Spec, WebhookClientConfig};

impl<'j> Decoder<'j> {
    pub(super) fn old_crd(&mut self, json: &'j Json<'j>, out: &mut CustomResourceDefinition) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinition",
            "v1.CustomResourceDefinition",
            |d, key, value| {
                match key {
                    "apiVersion" | "kind" => {}
                    "metadata" => d.metadata(value, &mut out.metadata)?,
                    "spec" => d.old_spec(value, &mut out.spec)?,
                    "status" => d.status(value, &mut out.status)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn old_spec(&mut self, json: &'j Json<'j>, out: &mut Spec) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinitionSpec",
            "v1.CustomResourceDefinitionSpec",
            |d, key, value| {
                match key {
                    "group" => d.string(value, &mut out.group),
                    "version" => d.string(value, &mut out.version),
                    "names" => d.names(value, &mut out.names)?,
                    "scope" => d.named_string(value, &mut out.scope, "v1.ResourceScope"),
                    "validation" => out.validation = d.pointer(value, Self::validation)?,
                    "subresources" => out.subresources = d.pointer(value, Self::subresources)?,
                    "versions" => {
                        let list = d.list(value, "[]v1.CustomResourceDefinitionVersion", Self::crd_version)?;
                        out.has_empty_versions = list.as_ref().is_some_and(Vec::is_empty);
                        out.versions = list.unwrap_or_default();
                    }
                    "additionalPrinterColumns" => out.additional_printer_columns = d.columns(value)?,
                    "selectableFields" => out.selectable_fields = d.selectable_fields(value)?,
                    "conversion" => out.conversion = d.pointer(value, Self::old_conversion)?,
                    "preserveUnknownFields" => d.optional_boolean(value, &mut out.preserve_unknown_fields),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn old_conversion(&mut self, json: &'j Json<'j>, out: &mut Conversion) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceConversion",
            "v1.CustomResourceConversion",
            |d, key, value| {
                match key {
                    "strategy" => d.named_string(value, &mut out.strategy, "v1.ConversionStrategyType"),
                    "webhookClientConfig" => {
                        out.webhook_client_config =
                            d.pointer(value, Self::client_config)?.map(|it| WebhookClientConfig {
                                url: it.url,
                                service: it.service.map(|(service, port)| ServiceReference {
                                    port: port.unwrap_or(crate::defaults::WEBHOOK_PORT),
                                    ..service
                                }),
                                ca_bundle: it.ca_bundle,
                            });
                    }
                    "conversionReviewVersions" => out.conversion_review_versions = d.strings(value)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }
}
