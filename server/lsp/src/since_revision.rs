//! The known changes of an open document since a git revision.

use std::{ops::Range, sync::Arc};

use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::{Comparison, KnownChanges},
};

/// The known changes of a version of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct SinceRevision {
    /// The changes, with positions in this version.
    pub(crate) known: KnownChanges,
    /// The last comparison.
    compared: Option<Compared>,
}

/// A comparison of a version with a revision.
#[derive(Clone, Debug)]
struct Compared {
    edition: u64,
    revision: Arc<Revision>,
    by: Comparison,
}

impl SinceRevision {
    /// The changes of a version after a comparison.
    pub(crate) fn new(known: KnownChanges, edition: u64, revision: Arc<Revision>, by: Comparison) -> Self {
        let compared = Some(Compared { edition, revision, by });
        Self { known, compared }
    }

    /// The changes of the manifests that are generated from a version.
    pub(crate) fn of_made(known: KnownChanges) -> Self {
        Self { known, compared: None }
    }

    /// Adjusts the positions after an edit of the text.
    pub(crate) fn edited(&mut self, range: &Range<usize>, inserted: usize) {
        self.known.edited(range, inserted);
    }

    /// Whether a comparison with these arguments would find the same changes again.
    pub(crate) fn is_of(&self, edition: u64, revision: &Arc<Revision>, by: Comparison) -> bool {
        let compared = self.compared.as_ref();
        compared.is_some_and(|it| it.edition == edition && it.by == by && Arc::ptr_eq(&it.revision, revision))
    }

    /// The revision and the options of the last comparison.
    pub(crate) fn compared(&self) -> Option<(&Revision, Comparison)> {
        self.compared.as_ref().map(|it| (&*it.revision, it.by))
    }
}
