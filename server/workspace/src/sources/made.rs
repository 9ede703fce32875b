//! The manifests that files are made into.

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
    judged,
    manifest::Manifest,
    older,
};
use crate::{
    costs::FileCosts,
    documents::source::SourceText,
    findings::report::{DocumentReport, FileReport},
    index::{GroupKind, KnownCrd},
    judging::question::Question,
};

/// For making the manifests of a unit: what is more is not made.
const MAKING: Limits = Limits {
    work: 2_000_000_000,
    bytes: 512 << 20,
    ..Limits::NONE
};

/// The manifests that a unit is made into.
#[derive(Debug, Default)]
pub struct Manifests {
    made: Vec<Made>,
}

impl Manifests {
    /// Those of a unit.
    pub fn new(unit: &dyn Unit) -> Self {
        Self {
            made: budget::within(MAKING, || unit.make()).0,
        }
    }

    /// The same after files have changed. What has the same text as before is not judged again.
    #[must_use]
    pub fn again(&self, files: &[&Path], unit: &dyn Unit) -> Self {
        let made = budget::within(MAKING, || unit.again(&self.made, files)).0;
        let by_path: HashMap<&Path, &Made> = self.made.iter().map(|it| (&*it.manifest().path, it)).collect();
        let after = |it: Made| match by_path.get(&*it.manifest().path) {
            Some(earlier) => it.after(earlier),
            None => it,
        };
        Self {
            made: made.into_iter().map(after).collect(),
        }
    }

    fn of_file<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Made> {
        self.made.iter().filter(|it| it.manifest().is_made_of(path))
    }

    /// The kinds whose CRDs a file has a part in, and the CRDs in the repository if they are there.
    pub fn kinds<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a GroupKind, Option<&'a Arc<KnownCrd>>)> {
        self.of_file(path).filter_map(|it| Some((it.kind()?, it.crd())))
    }

    /// The manifests that a file has a part in.
    pub fn manifests<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Arc<Manifest>> {
        self.of_file(path).map(Made::manifest)
    }

    /// The manifests that a file has a part in, each as it is while somebody still types a part of it.
    pub fn begun<'a>(&'a self, path: &'a Path, unit: &'a dyn Unit) -> impl Iterator<Item = Manifest> + 'a {
        self.of_file(path).filter_map(|it| unit.begun(it))
    }

    /// The manifests that a file has a part in, each with the reports on it.
    pub fn judged<'a>(
        &'a self,
        path: &'a Path,
        question: &'a Question<'_>,
    ) -> impl Iterator<Item = (&'a Arc<Manifest>, Arc<[DocumentReport]>)> {
        self.of_file(path).map(|it| (it.manifest(), it.judged.found(question)))
    }

    /// The manifests that a file has a part in, each with what its rules cost.
    pub fn costs<'a>(
        &'a self,
        path: &'a Path,
        version: KubernetesVersion,
    ) -> impl Iterator<Item = (&'a Arc<Manifest>, Arc<FileCosts>)> {
        self.of_file(path)
            .map(move |it| (it.manifest(), it.judged.costs(version)))
    }

    /// Edits of a manifest's text as edits of the files that it is made of: those of strings where these are written, others as changes. `None`: one
    /// of them cannot be written.
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

    /// Changes of a manifest as edits of the files that it is made of. `None`: one of them cannot be written.
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

    /// What is wrong in a file with the manifests that it has a part in. `is_told`: what is wrong with the CRD in a file is told there.
    pub fn found(&self, path: &Path, question: &Question<'_>, is_told: impl Fn(&Path) -> bool) -> Vec<DocumentReport> {
        let told = self.of_file(path).filter(|it| !it.is_told(&is_told));
        let mut found = judged::in_file(told.map(|it| &it.judged), path, question);
        // That a CRD is older is told in it.
        let is_told = |it: &&Made| it.crd().is_some_and(|it| is_told(&it.path));
        let of_crds = older::in_source(self.made.iter().filter(|it| !is_told(it)), path, question);
        for mut document in of_crds {
            document.index = found.len();
            found.push(document);
        }
        found
    }

    /// Tells in the report on the file of a CRD that it is older than what it is made of.
    pub fn tell_older(&self, (path, report): (&Path, &mut FileReport)) {
        older::in_crd(&self.made, path, report);
    }

    /// The text that the file of a CRD has if it is written again. `None`: it is not older, or not all is known that it takes.
    pub fn rewritten(&self, path: &Path, unit: &dyn Unit) -> Option<String> {
        let is_it = |it: &&Made| it.stale().is_some() && it.crd().is_some_and(|it| *it.path == *path);
        unit.rewritten(self.made.iter().find(is_it)?)
    }

    /// The files of CRDs that are older than a place of a source file, each with its text if it is written again.
    pub fn rewritten_at(&self, (path, span): (&Path, Span), unit: &dyn Unit) -> Vec<(Arc<SourceText>, String)> {
        let is_there = |it: &&Made| older::first(it, path).is_some_and(|it| it.place.span == span);
        let crds = self.made.iter().filter(is_there);
        crds.filter_map(|it| Some((it.stale()?.crd.clone(), unit.rewritten(it)?)))
            .collect()
    }

    /// Adds that to the report on the file.
    pub fn complete(
        &self,
        row: &Row,
        (path, report): (&Path, &mut FileReport),
        (question, is_told): (&Question<'_>, impl Fn(&Path) -> bool),
    ) {
        let found = self.found(path, question, is_told);
        if !found.is_empty() {
            report.documents.extend(found);
            (row.silence)(report);
        }
    }
}
