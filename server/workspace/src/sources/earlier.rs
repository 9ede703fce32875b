//! How manifests of source files are compared with the CRDs that they replace.

use std::{fmt, sync::Arc};

use super::manifest::Manifest;
use crate::comparison::{
    revision::Revision,
    since_revision::{Comparison, KnownChanges},
};

/// Finds the CRDs that manifests replace.
pub trait Earlier: Sync {
    /// The CRD that a manifest replaces. `None` if it is new, or if its earlier version is not known yet.
    fn of(&self, manifest: &Arc<Manifest>) -> Option<Arc<Revision>>;

    /// Whether somebody still waits for the effects of the changes.
    fn goes_on(&self) -> bool {
        true
    }
}

/// How manifests of source files are compared with the CRDs that they replace.
#[derive(Clone, Copy)]
pub struct Replaced<'a> {
    /// The CRDs.
    pub by: &'a dyn Earlier,
    /// Whether the user says that the CRDs are stored. If so, manifests are checked as updates. If not, the additional errors are hints.
    pub are_stored: bool,
    /// The policy for hints about changes. They take long, so they are looked for together with hazards.
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
    /// The effects of the changes of a manifest. `None` if the search was cancelled.
    pub(super) fn changes(&self, manifest: &Manifest, revision: &Revision) -> Option<KnownChanges> {
        let Some(by) = self.comparison else {
            return Some(KnownChanges::default());
        };
        let goes_on = || self.by.goes_on();
        KnownChanges::find(&manifest.text, revision, by, &KnownChanges::default(), &goes_on)
    }
}
