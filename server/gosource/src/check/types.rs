//! The types that a Go file declares, with their markers, as controller-gen makes schemas of them.

use std::{collections::HashMap, ops::Range, sync::Arc};

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A name without a package.
    Name(String),
    /// A name of an imported package.
    Selected {
        /// What the file calls the package.
        package: String,
        name: String,
    },
    Pointer(Box<Shape>),
    Slice(Box<Shape>),
    /// With a length.
    Array(Box<Shape>),
    Map {
        key: Box<Shape>,
        value: Box<Shape>,
    },
    Struct(Vec<Member>),
    /// What controller-gen makes no schema of, or what is not read here.
    Other,
}

/// A marker of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Set {
    /// Its name.
    pub(crate) name: &'static str,
    /// From the plus sign to the last character.
    pub(crate) span: Range<usize>,
    /// What is behind `=`.
    pub(crate) arguments: Range<usize>,
}

/// A field of a struct; several names in one declaration are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    /// Where it begins.
    pub(crate) start: usize,
    /// The first name in Go; none of an embedded field.
    pub(crate) name: Option<String>,
    /// The name in JSON; none without a tag for JSON.
    pub(crate) json: Option<String>,
    /// The tag says that the field is left out.
    pub(crate) is_left_out: bool,
    pub(crate) markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub(crate) of: Range<usize>,
    pub(crate) shape: Shape,
}

impl Member {
    /// Whether controller-gen makes a property of it in any case: fields that are not exported may be left out by an option.
    pub(crate) fn is_property(&self) -> bool {
        let is_exported = |it: &String| it.starts_with(char::is_uppercase);
        self.json.is_some() && !self.is_left_out && self.name.as_ref().is_none_or(is_exported)
    }
}

/// A type declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Declared {
    /// Where it begins.
    pub(crate) start: usize,
    /// The name, in bytes of the file.
    pub(crate) name: Range<usize>,
    pub(crate) is_alias: bool,
    pub(crate) is_generic: bool,
    pub(crate) markers: Vec<Set>,
    /// The type, in bytes of the file.
    pub(crate) of: Range<usize>,
    pub(crate) shape: Shape,
}

/// The methods by which a type says how it is written in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marshals {
    pub(crate) json: bool,
    pub(crate) text: bool,
}

/// The types that a file declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    pub(crate) text: Arc<str>,
    pub(crate) declared: HashMap<String, Declared>,
    /// The paths of imported packages by the names that the file uses for them.
    pub(crate) imports: HashMap<String, String>,
    /// By the name of the type that has the methods.
    pub(crate) marshals: HashMap<String, Marshals>,
    /// controller-gen leaves out the package of the file.
    pub(crate) is_skipped: bool,
    /// It says the group of the package's kinds.
    pub(crate) has_group: bool,
}
