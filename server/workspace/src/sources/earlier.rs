//! Compares the manifests generated from source files with the CRDs that they would replace.

use std::{fmt, sync::Arc};

use super::manifest::Manifest;
use crate::comparison::{
    revision::Revision,
    since_revision::{Comparison, KnownChanges},
};

/// Finds the CRDs that manifests would replace.
pub trait Earlier: Sync {
    /// The CRD that a manifest would replace. `None` if the manifest is new, or if the CRD is not known yet.
    fn of(&self, manifest: &Arc<Manifest>) -> Option<Arc<Revision>>;

    /// Whether the effects of the changes are still wanted.
    fn goes_on(&self) -> bool {
        true
    }
}

/// How to compare the manifests of source files with the CRDs that they would replace.
#[derive(Clone, Copy)]
pub struct Replaced<'a> {
    /// The CRDs.
    pub by: &'a dyn Earlier,
    /// Whether the user says that the cluster has these CRDs. If so, manifests are checked as updates. If not, the additional errors are hints.
    pub are_stored: bool,
    /// The policy for hints about changes. The search for them takes long, so it runs together with the search for hazards.
    pub comparison: Option<Comparison>,
}

impl fmt::Debug for Replaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaced")
            .field("are_stored", &self.are_stored)
            .finish_non_exhaustive()
    }
}

impl Replaced<'_> {
    /// The effects of the changes between a manifest and the CRD in the revision. `None` if the search was cancelled.
    pub(super) fn changes(&self, manifest: &Manifest, revision: &Revision) -> Option<KnownChanges> {
        let Some(by) = self.comparison else {
            return Some(KnownChanges::default());
        };
        let goes_on = || self.by.goes_on();
        KnownChanges::find(&manifest.text, revision, by, &KnownChanges::default(), &goes_on)
    }
}
