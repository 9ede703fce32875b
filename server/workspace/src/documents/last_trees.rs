//! The syntax trees of a text that the user edits, kept from one version of the text to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crd_analyzer_syntax::{edited::read_edited, json::KeptJson, split::Document, tree::Tree};

/// The trees of the documents in the text that was checked last, and the JSON of large texts.
///
/// This is only a cache: its trees are the same as those that the parser returns.
#[derive(Debug)]
pub struct LastTrees {
    trees: Mutex<Vec<LastTree>>,
    json_from: usize,
}

/// The minimum size, in bytes, of a text whose JSON is kept. The JSON takes up to eight times the memory of the text. Converting a smaller text again
/// takes less than half a millisecond.
const LARGE: usize = 256 << 10;

impl Default for LastTrees {
    fn default() -> Self {
        Self::with_json_from(LARGE)
    }
}

/// A document in the text that was checked last.
#[derive(Debug)]
pub(crate) struct LastTree {
    pub(crate) document: Document,
    pub(crate) tree: Arc<Tree>,
    pub(crate) json: Option<KeptJson>,
}

impl LastTrees {
    /// Creates a cache that keeps the JSON of texts of at least the given size.
    pub fn with_json_from(bytes: usize) -> Self {
        Self {
            trees: Mutex::default(),
            json_from: bytes,
        }
    }

    /// Whether the JSON of a text is kept.
    pub(crate) fn keeps_json_of(&self, text: &str) -> bool {
        text.len() >= self.json_from
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LastTree>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree of a document, updated from the previous tree of the document with the same index, and its JSON if that is known. `None` if the text
    /// has to be parsed.
    pub(crate) fn edited(&self, text: &Arc<str>, document: Document) -> Option<(Tree, Option<KeptJson>)> {
        let last = {
            let mut trees = self.lock();
            let at = trees.iter().position(|it| it.document.index == document.index)?;
            trees.swap_remove(at)
        };
        let mut tree = Arc::unwrap_or_clone(last.tree);
        let Some(edited) = read_edited(&mut tree, last.document, text, document) else {
            // As long as the text cannot be parsed, keep the previous tree for comparison with the next text.
            let tree = Arc::new(tree);
            self.lock().push(LastTree { tree, ..last });
            return None;
        };
        let json = last.json.and_then(|mut it| it.follow(&tree, edited).then_some(it));
        Some((tree, json))
    }

    /// Keeps the trees of the current text.
    pub(crate) fn keep(&self, trees: Vec<LastTree>) {
        *self.lock() = trees;
    }
}
