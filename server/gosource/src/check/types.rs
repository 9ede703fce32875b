//! The types that a Go file declares, with their markers, as controller-gen makes schemas of them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
    sync::Arc,
};

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A name without a package.
    Name(String),
    /// A name of an imported package.
    Selected {
        /// What the file calls the package.
        package: String,
        /// The name of the type.
        name: String,
    },
    /// A pointer.
    Pointer(Box<Shape>),
    /// A list.
    Slice(Box<Shape>),
    /// With a length.
    Array(Box<Shape>),
    /// A map.
    Map {
        /// The type of its keys.
        key: Box<Shape>,
        /// The type of its values.
        value: Box<Shape>,
    },
    /// A struct, with its fields.
    Struct(Vec<Member>),
    /// An interface.
    Interface,
    /// What controller-gen makes no schema of, or what is not read here.
    Other,
}

/// A marker of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// Its name.
    pub name: &'static str,
    /// From the plus sign to the last character.
    pub span: Range<usize>,
    /// What is behind `=`.
    pub arguments: Range<usize>,
}

/// A field of a struct; several names in one declaration are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Where it begins.
    pub start: usize,
    /// The first name in Go; none of an embedded field.
    pub name: Option<String>,
    /// The names, in bytes of the file; none of an embedded field.
    pub names: Vec<Range<usize>>,
    /// The tag for JSON, with the name and its options.
    pub tag: Option<String>,
    /// The comments right above it, in bytes of the file.
    pub documentation: Option<Range<usize>>,
    /// The name in JSON; none without a tag for JSON.
    pub json: Option<String>,
    /// The tag says that the field is left out.
    pub is_left_out: bool,
    /// Its markers.
    pub markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub of: Range<usize>,
    /// The type.
    pub shape: Shape,
}

impl Member {
    /// Whether controller-gen makes a property of it in any case: fields that are not exported may be left out by an option.
    pub fn is_property(&self) -> bool {
        let is_exported = |it: &String| it.starts_with(char::is_uppercase);
        self.json.is_some() && !self.is_left_out && self.name.as_ref().is_none_or(is_exported)
    }
}

/// A type declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// Where it begins.
    pub start: usize,
    /// The name, in bytes of the file.
    pub name: Range<usize>,
    /// It is another name for a type.
    pub is_alias: bool,
    /// It has type parameters.
    pub is_generic: bool,
    /// The comments right above it, in bytes of the file.
    pub documentation: Option<Range<usize>>,
    /// Its markers.
    pub markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub of: Range<usize>,
    /// The type.
    pub shape: Shape,
}

/// A constant with a type that is named beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The name of the type, which is of the same package.
    pub of: String,
    /// The value, in bytes of the file, if it is a string as it is written.
    pub value: Option<Range<usize>>,
}

/// A package that a file imports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The name that the file gives it.
    pub name: Option<String>,
    /// Its path.
    pub path: String,
}

/// The methods by which a type says how it is written in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marshals {
    /// `MarshalJSON`.
    pub json: bool,
    /// `MarshalText`.
    pub text: bool,
}

/// The types that a file declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    /// The text of the file.
    pub text: Arc<str>,
    /// The name of its package.
    pub package: String,
    /// The markers of the package.
    pub markers: Vec<Set>,
    /// The packages that it imports, in their order.
    pub imported: Vec<Import>,
    /// Its constants.
    pub constants: Vec<Constant>,
    /// The types by their names.
    pub declared: HashMap<String, Declared>,
    /// The paths of imported packages by the names that the file uses for them.
    pub imports: HashMap<String, String>,
    /// By the name of the type that has the methods.
    pub marshals: HashMap<String, Marshals>,
    /// controller-gen leaves out the package of the file.
    pub is_skipped: bool,
    /// It says the group of the package's kinds.
    pub has_group: bool,
}

impl Types {
    /// A number for the fields of the types: another one if a field is new, gone, or of another type. Markers and comments do not count.
    pub fn fields(&self) -> u64 {
        let mut declared: Vec<(&String, &Declared)> = self.declared.iter().collect();
        declared.sort_unstable_by_key(|it| it.0);
        let mut hasher = DefaultHasher::new();
        for (name, it) in declared {
            name.hash(&mut hasher);
            it.is_alias.hash(&mut hasher);
            it.shape.hash_fields(&mut hasher);
        }
        hasher.finish()
    }
}

impl Shape {
    fn hash_fields(&self, hasher: &mut DefaultHasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Self::Name(name) => name.hash(hasher),
            Self::Selected { package, name } => (package, name).hash(hasher),
            Self::Pointer(of) | Self::Slice(of) | Self::Array(of) => of.hash_fields(hasher),
            Self::Map { key, value } => {
                key.hash_fields(hasher);
                value.hash_fields(hasher);
            }
            Self::Struct(members) => {
                for member in members {
                    (&member.name, member.names.len(), &member.tag).hash(hasher);
                    member.shape.hash_fields(hasher);
                }
            }
            Self::Interface | Self::Other => {}
        }
    }
}
