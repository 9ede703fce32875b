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
    /// Whether it was generated completely, without the CRD in the repository.
    is_whole: bool,
    /// How the CRD in the repository is older.
    stale: Option<Arc<Stale>>,
    /// The types may have other fields than the CRD in the repository.
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

    /// The CRD of a kind that has no CRD in the repository.
    pub fn of_kind(manifest: Manifest, kind: GroupKind) -> Self {
        Self {
            kind: Some(kind),
            is_whole: true,
            ..Self::new(manifest)
        }
    }

    /// A manifest whose last version is a CRD in the repository. `is_in_step`: whether that CRD has the same content.
    pub fn of_crd(manifest: Manifest, crd: Arc<KnownCrd>, is_in_step: bool) -> Self {
        Self {
            kind: Some(crd.defines.clone()),
            crd: Some(crd),
            is_in_step,
            ..Self::new(manifest)
        }
    }

    /// The manifest.
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

    /// The same of a CRD in the repository that is older, if it is. `has_other_fields`: the types may have other fields than the CRD.
    #[must_use]
    pub(super) fn older(self, stale: Option<Stale>, has_other_fields: bool) -> Self {
        Self {
            stale: stale.map(Arc::new),
            has_other_fields,
            ..self
        }
    }

    /// The same with what is known of an earlier one, if that had the same text.
    #[must_use]
    pub(super) fn after(self, earlier: &Self) -> Self {
        Self {
            judged: self.judged.after(&earlier.judged),
            ..self
        }
    }

    /// The same where only places in a file have moved. `None`: one of them is not there any longer.
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

    /// How the CRD in the repository is older.
    pub(super) fn stale(&self) -> Option<&Stale> {
        self.stale.as_deref()
    }

    /// What was found when it was judged.
    pub(super) fn found(&self, question: &Question<'_>) -> Arc<[DocumentReport]> {
        self.judged.found(question)
    }

    /// Whether source files generate it completely, or may do so after another change, because the CRD in the repository is older.
    pub(super) fn may_be_whole(&self) -> bool {
        self.is_whole || self.stale.is_some() || self.has_other_fields
    }

    /// Whether the CRD in the repository has the values that markers set.
    pub(super) fn is_in_step(&self) -> bool {
        self.is_in_step
    }

    /// The kind that it defines, if it is a CRD.
    pub fn kind(&self) -> Option<&GroupKind> {
        self.kind.as_ref()
    }

    /// Whether its diagnostics are shown in the repository's CRD.
    pub(super) fn is_told(&self, is_told: impl Fn(&Path) -> bool) -> bool {
        self.is_in_step && self.crd.as_ref().is_some_and(|it| is_told(&it.path))
    }
}
