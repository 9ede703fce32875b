//! Changes of an object that would fix it, as data: which field, and what becomes of it. Nothing here knows how the object is written.

use std::ops::Range;

use crd_analyzer_schema::field::Path;

/// A change of an object. Paths begin at the object's root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// The field gets a value. Where the field is missing, it is added, with the objects around it.
    Set(Path, Value),
    /// The field, or the item of a list, goes.
    Remove(Path),
    /// The field gets another name, and keeps its value.
    Rename(Path, String),
    /// These bytes of a string become others.
    Splice(Path, Range<usize>, String),
}

impl Change {
    /// The field that changes.
    pub const fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Remove(path) | Self::Rename(path, _) | Self::Splice(path, ..) => path,
        }
    }

    /// The same change of another field.
    #[must_use]
    pub fn at(self, path: Path) -> Self {
        match self {
            Self::Set(_, value) => Self::Set(path, value),
            Self::Remove(_) => Self::Remove(path),
            Self::Rename(_, name) => Self::Rename(path, name),
            Self::Splice(_, bytes, text) => Self::Splice(path, bytes, text),
        }
    }
}

/// A value that a change writes. Its entries stay in their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A string.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// A number or the like, as it is written.
    AsWritten(String),
    /// A list of strings.
    List(Vec<String>),
    /// An object.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// A string.
    pub fn text_of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An object with one entry.
    pub fn entry(key: impl Into<String>, value: Self) -> Self {
        Self::Map(vec![(key.into(), value)])
    }
}

/// A fix that a check proposes. It is a guess until somebody has looked whether it helps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposal {
    /// What it does, as a command to the reader.
    pub title: String,
    /// All of them together.
    pub changes: Vec<Change>,
    /// It has one meaning, so that it may be applied without asking.
    pub is_safe: bool,
}

impl Proposal {
    /// A proposal that a person chooses.
    pub fn new(title: impl Into<String>, change: Change) -> Self {
        Self {
            title: title.into(),
            changes: vec![change],
            is_safe: false,
        }
    }

    /// It has one meaning.
    #[must_use]
    pub fn safe(mut self) -> Self {
        self.is_safe = true;
        self
    }
}

/// What a diagnostic proposes, and the place that it is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposed {
    /// The path of the diagnostic, as the author wrote it.
    pub place: Path,
    /// The first is the best.
    pub proposals: Vec<Proposal>,
}
