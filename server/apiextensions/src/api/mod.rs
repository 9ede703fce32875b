//! The API of CustomResourceDefinitions as data: every field of `apiextensions.k8s.io/v1` with its type, its documentation, the
//! Kubernetes version that introduced it, and its values. Completion, hover and the published reference read these tables.
//!
//! A test checks that these tables and the decoder have the same fields. Objects of other kinds are decoded with such tables.

mod definition;
mod metadata;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod v1beta1;

use crd_analyzer_schema::KubernetesVersion;

pub use definition::{DEFINITION, field_known_as};
pub use metadata::OBJECT_META;
pub use schema::{SCHEMA, VALIDATION_RULE};

/// A Go struct of the API.
#[derive(Debug)]
pub struct Struct {
    /// The name in Go (`CustomResourceDefinitionSpec`).
    pub name: &'static str,
    /// A description in one sentence.
    pub doc: &'static str,
    /// The fields, in the order in which authors usually write them.
    pub fields: &'static [Field],
}

/// One field of a [`Struct`].
#[derive(Debug)]
pub struct Field {
    /// The JSON key.
    pub name: &'static str,
    /// The effect of the field and how the API server processes it, in Markdown.
    pub doc: &'static str,
    /// The type of the field's value.
    pub ty: FieldType,
    /// The Go type of the field's strings if it is a named type (`FailurePolicyType`); empty otherwise. See
    /// [`decode_object`](crate::decode::decode_object).
    pub go: &'static str,
    /// The embedded Go structs that contain the field, outermost first. Messages contain their names.
    pub embedded: &'static [&'static str],
    /// Whether authors or the API server set the field.
    pub presence: Presence,
    /// The minor version of the first Kubernetes version with the field; 0 if all versions have it.
    pub since: u8,
    /// The allowed values.
    pub values: Values,
    /// For schema keywords: the types of values to which the keyword applies; empty for all types.
    pub applies_to: &'static [&'static str],
    /// For schema keywords: whether the keyword is allowed below `allOf`, `anyOf`, `oneOf` and `not`.
    pub in_junctor: bool,
}

/// The type of a field's value.
#[derive(Debug)]
pub enum FieldType {
    /// A string.
    String,
    /// A string that is a CEL expression.
    Cel,
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A time in RFC 3339 format.
    Time,
    /// Bytes in base64.
    Bytes,
    /// Any JSON.
    Any,
    /// An object with these fields.
    Object(&'static Struct),
    /// A list.
    List(&'static FieldType),
    /// A map with arbitrary string keys.
    Map(&'static FieldType),
    /// A schema, or `true` or `false`.
    SchemaOrBool,
    /// A schema, or a list of schemas.
    SchemaOrList,
    /// A schema, or a list of property names.
    SchemaOrNames,
}

/// Whether authors or the API server set a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// The author must set the field.
    Required,
    /// The author may set the field.
    Optional,
    /// The API server sets the field; values from the author are dropped or have no effect.
    Server,
    /// The field should not be set: the API server decodes it, and then rejects the CRD or ignores the field.
    Refused,
}

/// The values of a field.
#[derive(Debug)]
pub enum Values {
    /// Any value of the type.
    Free,
    /// The field accepts only these values.
    Closed(&'static [Value]),
    /// The field usually has one of these values, but accepts others.
    Open(&'static [Value]),
}

/// One possible value of a field.
#[derive(Debug)]
pub struct Value {
    /// The value as written.
    pub text: &'static str,
    /// The meaning of the value, in Markdown.
    pub doc: &'static str,
    /// The minor version of the first Kubernetes version with the value; 0 if all versions have it.
    pub since: u8,
}

impl Struct {
    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|it| it.name == name)
    }
}

impl Field {
    /// Whether API servers of this Kubernetes version have the field.
    pub fn is_in(&self, version: KubernetesVersion) -> bool {
        self.since <= version.number()
    }

    /// The struct of the field's value, or of the items or values if the field is a list or map of structs.
    pub fn structure(&self) -> Option<&'static Struct> {
        self.ty.structure()
    }
}

impl FieldType {
    /// The struct, or the struct of the items or values of a list or map.
    pub fn structure(&self) -> Option<&'static Struct> {
        match self {
            Self::Object(it) => Some(it),
            Self::List(of) | Self::Map(of) => of.structure(),
            Self::SchemaOrBool | Self::SchemaOrList | Self::SchemaOrNames => Some(&SCHEMA),
            _ => None,
        }
    }

    /// The type of a list's items or a map's values.
    pub fn element(&self) -> Option<&'static FieldType> {
        match self {
            Self::List(of) | Self::Map(of) => Some(of),
            Self::SchemaOrList => Some(&schema::A_SCHEMA),
            Self::SchemaOrNames => Some(&Self::String),
            _ => None,
        }
    }

    /// The name of the type: `string`, `[]string`, `map[string]JSONSchemaProps`.
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
    /// The known values.
    pub fn known(&self) -> &'static [Value] {
        match self {
            Self::Free => &[],
            Self::Closed(values) | Self::Open(values) => values,
        }
    }
}

impl Value {
    /// Whether API servers of this Kubernetes version have the value.
    pub fn is_in(&self, version: KubernetesVersion) -> bool {
        self.since <= version.number()
    }
}

/// The field and type at a path of a CRD.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The last field in the path; `None` at the root.
    pub field: Option<&'static Field>,
    /// The type of the value.
    pub ty: &'static FieldType,
    /// Whether the path goes through `allOf`, `anyOf`, `oneOf` or `not`.
    pub in_junctor: bool,
    /// Whether the path ends at the root schema of a resource.
    pub is_root_schema: bool,
    /// Whether the path ends at a list item or map value of the field.
    pub is_element: bool,
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'a> {
    /// A key.
    Key(&'a str),
    /// An item of a list.
    Item,
}

/// A CRD of `apiextensions.k8s.io/v1`.
pub static V1: FieldType = FieldType::Object(&DEFINITION);

/// A CRD of `apiextensions.k8s.io/v1beta1`, which API servers have not served since 1.22.
pub static V1BETA1: FieldType = FieldType::Object(&v1beta1::DEFINITION);

/// Follows a path from the root of an object, such as a CRD ([`V1`]); `None` if the path does not exist in the API.
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

/// Creates a field that authors may set.
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

/// Creates a value that all API servers accept.
pub const fn value(text: &'static str, doc: &'static str) -> Value {
    Value { text, doc, since: 0 }
}

impl Field {
    /// Marks the field as required from the author.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// Marks the field as set by the API server.
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

    /// Restricts the field to these values.
    #[must_use]
    pub const fn one_of(mut self, values: &'static [Value]) -> Self {
        self.values = Values::Closed(values);
        self
    }

    /// Lists the usual values of the field.
    #[must_use]
    pub const fn such_as(mut self, values: &'static [Value]) -> Self {
        self.values = Values::Open(values);
        self
    }

    /// Sets the named Go type of the field's strings.
    #[must_use]
    pub const fn of_go_type(mut self, go: &'static str) -> Self {
        self.go = go;
        self
    }

    /// Sets the embedded Go structs that contain the field.
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
