//! Structural schemas: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema`.
//!
//! The API server converts a schema into another tree (`NewStructural`) before it checks structural rules. That tree has the same content at the same
//! paths, so in this crate the tree is only a view: [`Structural`] borrows the author's schema and has the accessors of the API server's type.
//! Creating a view walks the schema, but allocates nothing.

mod blank;
mod forms;
mod int_or_string;
#[cfg(test)]
mod tests;
mod unknown;
mod validation;

use std::fmt;
use std::sync::LazyLock;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use crate::json_schema::{JsonSchemaProps, RareKeywords, SchemaMap, SchemaOrArray, SchemaOrBool, ValidationRule};
pub use int_or_string::unfold;
pub use unknown::{Mark, UnknownFields};
pub use validation::validate;

/// A schema without the keywords that structural schemas must not have (`Structural`).
///
/// The schema may still violate other rules of structural schemas, which [`validate`] checks.
#[derive(Clone, Copy, Debug)]
pub struct Structural<'s>(&'s JsonSchemaProps);

/// `additionalProperties` of a [`Structural`] (`StructuralOrBool`).
#[derive(Clone, Copy, Debug)]
pub enum AdditionalProperties<'s> {
    /// All values must match this schema.
    Schema(Structural<'s>),
    /// A boolean instead of a schema: whether the CRD allows any value. Most of the API server's checks ignore this flag.
    Any(bool),
}

impl<'s> AdditionalProperties<'s> {
    /// The schema of the values, if any.
    pub const fn schema(self) -> Option<Structural<'s>> {
        match self {
            Self::Schema(schema) => Some(schema),
            Self::Any(_) => None,
        }
    }
}

/// The reason why a schema has no structural form (the error of `NewStructural`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsupportedKeyword(&'static str);

impl fmt::Display for UnsupportedKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for UnsupportedKeyword {}

impl<'s> Structural<'s> {
    /// The structural form of `schema`, or the first reason why it has none (`NewStructural`).
    ///
    /// `properties` are walked in the order of their names; the API server walks them in random order, so if two
    /// properties are invalid, it may report either.
    pub fn new(schema: &'s JsonSchemaProps) -> Result<Self, UnsupportedKeyword> {
        check_structural(schema)?;
        Ok(Self(schema))
    }

    /// Wraps `schema` without a check, for schemas that are already known to have a structural form.
    pub const fn assume(schema: &'s JsonSchemaProps) -> Self {
        Self(schema)
    }

    /// The empty schema.
    pub fn empty() -> Self {
        static EMPTY: LazyLock<JsonSchemaProps> = LazyLock::new(JsonSchemaProps::default);
        Self(&EMPTY)
    }

    /// The schema as its author wrote it.
    pub const fn props(self) -> &'s JsonSchemaProps {
        self.0
    }

    /// Whether this and `other` are the same node of the same schema.
    pub fn is(self, other: Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }

    /// `type`, empty if absent.
    pub fn r#type(self) -> &'s str {
        &self.0.r#type
    }

    /// `nullable`
    pub const fn nullable(self) -> bool {
        self.0.nullable
    }

    /// `default`; an explicit null counts as absent.
    pub const fn default_value(self) -> Option<&'s Value> {
        match &self.0.default {
            Some(Value::Null) | None => None,
            Some(value) => Some(value),
        }
    }

    /// `items`
    pub fn items(self) -> Option<Self> {
        item_schema(self.0.items.as_deref()).map(Self)
    }

    /// Whether the schema has no `properties`.
    pub fn has_no_properties(self) -> bool {
        self.0.properties.is_empty()
    }

    /// `properties`, in the order of their names.
    pub fn properties(self) -> impl ExactSizeIterator<Item = (&'s str, Self)> {
        self.0
            .properties
            .iter()
            .map(|(name, schema)| (name.as_str(), Self(schema)))
    }

    /// The property `name`.
    pub fn property(self, name: &str) -> Option<Self> {
        lookup(&self.0.properties, name).map(Self)
    }

    /// `additionalProperties`
    pub fn additional_properties(self) -> Option<AdditionalProperties<'s>> {
        let additional = self.0.additional_properties.as_deref()?;
        Some(match additional.schema.as_deref() {
            Some(schema) => AdditionalProperties::Schema(Self(schema)),
            None => AdditionalProperties::Any(additional.allows),
        })
    }

    /// The schema of a field of an object: the schema of the property, or otherwise the schema in `additionalProperties`.
    pub fn field(self, name: &str) -> Option<Self> {
        self.property(name).or_else(|| self.additional_properties()?.schema())
    }

    /// `x-kubernetes-preserve-unknown-fields`
    pub fn preserves_unknown_fields(self) -> bool {
        self.0.x_preserve_unknown_fields == Some(true)
    }

    /// `x-kubernetes-embedded-resource`
    pub const fn is_embedded_resource(self) -> bool {
        self.0.x_embedded_resource
    }

    /// `x-kubernetes-int-or-string`
    pub const fn is_int_or_string(self) -> bool {
        self.0.x_int_or_string
    }

    /// `x-kubernetes-list-map-keys`
    pub fn list_map_keys(self) -> &'s [String] {
        &self.0.x_list_map_keys
    }

    /// `x-kubernetes-list-type`
    pub fn list_type(self) -> Option<&'s str> {
        self.0.x_list_type.as_deref()
    }

    /// `x-kubernetes-map-type`
    pub fn map_type(self) -> Option<&'s str> {
        self.0.x_map_type.as_deref()
    }

    /// `x-kubernetes-validations`
    pub fn validations(self) -> &'s [ValidationRule] {
        &self.0.x_validations
    }
}

