//! The field that a diagnostic of a built object is about, and the patches that set the field.

use crd_analyzer_kustomize::Place;
use crd_analyzer_schema::field::Path;

/// The field that a diagnostic is about, and the places that set its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Basis {
    /// The field, as the API server names it.
    pub(crate) path: Path,
    /// For a validation rule: the values that the rule read and that decided its result.
    pub(crate) reads: Vec<Path>,
    /// The places that set the value, except those in the object's own file. The first place is marked.
    pub(crate) deciders: Vec<Decider>,
}

/// A place outside an object's own document that set part of the object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decider {
    pub(crate) place: Place,
    pub(crate) does: Does,
}

/// How a patch or other decider changes an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Does {
    /// The decider provides the whole value.
    Brings,
    /// The decider sets a value that a validation rule read.
    Sets,
    /// The decider adds an entry or an item, or sets a value in a collection.
    Adds,
    /// The decider removes a field. If the name is empty, it removes an item.
    Removes(Box<str>),
}
