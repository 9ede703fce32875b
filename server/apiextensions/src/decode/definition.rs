//! The CRD without its schemas (`types.go` of v1).

use crd_analyzer_syntax::json::{Json, JsonValue};

use super::state::{Decoder, Stop};
use crate::types::v1::{Conversion, CustomResourceDefinition, Spec, WebhookClientConfig, WebhookConversion};
use crate::types::{
    ColumnDefinition, Condition, Names, SelectableField, ServiceReference, Status, SubresourceScale, Subresources,
    Validation, Version,
};
use crd_analyzer_schema::KubernetesVersion;

/// The first Kubernetes version whose status contains the generations that controllers have observed.
const OBSERVED_GENERATION_SINCE: KubernetesVersion = KubernetesVersion::minor(35);

impl<'j> Decoder<'j> {
    pub(super) fn definition(&mut self, json: &'j Json<'j>, out: &mut CustomResourceDefinition) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinition",
            "v1.CustomResourceDefinition",
            |d, key, value| {
                match key {
                    // These keys were already read to find the type of the object.
                    "apiVersion" | "kind" => {}
                    "metadata" => d.metadata(value, &mut out.metadata)?,
                    "spec" => d.spec(value, &mut out.spec)?,
                    "status" => d.status(value, &mut out.status)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn spec(&mut self, json: &'j Json<'j>, out: &mut Spec) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinitionSpec",
            "v1.CustomResourceDefinitionSpec",
            |d, key, value| {
                match key {
                    "group" => d.string(value, &mut out.group),
                    "names" => d.names(value, &mut out.names)?,
                    "scope" => d.named_string(value, &mut out.scope, "v1.ResourceScope"),
                    "versions" => {
                        let list = d.list(value, "[]v1.CustomResourceDefinitionVersion", Self::crd_version)?;
                        out.has_empty_versions = list.as_ref().is_some_and(Vec::is_empty);
                        out.versions = list.unwrap_or_default();
                    }
                    "conversion" => {
                        out.conversion = d.pointer(value, Self::conversion)?;
                    }
                    "preserveUnknownFields" => d.boolean(value, &mut out.preserve_unknown_fields),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    /// Decodes a pointer to a struct; null becomes nil.
    pub(super) fn pointer<T: Default>(
        &mut self,
        json: &'j Json<'j>,
        fill: impl FnOnce(&mut Self, &'j Json<'j>, &mut T) -> Result<(), Stop>,
    ) -> Result<Option<T>, Stop> {
        if matches!(json.value, JsonValue::Null) {
            return Ok(None);
        }
        let mut out = T::default();
        fill(self, json, &mut out)?;
        Ok(Some(out))
    }

    pub(super) fn names(&mut self, json: &'j Json<'j>, out: &mut Names) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinitionNames",
            "v1.CustomResourceDefinitionNames",
            |d, key, value| {
                match key {
                    "plural" => d.string(value, &mut out.plural),
                    "singular" => d.string(value, &mut out.singular),
                    "shortNames" => out.short_names = d.strings(value)?.unwrap_or_default(),
                    "kind" => d.string(value, &mut out.kind),
                    "listKind" => d.string(value, &mut out.list_kind),
                    "categories" => out.categories = d.strings(value)?.unwrap_or_default(),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    pub(super) fn crd_version(&mut self, json: &'j Json<'j>, out: &mut Version) -> Result<(), Stop> {
        let name = "CustomResourceDefinitionVersion";
        self.structure(json, name, "v1.CustomResourceDefinitionVersion", |d, key, value| {
            match key {
                "name" => d.string(value, &mut out.name),
                "served" => d.boolean(value, &mut out.served),
                "storage" => d.boolean(value, &mut out.storage),
                "deprecated" => d.boolean(value, &mut out.deprecated),
                "deprecationWarning" => d.optional_string(value, &mut out.deprecation_warning, "string"),
                "schema" => out.schema = d.pointer(value, Self::validation)?,
                "subresources" => out.subresources = d.pointer(value, Self::subresources)?,
                "additionalPrinterColumns" => out.additional_printer_columns = d.columns(value)?,
                "selectableFields" => out.selectable_fields = d.selectable_fields(value)?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    pub(super) fn validation(&mut self, json: &'j Json<'j>, out: &mut Validation) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceValidation",
            "v1.CustomResourceValidation",
            |d, key, value| {
                match key {
                    "openAPIV3Schema" => out.open_api_v3_schema = d.pointer(value, Self::schema)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    pub(super) fn subresources(&mut self, json: &'j Json<'j>, out: &mut Subresources) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceSubresources",
            "v1.CustomResourceSubresources",
            |d, key, value| {
                match key {
                    "status" => {
                        out.status = d.pointer(value, |d, value, (): &mut ()| {
                            let name = "CustomResourceSubresourceStatus";
                            d.structure(value, name, "v1.CustomResourceSubresourceStatus", |_, _, _| Ok(false))
                        })?;
                    }
                    "scale" => out.scale = d.pointer(value, Self::scale)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn scale(&mut self, json: &'j Json<'j>, out: &mut SubresourceScale) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceSubresourceScale",
            "v1.CustomResourceSubresourceScale",
            |d, key, value| {
                match key {
                    "specReplicasPath" => d.string(value, &mut out.spec_replicas_path),
                    "statusReplicasPath" => d.string(value, &mut out.status_replicas_path),
                    "labelSelectorPath" => d.optional_string(value, &mut out.label_selector_path, "string"),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    pub(super) fn columns(&mut self, json: &'j Json<'j>) -> Result<Option<Vec<ColumnDefinition>>, Stop> {
        self.list(json, "[]v1.CustomResourceColumnDefinition", Self::column)
    }

    pub(super) fn selectable_fields(&mut self, json: &'j Json<'j>) -> Result<Option<Vec<SelectableField>>, Stop> {
        self.list(json, "[]v1.SelectableField", Self::selectable_field)
    }

    fn column(&mut self, json: &'j Json<'j>, out: &mut ColumnDefinition) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceColumnDefinition",
            "v1.CustomResourceColumnDefinition",
            |d, key, value| {
                match key {
                    "name" => d.string(value, &mut out.name),
                    "type" => d.string(value, &mut out.r#type),
                    "format" => d.string(value, &mut out.format),
                    "description" => d.string(value, &mut out.description),
                    "priority" => d.integer(value, &mut out.priority, "int32"),
                    "JSONPath" if d.reads_v1beta1() => d.string(value, &mut out.json_path),
                    "jsonPath" if !d.reads_v1beta1() => d.string(value, &mut out.json_path),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn selectable_field(&mut self, json: &'j Json<'j>, out: &mut SelectableField) -> Result<(), Stop> {
        self.structure(json, "SelectableField", "v1.SelectableField", |d, key, value| {
            match key {
                "jsonPath" => d.string(value, &mut out.json_path),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    fn conversion(&mut self, json: &'j Json<'j>, out: &mut Conversion) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceConversion",
            "v1.CustomResourceConversion",
            |d, key, value| {
                match key {
                    "strategy" => d.named_string(value, &mut out.strategy, "v1.ConversionStrategyType"),
                    "webhook" => out.webhook = d.pointer(value, Self::webhook)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn webhook(&mut self, json: &'j Json<'j>, out: &mut WebhookConversion) -> Result<(), Stop> {
        self.structure(json, "WebhookConversion", "v1.WebhookConversion", |d, key, value| {
            match key {
                "clientConfig" => out.client_config = d.pointer(value, Self::client_config)?,
                "conversionReviewVersions" => out.conversion_review_versions = d.strings(value)?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    pub(super) fn client_config(&mut self, json: &'j Json<'j>, out: &mut WebhookClientConfig) -> Result<(), Stop> {
        self.structure(
            json,
            "WebhookClientConfig",
            "v1.WebhookClientConfig",
            |d, key, value| {
                match key {
                    "url" => d.optional_string(value, &mut out.url, "string"),
                    "service" => out.service = d.pointer(value, Self::service)?,
                    "caBundle" => out.ca_bundle = d.bytes(value)?,
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn service(&mut self, json: &'j Json<'j>, out: &mut (ServiceReference, Option<i32>)) -> Result<(), Stop> {
        let (service, port) = out;
        self.structure(json, "ServiceReference", "v1.ServiceReference", |d, key, value| {
            match key {
                "namespace" => d.string(value, &mut service.namespace),
                "name" => d.string(value, &mut service.name),
                "path" => d.optional_string(value, &mut service.path, "string"),
                "port" => d.optional_integer(value, port, "int32"),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    pub(super) fn status(&mut self, json: &'j Json<'j>, out: &mut Status) -> Result<(), Stop> {
        self.structure(
            json,
            "CustomResourceDefinitionStatus",
            "v1.CustomResourceDefinitionStatus",
            |d, key, value| {
                match key {
                    "conditions" => {
                        let list = d.list(value, "[]v1.CustomResourceDefinitionCondition", Self::condition)?;
                        out.conditions = list.unwrap_or_default();
                    }
                    "acceptedNames" => d.names(value, &mut out.accepted_names)?,
                    "storedVersions" => out.stored_versions = d.strings(value)?.unwrap_or_default(),
                    "observedGeneration" if d.version() >= OBSERVED_GENERATION_SINCE => {
                        d.integer(value, &mut out.observed_generation, "int64");
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )
    }

    fn condition(&mut self, json: &'j Json<'j>, out: &mut Condition) -> Result<(), Stop> {
        let name = "CustomResourceDefinitionCondition";
        self.structure(json, name, "v1.CustomResourceDefinitionCondition", |d, key, value| {
            match key {
                "type" => d.named_string(value, &mut out.r#type, "v1.CustomResourceDefinitionConditionType"),
                "status" => d.named_string(value, &mut out.status, "v1.ConditionStatus"),
                "lastTransitionTime" => out.last_transition_time = d.time(value)?,
                "reason" => d.string(value, &mut out.reason),
                "message" => d.string(value, &mut out.message),
                "observedGeneration" if d.version() >= OBSERVED_GENERATION_SINCE => {
                    d.integer(value, &mut out.observed_generation, "int64");
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}
