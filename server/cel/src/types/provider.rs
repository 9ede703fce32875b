//! Provides the checker with object types and their fields.

use std::borrow::Cow;
use std::sync::Arc;

use super::{DeclField, DeclKind, DeclType, Type, escape::is_reserved};

/// A declared type with a name. The names of the types inside it start with that name.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeRoot {
    /// The name. The types inside the root are named by their path from it.
    pub name: Cow<'static, str>,
    /// The name shown to users: the name of the variable with this type.
    pub shown: Cow<'static, str>,
    /// The type.
    pub ty: Arc<DeclType>,
}

impl TypeRoot {
    /// The type of a value of the root.
    pub fn cel_type(&self) -> Type {
        self.ty.cel_type(&self.name)
    }
}

/// The object types and their fields, for names that are not declared as variables (`k8s.io/apiserver/pkg/cel`, `DeclTypeProvider`).
/// Without declared types, only well-known protobuf messages are available, as in a `types.Registry` of `cel-go`.
#[derive(Clone, Debug, Default)]
pub struct DeclTypes {
    roots: Vec<TypeRoot>,
    keyword_fields: bool,
    names_are_types: bool,
}

impl DeclTypes {
    /// The types below these roots.
    ///
    /// With `keyword_fields`, a field whose name is a reserved word can also be selected by the unescaped word. With `names_are_types`, the name of a
    /// type, used as a value, has the type `type(T)`, not `T`.
    pub fn new(roots: Vec<TypeRoot>, keyword_fields: bool, names_are_types: bool) -> Self {
        Self {
            roots,
            keyword_fields,
            names_are_types,
        }
    }

    /// The roots.
    pub fn roots(&self) -> &[TypeRoot] {
        &self.roots
    }

    /// The root of a type name, and the rest of the name: empty, or starting with a dot.
    pub fn root_of<'n>(&self, name: &'n str) -> Option<(&TypeRoot, &'n str)> {
        let below = |root| {
            let root: &TypeRoot = root;
            let rest = name.strip_prefix(&*root.name)?;
            (rest.is_empty() || rest.starts_with('.')).then_some((root, rest))
        };
        self.roots.iter().find_map(below)
    }

    /// Adds a required field to the object type of a root, or replaces the field of the same name.
    pub(crate) fn set_field(&mut self, root: &str, name: &str, ty: Arc<DeclType>) {
        let Some(root) = self.roots.iter_mut().find(|it| it.name == root) else {
            return;
        };
        let mut fields: Vec<_> = root
            .ty
            .fields()
            .iter()
            .filter(|it| *it.name != *name)
            .cloned()
            .collect();
        fields.push(DeclField {
            name: name.into(),
            ty,
            required: true,
        });
        root.ty = Arc::new(DeclType::object(fields, root.ty.min_serialized_size));
    }

    /// The declared type with this name.
    pub fn find(&self, name: &str) -> Option<&DeclType> {
        let (root, mut rest) = self.root_of(name)?;
        let mut at = &*root.ty;
        while !rest.is_empty() {
            rest = rest.strip_prefix('.')?;
            let end = rest.find('.').unwrap_or(rest.len());
            at = match (&at.kind, &rest[..end]) {
                (DeclKind::List(element), "@idx") | (DeclKind::Map(_, element), "@elem") => element,
                (DeclKind::Object(_), field) => &at.field(field)?.ty,
                _ => return None,
            };
            rest = &rest[end..];
        }
        // Simple types are not registered by path.
        (!matches!(at.kind, DeclKind::Simple(_))).then_some(at)
    }

    /// The type of a type name used as a value: for an object type `Foo`, `type(Foo)`.
    pub fn find_struct_type(&self, name: &str) -> Option<Type> {
        let scalar = || find_scalar(name).filter(|_| !self.roots.is_empty());
        let declared = self.find(name).map(|ty| ty.cel_type(name)).or_else(scalar);
        match declared {
            Some(ty) if self.names_are_types => Some(Type::type_of(ty)),
            Some(ty) => Some(ty),
            None => well_known_struct(name).then(|| Type::type_of(Type::object(name))),
        }
    }

    /// The type of a field of an object type.
    pub fn find_field_type(&self, struct_name: &str, field: &str) -> Option<Type> {
        let Some(ty) = self.find(struct_name) else {
            return match find_scalar(struct_name).filter(|_| !self.roots.is_empty()) {
                // The values of the declared type `map` can have any type.
                Some(Type::Map(_)) => Some(Type::Any),
                Some(_) => None,
                None => well_known_field(struct_name, field),
            };
        };
        if let Some(found) = ty.field(field) {
            return Some(found.ty.cel_type(&format!("{struct_name}.{}", found.name)));
        }
        if self.keyword_fields
            && is_reserved(field)
            && let Some(found) = ty.field(&format!("__{field}__"))
        {
            return Some(found.ty.cel_type(&format!("{struct_name}.{}", found.name)));
        }
        match &ty.kind {
            DeclKind::Map(_, element) => Some(element.cel_type(&format!("{struct_name}.@elem"))),
            _ => None,
        }
    }
}

/// The types that a declaration can name without a path (`findScalar`).
fn find_scalar(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "int" => Type::Int,
        "null_type" => Type::Null,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "uint" => Type::Uint,
        "list" => Type::list(Type::Any),
        "map" => Type::map(Type::Any, Type::Any),
        _ => return None,
    })
}

/// Whether `name` is a protobuf message that every environment declares.
pub fn well_known_struct(name: &str) -> bool {
    let Some(name) = name.strip_prefix("google.protobuf.") else {
        return false;
    };
    matches!(
        name,
        "Any" | "Duration" | "Empty" | "Timestamp" | "Struct" | "Struct.FieldsEntry" | "Value" | "ListValue"
    ) || wrapped(name).is_some()
}

fn wrapped(name: &str) -> Option<Type> {
    Some(match name {
        "DoubleValue" | "FloatValue" => Type::Double,
        "Int64Value" | "Int32Value" => Type::Int,
        "UInt64Value" | "UInt32Value" => Type::Uint,
        "BoolValue" => Type::Bool,
        "StringValue" => Type::String,
        "BytesValue" => Type::Bytes,
        _ => return None,
    })
}

fn well_known_field(struct_name: &str, field: &str) -> Option<Type> {
    let name = struct_name.strip_prefix("google.protobuf.")?;
    Some(match (name, field) {
        ("Any", "type_url") | ("Struct.FieldsEntry", "key") | ("Value", "string_value") => Type::String,
        ("Any", "value") => Type::Bytes,
        ("Duration" | "Timestamp", "seconds" | "nanos") | ("Value", "null_value") => Type::Int,
        ("Struct", "fields") | ("Value", "struct_value") => Type::map(Type::String, Type::Dyn),
        ("Struct.FieldsEntry", "value") => Type::Dyn,
        ("Value", "number_value") => Type::Double,
        ("Value", "bool_value") => Type::Bool,
        ("Value", "list_value") | ("ListValue", "values") => Type::list(Type::Dyn),
        (_, "value") => return wrapped(name),
        _ => return None,
    })
}
