//! A manifest that is generated from source files, with its diagnostics.

use std::{path::Path, sync::Arc};

use super::{
    go_crds::stale::Stale,
    judged::Judged,
    manifest::{Manifest, Moves},
};
use crate::{
    findings::report::DocumentReport,
    index::{GroupKind, KnownCrd},
    judging::question::Question,
};

/// A generated manifest, its diagnostics, and the CRD in the repository that it updates.
#[derive(Clone, Debug)]
pub struct Made {
    pub(super) judged: Arc<Judged>,
    crd: Option<Arc<KnownCrd>>,
    /// The kind that it defines, if it is a CRD.
    kind: Option<GroupKind>,
    is_in_step: bool,
    /// Whether the manifest was generated completely, and is not an update of the CRD in the repository.
    is_whole: bool,
    /// The differences that show that the CRD in the repository is older than its source. `None` if there are none.
    stale: Option<Arc<Stale>>,
    /// Whether the types may have other fields than the CRD in the repository.
    has_other_fields: bool,
}

impl Made {
    /// A manifest without a CRD in the repository.
    pub fn new(manifest: Manifest) -> Self {
        Self {
            judged: Arc::new(Judged::new(Arc::new(manifest))),
            crd: None,
            kind: None,
            is_in_step: false,
            is_whole: false,
            stale: None,
            has_other_fields: false,
        }
    }

    /// A generated CRD for a kind that has no CRD in the repository.
    pub fn of_kind(manifest: Manifest, kind: GroupKind) -> Self {
        Self {
            kind: Some(kind),
            is_whole: true,
            ..Self::new(manifest)
        }
    }

    /// A manifest that updates a CRD in the repository. `is_in_step` means that the CRD already has the same content.
    pub fn of_crd(manifest: Manifest, crd: Arc<KnownCrd>, is_in_step: bool) -> Self {
        Self {
            kind: Some(crd.defines.clone()),
            crd: Some(crd),
            is_in_step,
            ..Self::new(manifest)
        }
    }

    /// The generated manifest.
    pub fn manifest(&self) -> &Arc<Manifest> {
        &self.judged.manifest
    }

    /// The CRD in the repository that the manifest updates.
    pub fn crd(&self) -> Option<&Arc<KnownCrd>> {
        self.crd.as_ref()
    }

    /// Marks the manifest as generated completely, although the repository has a CRD.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// Sets whether the CRD in the repository is older. `has_other_fields` means that the types may have other fields than the CRD.
    #[must_use]
    pub(super) fn older(self, stale: Option<Stale>, has_other_fields: bool) -> Self {
        Self {
            stale: stale.map(Arc::new),
            has_other_fields,
            ..self
        }
    }

    /// This manifest, with the cached results of an earlier one if that had the same text.
    #[must_use]
    pub(super) fn after(self, earlier: &Self) -> Self {
        Self {
            judged: self.judged.after(&earlier.judged),
            ..self
        }
    }

    /// The same manifest after an edit that only moves places in a file. `None` if one of the places no longer exists.
    pub(super) fn moved(&self, moves: &Moves) -> Option<Self> {
        let manifest = Arc::new(self.manifest().after(moves)?);
        let stale = match &self.stale {
            Some(stale) => Some(Arc::new(stale.after(moves)?)),
            None => None,
        };
        Some(Self {
            judged: Arc::new(Judged::new(manifest)).after(&self.judged),
            stale,
            ..self.clone()
        })
    }

    /// The differences that show that the CRD in the repository is older than its source, if there are any.
    pub(super) fn stale(&self) -> Option<&Stale> {
        self.stale.as_deref()
    }

    /// The reports on the manifest.
    pub(super) fn found(&self, question: &Question<'_>) -> Arc<[DocumentReport]> {
        self.judged.found(question)
    }

    /// Whether the manifest is generated completely, or may be after another change, because the CRD in the repository is older.
    pub(super) fn may_be_whole(&self) -> bool {
        self.is_whole || self.stale.is_some() || self.has_other_fields
    }

    /// Whether the CRD in the repository already has the values that markers set.
    pub(super) fn is_in_step(&self) -> bool {
        self.is_in_step
    }

    /// The kind that it defines, if it is a CRD.
    pub fn kind(&self) -> Option<&GroupKind> {
        self.kind.as_ref()
    }

    /// Whether the manifest's diagnostics are already shown in the CRD's own file.
    pub(super) fn is_told(&self, is_told: impl Fn(&Path) -> bool) -> bool {
        self.is_in_step && self.crd.as_ref().is_some_and(|it| is_told(&it.path))
    }
}
