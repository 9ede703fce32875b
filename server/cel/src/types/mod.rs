//! The CEL types of the checker, and their names in messages.

mod decl;
mod escape;
mod parse;
mod provider;

use std::fmt;
use std::sync::Arc;

use crd_analyzer_budget as budget;
pub use decl::{DeclField, DeclKind, DeclType};
pub use escape::{escape, is_reserved, unescape};
pub use parse::{Signature, SignatureError};
pub use provider::{DeclTypes, TypeRoot, well_known_struct};

/// The name of the opaque type of optional values (`cel-go` `types.NewOptionalType`).
pub const OPTIONAL: &str = "optional_type";
/// Budgeted work for visiting one type, without its parameters.
pub(crate) const TYPE_WORK: u64 = 4;

/// The name of the optional type before 1.31.
pub(crate) const OLD_OPTIONAL: &str = "optional";

/// A type (`cel-go` `common/types.Type`). Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Any type; known only at run time.
    Dyn,
    /// `google.protobuf.Any`; the checker treats it like [`Type::Dyn`].
    Any,
    /// The type of an expression with an error that is already reported.
    Error,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `bytes`
    Bytes,
    /// `double`
    Double,
    /// `google.protobuf.Duration`
    Duration,
    /// `int`
    Int,
    /// `string`
    String,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `uint`
    Uint,
    /// A nullable primitive type (`google.protobuf.Int64Value` and others). The inner type is the primitive one.
    Wrapper(Arc<Type>),
    /// `list(T)`
    List(Arc<Type>),
    /// `map(K, V)`
    Map(Arc<[Type; 2]>),
    /// The type of a type, `type(T)`. Without a parameter, this is the type of `type` itself.
    Type(Option<Arc<Type>>),
    /// A type without fields from a library, with type parameters.
    Opaque(Arc<Opaque>),
    /// An object type, by name. [`DeclTypes`] contains its fields.
    Struct(Arc<str>),
    /// A type parameter of a declaration.
    Param(Arc<str>),
    /// A type that the checker still has to infer, identified by the number of its free variable.
    Var(u32),
}

/// An opaque type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Opaque {
    /// The name, with dots.
    pub name: Arc<str>,
    /// The type parameters.
    pub params: Vec<Type>,
}

/// The general category of a type (`cel-go` `types.Kind`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "one for one the variants of Type")]
pub enum Kind {
    Dyn,
    Any,
    Error,
    Null,
    Bool,
    Bytes,
    Double,
    Duration,
    Int,
    List,
    Map,
    Opaque,
    String,
    Struct,
    Timestamp,
    Type,
    TypeParam,
    Uint,
}

