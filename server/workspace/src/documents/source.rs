//! A file to which findings in other files refer, with its text.

use std::{
    fmt,
    hash::{Hash, Hasher},
    path::Path,
    sync::{Arc, OnceLock},
};

use crd_analyzer_syntax::{lines::LineIndex, tree::Span};

/// A file with its text at the time it was read. Two values are equal if their paths and the lengths of their texts are equal, which is enough to
/// distinguish findings.
pub struct SourceText {
    /// The absolute path of the file.
    pub path: Arc<Path>,
    /// The text of the file.
    pub text: Arc<str>,
    /// If the text is the result of a kustomization, and not the content of a file: the files from which it was built.
    pub built: Option<Arc<BuiltFrom>>,
    lines: OnceLock<LineIndex>,
}

/// The files from which a kustomization has built a text.
pub struct BuiltFrom {
    /// The file with the object that the kustomization changes.
    pub path: Arc<Path>,
    /// The folder of the kustomization, as messages name it.
    pub folder: String,
    /// The parts of the text, each with the place where it was written. They are sorted by start, and outer parts come before inner ones.
    pub places: Arc<[BuiltPlace]>,
}

/// A part of a built text: a key, a scalar, or a collection with its children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltPlace {
    /// The part's span in the built text.
    pub span: Span,
    /// The file that set the part, with its text.
    pub file: Arc<SourceText>,
    /// The span of the part in that file.
    pub origin: Span,
}

impl BuiltFrom {
    /// The place where a part of the text was written.
    pub fn place(&self, span: Span) -> Option<&BuiltPlace> {
        let before = self.places.partition_point(|it| it.span.start <= span.start);
        let mut around = self.places[..before].iter().rev();
        around.find(|it| span.start < it.span.end || it.span.is_empty() && span.start == it.span.start)
    }

    /// A phrase that names the kustomization.
    pub fn words(&self) -> String {
        format!("as kustomize builds it in `{}`", self.folder)
    }
}

impl SourceText {
    /// A file with the given text.
    pub fn new(path: Arc<Path>, text: Arc<str>) -> Self {
        Self {
            path,
            text,
            built: None,
            lines: OnceLock::new(),
        }
    }

    /// A text that a kustomization has built. `path` only identifies the text, and is not the path of a file.
    pub fn built(path: Arc<Path>, text: Arc<str>, from: Arc<BuiltFrom>) -> Self {
        Self {
            built: Some(from),
            ..Self::new(path, text)
        }
    }

    /// The file that a user can open for a part of this text, and the span in that file.
    pub fn place(self: &Arc<Self>, span: Span) -> (Arc<Self>, Span) {
        match self.built.as_ref().and_then(|it| it.place(span)) {
            Some(place) => (place.file.clone(), place.origin),
            None => (self.clone(), span),
        }
    }

    /// The line index of the text, computed on first use.
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
