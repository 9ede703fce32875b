//! Where the checker learns of object types and their fields.

use std::borrow::Cow;
use std::sync::Arc;

use super::{DeclKind, DeclType, Type, escape::is_reserved};

/// What the checker asks about names that are not declared as variables (`cel-go` `types.Provider`).
pub trait TypeProvider {
    /// The type that a name represents when it is used as a value: of an object type `Foo`, `type(Foo)`.
    fn find_struct_type(&self, name: &str) -> Option<Type>;

    /// The type of a field of an object type.
    fn find_field_type(&self, struct_name: &str, field: &str) -> Option<Type>;
}

/// Knows the well-known protobuf messages and no others, as a `types.Registry` does.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyTypeProvider;

impl TypeProvider for EmptyTypeProvider {
    fn find_struct_type(&self, name: &str) -> Option<Type> {
        well_known_struct(name).then(|| Type::type_of(Type::object(name)))
    }

    fn find_field_type(&self, struct_name: &str, field: &str) -> Option<Type> {
        well_known_field(struct_name, field)
    }
}

/// The types of a schema: the type of `self` and everything below it (`k8s.io/apiserver/pkg/cel`, `DeclTypeProvider`).
#[derive(Clone, Debug)]
pub struct DeclTypeProvider {
    root: Arc<DeclType>,
    name: Cow<'static, str>,
    keywords: bool,
    names_are_types: bool,
}

impl DeclTypeProvider {
    /// The types below `root`, which are named by their path from `name`.
    ///
    /// `keywords`: a field that is named like a reserved word is also found by that word (since 1.31).
    /// `names_are_types`: a type's name as a value has the type `type(T)`; before 1.32 the API server gave it the type `T`.
    pub fn new(root: Arc<DeclType>, name: impl Into<Cow<'static, str>>, keywords: bool, names_are_types: bool) -> Self {
        Self {
            root,
            name: name.into(),
            keywords,
            names_are_types,
        }
    }

    /// The type of a value of the root.
    pub fn root_type(&self) -> Type {
        self.root.cel_type(&self.name)
    }

    /// The declared type by its name.
    pub fn find(&self, name: &str) -> Option<&DeclType> {
        let mut rest = name.strip_prefix(&*self.name)?;
        let mut at = &*self.root;
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
        // Types without parts are not registered by path.
        (!matches!(at.kind, DeclKind::Simple(_))).then_some(at)
    }
}

impl TypeProvider for DeclTypeProvider {
    fn find_struct_type(&self, name: &str) -> Option<Type> {
        let declared = self
            .find(name)
            .map(|ty| ty.cel_type(name))
            .or_else(|| find_scalar(name));
        match declared {
            Some(ty) if self.names_are_types => Some(Type::type_of(ty)),
            Some(ty) => Some(ty),
            None => EmptyTypeProvider.find_struct_type(name),
        }
    }

    fn find_field_type(&self, struct_name: &str, field: &str) -> Option<Type> {
        let Some(ty) = self.find(struct_name) else {
            return match find_scalar(struct_name) {
                // The declared type `map` has values of any type.
                Some(Type::Map(_)) => Some(Type::Any),
                Some(_) => None,
                None => EmptyTypeProvider.find_field_type(struct_name, field),
            };
        };
        if let Some(found) = ty.field(field) {
            return Some(found.ty.cel_type(&format!("{struct_name}.{}", found.name)));
        }
        if self.keywords
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

/// The types that a declaration may name without path (`findScalar`).
pub(crate) fn find_scalar(name: &str) -> Option<Type> {
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

/// Whether a name is that of a protobuf message that every environment knows.
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
