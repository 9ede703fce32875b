//! Why a build ends.

use std::sync::Arc;

use crate::node::Place;

/// What kind of reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// kustomize fails.
    Fails,
    /// A file that is named is not there. Something else may make it before kustomize runs.
    Missing,
    /// kustomize would run something that is not run here: a chart, a plugin, a function.
    NotSupported,
    /// The build takes more work than one build may.
    TooLarge,
}

/// Why a build ends, and where that is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// What kind of reason.
    pub kind: ProblemKind,
    /// What is wrong, in one sentence without a capital letter at its start and without a period.
    pub message: String,
    /// What decides it; `None` if it is the file as a whole.
    pub place: Option<Place>,
    /// The word that is not known, and those that are, if that is the reason.
    pub unknown: Option<Unknown>,
}

/// A word of a kustomization that kustomize does not know.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// The word.
    pub word: Arc<str>,
    /// The words that kustomize knows there.
    pub known: &'static [&'static str],
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: place.into(),
            unknown: None,
        }
    }

    pub(crate) fn fails(place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Fails, place, message)
    }

    /// The same because of a word that is not one of the known ones.
    #[must_use]
    pub(crate) fn of_unknown(self, word: &str, known: &'static [&'static str]) -> Self {
        let word = word.into();
        Self {
            unknown: Some(Unknown { word, known }),
            ..self
        }
    }

    /// The same at this place, if it has none.
    #[must_use]
    pub(crate) fn at(self, place: Place) -> Self {
        Self {
            place: self.place.or(Some(place)),
            ..self
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Problem>;
