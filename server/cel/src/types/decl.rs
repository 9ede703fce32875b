//! Declared types: the types from a schema, with the sizes for cost estimates
//! (`k8s.io/apiserver/pkg/cel`, `DeclType`).

use std::sync::Arc;

use crd_analyzer_budget as budget;

use super::Type;

/// The bytes that a type inside another type needs, including its path.
const TYPE_BYTES: u64 = 64;

/// A declared type. Object types have no names of their own: [`DeclTypes`](super::DeclTypes) names them by their path from
/// the root.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclType {
    /// The kind of the type.
    pub kind: DeclKind,
    /// The maximum number of elements (list), entries (map) or bytes (string, bytes) of a value; 0 for other types.
    pub max_elements: i64,
    /// The minimum size of a value in JSON, in bytes.
    pub min_serialized_size: i64,
}

/// The kind of a declared type, with its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum DeclKind {
    /// A type without parts.
    Simple(Type),
    /// A list, with the type of its elements.
    List(Arc<DeclType>),
    /// A map, with the types of its keys and values.
    Map(Arc<DeclType>, Arc<DeclType>),
    /// An object with its fields, sorted by name.
    Object(Vec<DeclField>),
}

/// A field of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclField {
    /// The escaped name, as used in rules.
    pub name: Arc<str>,
    /// The type of the field.
    pub ty: Arc<DeclType>,
    /// Whether the field is required.
    pub required: bool,
}

/// The minimum size of a string in JSON (`""`), in bytes.
const MIN_STRING_SIZE: i64 = 2;
/// The minimum size of a boolean in JSON (`true`), in bytes.
const MIN_BOOL_SIZE: i64 = 4;
/// The minimum size of a number in JSON, in bytes.
const MIN_NUMBER_SIZE: i64 = 1;
/// The minimum size of a list, map or object in JSON (the brackets), in bytes.
const MIN_CONTAINER_SIZE: i64 = 2;

impl DeclType {
    /// A type without parts.
    pub fn simple(ty: Type, min_serialized_size: i64) -> Self {
        Self {
            kind: DeclKind::Simple(ty),
            max_elements: 0,
            min_serialized_size,
        }
    }

    /// `bool`
    pub fn bool() -> Self {
        Self::simple(Type::Bool, MIN_BOOL_SIZE)
    }

    /// `double`
    pub fn double() -> Self {
        Self::simple(Type::Double, MIN_NUMBER_SIZE)
    }

    /// `int`
    pub fn int() -> Self {
        Self::simple(Type::Int, MIN_NUMBER_SIZE)
    }

    /// A string of at most `max_elements` bytes.
    pub fn string(max_elements: i64) -> Self {
        Self {
            max_elements,
            ..Self::simple(Type::String, MIN_STRING_SIZE)
        }
    }

    /// A list of at most `max_items` elements.
    pub fn list(element: Arc<Self>, max_items: i64) -> Self {
        Self {
            kind: DeclKind::List(element),
            max_elements: max_items,
            min_serialized_size: MIN_CONTAINER_SIZE,
        }
    }

    /// A map from strings with at most `max_properties` entries.
    pub fn map(value: Arc<Self>, max_properties: i64) -> Self {
        Self {
            kind: DeclKind::Map(Arc::new(Self::string(0)), value),
            max_elements: max_properties,
            min_serialized_size: MIN_CONTAINER_SIZE,
        }
    }

    /// An object with these fields. `min_serialized_size` is the object's minimum size in JSON, in bytes.
    pub fn object(mut fields: Vec<DeclField>, min_serialized_size: i64) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            kind: DeclKind::Object(fields),
            max_elements: 0,
            min_serialized_size,
        }
    }

    /// The type of elements (list) or values (map).
    pub fn element(&self) -> Option<&Arc<Self>> {
        match &self.kind {
            DeclKind::List(element) | DeclKind::Map(_, element) => Some(element),
            _ => None,
        }
    }

    /// The type of keys (map).
    pub fn key(&self) -> Option<&Arc<Self>> {
        match &self.kind {
            DeclKind::Map(key, _) => Some(key),
            _ => None,
        }
    }

    /// The fields; empty for types other than objects.
    pub fn fields(&self) -> &[DeclField] {
        match &self.kind {
            DeclKind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The field of this (escaped) name.
    pub fn field(&self, name: &str) -> Option<&DeclField> {
        let fields = self.fields();
        fields
            .binary_search_by(|field| (*field.name).cmp(name))
            .ok()
            .map(|at| &fields[at])
    }

    /// The type that the checker uses for a value at `path`.
    pub fn cel_type(&self, path: &str) -> Type {
        self.cel_type_at(&mut path.to_owned())
    }

    fn cel_type_at(&self, path: &mut String) -> Type {
        // The types of rules stay in memory as long as the rules. If the memory budget is exhausted, the caller's budget records it.
        if budget::bytes(TYPE_BYTES).is_err() {
            return Type::Dyn;
        }
        match &self.kind {
            DeclKind::Simple(ty) => ty.clone(),
            DeclKind::List(element) => Type::list(element.cel_type_below(path, ".@idx")),
            DeclKind::Map(key, element) => Type::map(key.cel_type_at(path), element.cel_type_below(path, ".@elem")),
            DeclKind::Object(_) => Type::Struct(path.as_str().into()),
        }
    }

    fn cel_type_below(&self, path: &mut String, step: &str) -> Type {
        let length = path.len();
        path.push_str(step);
        let ty = self.cel_type_at(path);
        path.truncate(length);
        ty
    }
}
