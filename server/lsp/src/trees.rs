//! Keeps the syntax trees of documents for folding and selection requests.

use std::sync::{Mutex, PoisonError};

use crd_analyzer_syntax::incremental::IncrementalTrees;
use lsp_types::Uri;

/// The maximum number of documents whose trees are kept. It covers those that a user switches between. Trees take up to 20 bytes for each byte of
/// text.
const KEPT: usize = 4;

/// The trees by document. The most recently used are at the end.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    kept: Mutex<Vec<(Uri, IncrementalTrees)>>,
}

impl Trees {
    /// Calls a function with the trees of a text. Reuses the trees of an older text of the document.
    pub(crate) fn ask<T>(&self, uri: &Uri, text: String, ask: impl FnOnce(&IncrementalTrees) -> T) -> T {
        // Take the trees out during the call, so that requests for other documents, or concurrent ones for this document, do not wait.
        let trees = match self.take(uri) {
            Some(mut trees) => {
                trees.update(text);
                trees
            }
            None => IncrementalTrees::new(text),
        };
        let answer = ask(&trees);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|it| it.0 != *uri);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((uri.clone(), trees));
        answer
    }

    /// Drops the trees of a closed document.
    pub(crate) fn forget(&self, uri: &Uri) {
        self.take(uri);
    }

    fn take(&self, uri: &Uri) -> Option<IncrementalTrees> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|it| it.0 == *uri)?;
        Some(kept.remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_asked_for_last_are_kept() {
        let trees = Trees::default();
        let uri = |n: usize| format!("file:///{n}.yaml").parse::<Uri>().unwrap();
        for n in [0, 1, 2, 3, 1, 4] {
            let text = format!("a: {n}\n");
            assert_eq!(trees.ask(&uri(n), text.clone(), |it| it.text().to_string()), text);
        }
        let kept: Vec<_> = trees.kept.lock().unwrap().iter().map(|it| it.0.clone()).collect();
        assert_eq!(kept, [2, 3, 1, 4].map(uri));
        trees.forget(&uri(3));
        assert_eq!(trees.ask(&uri(1), "b: 2".to_owned(), |it| it.trees().count()), 1);
        assert_eq!(trees.kept.lock().unwrap().len(), 3);
    }
}
