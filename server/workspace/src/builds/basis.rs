//! The field that a diagnostic of a built object is about, and the patches that decided the field.

use crd_analyzer_kustomize::Place;
use crd_analyzer_schema::field::Path;

/// The field that a diagnostic is about, and what decided its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Basis {
    /// The field, as the API server names it.
    pub(crate) path: Path,
    /// For a validation rule: the values that it read and that decided its result.
    pub(crate) reads: Vec<Path>,
    /// The places that decided the value, other than the file that has the object itself. The first one is marked.
    pub(crate) deciders: Vec<Decider>,
}

/// A place outside an object's own document that decided part of the object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decider {
    pub(crate) place: Place,
    pub(crate) does: Does,
}

/// How a decider changes an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Does {
    /// It provides the whole value.
    Brings,
    /// It sets a value that a validation rule read.
    Sets,
    /// It adds an entry or an item, or sets a value in a collection.
    Adds,
    /// It removes a field, or an item if the name is empty.
    Removes(Box<str>),
}
