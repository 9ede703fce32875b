//! The trees of the text that somebody types in, kept from one version of the text to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crd_analyzer_syntax::{edited::read_edited, split::Document, tree::Tree};

/// The trees of the documents of the text that was judged last.
///
/// It is a cache: a tree that it gives equals the one that the parser makes.
#[derive(Debug, Default)]
pub struct LastTrees(Mutex<Vec<(Document, Arc<Tree>)>>);

impl LastTrees {
    fn lock(&self) -> MutexGuard<'_, Vec<(Document, Arc<Tree>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree of a document, made from the last one of the same position in the file. `None` if the text has to be parsed.
    pub(crate) fn edited(&self, text: &Arc<str>, document: Document) -> Option<Tree> {
        let (before, tree) = {
            let mut trees = self.lock();
            let at = trees.iter().position(|it| it.0.index == document.index)?;
            trees.swap_remove(at)
        };
        let mut tree = Arc::unwrap_or_clone(tree);
        if read_edited(&mut tree, before, text, document) {
            return Some(tree);
        }
        // Where the text cannot be parsed, the next one is compared with the last that could.
        self.lock().push((before, Arc::new(tree)));
        None
    }

    /// Keeps the trees of a text, which is the last one now.
    pub(crate) fn keep(&self, trees: Vec<(Document, Arc<Tree>)>) {
        *self.lock() = trees;
    }
}
