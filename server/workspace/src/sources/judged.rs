//! What is wrong with manifests, told in the files that people edit.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

use super::manifest::Manifest;
use crate::{
    config::versions::VersionSet,
    costs::{self, FileCosts},
    findings::finding::{Finding, Related},
    findings::report::{DocumentReport, DocumentVerdict},
    judging::analysis::{Question, analyze_manifest},
};

/// A manifest, and what was found when it was judged.
#[derive(Debug)]
pub struct Judged {
    /// The manifest.
    pub manifest: Arc<Manifest>,
    found: OnceLock<Vec<DocumentReport>>,
    /// What its rules cost, by the version that somebody asked about last.
    costs: Mutex<Option<(KubernetesVersion, Arc<FileCosts>)>>,
}

/// What makes findings in a file the same, whatever they are findings of.
type Said = (&'static str, Span, String);

impl Judged {
    /// Not judged yet.
    pub fn new(manifest: Arc<Manifest>) -> Self {
        Self {
            manifest,
            found: OnceLock::new(),
            costs: Mutex::default(),
        }
    }

    /// What its rules cost.
    pub fn costs(&self, version: KubernetesVersion) -> Arc<FileCosts> {
        let mut known = self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, costs)) = known.as_ref().filter(|it| it.0 == version) {
            return costs.clone();
        }
        let text = self.manifest.text.as_bytes().to_vec();
        let costs = Arc::new(costs::price(text, VersionSet::one(version), true));
        *known = Some((version, costs.clone()));
        costs
    }

    /// The reports on the manifest. It is judged once, by the first question.
    pub fn found(&self, question: &Question<'_>) -> &[DocumentReport] {
        self.found.get_or_init(|| {
            let question = Question {
                path: Some(&self.manifest.path),
                named: true,
                old: None,
                replaces: None,
                changes: None,
                compatibility: None,
                last_trees: None,
                overlays: None,
                go: None,
                wants_effective: false,
                ..*question
            };
            let text = self.manifest.text.as_bytes().to_vec();
            budget::within(Limits::file(text.len()), || analyze_manifest(text, &question))
                .0
                .documents
        })
    }

    /// What is found of it in one of the files that it is made of.
    fn in_file(&self, path: &Path, question: &Question<'_>) -> Vec<DocumentReport> {
        let moved = |finding: &mut Finding| {
            let span = finding.span;
            let Some(place) = self.manifest.origin(span).filter(|it| *it.file.path == *path) else {
                return false;
            };
            // It may be about a value that no file says.
            let is_own = |it: &Related| it.file.is_none() && self.manifest.is_guess(it.span);
            if self.manifest.is_guess(span) || finding.related.iter().any(is_own) {
                return false;
            }
            finding.span = place.span;
            finding.related.retain_mut(|it| {
                if it.file.is_some() {
                    return true;
                }
                let Some(place) = self.manifest.origin(it.span) else {
                    return false;
                };
                it.span = place.span;
                it.file = (*place.file.path != *path).then_some(place.file);
                true
            });
            // The changes are those of the manifest's text.
            finding.proposed = None;
            true
        };
        let mut documents = self.found(question).to_vec();
        for document in &mut documents {
            let mut first: Option<Span> = None;
            for (_, verdict) in &mut document.verdicts {
                let DocumentVerdict { unfinished, .. } = verdict;
                unfinished.retain_mut(moved);
                verdict.retain_mut(moved);
                let start = verdict.findings().map(|it| it.span).min_by_key(|it| it.start);
                first = first.or(start);
            }
            document.span = first.unwrap_or_default();
        }
        documents.retain(|it| it.verdicts.iter().any(|it| it.1.findings().next().is_some()));
        documents
    }
}

/// What is wrong with manifests in one of the files that they are made of. Each finding is told once, however many manifests have it.
pub fn in_file<'j>(
    judged: impl IntoIterator<Item = &'j Arc<Judged>>,
    path: &Path,
    question: &Question<'_>,
) -> Vec<DocumentReport> {
    let mut told: Vec<HashSet<Said>> = Vec::new();
    let mut all = Vec::new();
    for document in judged.into_iter().flat_map(|it| it.in_file(path, question)) {
        let mut document = document;
        told.resize_with(told.len().max(document.verdicts.len()), HashSet::new);
        for ((_, verdict), told) in document.verdicts.iter_mut().zip(&mut told) {
            for finding in verdict.findings_mut() {
                let said = (finding.code, finding.span, finding.headline.clone());
                finding.repeats |= !told.insert(said);
            }
        }
        document.index = all.len();
        all.push(document);
    }
    all
}
