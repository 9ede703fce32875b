//! The text of a file that findings of other files point into.

use std::{
    fmt,
    hash::{Hash, Hasher},
    path::Path,
    sync::{Arc, OnceLock},
};

use crd_analyzer_syntax::{lines::LineIndex, tree::Span};

/// A file and its text, as it was when it was looked at. Two are equal if they are of the same file with texts of one length: that is
/// enough to tell findings from each other.
pub struct SourceText {
    /// The file, absolute.
    pub path: Arc<Path>,
    /// Its text.
    pub text: Arc<str>,
    /// Where it comes from, if a kustomization has built it: no file has the text.
    pub built: Option<Arc<BuiltFrom>>,
    lines: OnceLock<LineIndex>,
}

/// What a kustomization has built a text from.
pub struct BuiltFrom {
    /// The file of the object that it changes.
    pub path: Arc<Path>,
    /// The folder of the kustomization, as it is shown.
    pub folder: String,
    /// Pieces of the text, and where each was written.
    pub places: Arc<[BuiltPlace]>,
}

/// A piece of a built text: a key, a scalar, or a collection, which has those of its children inside. They are in the order of their starts, the
/// outer ones first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltPlace {
    /// The bytes in the built text.
    pub span: Span,
    /// The file that decided it, with its whole text.
    pub file: Arc<SourceText>,
    /// The bytes in that file.
    pub origin: Span,
}

impl BuiltFrom {
    /// Where a part of the text was written.
    pub fn place(&self, span: Span) -> Option<&BuiltPlace> {
        let before = self.places.partition_point(|it| it.span.start <= span.start);
        let mut around = self.places[..before].iter().rev();
        around.find(|it| span.start < it.span.end || it.span.is_empty() && span.start == it.span.start)
    }

    /// Who builds it.
    pub fn words(&self) -> String {
        format!("as kustomize builds it in `{}`", self.folder)
    }
}

impl SourceText {
    /// Of a file with this text.
    pub fn new(path: Arc<Path>, text: Arc<str>) -> Self {
        Self {
            path,
            text,
            built: None,
            lines: OnceLock::new(),
        }
    }

    /// Of what a kustomization has built. `path`: what no file has.
    pub fn built(path: Arc<Path>, text: Arc<str>, from: Arc<BuiltFrom>) -> Self {
        Self {
            built: Some(from),
            ..Self::new(path, text)
        }
    }

    /// A file that a person can open and the bytes in it, for a part of this text.
    pub fn place(self: &Arc<Self>, span: Span) -> (Arc<Self>, Span) {
        match self.built.as_ref().and_then(|it| it.place(span)) {
            Some(place) => (place.file.clone(), place.origin),
            None => (self.clone(), span),
        }
    }

    /// The lines of the text, counted when first wanted.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.text.len() == other.text.len()
    }
}

impl Eq for SourceText {}

impl Hash for SourceText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())
    }
}
