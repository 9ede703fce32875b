//! The reports on built objects: each object is checked as a text of its own, and its diagnostics are shown where their causes are written.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_syntax::{json::Json, read_json_of, tree::Span};

use super::{
    Object, Overlays,
    built_crds::CrdsOfBuild,
    deciders::{self, Deciding},
    objects::{Merging, relative},
    projection::{Projection, spot},
    unjudged,
};
use crate::{
    analysis::{BuiltDocuments, Old, Question, analyze},
    deferred_search,
    finding::{Class, Finding, ServerSays},
    index::GroupKind,
    report::{DocumentReport, DocumentVerdict, FileReport},
    source::SourceText,
    variables::Variables,
};

/// An object that was judged.
pub(super) struct Judged {
    projection: Projection,
    documents: Vec<DocumentReport>,
    /// Diagnostics about it that are not answers of the API server.
    findings: Vec<Finding>,
    /// Its kind, if no CRD defines it.
    unknown: Vec<GroupKind>,
}

/// Diagnostics about the objects in a file, beside the reports on them.
#[derive(Default)]
struct Beside {
    findings: Vec<Finding>,
    /// Where the findings are, and what they say: several builds say the same.
    told: HashSet<(u32, String)>,
    /// The kinds that no CRD defines, by where an object of the kind is written as a whole.
    unknown: BTreeSet<(usize, Option<usize>, GroupKind)>,
}

impl Beside {
    fn add(&mut self, finding: Finding) {
        if self.told.insert((finding.span.start, finding.headline.clone())) {
            self.findings.push(finding);
        }
    }
}