/// The schema with this name in a list that is sorted by name.
pub fn lookup<'s>(schemas: &'s SchemaMap, name: &str) -> Option<&'s JsonSchemaProps> {
    let at = schemas.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
    Some(&schemas[at].1)
}

fn item_schema(items: Option<&SchemaOrArray>) -> Option<&JsonSchemaProps> {
    items?.schema.as_deref()
}

/// Checks for unsupported keywords. `NewStructural` and `newNestedValueValidation` reject the same keywords in the same order; only the allowed
/// contents of `additionalProperties` differ.
fn check_structural(schema: &JsonSchemaProps) -> Result<(), UnsupportedKeyword> {
    if let Some(rare) = schema.rare.get() {
        check_keywords(rare)?;
        if let Some(not) = &rare.not {
            check_structural(not)?;
        }
        for clause in rare.all_of.iter().chain(&rare.any_of).chain(&rare.one_of) {
            check_structural(clause)?;
        }
    }
    if schema.x_preserve_unknown_fields == Some(false) {
        return Err(UnsupportedKeyword(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
        ));
    }
    if let Some(items) = schema.items.as_deref() {
        if !items.json_schemas.is_empty() {
            return Err(UnsupportedKeyword(
                "OpenAPIV3Schema 'items' must be a schema, but is an array",
            ));
        }
        if let Some(items) = &items.schema {
            check_structural(items)?;
        }
    }
    for (_, property) in &schema.properties {
        check_structural(property)?;
    }
    if let Some(SchemaOrBool {
        schema: Some(additional),
        ..
    }) = schema.additional_properties.as_deref()
    {
        check_structural(additional)?;
    }
    Ok(())
}

/// `validateUnsupportedFields`
fn check_keywords(schema: &RareKeywords) -> Result<(), UnsupportedKeyword> {
    let unsupported = if !schema.id.is_empty() {
        "OpenAPIV3Schema 'id' is not supported"
    } else if !schema.schema.is_empty() {
        "OpenAPIV3Schema 'schema' is not supported"
    } else if schema.r#ref.as_ref().is_some_and(|reference| !reference.is_empty()) {
        "OpenAPIV3Schema '$ref' is not supported"
    } else if !schema.pattern_properties.is_empty() {
        "OpenAPIV3Schema 'patternProperties' is not supported"
    } else if !schema.dependencies.is_empty() {
        "OpenAPIV3Schema 'dependencies' is not supported"
    } else if schema.additional_items.is_some() {
        "OpenAPIV3Schema 'additionalItems' is not supported"
    } else if !schema.definitions.is_empty() {
        "OpenAPIV3Schema 'definitions' is not supported"
    } else {
        return Ok(());
    };
    Err(UnsupportedKeyword(unsupported))
}
