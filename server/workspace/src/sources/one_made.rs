//! A manifest that is generated from source files, with its diagnostics.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use crd_analyzer_generator::Reach;
use crd_analyzer_syntax::json::KeptJson;

use super::{
    go_crds::stale::Stale,
    judged::Judged,
    manifest::{Manifest, Moves, Place},
    refused::Refused,
};
use crate::{
    findings::report::DocumentReport,
    index::{GroupKind, KnownCrd},
    judging::question::Question,
};

/// An error in the source of a manifest.
#[derive(Clone, Debug)]
pub(super) enum SourceError {
    /// The generator fails at this place.
    Refused(Place),
    /// The API server rejects the manifest for what this place sets.
    Rejected(Place),
}

impl SourceError {
    pub(super) const fn place(&self) -> &Place {
        match self {
            Self::Refused(place) | Self::Rejected(place) => place,
        }
    }
}

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
    age: Arc<Age>,
    /// Whether the types may have other fields than the CRD in the repository.
    has_other_fields: bool,
    /// Whether some of the types are not on this machine.
    is_in_part: bool,
    /// The types on which the manifest depends. `None` if they are not completely known.
    types: Option<Arc<KnownTypes>>,
    /// What the generator rejects of its source.
    refused: Arc<[Refused]>,
    /// Whether the source is so wrong that the manifest is not generated. Its text is then empty.
    is_absent: bool,
    /// The JSON of the CRD in the repository, kept for the next edit of the source.
    _json: Option<Arc<KeptJson>>,
}

/// The types on which a manifest depends.
#[derive(Debug)]
pub(super) struct KnownTypes {
    /// The folder of the module that declares the kind.
    pub(super) module: Arc<Path>,
    reach: OnceLock<Reach>,
}

impl KnownTypes {
    pub(super) fn new(module: Arc<Path>) -> Self {
        let reach = OnceLock::new();
        Self { module, reach }
    }

    /// The names of the types. `find` finds them for the first caller.
    pub(super) fn reach(&self, find: impl FnOnce() -> Reach) -> &Reach {
        self.reach.get_or_init(find)
    }
}

/// Whether a CRD in the repository is older than its source. The comparison takes longer than generating the manifest, so it is made separately.
#[derive(Debug, Default)]
struct Age {
    /// The result of the comparison: the differences that show that the CRD is older.
    compared: OnceLock<Option<Stale>>,
    /// Until the comparison: the differences that were found before the last edit of a source file.
    before: Option<Stale>,
}

impl Age {
    fn of(stale: Option<Stale>) -> Self {
        let age = Self::default();
        let _ = age.compared.set(stale);
        age
    }

