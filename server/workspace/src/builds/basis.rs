//! The field that a diagnostic of a built object is about, and the patches that decided the field.

use crd_analyzer_kustomize::Place;
use crd_analyzer_schema::field::Path;

/// What a diagnostic is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Basis {
    /// The field, as the API server names it.
    pub(crate) path: Path,
    /// Of a rule: the values that it read and that decided.
    pub(crate) reads: Vec<Path>,
    /// What decided it, other than the file that the object is written in. The first is what to mark.
    pub(crate) deciders: Vec<Decider>,
}

/// A place outside of an object's own document that decided something of the object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decider {
    pub(crate) place: Place,
    pub(crate) does: Does,
}

/// What a decider does to an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Does {
    /// It has the value as a whole.
    Brings,
    /// It sets a value that a rule read.
    Sets,
    /// It adds an entry or an item, or sets a value in a collection.
    Adds,
    /// It takes a field out, or an item, whose name is empty.
    Removes(Box<str>),
}
