//! The types that a Go file declares and their markers, in the form in which controller-gen uses them to generate schemas.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
    sync::Arc,
};

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A name without a package.
    Name(String),
    /// A name from an imported package.
    Selected {
        /// The name by which the file refers to the package.
        package: String,
        /// The name of the type.
        name: String,
    },
    /// A pointer.
    Pointer(Box<Shape>),
    /// A list.
    Slice(Box<Shape>),
    /// An array, which has a fixed length.
    Array(Box<Shape>),
    /// A map.
    Map {
        /// The type of the map's keys.
        key: Box<Shape>,
        /// The type of the map's values.
        value: Box<Shape>,
    },
    /// A struct, with its fields.
    Struct(Vec<Member>),
    /// An interface.
    Interface,
    /// A type for which controller-gen generates no schema, or one that crd-analyzer does not parse.
    Other,
}

/// A marker at a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// The name of the marker.
    pub name: &'static str,
    /// The range from the plus sign to the last character.
    pub span: Range<usize>,
    /// The range of the text after `=`.
    pub arguments: Range<usize>,
}

/// A declaration of fields in a struct. It may have several names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The start of the declaration, as a byte offset in the file.
    pub start: usize,
    /// The first name of the field in Go. `None` for an embedded field.
    pub name: Option<String>,
    /// The ranges of all names, in bytes of the file. Empty for an embedded field.
    pub names: Vec<Range<usize>>,
    /// The content of the JSON tag: the name and options.
    pub tag: Option<String>,
    /// The comments directly above it, in bytes of the file.
    pub documentation: Option<Range<usize>>,
    /// The name of the field in JSON. `None` without a JSON tag.
    pub json: Option<String>,
    /// The range of the JSON name in bytes of the file, if the tag has one and is written in backquotes.
    pub json_name: Option<Range<usize>>,
    /// Whether the tag excludes the field from JSON.
    pub is_left_out: bool,
    /// The markers of the field.
    pub markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub of: Range<usize>,
    /// The type.
    pub shape: Shape,
}

impl Member {
    /// Whether controller-gen always generates a property for the field. With an option, it skips fields that are not exported.
    pub fn is_property(&self) -> bool {
        let is_exported = |it: &String| it.starts_with(char::is_uppercase);
        self.json.is_some() && !self.is_left_out && self.name.as_ref().is_none_or(is_exported)
    }
}

/// A type declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// Its start.
    pub start: usize,
    /// The range of the name, in bytes of the file.
    pub name: Range<usize>,
    /// Whether the type is an alias of another type.
    pub is_alias: bool,
    /// Whether the type has type parameters.
    pub is_generic: bool,
    /// Whether the declaration has a syntax error. Somebody may still be typing it.
    pub has_error: bool,
    /// The comments directly above it, in bytes of the file.
    pub documentation: Option<Range<usize>>,
    /// Its markers.
    pub markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub of: Range<usize>,
    /// The type.
    pub shape: Shape,
}

/// A constant with an explicit type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The name of the type, which is in the same package.
    pub of: String,
    /// If the value is a string literal, its range in bytes of the file.
    pub value: Option<Range<usize>>,
}

/// A package that a file imports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The name by which the file refers to the package, if it gives one.
    pub name: Option<String>,
    /// The import path of the package.
    pub path: String,
}

/// Which methods a type has that determine its JSON form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marshals {
    /// Whether the type has the method `MarshalJSON() ([]byte, error)`.
    pub json: bool,
    /// Whether the type has the method `MarshalText() ([]byte, error)`.
    pub text: bool,
}

/// The types that a file declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    /// The content of the file.
    pub text: Arc<str>,
    /// The name of the file's package.
    pub package: String,
    /// The markers of the package.
    pub markers: Vec<Set>,
    /// The imported packages, in file order.
    pub imported: Vec<Import>,
    /// The constants that the file declares.
    pub constants: Vec<Constant>,
    /// The types, by name.
    pub declared: HashMap<String, Declared>,
    /// The paths of the imported packages, by the name with which the file refers to each.
    pub imports: HashMap<String, String>,
    /// The marshaling methods, by the name of their type.
    pub marshals: HashMap<String, Marshals>,
    /// Whether controller-gen skips the file's package.
    pub is_skipped: bool,
    /// Whether the file sets the API group of the package's kinds.
    pub has_group: bool,
}

impl Types {
    /// All declarations of fields in the types, including those in nested structs.
    pub fn members(&self) -> Vec<&Member> {
        let mut all = Vec::new();
        for declared in self.declared.values() {
            declared.shape.add_members(&mut all);
        }
        all
    }

    /// A hash of the types' fields. It changes if a field is added or removed or has another type, if a marker makes controller-gen ignore a type, or
    /// if fields become alternatives. It does not change with other markers and comments.
    pub fn fields(&self) -> u64 {
        let mut declared: Vec<(&String, &Declared)> = self.declared.iter().collect();
        declared.sort_unstable_by_key(|it| it.0);
        let mut hasher = DefaultHasher::new();
        for (name, it) in declared {
            name.hash(&mut hasher);
            (it.is_alias, it.is_generic, it.has_error, ignores_type(&it.markers)).hash(&mut hasher);
            it.shape.hash_fields(&mut hasher);
            self.hash_alternatives(it, &mut hasher);
        }
        hasher.finish()
    }

    /// Hashes the fields that a marker says to be alternatives, and what makes them required. controller-gen rejects required alternatives.
    fn hash_alternatives(&self, declared: &Declared, hasher: &mut DefaultHasher) {
        let mut groups = declared
            .markers
            .iter()
            .filter(|it| it.name.ends_with("OneOf"))
            .peekable();
        if let (Some(_), Shape::Struct(members)) = (groups.peek(), &declared.shape) {
            groups.for_each(|it| self.text.get(it.arguments.clone()).hash(hasher));
            let of_members = members.iter().flat_map(|it| &it.markers).map(|it| it.name);
            let says = |it: &&str| it.ends_with("equired") || it.ends_with("ptional");
            of_members.filter(says).for_each(|it| it.hash(hasher));
        }
    }
}

/// Whether a marker makes controller-gen ignore the type of a field, or a version of a kind.
fn ignores_type(markers: &[Set]) -> bool {
    let does = |it: &Set| matches!(it.name, "kubebuilder:validation:Schemaless" | "kubebuilder:skipversion");
    markers.iter().any(does)
}

impl Shape {
    fn add_members<'s>(&'s self, all: &mut Vec<&'s Member>) {
        match self {
            Self::Struct(members) => {
                for member in members {
                    all.push(member);
                    member.shape.add_members(all);
                }
            }
            Self::Pointer(of) | Self::Slice(of) | Self::Array(of) | Self::Map { value: of, .. } => of.add_members(all),
            Self::Name(_) | Self::Selected { .. } | Self::Interface | Self::Other => {}
        }
    }

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
                    ignores_type(&member.markers).hash(hasher);
                    member.shape.hash_fields(hasher);
                }
            }
            Self::Interface | Self::Other => {}
        }
    }
}