impl Type {
    /// `list(element)`
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// `map(key, value)`
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new([key, value]))
    }

    /// The type of the type `of`.
    pub fn type_of(of: Self) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    /// `optional_type(of)`
    pub fn optional(of: Self) -> Self {
        Self::opaque(OPTIONAL, vec![of])
    }

    /// An opaque type.
    pub fn opaque(name: impl Into<Arc<str>>, params: Vec<Self>) -> Self {
        Self::Opaque(Arc::new(Opaque {
            name: name.into(),
            params,
        }))
    }

    /// A nullable primitive type.
    pub fn wrapper(of: Self) -> Self {
        Self::Wrapper(Arc::new(of))
    }

    /// An object type by name. Names of well-known protobuf messages give the corresponding CEL types
    /// (`cel-go` `types.NewObjectType`).
    pub fn object(name: &str) -> Self {
        match name {
            "google.protobuf.BoolValue" => Self::wrapper(Self::Bool),
            "google.protobuf.BytesValue" => Self::wrapper(Self::Bytes),
            "google.protobuf.DoubleValue" | "google.protobuf.FloatValue" => Self::wrapper(Self::Double),
            "google.protobuf.Int64Value" | "google.protobuf.Int32Value" => Self::wrapper(Self::Int),
            "google.protobuf.UInt64Value" | "google.protobuf.UInt32Value" => Self::wrapper(Self::Uint),
            "google.protobuf.StringValue" => Self::wrapper(Self::String),
            "google.protobuf.Any" => Self::Any,
            "google.protobuf.Duration" => Self::Duration,
            "google.protobuf.Timestamp" => Self::Timestamp,
            "google.protobuf.ListValue" => Self::list(Self::Dyn),
            "google.protobuf.NullValue" => Self::Null,
            "google.protobuf.Struct" => Self::map(Self::String, Self::Dyn),
            "google.protobuf.Value" => Self::Dyn,
            _ => Self::Struct(name.into()),
        }
    }

    /// The category of the type.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Dyn => Kind::Dyn,
            Self::Any => Kind::Any,
            Self::Error => Kind::Error,
            Self::Null => Kind::Null,
            Self::Bool => Kind::Bool,
            Self::Bytes => Kind::Bytes,
            Self::Double => Kind::Double,
            Self::Duration => Kind::Duration,
            Self::Int => Kind::Int,
            Self::String => Kind::String,
            Self::Timestamp => Kind::Timestamp,
            Self::Uint => Kind::Uint,
            Self::Wrapper(of) => of.kind(),
            Self::List(_) => Kind::List,
            Self::Map(_) => Kind::Map,
            Self::Type(_) => Kind::Type,
            Self::Opaque(_) => Kind::Opaque,
            Self::Struct(_) => Kind::Struct,
            Self::Param(_) | Self::Var(_) => Kind::TypeParam,
        }
    }

    /// The type parameters: the element type of a list, the key and value types of a map, and so on.
    pub fn parameters(&self) -> &[Self] {
        match self {
            Self::List(element) => std::slice::from_ref(element),
            Self::Map(types) => &**types,
            Self::Type(Some(of)) => std::slice::from_ref(of),
            Self::Opaque(opaque) => &opaque.params,
            _ => &[],
        }
    }

    /// The name without parameters (`cel-go` `types.Type.TypeName`). At run time, `type(x)` values are compared and printed by this name.
    pub fn type_name(&self) -> std::borrow::Cow<'_, str> {
        use std::borrow::Cow::{Borrowed, Owned};
        Borrowed(match self {
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Error => "error",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Bytes => "bytes",
            Self::Double => "double",
            Self::Duration => "google.protobuf.Duration",
            Self::Int => "int",
            Self::String => "string",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Uint => "uint",
            Self::Wrapper(of) => return of.type_name(),
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Opaque(opaque) => &opaque.name,
            Self::Struct(name) | Self::Param(name) => name,
            Self::Var(n) => return Owned(format!("_var{n}")),
        })
    }

    /// The name, with `wrapper(…)` around a nullable primitive (`cel-go` `types.Type.DeclaredTypeName`).
    pub fn declared_name(&self) -> String {
        match self {
            Self::Wrapper(of) => format!("wrapper({})", of.type_name()),
            other => other.type_name().into_owned(),
        }
    }

    /// The type as Go's `%v` prints it (`cel-go` `types.Type.String`). `brackets` sets whether type variables have angle brackets.
    pub fn go_string(&self, brackets: bool) -> String {
        let parameters: Vec<String> = self.parameters().iter().map(|it| it.go_string(brackets)).collect();
        match self {
            Self::Param(_) | Self::Var(_) if brackets => format!("<{}>", self.type_name()),
            _ if parameters.is_empty() => self.declared_name(),
            _ => format!("{}({})", self.declared_name(), parameters.join(", ")),
        }
    }

    /// Whether the type accepts any value (`dyn`, `any`).
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    /// Whether the checker accepts any use of the type: it is dynamic, or an error was already reported.
    pub fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any | Self::Error)
    }

    /// The inner type of an optional type.
    pub fn optional_of(&self) -> Option<&Self> {
        match self {
            Self::Opaque(opaque) if &*opaque.name == OPTIONAL => opaque.params.first(),
            _ => None,
        }
    }

    /// Whether both types are the same (`cel-go` `types.Type.IsExactType`). A wrapper equals the type that it wraps.
    pub fn is_exact(&self, other: &Self) -> bool {
        if budget::work(TYPE_WORK).is_err() {
            return true;
        }
        match (self, other) {
            (Self::Wrapper(a), b) | (b, Self::Wrapper(a)) => {
                let b = if let Self::Wrapper(b) = b { b } else { b };
                **a == *b
            }
            (Self::List(a), Self::List(b)) => a.is_exact(b),
            (Self::Map(a), Self::Map(b)) => a[0].is_exact(&b[0]) && a[1].is_exact(&b[1]),
            (Self::Type(Some(a)), Self::Type(Some(b))) => a.is_exact(b),
            (Self::Opaque(a), Self::Opaque(b)) => {
                a.name == b.name
                    && a.params.len() == b.params.len()
                    && a.params.iter().zip(&b.params).all(|(a, b)| a.is_exact(b))
            }
            (a, b) => a == b,
        }
    }

    /// Whether a value of type `from` is accepted where this type is expected (`cel-go` `types.Type.IsAssignableType`). The check ignores type
    /// variables: a parameter accepts everything.
    pub fn is_assignable_from(&self, from: &Self) -> bool {
        if budget::work(TYPE_WORK).is_err() {
            return true;
        }
        match (self, from) {
            (Self::Dyn | Self::Any | Self::Param(_) | Self::Var(_), _) => true,
            (Self::Wrapper(of), from) => *from == Self::Null || of.is_assignable_from(from),
            (to, Self::Wrapper(from)) => *to == **from,
            (Self::List(a), Self::List(b)) => a.is_assignable_from(b),
            (Self::Map(a), Self::Map(b)) => a[0].is_assignable_from(&b[0]) && a[1].is_assignable_from(&b[1]),
            (Self::Type(Some(a)), Self::Type(Some(b))) => a.is_assignable_from(b),
            (Self::Opaque(a), Self::Opaque(b)) => {
                a.name == b.name
                    && a.params.len() == b.params.len()
                    && a.params.iter().zip(&b.params).all(|(a, b)| a.is_assignable_from(b))
            }
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Type {
    /// The type as messages print it (`cel-go` `checker.FormatCELType`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if budget::work(TYPE_WORK).is_err() {
            return Ok(());
        }
        match self {
            Self::Any => f.write_str("any"),
            Self::Duration => f.write_str("duration"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Wrapper(of) => write!(f, "wrapper({})", of.type_name()),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(types) => write!(f, "map({}, {})", types[0], types[1]),
            Self::Type(Some(of)) => write!(f, "type({of})"),
            Self::Opaque(opaque) if !opaque.params.is_empty() => {
                write!(f, "{}(", opaque.name)?;
                for (n, param) in opaque.params.iter().enumerate() {
                    if n > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{param}")?;
                }
                f.write_str(")")
            }
            other => f.write_str(&other.type_name()),
        }
    }
}
