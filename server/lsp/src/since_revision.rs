//! What is known of the changes of an open document since a git revision.

use std::{ops::Range, sync::Arc};

use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::{Comparison, KnownChanges},
};

/// What is known of the changes of a version of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct SinceRevision {
    /// What is known; its places are those of the version.
    pub(crate) known: KnownChanges,
    /// What was compared last.
    compared: Option<Compared>,
}

/// A version of a document that was compared with a revision.
#[derive(Clone, Debug)]
struct Compared {
    edition: u64,
    revision: Arc<Revision>,
    by: Comparison,
}

impl SinceRevision {
    /// What was found of a version.
    pub(crate) fn new(known: KnownChanges, edition: u64, revision: Arc<Revision>, by: Comparison) -> Self {
        let compared = Some(Compared { edition, revision, by });
        Self { known, compared }
    }

    /// Follows an edit of the text.
    pub(crate) fn edited(&mut self, range: &Range<usize>, inserted: usize) {
        self.known.edited(range, inserted);
    }

    /// Whether this is all that a comparison would find.
    pub(crate) fn is_of(&self, edition: u64, revision: &Arc<Revision>, by: Comparison) -> bool {
        let compared = self.compared.as_ref();
        compared.is_some_and(|it| it.edition == edition && it.by == by && Arc::ptr_eq(&it.revision, revision))
    }

    /// The revision that was compared with, and by what.
    pub(crate) fn compared(&self) -> Option<(&Revision, Comparison)> {
        self.compared.as_ref().map(|it| (&*it.revision, it.by))
    }
}
