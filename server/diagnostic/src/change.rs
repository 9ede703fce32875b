//! Changes to an object that would fix it, as data: the field and its new state. This module is independent of the file format.

use std::ops::Range;

use crd_analyzer_schema::field::Path;

/// A change to an object. Paths begin at the object's root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// Sets a field. If the field is missing, the field and its missing parents are added.
    Set(Path, Value),
    /// Removes a field or a list item.
    Remove(Path),
    /// Renames a field and keeps its value.
    Rename(Path, String),
    /// Replaces a byte range of a string.
    Splice(Path, Range<usize>, String),
}

impl Change {
    /// The path of the changed field.
    pub const fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Remove(path) | Self::Rename(path, _) | Self::Splice(path, ..) => path,
        }
    }

    /// The same change applied to another field.
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

/// A value that a change writes. Entries of objects keep their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A string.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// A number or other scalar, in its source form.
    AsWritten(String),
    /// A list of strings.
    List(Vec<String>),
    /// An object.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Creates a string.
    pub fn text_of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Creates an object with one entry.
    pub fn entry(key: impl Into<String>, value: Self) -> Self {
        Self::Map(vec![(key.into(), value)])
    }
}

/// A quick fix that a check proposes. The fix is only a guess until it is verified.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposal {
    /// The title of the fix: an instruction to the reader.
    pub title: String,
    /// The changes of the fix, which belong together.
    pub changes: Vec<Change>,
    /// Whether the fix is unambiguous. An unambiguous fix may be applied without asking the user.
    pub is_safe: bool,
}

impl Proposal {
    /// Creates a proposal that the user has to choose.
    pub fn new(title: impl Into<String>, change: Change) -> Self {
        Self {
            title: title.into(),
            changes: vec![change],
            is_safe: false,
        }
    }

    /// Marks the proposal as unambiguous.
    #[must_use]
    pub fn safe(mut self) -> Self {
        self.is_safe = true;
        self
    }
}

/// The proposals of a diagnostic, and its location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposed {
    /// The path of the diagnostic in the author's document.
    pub place: Path,
    /// The proposals, the best one first.
    pub proposals: Vec<Proposal>,
}