/// What makes a finding the same in the object as it is written: its code, and the field.
type Said = (&'static str, Option<String>);

fn said_of(finding: &Finding) -> Said {
    let field = match &finding.server {
        Some(ServerSays::Cause { field, .. }) => Some(field.clone()),
        _ => None,
    };
    (finding.code, field)
}

/// The most bytes of reports that are kept: those of others are made again.
const MOST_KEPT: u64 = 32 << 20;

/// Work for judging all objects of a run. Each has the same part.
const JUDGING: u64 = 2_000_000_000;

/// Findings that are located in all objects of a run. Each has the same part.
const MOST_FINDINGS: usize = 200_000;

/// Findings of an object that are located in any case.
const LEAST_FINDINGS: usize = 30;

/// Work for judging a byte of an object.
const JUDGING_A_BYTE: u64 = 300;

impl Overlays {
    /// Adds the reports on the objects that a file has a part in.
    pub fn complete(&self, path: &Path, report: &mut FileReport, question: &Question<'_>) {
        if let Some(findings) = self.findings.get(path) {
            report.findings.extend(findings.iter().cloned());
        }
        let Some(objects) = self.by_file.get(path) else { return };
        let mut reports: BTreeMap<(usize, Option<usize>, String), Merging> = BTreeMap::new();
        let mut beside = Beside::default();
        for object in objects.iter().map(|it| &self.objects[*it]) {
            if object.is_left_out {
                self.add_left_out(object, path, question, &mut reports);
            } else {
                self.add_report(object, (path, question), &mut reports, &mut beside);
            }
        }
        report.findings.extend(beside.findings);
        report.unknown.extend(beside.unknown.into_iter().map(|it| it.2));
        let mut suppressing = HashMap::new();
        for object in objects.iter().map(|it| &self.objects[*it]) {
            if object.origin.0 == path {
                suppressing
                    .entry((object.origin.1, object.origin.2))
                    .or_insert(object.origin_place);
            }
        }
        for ((index, item, name), merging) in reports {
            let Some(mut merged) = merging.report() else { continue };
            let place = suppressing.get(&(index, item)).filter(|_| name.is_empty());
            if let Some((tree, _)) = place.map(|it| self.sources.tree(*it))
                && !tree.comments().is_empty()
            {
                deferred_search::suppress(tree, &mut merged);
            }
            report.documents.push(merged);
        }
        report.documents.sort_by_key(|it| (it.index, it.item));
    }

    fn judged(&self, object: &Object, question: &Question<'_>) -> Arc<Judged> {
        let lock = || object.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*lock() {
            return known.clone();
        }
        let judged = Arc::new(self.judge(object, question));
        let bytes = judged.bytes();
        // Which are kept does not change what is said.
        if !object.others.is_empty() && self.kept.fetch_add(bytes, Ordering::Relaxed) < MOST_KEPT {
            *lock() = Some(judged.clone());
        }
        judged
    }

    fn judge(&self, object: &Object, question: &Question<'_>) -> Judged {
        let projection = Projection::new(&object.node, &self.sources);
        let folder = &self.folders[object.build];
        let of_build = OfBuild {
            variables: self
                .flux
                .variables_of(self.patching[object.build].as_ref().map(|it| &it.0), folder),
            old: self.old_flux.variables(&[folder]),
        };
        let crds = question.definitions.map(|others| CrdsOfBuild {
            crds: &self.crds[object.build],
            sources: &self.sources,
            others,
        });
        let question = Question {
            path: Some(&object.origin.0),
            definitions: crds.as_ref().map(|it| it as _),
            named: false,
            old: object.old.as_ref().map(|it| Old {
                text: it.as_bytes(),
                is_paired: false,
            }),
            replaces: None,
            is_part: false,
            last_trees: None,
            wants_basis: true,
            overlays: Some(&of_build),
            most_findings: question
                .most_findings
                .min(LEAST_FINDINGS + MOST_FINDINGS / self.objects.len().max(1)),
            ..*question
        };
        let limits = Limits {
            work: JUDGING / self.objects.len().max(1) as u64 + JUDGING_A_BYTE * projection.text.len() as u64,
            ..Limits::NONE
        };
        let text = projection.text.clone().into_bytes();
        let (mut report, _) = budget::within(limits, || analyze(text, &question));
        let as_written = OnceCell::new();
        let is_of_base = |finding: &Finding| {
            let said = as_written.get_or_init(|| self.said_as_written(object, &question, limits));
            said.contains(&said_of(finding))
        };
        let deciding = Deciding {
            object: &object.node,
            base: object.origin_place.document,
            sources: &self.sources,
        };
        for document in &mut report.documents {
            for finding in document.verdicts.iter_mut().flat_map(|it| it.1.findings_mut()) {
                let Some(mut basis) = finding.basis.take() else {
                    continue;
                };
                basis.deciders = deciding.of(finding, &basis, &is_of_base);
                finding.basis = Some(basis).filter(|it| !it.deciders.is_empty());
            }
        }
        Judged {
            projection,
            documents: report.documents,
            findings: report.findings,
            unknown: report.unknown,
        }
    }

    /// The findings of an object as its file has it, before patches change it.
    fn said_as_written(&self, object: &Object, question: &Question<'_>, limits: Limits) -> HashSet<Said> {
        let (tree, node) = self.sources.tree(object.origin_place);
        let json = read_json_of(tree, node).ok();
        let Some(written) = json.as_ref().and_then(|it| it.root()).map(Json::to_value) else {
            return HashSet::new();
        };
        let question = Question {
            wants_basis: false,
            old: None,
            ..*question
        };
        let (report, _) = budget::within(limits, || analyze(written.to_string().into_bytes(), &question));
        let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        verdicts.flat_map(|it| it.1.findings()).map(said_of).collect()
    }

    /// Says who builds an object, or its CRD, that is judged in a file.
    fn by(&self, build: usize, path: &Path, is_of_crd: bool) -> Option<String> {
        let what = if is_of_crd { "its CRD" } else { "it" };
        let folder = relative(path.parent().unwrap_or(path), &self.folders[build]);
        match (&self.patching[build], folder) {
            (Some(((file, name), _)), _) => Some(format!(
                "Flux builds {what} like this for `{name}` ({})",
                file.file_name().unwrap_or_default().to_string_lossy()
            )),
            (None, Some(folder)) => Some(format!("kustomize builds {what} like this for `{folder}`")),
            (None, None) if is_of_crd => Some("kustomize builds its CRD like this for this folder".to_owned()),
            (None, None) => None,
        }
    }

    /// Adds the diagnostics of an object that are in a file.
    fn add_report(
        &self,
        object: &Object,
        (path, question): (&Path, &Question<'_>),
        reports: &mut BTreeMap<(usize, Option<usize>, String), Merging>,
        beside: &mut Beside,
    ) {
        let judged = self.judged(object, question);
        let sources = &self.sources;
        let is_origin = object.origin.0 == path;
        let crds = &self.crds[object.build];
        if is_origin {
            let (_, index, item) = object.origin;
            beside
                .unknown
                .extend(judged.unknown.iter().map(|it| (index, item, it.clone())));
        }
        let moved = |finding: &Finding| {
            let written = judged.projection.origin(finding.span, sources)?;
            let basis = finding.basis.as_deref().filter(|it| !it.deciders.is_empty());
            let (place, span) = basis.and_then(|it| it.deciders.first()).map_or(written, |it| {
                let place = it.place;
                (place, spot(sources, place))
            });
            let (of, index) = sources.document(place);
            if &**of != path {
                return None;
            }
            let mut finding = finding.clone();
            finding.span = span;
            let mut is_of_crd = object.is_as_written;
            finding.related.retain_mut(|it| {
                let origin = match crds.pointed_into(it) {
                    Some(crd) => crd.place(it.span, sources).map(|it| {
                        is_of_crd |= it.is_changed;
                        (it.place, it.span)
                    }),
                    None if it.file.is_some() => return true,
                    None => judged.projection.origin(it.span, sources),
                };
                let Some((place, span)) = origin else {
                    return false;
                };
                it.file = None;
                it.span = span;
                let (of, _) = sources.document(place);
                if &**of != path {
                    let text = sources.text_of(place).into();
                    it.file = Some(Arc::new(SourceText::new(of.clone(), text)));
                }
                true
            });
            if let Some(basis) = basis {
                deciders::tell(&mut finding, basis, sources, (path, written));
            }
            finding.basis = None;
            finding.notes.extend(self.by(object.build, path, is_of_crd));
            Some((index as usize, finding))
        };
        for finding in &judged.findings {
            if let Some((_, finding)) = moved(finding) {
                beside.add(finding);
            }
        }
        for document in &judged.documents {
            let home = if is_origin {
                (object.origin.1, object.origin.2)
            } else {
                let other = object.others.iter().find(|it| *it.0 == *path);
                (other.map_or(0, |it| it.1), None)
            };
            let mut verdicts: Vec<_> = document
                .verdicts
                .iter()
                .map(|(version, verdict)| {
                    let one = |it: &Option<Finding>| it.as_ref().and_then(&moved).map(|it| it.1);
                    let all = |it: &[Finding]| it.iter().filter_map(&moved).map(|it| it.1).collect();
                    let moved = DocumentVerdict {
                        decode_error: one(&verdict.decode_error),
                        strict: all(&verdict.strict),
                        errors: all(&verdict.errors),
                        other_error: one(&verdict.other_error),
                        warnings: all(&verdict.warnings),
                        hints: all(&verdict.hints),
                        unfinished: all(&verdict.unfinished),
                        resource: verdict.resource.clone().filter(|_| is_origin),
                        left_out: verdict.left_out,
                    };
                    (*version, moved)
                })
                .collect();
            for (_, verdict) in &mut verdicts {
                // What follows from causes in another file is told there.
                let follows = |it: &Finding| it.follows || it.code == resource_codes::UNCHECKED_RULES;
                if !verdict.findings().any(|it| it.class == Class::Error && !follows(it)) {
                    verdict.retain(|it| !follows(it));
                }
            }
            let is_said = verdicts.iter().any(|it| it.1.findings().next().is_some());
            if !(is_origin || is_said || self.patches.contains(path)) {
                continue;
            }
            let key = (home.0, home.1, document.name.clone());
            let key = if is_origin {
                (home.0, home.1, String::new())
            } else {
                key
            };
            let place = if is_origin { Some(object.origin_place) } else { None };
            let span = place.map_or_else(Span::default, |it| sources.span(it));
            let fresh = DocumentReport {
                index: home.0,
                item: home.1,
                span,
                in_part: !is_origin || document.in_part,
                verdicts,
                ..document.clone()
            };
            reports.entry(key).or_default().add(fresh);
        }
    }

    /// Adds that an object is not judged.
    fn add_left_out(
        &self,
        object: &Object,
        path: &Path,
        question: &Question<'_>,
        reports: &mut BTreeMap<(usize, Option<usize>, String), Merging>,
    ) {
        if object.origin.0 != path {
            return;
        }
        let mut report = unjudged::report(&object.origin, object.origin_place, &self.sources, question.versions);
        let note = self.by(object.build, path, false);
        for finding in report.verdicts.iter_mut().flat_map(|it| it.1.findings_mut()) {
            finding.notes.extend(note.clone());
        }
        let key = (object.origin.1, object.origin.2, String::new());
        reports.entry(key).or_default().add(report);
    }
}

impl Judged {
    /// About its bytes.
    fn bytes(&self) -> u64 {
        /// Of a Kubernetes version.
        const A_VERDICT: usize = 1 << 10;
        /// Of a finding.
        const A_FINDING: usize = 3 << 9;
        let of = |it: &DocumentVerdict| A_VERDICT + A_FINDING * it.findings().count();
        let verdicts = self.documents.iter().flat_map(|it| &it.verdicts);
        let reports: usize = verdicts.map(|it| of(&it.1)).sum();
        let reports = reports + A_FINDING * self.findings.len();
        (reports + self.projection.bytes()) as u64
    }
}

/// A built object on its own.
struct OfBuild {
    variables: Option<Arc<Variables>>,
    old: Option<Arc<Variables>>,
}

impl BuiltDocuments for OfBuild {
    fn variables(&self, _: &Path) -> Option<Arc<Variables>> {
        self.variables.clone()
    }

    fn old_variables(&self, _: &Path) -> Option<Arc<Variables>> {
        self.old.clone()
    }

    fn is_built(&self, _: &Path, _: usize, _: Option<usize>) -> bool {
        false
    }
}