    fn stale(&self) -> Option<&Stale> {
        self.compared.get().map_or(self.before.as_ref(), Option::as_ref)
    }
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
            age: Arc::new(Age::of(None)),
            has_other_fields: false,
            is_in_part: false,
            types: None,
            refused: [].into(),
            is_absent: false,
            _json: None,
        }
    }

    /// A CRD that is not generated, because its generator rejects something. `manifest` only has the place that declares the kind.
    pub(super) fn absent(manifest: Manifest, kind: GroupKind) -> Self {
        Self {
            is_absent: true,
            ..Self::of_kind(manifest, kind)
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

    /// Sets whether the types may have other fields than the CRD.
    #[must_use]
    pub(super) fn with_other_fields(self, has_other_fields: bool) -> Self {
        Self {
            has_other_fields,
            ..self
        }
    }

    /// Sets whether some of the types are not on this machine.
    #[must_use]
    pub(super) fn in_part(self, is_in_part: bool) -> Self {
        Self { is_in_part, ..self }
    }

    /// Whether some of the types are not on this machine, so that the manifest has those parts as they are in the CRD in the repository.
    pub(super) fn is_in_part(&self) -> bool {
        self.is_in_part
    }

    /// Sets what the generator rejects.
    #[must_use]
    pub(super) fn with_refused(self, refused: Arc<[Refused]>) -> Self {
        Self { refused, ..self }
    }

    /// What the generator rejects of its source.
    pub(super) fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Whether the manifest is not generated, because its generator rejects something.
    pub(super) fn is_absent(&self) -> bool {
        self.is_absent
    }

    /// Keeps the JSON of the CRD in the repository for the next edit of the source.
    #[must_use]
    pub(super) fn keeping(self, json: Option<Arc<KeptJson>>) -> Self {
        Self { _json: json, ..self }
    }

    /// Sets the types on which the manifest depends.
    #[must_use]
    pub(super) fn of_types(self, types: Arc<KnownTypes>) -> Self {
        Self {
            types: Some(types),
            ..self
        }
    }

    /// The CRD in the repository may be older than its source, and still has to be compared.
    #[must_use]
    pub(super) fn compared_later(self) -> Self {
        Self {
            age: Arc::default(),
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

    /// This manifest, which shows the differences of an earlier one until its CRD is compared again.
    #[must_use]
    pub(super) fn shows_age_of(self, earlier: &Self, moves: &[Moves]) -> Self {
        if !self.is_to_compare() {
            return self;
        }
        let moved = |it: Stale, moves: &Moves| it.after(moves);
        let before = earlier.stale().cloned();
        let age = Age {
            before: before.and_then(|it| moves.iter().try_fold(it, moved)),
            compared: OnceLock::new(),
        };
        Self {
            age: Arc::new(age),
            ..self
        }
    }

    /// The same manifest after an edit that only moves places in a file. `None` if one of the places no longer exists.
    pub(super) fn moved(&self, moves: &Moves) -> Option<Self> {
        let judged = if self.manifest().is_made_of(&moves.file.path) {
            let manifest = Arc::new(self.manifest().after(moves)?);
            Arc::new(Judged::new(manifest)).after(&self.judged)
        } else {
            self.judged.clone()
        };
        let moved = |it: &Stale| it.after(moves).filter(|after| after.older.len() == it.older.len());
        let age = match self.age.compared.get() {
            Some(None) => self.age.clone(),
            Some(Some(stale)) => Arc::new(Age::of(Some(moved(stale)?))),
            None => Arc::new(Age {
                before: self.age.before.as_ref().and_then(|it| it.after(moves)),
                compared: OnceLock::new(),
            }),
        };
        let refused: Option<Arc<[Refused]>> = self.refused.iter().map(|it| it.after(moves)).collect();
        Some(Self {
            judged,
            age,
            refused: refused?,
            ..self.clone()
        })
    }

    /// The differences that show that the CRD in the repository is older than its source, if there are any.
    pub(super) fn stale(&self) -> Option<&Stale> {
        self.age.stale()
    }

    /// The error in the source for which a stale CRD cannot be generated again. Without a question, only known results are used.
    pub(super) fn error(&self, question: Option<&Question<'_>>) -> Option<SourceError> {
        let refused = self.stale()?.refused.clone().map(SourceError::Refused);
        refused.or_else(|| self.judged.first_error(question).map(SourceError::Rejected))
    }

    /// Whether the CRD in the repository may be older than its source, and was not compared yet.
    pub(super) fn is_to_compare(&self) -> bool {
        self.age.compared.get().is_none()
    }

    /// Sets the result of comparing the CRD in the repository with its source. The source is not the cause of findings about a value that only the CRD
    /// has.
    pub(super) fn compared(&self, stale: Option<Stale>) {
        let differences = stale.iter().filter(|_| !self.is_whole).flat_map(|it| &it.older);
        self.judged.leave_out(differences.map(|it| (&it.path, &it.what)));
        // If another thread has compared the same texts, it has the same result.
        let _ = self.age.compared.set(stale);
    }

    /// The types on which the manifest depends. `None` if they are not completely known.
    pub(super) fn types(&self) -> Option<&Arc<KnownTypes>> {
        self.types.as_ref()
    }

    /// The reports on the manifest.
    pub(super) fn found(&self, question: &Question<'_>) -> Arc<[DocumentReport]> {
        self.judged.found(question)
    }

    /// Whether the manifest is generated completely, or may be after another change, because the types may have other fields than the CRD in the
    /// repository, or because the generator rejects some of them.
    pub(super) fn may_be_whole(&self) -> bool {
        self.is_whole || self.has_other_fields || !self.refused.is_empty()
    }

    /// Whether the CRD in the repository may still be older than its source after another change.
    pub(super) fn may_be_older(&self) -> bool {
        self.may_be_whole() || self.stale().is_some() || self.is_to_compare()
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
