//! The manifests that are generated from source files.

use std::{cell::OnceCell, collections::HashMap, path::Path, sync::Arc};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{PathTarget, find},
    read_json_of,
    tree::Span,
};

pub use super::one_made::Made;
use super::{
    Row, Unit,
    change::{self, Change, Written},
    judged::{self, Judged, Shows},
    manifest::{Manifest, Place},
    older, refused,
};
use crate::{
    comparison::revision::Revision,
    comparison::since_revision::KnownChanges,
    costs::FileCosts,
    documents::source::SourceText,
    findings::finding::Finding,
    findings::report::{DocumentReport, FileReport},
    index::{GroupKind, KnownCrd},
    judging::question::Question,
};

/// The limits for generating the manifests of a unit.
const MAKING: Limits = Limits {
    work: 2_000_000_000,
    bytes: 512 << 20,
    ..Limits::NONE
};

/// The manifests that are generated from the files of a unit, or those of them that come from one file.
#[derive(Debug, Default)]
pub struct Manifests {
    made: Vec<Made>,
    /// The only file whose manifests are all here, and its [`Unit::part_of`]. `None` if this has all manifests of the unit.
    only: Option<(Arc<Path>, u64)>,
}

impl Manifests {
    /// Generates the manifests from the files of a unit.
    pub fn new(unit: &dyn Unit) -> Self {
        Self {
            made: budget::within(MAKING, || unit.make()).0,
            only: None,
        }
    }

    /// Generates the manifests that come from one file of a unit. In a large unit, that takes less time.
    pub fn of_one(unit: &dyn Unit, file: &Path) -> Self {
        Self {
            made: budget::within(MAKING, || unit.make_of(file)).0,
            only: Some((file.into(), unit.part_of(file))),
        }
    }

    /// Whether this has all manifests that come from a file, or all of the unit if `file` is `None`.
    pub fn has_all_of(&self, file: Option<&Path>) -> bool {
        self.only.as_ref().is_none_or(|it| Some(&*it.0) == file)
    }

    /// All manifests of the unit. Those that are the same are not checked again.
    #[must_use]
    pub fn completed(&self, unit: &dyn Unit) -> Self {
        Self {
            made: self.followed_by(Self::new(unit).made),
            only: None,
        }
    }

    /// The manifests after files have changed. A manifest whose text is the same as before is not checked again.
    #[must_use]
    pub fn again(&self, files: &[&Path], unit: &dyn Unit) -> Self {
        if let Some((file, part)) = &self.only
            && unit.part_of(file) != *part
        {
            let of_one = Self::of_one(unit, file);
            return Self {
                made: self.followed_by(of_one.made),
                only: of_one.only,
            };
        }
        let made = budget::within(MAKING, || unit.again(&self.made, files)).0;
        Self {
            made: self.followed_by(made),
            only: self.only.clone(),
        }
    }

    /// Later manifests, with the cached results of these.
    fn followed_by(&self, made: Vec<Made>) -> Vec<Made> {
        let by_path: HashMap<&Path, &Made> = self.made.iter().map(|it| (&*it.manifest().path, it)).collect();
        let after = |it: Made| match by_path.get(&*it.manifest().path) {
            Some(earlier) => it.after(earlier),
            None => it,
        };
        made.into_iter().map(after).collect()
    }

    /// Finds the CRDs of the repository that are older than their source. Until then, those are known that were older before the last edit.
    pub fn compare(&self, unit: &dyn Unit) {
        let () = budget::within(MAKING, || unit.compare(&self.made)).0;
    }

    /// All generated manifests.
    pub(super) fn all(&self) -> impl Iterator<Item = &Made> {
        self.made.iter().filter(|it| !it.is_absent())
    }

    fn of_file<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Made> {
        self.all().filter(|it| it.manifest().is_made_of(path))
    }

    /// The known changes of the manifests since the CRDs that they would replace, at the types of a file that declare the versions.
    pub fn changes(&self, path: &Path) -> KnownChanges {
        let mut all = KnownChanges::default();
        for made in self.of_file(path) {
            all.add(made.judged.changes(path));
        }
        all
    }

