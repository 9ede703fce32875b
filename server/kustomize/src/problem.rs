//! The reasons why a build fails.

use std::{fmt, path::Path, sync::Arc};

use crd_analyzer_syntax::{json::ConvertError, reader::ReadError, tree::Span};

use crate::node::Place;

/// The kinds of reasons why a build fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// kustomize itself fails.
    Fails,
    /// A named file does not exist, but a program may create it before kustomize runs: see [`Files::is_made`](crate::Files::is_made).
    Missing,
    /// kustomize would run a program that crd-analyzer does not run: for a chart, a plugin or a function.
    NotSupported,
    /// The build takes more work or memory than the limit for one build.
    TooLarge,
}

/// The reason why a build fails, and the place that causes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The kind of reason why the build fails.
    pub kind: ProblemKind,
    /// The message: a sentence without a capital letter at the start and without a period at the end.
    pub message: String,
    /// The place that causes the problem. `None` if it is the whole file.
    pub place: Option<Place>,
    /// If a part of the text at the place causes the problem: the part, in bytes of the text's value.
    pub part: Option<Span>,
    /// If the problem is an unknown word: the word, and the known words.
    pub unknown: Option<Unknown>,
    /// If a file that the build reads is not YAML: the file, and the reason.
    pub unreadable: Option<Arc<Unreadable>>,
}

/// A file that is not YAML.
#[derive(Clone, PartialEq, Debug)]
pub struct Unreadable {
    /// The path of the file.
    pub path: Arc<Path>,
    /// The text of the file.
    pub text: Arc<str>,
    /// The first error in its text.
    pub error: NotYaml,
}

/// The reason why a text is not YAML that kustomize can read.
#[derive(Clone, PartialEq, Debug)]
pub enum NotYaml {
    /// The text cannot be parsed.
    Read(ReadError),
    /// The text has values that JSON does not have.
    Convert(ConvertError),
}

impl NotYaml {
    /// The place of the error in the text.
    pub fn span(&self) -> Span {
        match self {
            Self::Read(error) => error.span,
            Self::Convert(error) => error.span,
        }
    }

    /// The message without the line, which counts from the start of the document.
    pub fn without_line(&self) -> &str {
        match self {
            Self::Read(error) => error.without_line(),
            Self::Convert(error) => &error.message,
        }
    }
}

impl fmt::Display for NotYaml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Convert(error) => error.fmt(f),
        }
    }
}

/// A word in a kustomization or a patch that kustomize does not know.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// The word.
    pub word: Arc<str>,
    /// The words that kustomize accepts at this place.
    pub known: Vec<Arc<str>>,
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: place.into(),
            part: None,
            unknown: None,
            unreadable: None,
        }
    }

    pub(crate) fn fails(place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Fails, place, message)
    }

    /// Sets the part of the text at the place that causes the problem.
    #[must_use]
    pub(crate) fn of_part(self, part: Option<Span>) -> Self {
        Self { part, ..self }
    }

    /// Sets the unknown word that causes the problem, and the known words.
    #[must_use]
    pub(crate) fn of_unknown<K: Into<Arc<str>>>(self, word: &str, known: impl IntoIterator<Item = K>) -> Self {
        let word = word.into();
        let known = known.into_iter().map(Into::into).collect();
        Self {
            unknown: Some(Unknown { word, known }),
            ..self
        }
    }

    /// Sets the file that is not YAML.
    #[must_use]
    pub(crate) fn of_file(self, unreadable: Unreadable) -> Self {
        Self {
            unreadable: Some(Arc::new(unreadable)),
            ..self
        }
    }

    /// Sets the place of the problem, unless it already has one.
    #[must_use]
    pub(crate) fn at(self, place: Place) -> Self {
        Self {
            place: self.place.or(Some(place)),
            ..self
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Problem>;
