//! The OpenAPI v3 schema of a CRD as its author wrote it.

use std::ops::{Deref, DerefMut};

use serde_json::Value;

/// A schema in the API server's internal form (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions`, `JSONSchemaProps`).
/// An absent string or list is empty unless an `Option` distinguishes absent from empty.
///
/// Maps are stored as lists sorted by key, without duplicates, because the API server's decoder also visits maps in this order.
///
/// Equality is the API server's semantic equality (`k8s.io/apimachinery/pkg/api/equality`): an absent list or map equals an
/// empty one.
///
/// A CRD has thousands of schemas, and memory access dominates the time of every walk over them. So keywords that few schemas use are stored
/// separately, in [`RareKeywords`]. They are read and set as if they were fields of this type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JsonSchemaProps {
    /// `description`
    pub description: String,
    /// `type`
    pub r#type: String,
    /// `nullable`
    pub nullable: bool,
    /// `format`
    pub format: String,
    /// `default`; `Some(Value::Null)` is an explicit null.
    pub default: Option<Value>,
    /// `required`
    pub required: Vec<String>,
    /// `items`
    pub items: Option<Box<SchemaOrArray>>,
    /// `properties`
    pub properties: SchemaMap,
    /// `additionalProperties`
    pub additional_properties: Option<Box<SchemaOrBool>>,
    /// `x-kubernetes-preserve-unknown-fields`
    pub x_preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`
    pub x_embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub x_int_or_string: bool,
    /// `x-kubernetes-validations`
    pub x_validations: Vec<ValidationRule>,
    /// The lists and maps of this schema that are present but empty.
    pub empty: EmptyKeywords,
    /// All other keywords.
    pub rare: Rare,
}

impl Deref for JsonSchemaProps {
    type Target = RareKeywords;

    fn deref(&self) -> &RareKeywords {
        &self.rare
    }
}

impl DerefMut for JsonSchemaProps {
    fn deref_mut(&mut self) -> &mut RareKeywords {
        &mut self.rare
    }
}

impl JsonSchemaProps {
    /// Whether the schema rejects every value, because of `not: {}`.
    pub fn is_never(&self) -> bool {
        !self.nullable && self.not.as_deref().is_some_and(|it| *it == Self::default())
    }
}

/// The [`RareKeywords`] of a schema, allocated when the first one is set.
#[derive(Clone, Default)]
pub struct Rare(Option<Box<RareKeywords>>);

impl Rare {
    /// The keywords; `None` if none is set.
    pub fn get(&self) -> Option<&RareKeywords> {
        self.0.as_deref()
    }

    /// The keywords for modification; `None` if none is set.
    pub fn get_mut(&mut self) -> Option<&mut RareKeywords> {
        self.0.as_deref_mut()
    }
}

impl Deref for Rare {
    type Target = RareKeywords;

    fn deref(&self) -> &RareKeywords {
        static NONE: RareKeywords = RareKeywords::NONE;
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Rare {
    fn deref_mut(&mut self) -> &mut RareKeywords {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Rare {
    fn eq(&self, other: &Self) -> bool {
        (self.0.is_none() && other.0.is_none()) || **self == **other
    }
}

impl std::fmt::Debug for Rare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl From<RareKeywords> for Rare {
    fn from(keywords: RareKeywords) -> Self {
        Self(Some(Box::new(keywords)))
    }
}

/// The keywords that few schemas have. See [`JsonSchemaProps`].
#[derive(Clone, PartialEq, Debug)]
pub struct RareKeywords {
    /// `id`
    pub id: String,
    /// `$schema`
    pub schema: String,
    /// `$ref`
    pub r#ref: Option<String>,
    /// `title`
    pub title: String,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`, in characters. The API server's messages say bytes, but the API server counts characters.
    pub max_length: Option<i64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: String,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`
    pub r#enum: Vec<Value>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `allOf`
    pub all_of: Vec<JsonSchemaProps>,
    /// `oneOf`
    pub one_of: Vec<JsonSchemaProps>,
    /// `anyOf`
    pub any_of: Vec<JsonSchemaProps>,
    /// `not`
    pub not: Option<Box<JsonSchemaProps>>,
    /// `patternProperties`
    pub pattern_properties: SchemaMap,
    /// `dependencies`
    pub dependencies: Vec<(String, SchemaOrStringArray)>,
    /// `additionalItems`
    pub additional_items: Option<Box<SchemaOrBool>>,
    /// `definitions`
    pub definitions: SchemaMap,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocumentation>,
    /// `example`
    pub example: Option<Value>,
    /// `x-kubernetes-list-map-keys`
    pub x_list_map_keys: Vec<String>,
    /// `x-kubernetes-list-type`
    pub x_list_type: Option<String>,
    /// `x-kubernetes-map-type`
    pub x_map_type: Option<String>,
}

impl RareKeywords {
    /// The value if no keyword is set.
    const NONE: Self = Self {
        id: String::new(),
        schema: String::new(),
        r#ref: None,
        title: String::new(),
        maximum: None,
        exclusive_maximum: false,
        minimum: None,
        exclusive_minimum: false,
        max_length: None,
        min_length: None,
        pattern: String::new(),
        max_items: None,
        min_items: None,
        unique_items: false,
        multiple_of: None,
        r#enum: Vec::new(),
        max_properties: None,
        min_properties: None,
        all_of: Vec::new(),
        one_of: Vec::new(),
        any_of: Vec::new(),
        not: None,
        pattern_properties: Vec::new(),
        dependencies: Vec::new(),
        additional_items: None,
        definitions: Vec::new(),
        external_docs: None,
        example: None,
        x_list_map_keys: Vec::new(),
        x_list_type: None,
        x_map_type: None,
    };
}

impl RareKeywords {
    /// The keywords whose value is a list of schemas (for the same value), each with its list.
    pub fn clauses(&self) -> [(&'static str, &[JsonSchemaProps]); 3] {
        [
            ("allOf", &self.all_of),
            ("anyOf", &self.any_of),
            ("oneOf", &self.one_of),
        ]
    }
}

impl Default for RareKeywords {
    fn default() -> Self {
        Self::NONE
    }
}

/// Lists and maps of a schema that are present but empty. A few checks of the API server distinguish them from absent ones.
///
/// They do not affect equality, see [`JsonSchemaProps`].
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyKeywords(u16);

impl EmptyKeywords {
    /// `required: []`
    pub const REQUIRED: Self = Self(1);
    /// `enum: []`
    pub const ENUM: Self = Self(1 << 1);
    /// `allOf: []`
    pub const ALL_OF: Self = Self(1 << 2);
    /// `oneOf: []`
    pub const ONE_OF: Self = Self(1 << 3);
    /// `anyOf: []`
    pub const ANY_OF: Self = Self(1 << 4);
    /// `properties: {}`
    pub const PROPERTIES: Self = Self(1 << 5);
    /// `patternProperties: {}`
    pub const PATTERN_PROPERTIES: Self = Self(1 << 6);
    /// `dependencies: {}`
    pub const DEPENDENCIES: Self = Self(1 << 7);
    /// `definitions: {}`
    pub const DEFINITIONS: Self = Self(1 << 8);
    /// `x-kubernetes-list-map-keys: []`
    pub const LIST_MAP_KEYS: Self = Self(1 << 9);
    /// `x-kubernetes-validations: []`
    pub const VALIDATIONS: Self = Self(1 << 10);

    /// Records that `keyword` is present but empty.
    pub fn insert(&mut self, keyword: Self) {
        self.0 |= keyword.0;
    }

    /// Whether `keyword` is present but empty.
    pub const fn contains(self, keyword: Self) -> bool {
        self.0 & keyword.0 != 0
    }
}

impl PartialEq for EmptyKeywords {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Schemas by name, sorted by name and without duplicates.
pub type SchemaMap = Vec<(String, JsonSchemaProps)>;

/// `items`: one schema, or a list of schemas (`JSONSchemaPropsOrArray`). Structural schemas may not have such a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrArray {
    /// The schema of every item.
    pub schema: Option<Box<JsonSchemaProps>>,
    /// One schema for each item.
    pub json_schemas: Vec<JsonSchemaProps>,
}

/// `additionalProperties`: a schema or a boolean (`JSONSchemaPropsOrBool`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrBool {
    /// Whether other properties are allowed; only false if the CRD contains `false` as the value.
    pub allows: bool,
    /// The schema of every value.
    pub schema: Option<Box<JsonSchemaProps>>,
}

/// A value of `dependencies` (`JSONSchemaPropsOrStringArray`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaOrStringArray {
    /// The schema that applies if the property is present.
    pub schema: Option<Box<JsonSchemaProps>>,
    /// The properties that are required if the property is present.
    pub property: Vec<String>,
}

/// `externalDocs`
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExternalDocumentation {
    /// `description`
    pub description: String,
    /// `url`
    pub url: String,
}

/// One rule of `x-kubernetes-validations` (`ValidationRule`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ValidationRule {
    /// `rule`, a CEL expression.
    pub rule: String,
    /// `message`
    pub message: String,
    /// `messageExpression`, a CEL expression.
    pub message_expression: String,
    /// `reason`
    pub reason: Option<String>,
    /// `fieldPath`
    pub field_path: String,
    /// `optionalOldSelf`
    pub optional_old_self: Option<bool>,
}