    /// The kinds of the CRDs that are generated from a file, each with its CRD in the repository if that exists.
    pub fn kinds<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a GroupKind, Option<&'a Arc<KnownCrd>>)> {
        self.of_file(path).filter_map(|it| Some((it.kind()?, it.crd())))
    }

    /// The kinds of the manifests that are generated from a file and that need types that are not on this machine.
    pub fn in_part<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a GroupKind> {
        self.of_file(path).filter(|it| it.is_in_part()).filter_map(Made::kind)
    }

    /// All manifests of the unit, each with the CRD in the repository that it updates.
    pub fn with_crds(&self) -> impl Iterator<Item = (&Arc<Manifest>, Option<&Arc<KnownCrd>>)> {
        self.all().map(|it| (it.manifest(), it.crd()))
    }

    /// The manifests that are generated from a file, possibly together with other files.
    pub fn manifests<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Arc<Manifest>> {
        self.of_file(path).map(Made::manifest)
    }

    /// The manifests that are generated from a file in which the user is still typing.
    pub fn begun<'a>(&'a self, path: &'a Path, unit: &'a dyn Unit) -> impl Iterator<Item = Manifest> + 'a {
        self.of_file(path).filter_map(|it| unit.begun(it))
    }

    /// The manifests that are generated from a file, each with the reports on it.
    pub fn judged<'a>(
        &'a self,
        path: &'a Path,
        question: &'a Question<'_>,
    ) -> impl Iterator<Item = (&'a Arc<Manifest>, Arc<[DocumentReport]>)> {
        self.of_file(path).map(|it| (it.manifest(), it.judged.found(question)))
    }

    /// The manifests that are generated from a file, each with the costs of its rules.
    pub fn costs<'a>(
        &'a self,
        path: &'a Path,
        version: KubernetesVersion,
    ) -> impl Iterator<Item = (&'a Arc<Manifest>, Arc<FileCosts>)> {
        self.of_file(path)
            .map(move |it| (it.manifest(), it.judged.costs(version)))
    }

    /// Converts edits of a manifest's text to edits of its source files. Edits inside strings are made where the strings are written, other edits as
    /// changes of the object. `None` if an edit cannot be converted.
    pub fn write_edits(&self, manifest: &Manifest, edits: &[(Span, String)], unit: &dyn Unit) -> Option<Vec<Written>> {
        let mut written = Vec::new();
        let mut edited = manifest.text.to_string();
        for (span, text) in edits.iter().rev() {
            if let Some(it) = manifest.edit(*span, text) {
                written.push(it);
                continue;
            }
            edited.get(span.range())?;
            edited.replace_range(span.range(), text);
        }
        if written.len() < edits.len() {
            let changes = change::between(&manifest.text, &edited)?;
            written.extend(self.write(manifest, &changes, unit)?);
        }
        Some(written)
    }

    /// The CRD that a manifest would replace, and the changes since that CRD that are known, with their spans in the manifest.
    pub fn compared(&self, manifest: &Manifest) -> Option<(Arc<Revision>, KnownChanges)> {
        let is_it = |it: &&Made| std::ptr::eq(Arc::as_ptr(it.manifest()), manifest);
        self.made.iter().find(is_it)?.judged.compared()
    }

    /// Converts changes of a manifest to edits of its source files. `None` if a change cannot be converted.
    pub fn write(&self, manifest: &Manifest, changes: &[Change], unit: &dyn Unit) -> Option<Vec<Written>> {
        let is_it = |it: &&Made| std::ptr::eq(Arc::as_ptr(it.manifest()), manifest);
        let made = self.made.iter().find(is_it)?;
        let tree = OnceCell::new();
        let node = |path: &change::Path| {
            let tree = tree.get_or_init(|| manifest.tree()).as_ref()?;
            let found = find(tree, &change::steps(path)).filter(PathTarget::is_found)?;
            Some((tree, tree.resolve(found.node)))
        };
        let mut written = Vec::new();
        for change in changes {
            match change {
                Change::Splice(path, bytes, text) => {
                    let (tree, node) = node(path)?;
                    let quoted = serde_json::to_string(text).ok()?;
                    let span = tree.source_map(node).span(bytes.clone());
                    written.push(manifest.edit(span, &quoted[1..quoted.len() - 1])?);
                }
                Change::Rename(path, name) => {
                    if let Some(it) = unit.write(made, change) {
                        written.push(it);
                        continue;
                    }
                    let (tree, node) = node(path)?;
                    let value = change::value(&read_json_of(tree, node).ok()?.root()?.to_value());
                    let mut renamed = path.clone();
                    renamed.pop();
                    written.push(unit.write(made, &Change::Remove(path.clone()))?);
                    written.push(unit.write(made, &Change::Set(renamed.child(name), value))?);
                }
                Change::Set(..) | Change::Remove(_) => written.push(unit.write(made, change)?),
            }
        }
        Some(written)
    }

    /// The manifests that must be checked before [`Self::found`] can answer a question about a file. [`Judged::found`] checks one of them, on any
    /// thread.
    pub fn to_check<'a>(&'a self, path: &'a Path, question: &Question<'_>) -> Vec<&'a Judged> {
        let all = self.of_file(path).map(|it| &*it.judged);
        all.filter(|it| it.is_open_for(question)).collect()
    }

    /// The reports on the manifests that are generated from a file, shown in that file. `is_told` returns whether a CRD's diagnostics are already
    /// shown in the CRD's own file.
    pub fn found(&self, path: &Path, question: &Question<'_>, is_told: impl Fn(&Path) -> bool) -> Vec<DocumentReport> {
        self.found_beside(path, (question, &|_, _| false), is_told)
    }

    /// Like [`Self::found`]. `shows` returns whether another source file of the manifests shows a finding.
    fn found_beside(
        &self,
        path: &Path,
        (question, shows): (&Question<'_>, Shows<'_>),
        is_told: impl Fn(&Path) -> bool,
    ) -> Vec<DocumentReport> {
        let told = self.of_file(path).filter(|it| !it.is_told(&is_told));
        let mut found = judged::in_file(told.map(|it| &it.judged), path, (question, shows));
        // A stale CRD is already reported in its own file.
        let is_told = |it: &&Made| it.crd().is_some_and(|it| is_told(&it.path));
        let of_crds = older::in_source(self.made.iter().filter(|it| !is_told(it)), path, question);
        for mut document in of_crds {
            document.index = found.len();
            found.push(document);
        }
        found
    }

    /// What the generators of the manifests reject in a source file. `is_edited` means that the file is open in an editor.
    pub fn refused(&self, path: &Path, is_edited: bool) -> Vec<Finding> {
        refused::in_source(self.made.iter().flat_map(Made::refused), path, is_edited)
    }

    /// If the file at a path has a CRD that is older than its source, adds a finding to the report on the file.
    pub fn tell_older(&self, file: (&Path, &mut FileReport), question: &Question<'_>) {
        older::in_crd(&self.made, file, question);
    }

    /// If the CRD in the file at a path is older than its source: the text of the file, and the finding in it.
    pub fn older(&self, path: &Path, question: &Question<'_>) -> Option<(Arc<SourceText>, Finding)> {
        let is_it = |it: &&Made| it.crd().is_some_and(|it| *it.path == *path);
        let file = self
            .made
            .iter()
            .filter(is_it)
            .find_map(|it| Some(it.stale()?.crd.clone()))?;
        let finding = older::of_crd(&self.made, (path, &file.text), question)?;
        Some((file, finding))
    }

    /// The new text for the file of a stale CRD. `None` if the CRD is not stale, if some types are unknown, or if an error of its source is known.
    pub fn rewritten(&self, path: &Path, unit: &dyn Unit) -> Option<String> {
        let is_it = |it: &&Made| it.stale().is_some() && it.crd().is_some_and(|it| *it.path == *path);
        let made = self.made.iter().find(is_it)?;
        if made.error(None).is_some() {
            return None;
        }
        unit.rewritten(made)
    }

    /// The files of the CRDs that are older than a place in a source file, each with its new text.
    pub fn rewritten_at(&self, (path, span): (&Path, Span), unit: &dyn Unit) -> Vec<(Arc<SourceText>, String)> {
        let is_there = |it: &&Made| older::first(it, path).is_some_and(|it| it.place.span == span);
        let crds = self.made.iter().filter(is_there).filter(|it| it.error(None).is_none());
        crds.filter_map(|it| Some((it.stale()?.crd.clone(), unit.rewritten(it)?)))
            .collect()
    }

    /// Adds the reports on the manifests to the report on their source file. `is_told` returns whether a file is checked, too, and `shows` whether
    /// findings with a code are shown.
    pub fn complete(
        &self,
        row: &Row,
        (path, report): (&Path, &mut FileReport),
        (question, is_told, shows): (&Question<'_>, impl Fn(&Path) -> bool, &dyn Fn(&'static str) -> bool),
    ) {
        let is_shown = |finding: &Finding, place: &Place| {
            is_told(&place.file.path) && shows(finding.code) && !is_silenced(row, finding, place)
        };
        let found = self.found_beside(path, (question, &is_shown), &is_told);
        let refused = self.refused(path, question.wants.is_edited);
        if !(found.is_empty() && refused.is_empty()) {
            report.documents.extend(found);
            report.findings.extend(refused);
            (row.silence)(report);
        }
    }
}

/// Whether a comment in a source file suppresses a finding of a manifest.
fn is_silenced(row: &Row, finding: &Finding, place: &Place) -> bool {
    let there = Finding::new(finding.class, finding.code, place.span, "");
    let mut report = FileReport::of_file(place.file.text.clone(), there);
    (row.silence)(&mut report);
    // Suppressed findings about a file as a whole are removed.
    !report.findings.iter().any(|it| it.code == finding.code)
}
