//! The API of CustomResourceDefinitions as data: every field of `apiextensions.k8s.io/v1` with its type, its documentation, when it
//! came, and which values it takes. Completion, hover and the published reference read these tables.
//!
//! That they have the fields which the decoder knows, no more and no fewer, is tested. Objects of other kinds are decoded from such tables.

mod definition;
mod metadata;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod v1beta1;

use crd_analyzer_schema::KubernetesVersion;

pub use definition::DEFINITION;
pub use metadata::OBJECT_META;
pub use schema::{SCHEMA, VALIDATION_RULE};

/// A Go struct of the API.
#[derive(Debug)]
pub struct Struct {
    /// Its name in Go (`CustomResourceDefinitionSpec`).
    pub name: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Its fields, in the order in which authors usually write them.
    pub fields: &'static [Field],
}

/// One field of a [`Struct`].
#[derive(Debug)]
pub struct Field {
    /// The key in JSON.
    pub name: &'static str,
    /// What it does and what the API server makes of it, in Markdown.
    pub doc: &'static str,
    /// What its value is.
    pub ty: FieldType,
    /// The Go type of its texts where that has a name (`FailurePolicyType`); empty otherwise. See
    /// [`decode_object`](crate::decode::decode_object).
    pub go: &'static str,
    /// The Go structs that are embedded on the way to it, from the outermost: messages name them.
    pub embedded: &'static [&'static str],
    /// Whether users or the API server write the field.
    pub presence: Presence,
    /// The Kubernetes version whose server was the first to have it; 0 if all have.
    pub since: u8,
    /// Values that it takes.
    pub values: Values,
    /// Schemas: the types of values that the keyword says something about; empty if all.
    pub applies_to: &'static [&'static str],
    /// Schemas: whether the keyword may stand below `allOf`, `anyOf`, `oneOf` and `not`.
    pub in_junctor: bool,
}

/// What the value of a field is.
#[derive(Debug)]
pub enum FieldType {
    /// A string.
    String,
    /// A string that is a CEL expression.
    Cel,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A time as RFC 3339 has it.
    Time,
    /// Bytes in base64.
    Bytes,
    /// Any JSON.
    Any,
    /// An object with these fields.
    Object(&'static Struct),
    /// A list.
    List(&'static FieldType),
    /// A map from any strings.
    Map(&'static FieldType),
    /// A schema, or `true` or `false`.
    SchemaOrBool,
    /// A schema, or a list of them.
    SchemaOrList,
    /// A schema, or a list of names of properties.
    SchemaOrNames,
}

/// Whether users or the API server write a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// The author must.
    Required,
    /// The author may.
    Optional,
    /// The API server does; what an author writes is dropped or without effect.
    Server,
    /// No one: the API server decodes it and then refuses the CRD, or does as if it were not there.
    Refused,
}

/// Values that a field takes.
#[derive(Debug)]
pub enum Values {
    /// Nothing is known of them beyond the type.
    Free,
    /// These and no others.
    Closed(&'static [Value]),
    /// Mostly these, others are possible.
    Open(&'static [Value]),
}

/// A value that a field takes.
#[derive(Debug)]
pub struct Value {
    /// As it is written.
    pub text: &'static str,
    /// What it means, in Markdown.
    pub doc: &'static str,
    /// The Kubernetes version whose server was the first to have it; 0 if all have.
    pub since: u8,
}

impl Struct {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|it| it.name == name)
    }
}

impl Field {
    /// Whether API servers of a Kubernetes version have the field.
    pub fn is_in(&self, version: KubernetesVersion) -> bool {
        self.since <= version.number()
    }

    /// The struct of the value, or of the items or values of a list or map of structs.
    pub fn structure(&self) -> Option<&'static Struct> {
        self.ty.structure()
    }
}

impl FieldType {
    /// The struct, or that of the items or values of a list or map of structs.
    pub fn structure(&self) -> Option<&'static Struct> {
        match self {
            Self::Object(it) => Some(it),
            Self::List(of) | Self::Map(of) => of.structure(),
            Self::SchemaOrBool | Self::SchemaOrList | Self::SchemaOrNames => Some(&SCHEMA),
            _ => None,
        }
    }

    /// The type of an item (list) or value (map).
    pub fn element(&self) -> Option<&'static FieldType> {
        match self {
            Self::List(of) | Self::Map(of) => Some(of),
            Self::SchemaOrList => Some(&schema::A_SCHEMA),
            Self::SchemaOrNames => Some(&Self::String),
            _ => None,
        }
    }

    /// What it is called: `string`, `[]string`, `map[string]JSONSchemaProps`.
    pub fn display(&self) -> String {
        match self {
            Self::String => "string".to_owned(),
            Self::Cel => "string (CEL)".to_owned(),
            Self::Boolean => "boolean".to_owned(),
            Self::Integer => "integer".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Time => "time".to_owned(),
            Self::Bytes => "base64".to_owned(),
            Self::Any => "any".to_owned(),
            Self::Object(it) => it.name.to_owned(),
            Self::List(of) => format!("[]{}", of.display()),
            Self::Map(of) => format!("map[string]{}", of.display()),
            Self::SchemaOrBool => "schema or boolean".to_owned(),
            Self::SchemaOrList => "schema or []schema".to_owned(),
            Self::SchemaOrNames => "schema or []string".to_owned(),
        }
    }
}

