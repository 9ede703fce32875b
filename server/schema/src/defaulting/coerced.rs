//! Computes how the validation of a CRD changes the defaults in its schemas.

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::rewrite::apply;
use crate::field::Path;
use crate::json_schema::JsonSchemaProps;
use crate::objectmeta::{CoerceOptions, coerce};
use crate::structural::{AdditionalProperties, Structural};
use crate::unknown::Known;

/// Changes the defaults of a resource's schema like the API server's validation: `ValidateDefaults` coerces the metadata of embedded resources in
/// place, so a stored CRD can differ from the written one.
pub fn coerce_defaults(schema: &mut JsonSchemaProps, version: KubernetesVersion) {
    let mut coercer = Coercer {
        version,
        defaults: Vec::new(),
    };
    coercer.schema(Structural::assume(schema), Part::Resource);
    if coercer.defaults.iter().any(Option::is_some) {
        apply(schema, &mut coercer.defaults.into_iter());
    }
}

/// The part of a resource that a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A whole resource.
    Resource,
    /// A part with defaults that are validated on their own.
    Plain,
    /// `apiVersion`, `kind` or `metadata`, or a part of them. The API server validates copies of the defaults in this part.
    Meta,
    /// A part of `additionalProperties`, whose defaults are not validated.
    Unjudged,
}

struct Coercer {
    version: KubernetesVersion,
    /// The new defaults, in the order of [`apply`].
    defaults: Vec<Option<Value>>,
}

impl Coercer {
    fn schema(&mut self, schema: Structural<'_>, part: Part) {
        let part = match part {
            Part::Unjudged => part,
            _ if schema.is_embedded_resource() => Part::Resource,
            _ => part,
        };
        if let Some(default) = schema.default_value() {
            let coerced = match part {
                Part::Resource | Part::Plain => self.coerced(default, schema, part == Part::Resource),
                Part::Meta | Part::Unjudged => None,
            };
            self.defaults.push(coerced);
        }
        if let Some(additional) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            self.schema(additional, Part::Unjudged);
        }
        let below = if part == Part::Resource { Part::Plain } else { part };
        if let Some(items) = schema.items() {
            self.schema(items, below);
        }
        for (name, property) in schema.properties() {
            let is_meta = part == Part::Resource && matches!(name, "apiVersion" | "kind" | "metadata");
            self.schema(property, if is_meta { Part::Meta } else { below });
        }
    }

    /// The default after coercion; `None` if coercion does not change the default or rejects it.
    fn coerced(&self, default: &Value, schema: Structural<'_>, is_resource: bool) -> Option<Value> {
        if !(default.is_object() || default.is_array()) {
            return None;
        }
        let mut coerced = default.clone();
        let options = CoerceOptions::default();
        coerce(
            &mut coerced,
            Known::ALL,
            Some(schema),
            is_resource,
            &Path::root(),
            options,
            self.version,
        )
        .ok()?;
        (coerced != *default).then_some(coerced)
    }
}
