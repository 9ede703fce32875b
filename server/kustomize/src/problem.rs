//! The reasons why a build fails.

use std::sync::Arc;

use crate::node::Place;

/// The kind of reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// kustomize fails.
    Fails,
    /// A named file does not exist, and a program may make it before kustomize runs: see [`Files::is_made`](crate::Files::is_made).
    Missing,
    /// kustomize would run a program that is not run here: a chart, a plugin, or a function.
    NotSupported,
    /// The build takes more work or memory than one build may use.
    TooLarge,
}

/// The reason why a build fails, and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The kind of reason.
    pub kind: ProblemKind,
    /// The message: one sentence without a capital letter at the start and without a period.
    pub message: String,
    /// The place that causes the problem; `None` if it is the whole file.
    pub place: Option<Place>,
    /// The unknown word and the known ones, if that is the reason.
    pub unknown: Option<Unknown>,
}

/// A word in a kustomization that kustomize does not know.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// The word.
    pub word: Arc<str>,
    /// The words that kustomize accepts there.
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

    /// Sets the unknown word that causes the problem, and the known ones.
    #[must_use]
    pub(crate) fn of_unknown(self, word: &str, known: &'static [&'static str]) -> Self {
        let word = word.into();
        Self {
            unknown: Some(Unknown { word, known }),
            ..self
        }
    }

    /// Sets the place of the problem, if it has none.
    #[must_use]
    pub(crate) fn at(self, place: Place) -> Self {
        Self {
            place: self.place.or(Some(place)),
            ..self
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Problem>;