impl Values {
    /// The values that are known.
    pub fn known(&self) -> &'static [Value] {
        match self {
            Self::Free => &[],
            Self::Closed(values) | Self::Open(values) => values,
        }
    }
}

impl Value {
    /// Whether API servers of a Kubernetes version have the value.
    pub fn is_in(&self, version: KubernetesVersion) -> bool {
        self.since <= version.number()
    }
}

/// What is at a path of a CRD.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The last field on the way; `None` at the root.
    pub field: Option<&'static Field>,
    /// What the value is.
    pub ty: &'static FieldType,
    /// Whether the path goes through `allOf`, `anyOf`, `oneOf` or `not`.
    pub in_junctor: bool,
    /// The schema at the end of the path is that of a resource's root.
    pub is_root_schema: bool,
    /// The path ends at an item or a map's value of the field.
    pub is_element: bool,
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'a> {
    /// A key.
    Key(&'a str),
    /// An item.
    Item,
}

/// A CRD of `apiextensions.k8s.io/v1`.
pub static V1: FieldType = FieldType::Object(&DEFINITION);

/// A CRD of `apiextensions.k8s.io/v1beta1`, which no server has since 1.22.
pub static V1BETA1: FieldType = FieldType::Object(&v1beta1::DEFINITION);

/// Follows a path from the root of an object, such as a CRD ([`V1`]); `None` where the API has nothing.
pub fn at<'a>(root: &'static FieldType, path: impl IntoIterator<Item = PathStep<'a>>) -> Option<At> {
    let mut found = At {
        field: None,
        ty: root,
        in_junctor: false,
        is_root_schema: false,
        is_element: false,
    };
    for step in path {
        found.is_root_schema = false;
        match (step, found.ty) {
            (PathStep::Item, _) => {
                found.ty = match found.ty {
                    FieldType::Map(_) => return None,
                    ty => ty.element()?,
                };
                found.is_element = true;
            }
            (PathStep::Key(_), FieldType::Map(of)) => {
                found.ty = of;
                found.is_element = true;
            }
            (PathStep::Key(key), ty) => {
                let structure = match ty {
                    FieldType::List(_) => return None,
                    ty => ty.structure()?,
                };
                let field = structure.field(key)?;
                found.in_junctor |= matches!(field.name, "allOf" | "anyOf" | "oneOf" | "not");
                found.is_root_schema = field.name == "openAPIV3Schema";
                found.field = Some(field);
                found.ty = &field.ty;
                found.is_element = false;
            }
        }
    }
    Some(found)
}

/// A field that authors may write.
pub const fn field(name: &'static str, ty: FieldType, doc: &'static str) -> Field {
    Field {
        name,
        doc,
        ty,
        go: "",
        embedded: &[],
        presence: Presence::Optional,
        since: 0,
        values: Values::Free,
        applies_to: &[],
        in_junctor: true,
    }
}

/// A value that all API servers take.
pub const fn value(text: &'static str, doc: &'static str) -> Value {
    Value { text, doc, since: 0 }
}

impl Field {
    /// The author must write it.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// The API server writes it.
    #[must_use]
    pub const fn by_server(mut self) -> Self {
        self.presence = Presence::Server;
        self
    }

    const fn refused(mut self) -> Self {
        self.presence = Presence::Refused;
        self
    }

    const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }

    /// It takes these values and no others.
    #[must_use]
    pub const fn one_of(mut self, values: &'static [Value]) -> Self {
        self.values = Values::Closed(values);
        self
    }

    /// It mostly has one of these values.
    #[must_use]
    pub const fn such_as(mut self, values: &'static [Value]) -> Self {
        self.values = Values::Open(values);
        self
    }

    /// Its texts have a Go type with this name.
    #[must_use]
    pub const fn of_go_type(mut self, go: &'static str) -> Self {
        self.go = go;
        self
    }

    /// It is a field of a Go struct that is embedded in this way.
    #[must_use]
    pub const fn embedded_in(mut self, structs: &'static [&'static str]) -> Self {
        self.embedded = structs;
        self
    }

    const fn applies_to(mut self, types: &'static [&'static str]) -> Self {
        self.applies_to = types;
        self
    }

    const fn not_in_junctor(mut self) -> Self {
        self.in_junctor = false;
        self
    }
}
