//! The parts of a schema that determine how expressions see values (`k8s.io/apiserver/pkg/cel/common`, `Schema`).

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::structural::{AdditionalProperties, Structural};

pub(super) type Properties = BTreeMap<Arc<str>, Arc<Shape>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    Other,
}

/// A schema for the conversion of values. It owns its data because the values outlive the walk over the schema.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) ty: Type,
    /// The `type` as written, for [`Type::Other`].
    pub(super) type_name: Box<str>,
    pub(super) format: Box<str>,
    pub(super) nullable: bool,
    pub(super) int_or_string: bool,
    pub(super) embedded: bool,
    pub(super) preserves: bool,
    pub(super) list_type: Box<str>,
    pub(super) map_keys: Box<[String]>,
    pub(super) items: Option<Arc<Shape>>,
    pub(super) values: Option<Arc<Shape>>,
    pub(super) properties: Arc<Properties>,
    /// The properties of a resource, computed on first use.
    resource: OnceLock<Arc<Properties>>,
}

impl Shape {
    pub(super) fn new(schema: Structural<'_>) -> Arc<Self> {
        let ty = match schema.r#type() {
            "object" => Type::Object,
            "array" => Type::Array,
            "string" => Type::String,
            "number" => Type::Number,
            "integer" => Type::Integer,
            "boolean" => Type::Boolean,
            _ => Type::Other,
        };
        let properties = schema.properties().map(|(name, it)| (name.into(), Self::new(it)));
        Arc::new(Self {
            ty,
            type_name: if ty == Type::Other { schema.r#type() } else { "" }.into(),
            format: schema.props().format.as_str().into(),
            nullable: schema.nullable(),
            int_or_string: schema.is_int_or_string(),
            embedded: schema.is_embedded_resource(),
            preserves: schema.preserves_unknown_fields(),
            list_type: schema.list_type().unwrap_or_default().into(),
            map_keys: schema.list_map_keys().into(),
            items: schema.items().map(Self::new),
            values: schema
                .additional_properties()
                .and_then(AdditionalProperties::schema)
                .map(Self::new),
            properties: Arc::new(properties.collect()),
            resource: OnceLock::new(),
        })
    }

    fn text() -> Arc<Self> {
        Self::bare(Type::String, Properties::new())
    }

    fn bare(ty: Type, properties: Properties) -> Arc<Self> {
        Arc::new(Self {
            ty,
            type_name: "".into(),
            format: "".into(),
            nullable: false,
            int_or_string: false,
            embedded: false,
            preserves: false,
            list_type: "".into(),
            map_keys: Box::default(),
            items: None,
            values: None,
            properties: Arc::new(properties),
            resource: OnceLock::new(),
        })
    }

    /// The properties, including the properties of every resource (`WithTypeAndObjectMeta`).
    pub(super) fn resource_properties(&self) -> &Arc<Properties> {
        self.resource.get_or_init(|| {
            let has = |properties: &Properties, name, ty| properties.get(name).is_some_and(|it| it.ty == ty);
            let names = |it: &Arc<Self>| {
                has(&it.properties, "name", Type::String) && has(&it.properties, "generateName", Type::String)
            };
            if has(&self.properties, "kind", Type::String)
                && has(&self.properties, "apiVersion", Type::String)
                && has(&self.properties, "metadata", Type::Object)
                && self.properties.get("metadata").is_some_and(names)
            {
                return Arc::clone(&self.properties);
            }
            let mut properties = (*self.properties).clone();
            let names = ["name", "generateName"].map(|name| (name.into(), Self::text()));
            let metadata = Self::bare(Type::Object, names.into());
            properties.insert("kind".into(), Self::text());
            properties.insert("apiVersion".into(), Self::text());
            properties.insert("metadata".into(), metadata);
            Arc::new(properties)
        })
    }
}
