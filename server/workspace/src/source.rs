//! The text of a file that findings of other files point into.

use std::{
    fmt,
    hash::{Hash, Hasher},
    path::Path,
    sync::{Arc, OnceLock},
};

use crd_analyzer_syntax::lines::LineIndex;

/// A file and its text, as it was when it was looked at. Two are equal if they are of the same file with texts of one length: that is
/// enough to tell findings from each other.
pub struct SourceText {
    /// The file, absolute.
    pub path: Arc<Path>,
    /// Its text.
    pub text: Arc<str>,
    lines: OnceLock<LineIndex>,
}

impl SourceText {
    /// Of a file with this text.
    pub fn new(path: Arc<Path>, text: Arc<str>) -> Self {
        Self {
            path,
            text,
            lines: OnceLock::new(),
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
