//! A schema during generation: the parts of `JSONSchemaProps` of `k8s.io/apiextensions-apiserver` that controller-gen sets.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    ids::{PackageId, TypeId},
    node::Origin,
};

/// A keyword whose value is not a schema. The variants are in the order of the fields in Go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Keyword {
    Format,
    Title,
    Default,
    Maximum,
    ExclusiveMaximum,
    Minimum,
    ExclusiveMinimum,
    MaxLength,
    MinLength,
    Pattern,
    MaxItems,
    MinItems,
    UniqueItems,
    MultipleOf,
    Enum,
    MaxProperties,
    MinProperties,
    ExternalDocs,
    Example,
    Nullable,
    PreserveUnknownFields,
    EmbeddedResource,
    IntOrString,
    ListMapKeys,
    ListType,
    MapType,
}

impl Keyword {
    /// The name in a CRD.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Title => "title",
            Self::Default => "default",
            Self::Maximum => "maximum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
            Self::Minimum => "minimum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::MaxLength => "maxLength",
            Self::MinLength => "minLength",
            Self::Pattern => "pattern",
            Self::MaxItems => "maxItems",
            Self::MinItems => "minItems",
            Self::UniqueItems => "uniqueItems",
            Self::MultipleOf => "multipleOf",
            Self::Enum => "enum",
            Self::MaxProperties => "maxProperties",
            Self::MinProperties => "minProperties",
            Self::ExternalDocs => "externalDocs",
            Self::Example => "example",
            Self::Nullable => "nullable",
            Self::PreserveUnknownFields => "x-kubernetes-preserve-unknown-fields",
            Self::EmbeddedResource => "x-kubernetes-embedded-resource",
            Self::IntOrString => "x-kubernetes-int-or-string",
            Self::ListMapKeys => "x-kubernetes-list-map-keys",
            Self::ListType => "x-kubernetes-list-type",
            Self::MapType => "x-kubernetes-map-type",
        }
    }

    /// Whether Go compares the values of this keyword, and not pointers to them. This is so for strings and booleans.
    pub(crate) const fn is_compared(self) -> bool {
        matches!(
            self,
            Self::Format
                | Self::ExclusiveMaximum
                | Self::ExclusiveMinimum
                | Self::Pattern
                | Self::UniqueItems
                | Self::Nullable
                | Self::EmbeddedResource
                | Self::IntOrString
        )
    }
}

/// A value of a keyword, with its origin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Said {
    pub(crate) value: serde_json::Value,
    pub(crate) from: Option<Origin>,
}

impl Said {
    /// Creates a value without an origin.
    pub(crate) fn made(value: impl Into<serde_json::Value>) -> Self {
        Self {
            value: value.into(),
            from: None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        self.value.as_str()
    }
}

/// The value of `additionalProperties`: `true` or a schema.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Values {
    /// `true`.
    Any,
    Of(Rc<Schema>),
}

/// A property.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Property {
    pub(crate) of: Rc<Schema>,
    /// The place of the Go field.
    pub(crate) from: Option<Origin>,
}

/// A validation rule, with its fields by their names in a CRD.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rule {
    pub(crate) fields: Vec<(&'static str, Said)>,
    pub(crate) from: Option<Origin>,
}

/// The schema of a type or field.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Schema {
    pub(crate) reference: Option<TypeId>,
    pub(crate) description: String,
    pub(crate) r#type: Option<Said>,
    pub(crate) values: BTreeMap<Keyword, Said>,
    pub(crate) required: Vec<(Rc<str>, Option<Origin>)>,
    pub(crate) items: Option<Rc<Schema>>,
    pub(crate) all_of: Vec<Rc<Schema>>,
    pub(crate) any_of: Vec<Rc<Schema>>,
    pub(crate) properties: Option<BTreeMap<Rc<str>, Property>>,
    pub(crate) additional: Option<Values>,
    pub(crate) rules: Vec<Rule>,
    /// Whether the schema is incomplete, because a type is not on this machine or controller-gen rejects it.
    pub(crate) is_unknown: bool,
}

impl Schema {
    pub(crate) fn of_type(name: &str) -> Self {
        Self {
            r#type: Some(Said::made(name)),
            ..Self::default()
        }
    }

    /// A schema that refers to the schema of a type.
    pub(crate) fn referring_to(package: PackageId, name: &str) -> Self {
        Self {
            reference: Some(TypeId {
                package,
                name: name.into(),
            }),
            ..Self::default()
        }
    }

    pub(crate) fn unknown() -> Self {
        Self {
            is_unknown: true,
            ..Self::default()
        }
    }

    /// The value of `type`; empty if it is missing.
    pub(crate) fn type_name(&self) -> &str {
        self.r#type.as_ref().and_then(Said::as_str).unwrap_or_default()
    }

    #[must_use]
    pub(crate) fn with(mut self, keyword: Keyword, value: impl Into<serde_json::Value>) -> Self {
        self.values.insert(keyword, Said::made(value));
        self
    }

    pub(crate) fn is_set(&self, keyword: Keyword) -> bool {
        self.values.contains_key(&keyword)
    }
}
