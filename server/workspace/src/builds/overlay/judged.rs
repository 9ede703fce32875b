//! The reports on built objects. Each object is checked as a text of its own, and its diagnostics are shown where their causes are written.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_kustomize::{Place, Sources};
use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_syntax::{json::Json, read_json_of, tree::Span};

use super::{
    By, Object, Overlays,
    built_crds::CrdsOfBuild,
    deciders::{self, Deciding},
    merging::{Merging, name_builds},
    own_errors,
    projection::{Projection, spot},
    unjudged,
};
use crate::{
    documents::source::SourceText,
    filled_in::variables::Variables,
    findings::finding::{BuiltFor, Class, Finding, ServerSays, Severity},
    findings::report::{DocumentReport, DocumentVerdict, FileReport, Subject},
    findings::same::{Same, mark_repeats, same},
    findings::suppress::{self, Form},
    index::GroupKind,
    judging::analysis::{Around, BuiltDocuments, Old, Question, Update, Wants, analyze},
    judging::deferred_search,
    paths::relative,
    roles::Use,
};

/// The result of checking a built object.
pub(super) struct Judged {
    pub(super) projection: Projection,
    pub(super) documents: Vec<DocumentReport>,
    /// Diagnostics about the object that do not come from the API server.
    findings: Vec<Finding>,
    /// The object's kind, if no CRD defines it.
    unknown: Vec<GroupKind>,
}

/// The index of a document in a file, and the index of an item in the document if it is a list.
type Home = (usize, Option<usize>);

/// Diagnostics about the objects in a file that are not part of a report on an object.
#[derive(Default)]
struct Beside {
    findings: Vec<Finding>,
    /// The index in `findings` by the identity of a finding, because several builds may have the same finding.
    told: HashMap<Same, usize>,
    /// The kinds that no CRD defines, by the document and item that have an object of the kind.
    unknown: BTreeSet<(usize, Option<usize>, GroupKind)>,
}

impl Beside {
    fn add(&mut self, finding: Finding) {
        let at = *self.told.entry(same(&finding)).or_insert(self.findings.len());
        if let Some(told) = self.findings.get_mut(at) {
            told.take_builds(finding);
        } else {
            self.findings.push(finding);
        }
    }
}

/// The code and the field of a finding. They identify the same finding in the object as written.
type Said = (&'static str, Option<String>);

fn said_of(finding: &Finding) -> Said {
    let field = match &finding.server {
        Some(ServerSays::Cause { field, .. }) => Some(field.clone()),
        _ => None,
    };
    (finding.code, field)
}

/// The maximum total size of cached reports, in bytes. Other reports are computed again when they are needed.
const MOST_KEPT: u64 = 32 << 20;

/// The work units for checking all objects of a run. Each object gets an equal share.
const JUDGING: u64 = 2_000_000_000;

/// The maximum number of findings to locate in all objects of a run. Each object gets an equal share.
const MOST_FINDINGS: usize = 200_000;

/// The number of findings to locate in each object even if its share is smaller.
const LEAST_FINDINGS: usize = 30;

/// The additional work units for each byte of an object.
const JUDGING_A_BYTE: u64 = 300;

impl Overlays {
    /// Adds to a report on a file the reports on the built objects that the file contributes to.
    pub fn complete(&self, path: &Path, report: &mut FileReport, question: &Question<'_>) {
        if let Some(findings) = self.findings.get(path) {
            report.findings.extend(findings.iter().cloned());
        }
        report.findings.extend(self.unreadable.of(path).cloned());
        self.complete_objects(path, report, question);
        own_errors::take_repeats(report);
    }

    /// Adds the reports on the built objects that the file contributes to.
    fn complete_objects(&self, path: &Path, report: &mut FileReport, question: &Question<'_>) {
        let Some(objects) = self.by_file.get(path) else { return };
        let mut reports: BTreeMap<Home, Merging> = BTreeMap::new();
        let mut beside = Beside::default();
        let mut patches: HashMap<Home, Place> = HashMap::new();
        for object in objects.iter().map(|it| &self.objects[*it]) {
            if object.is_left_out {
                self.add_left_out(object, path, question, &mut reports);
            } else {
                self.add_report(object, (path, question), &mut reports, (&mut beside, &mut patches));
            }
        }
        beside.findings.iter_mut().for_each(|it| name_builds(it, &[]));
        report.findings.extend(beside.findings);
        report.unknown.extend(beside.unknown.into_iter().map(|it| it.2));
        let mut suppressing = HashMap::new();
        let mut builders = HashMap::new();
        for object in objects.iter().map(|it| &self.objects[*it]) {
            if object.origin.0 == path {
                let home = (object.origin.1, object.origin.2);
                suppressing.entry(home).or_insert(object.origin_place);
                if !object.is_left_out {
                    let all: &mut Vec<BuiltFor> = builders.entry(home).or_default();
                    all.push(self.by(object.build, path, false));
                }
            }
        }
        for (home, merging) in reports {
            let all = builders.get(&home).map_or(&[][..], Vec::as_slice);
            let Some(mut merged) = merging.report(all) else {
                continue;
            };
            let place = suppressing.get(&home);
            if let Some((tree, _)) = place.map(|it| self.sources.tree(*it))
                && !tree.comments().is_empty()
            {
                deferred_search::suppress(tree, &mut merged);
            }
            if let Some(place) = patches.get(&home) {
                // Do not report unused suppressions here, because the comments may suppress other findings of the file.
                let (tree, _) = self.sources.tree(*place);
                for (_, verdict) in &mut merged.verdicts {
                    suppress::apply(tree.text(), Form::Yaml, tree.comments(), verdict.findings_mut());
                }
            }
            report.documents.push(merged);
        }
        report.documents.sort_by_key(|it| (it.index, it.item));
        mark_repeats(report);
    }

    fn judged(&self, object: &Object, question: &Question<'_>) -> Arc<Judged> {
        let lock = || object.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*lock() {
            return known.clone();
        }
        let judged = Arc::new(self.judge(object, question));
        let bytes = judged.bytes();
        // Caching only makes the next request faster and does not change the result.
        if !object.others.is_empty() && self.kept.fetch_add(bytes, Ordering::Relaxed) < MOST_KEPT {
            *lock() = Some(judged.clone());
        }
        judged
    }

    pub(super) fn judge(&self, object: &Object, question: &Question<'_>) -> Judged {
        let projection = Projection::new(&object.node, &self.sources);
        let folder = &self.folders[object.build];
        let of_build = OfBuild {
            variables: self
                .flux
                .variables_of(self.patching[object.build].as_ref().map(|it| it.number), folder),
            old: self.old_flux.variables(&[folder]),
            written: Some((&projection, &self.sources)),
        };
        let crds = question.around.definitions.map(|others| CrdsOfBuild {
            crds: &self.crds[object.build],
            sources: &self.sources,
            others,
        });
        let question = Question {
            path: Some(&object.origin.0),
            around: Around {
                definitions: crds.as_ref().map(|it| it as _),
                overlays: Some(&of_build),
                ..question.around
            },
            named: false,
            update: Update {
                old: object.old.as_ref().map(|it| Old {
                    text: it.as_bytes(),
                    is_paired: false,
                }),
                revision: None,
                ..question.update
            },
            uses: question.uses.without(Use::Part),
            wants: Wants {
                basis: true,
                most_findings: question
                    .wants
                    .most_findings
                    .min(LEAST_FINDINGS + MOST_FINDINGS / self.objects.len().max(1)),
                ..question.wants
            },
            ..*question
        };
        let limits = Limits {
            work: JUDGING / self.objects.len().max(1) as u64 + JUDGING_A_BYTE * projection.text.len() as u64,
            ..Limits::NONE
        };
        let text = projection.text.clone().into_bytes();
        let (mut report, _) = budget::within(limits, || analyze(text, &question));
        // The places of the built text say nothing about the text of the base.
        let of_base = OfBuild {
            written: None,
            ..of_build.clone()
        };
        let of_base = Question {
            around: Around {
                overlays: Some(&of_base),
                ..question.around
            },
            ..question
        };
        let as_written = OnceCell::new();
        let is_of_base = |finding: &Finding| {
            let said = as_written.get_or_init(|| self.said_as_written(object, &of_base, limits));
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
                if !basis.deciders.is_empty() && self.is_suppressed_in_base(object, finding, &projection) {
                    basis.deciders.clear();
                }
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

    /// Whether a comment in the object's own file suppresses a finding that a patch causes. If so, the finding stays in that file.
    fn is_suppressed_in_base(&self, object: &Object, finding: &Finding, projection: &Projection) -> bool {
        let (tree, _) = self.sources.tree(object.origin_place);
        let Some((place, span)) = projection.origin(finding.span, &self.sources) else {
            return false;
        };
        if tree.comments().is_empty() || place.document != object.origin_place.document {
            return false;
        }
        let mut there = Finding::new(finding.class, finding.code, span, "");
        suppress::apply(tree.text(), Form::Yaml, tree.comments(), std::iter::once(&mut there));
        there.suppressed
    }

    /// The findings of an object as written, without patches.
    fn said_as_written(&self, object: &Object, question: &Question<'_>, limits: Limits) -> HashSet<Said> {
        let (tree, node) = self.sources.tree(object.origin_place);
        let json = read_json_of(tree, node).ok();
        let Some(written) = json.as_ref().and_then(|it| it.root()).map(Json::to_value) else {
            return HashSet::new();
        };
        let question = Question {
            wants: Wants {
                basis: false,
                ..question.wants
            },
            update: Update {
                old: None,
                ..question.update
            },
            ..*question
        };
        let (report, _) = budget::within(limits, || analyze(written.to_string().into_bytes(), &question));
        let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        verdicts.flat_map(|it| it.1.findings()).map(said_of).collect()
    }

    /// The kustomization or Flux Kustomization that builds an object of a file. `is_of_crd` means that it builds the object's CRD.
    fn by(&self, build: usize, path: &Path, is_of_crd: bool) -> BuiltFor {
        let of = |what: &'static str, name| BuiltFor {
            what,
            name,
            object: None,
        };
        let (of_build, own) = (&self.folders[build], path.parent().unwrap_or(path));
        let mut folder = relative(of_build, own);
        if let Some(from) = self.named_from.as_ref().filter(|_| !folder.is_empty()) {
            folder = relative(of_build, from);
            if folder.is_empty() {
                ".".clone_into(&mut folder);
            }
        }
        match (&self.patching[build], folder.as_str()) {
            (Some(By { file, name, .. }), _) => {
                let file = crate::builds::flux::file_name(file);
                let what = if is_of_crd {
                    "Flux builds its CRD like this for"
                } else {
                    "Flux builds it like this for"
                };
                of(what, Some(format!("`{name}` ({file})")))
            }
            (None, folder) if !folder.is_empty() => {
                let what = if is_of_crd {
                    "kustomize builds its CRD like this for"
                } else {
                    "kustomize builds it like this for"
                };
                of(what, Some(format!("`{folder}`")))
            }
            (None, _) if is_of_crd => of("kustomize builds its CRD like this for this folder", None),
            (None, _) => of("", None),
        }
    }

    /// Adds the diagnostics of an object whose causes are in a file.
    fn add_report(
        &self,
        object: &Object,
        (path, question): (&Path, &Question<'_>),
        reports: &mut BTreeMap<Home, Merging>,
        (beside, patches): (&mut Beside, &mut HashMap<Home, Place>),
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
        let moved = |finding: &Finding, name: Option<&String>| {
            let written = self.written_place(object, finding.span, &judged);
            let (place, span) = self.place_of(object, finding, &judged);
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
            if let Some(basis) = finding.basis.take() {
                deciders::tell(&mut finding, &basis, sources, (path, written));
            }
            finding.builds.push(BuiltFor {
                object: name.cloned(),
                ..self.by(object.build, path, is_of_crd)
            });
            Some((index as usize, finding))
        };
        for finding in &judged.findings {
            if let Some((_, finding)) = moved(finding, None) {
                beside.add(finding);
            }
        }
        for document in &judged.documents {
            for (home, place) in self.homes(object, document, path, &judged) {
                if let Some(place) = place.filter(|_| !is_origin) {
                    patches.insert(home, place);
                }
                let object_name = (!is_origin).then(|| format!("{} `{}`", document.kind, document.name));
                let here = |it: &Finding| {
                    let (index, finding) = moved(it, object_name.as_ref())?;
                    (is_origin || index == home.0).then_some(finding)
                };
                let one = |it: &Option<Finding>| it.as_ref().and_then(here);
                let all = |it: &[Finding]| it.iter().filter_map(here).collect();
                let part = |verdict: &DocumentVerdict| DocumentVerdict {
                    decode_error: one(&verdict.decode_error),
                    strict: all(&verdict.strict),
                    errors: all(&verdict.errors),
                    other_error: one(&verdict.other_error),
                    warnings: all(&verdict.warnings),
                    hints: all(&verdict.hints),
                    unfinished: all(&verdict.unfinished),
                    resource: verdict.resource.clone().filter(|_| is_origin).map(|mut it| {
                        it.build = self.by(object.build, path, false).name;
                        it
                    }),
                    left_out: verdict.left_out,
                };
                let verdicts = document.verdicts.iter();
                let mut verdicts: Vec<_> = verdicts.map(|(version, it)| (*version, part(it))).collect();
                for (_, verdict) in &mut verdicts {
                    // If the error that causes other diagnostics is in another file, those diagnostics are shown there.
                    let follows = |it: &Finding| it.follows || it.code == resource_codes::UNCHECKED_RULES;
                    if !verdict.findings().any(|it| it.class == Class::Error && !follows(it)) {
                        verdict.retain(|it| !follows(it));
                    }
                }
                let is_said = verdicts.iter().any(|it| it.1.findings().next().is_some());
                if !(is_origin || is_said || self.patches.contains(path)) {
                    continue;
                }
                let place = if is_origin { Some(object.origin_place) } else { None };
                let fresh = DocumentReport {
                    index: home.0,
                    item: home.1,
                    span: place.map_or_else(Span::default, |it| sources.span(it)),
                    in_part: !is_origin || document.in_part,
                    // A patch in the file may use another name, by which the report identifies it.
                    written_name: Some(place.map_or_else(String::new, |it| written_name(sources, it))),
                    verdicts,
                    ..document.clone()
                };
                reports.entry(home).or_default().add(fresh);
            }
        }
    }

    /// The documents and items in a file to which a report on an object belongs. If the file has patches, they are the patches that cause a finding.
    fn homes(
        &self,
        object: &Object,
        document: &DocumentReport,
        path: &Path,
        judged: &Judged,
    ) -> BTreeMap<Home, Option<Place>> {
        if object.origin.0 == path {
            return BTreeMap::from([((object.origin.1, object.origin.2), None)]);
        }
        let findings = document.verdicts.iter().flat_map(|it| it.1.findings());
        let places = findings.map(|it| self.place_of(object, it, judged).0);
        let home = |place: Place| {
            let (of, index) = self.sources.document(place);
            (**of == *path).then(|| ((index as usize, None), Some(self.sources.outermost(place))))
        };
        let mut homes: BTreeMap<Home, Option<Place>> = places.filter_map(home).collect();
        if homes.is_empty() {
            let other = object.others.iter().find(|it| *it.0 == *path);
            homes.insert((other.map_or(0, |it| it.1), None), None);
        }
        homes
    }

    /// The place and span to mark for a finding. It is the first decider, otherwise the place that the API server's error refers to.
    fn place_of(&self, object: &Object, finding: &Finding, judged: &Judged) -> (Place, Span) {
        match finding.basis.as_ref().and_then(|it| it.deciders.first()) {
            Some(decider) => (decider.place, spot(&self.sources, decider.place)),
            None => self.written_place(object, finding.span, judged),
        }
    }

    /// The place where a part of a built object is written. If the part is in no file, the place of the object.
    fn written_place(&self, object: &Object, span: Span, judged: &Judged) -> (Place, Span) {
        let written = judged.projection.origin(span, &self.sources);
        written.unwrap_or_else(|| (object.origin_place, spot(&self.sources, object.origin_place)))
    }

    /// Adds a report that says that an object was not checked.
    fn add_left_out(
        &self,
        object: &Object,
        path: &Path,
        question: &Question<'_>,
        reports: &mut BTreeMap<Home, Merging>,
    ) {
        if object.origin.0 != path {
            return;
        }
        let mut report = unjudged::report(&object.origin, object.origin_place, &self.sources, question.versions);
        // Kustomizations change little of a CRD, so one build that is left out is no reason for a run to fail.
        let is_checked = self
            .objects_of(path)
            .any(|it| it.origin == object.origin && !it.is_left_out);
        for (_, verdict) in &mut report.verdicts {
            for finding in &mut verdict.unfinished {
                finding.builds.push(self.by(object.build, path, false));
            }
            if is_checked && report.subject == Subject::Definition {
                let found = verdict.unfinished.drain(..);
                verdict.hints.extend(found.map(|it| Finding {
                    severity: Severity::Hint,
                    ..it
                }));
            }
        }
        let key = (object.origin.1, object.origin.2);
        reports.entry(key).or_default().add(report);
    }
}

/// The name of the object that is written at a place.
fn written_name(sources: &Sources, place: Place) -> String {
    let (tree, node) = sources.tree(place);
    let name = tree.get(node, "metadata").and_then(|it| tree.get(it, "name"));
    let name = name.filter(|it| tree.is_scalar(*it));
    name.map(|it| tree.scalar(it).into_owned()).unwrap_or_default()
}

impl Judged {
    /// The approximate size of the report in bytes.
    fn bytes(&self) -> u64 {
        /// The approximate size of the verdict for one Kubernetes version, in bytes.
        const A_VERDICT: usize = 1 << 10;
        /// The approximate size of a finding, in bytes.
        const A_FINDING: usize = 3 << 9;
        let of = |it: &DocumentVerdict| A_VERDICT + A_FINDING * it.findings().count();
        let verdicts = self.documents.iter().flat_map(|it| &it.verdicts);
        let reports: usize = verdicts.map(|it| of(&it.1)).sum();
        let reports = reports + A_FINDING * self.findings.len();
        (reports + self.projection.bytes()) as u64
    }
}

/// The variables that Flux substitutes in the build of one object.
#[derive(Clone)]
struct OfBuild<'a> {
    variables: Option<Arc<Variables>>,
    old: Option<Arc<Variables>>,
    /// The text of the object, and the files from which it was built, if the question is about this text.
    written: Option<(&'a Projection, &'a Sources)>,
}

impl BuiltDocuments for OfBuild<'_> {
    fn is_of_object(&self) -> bool {
        true
    }

    fn variables(&self, _: &Path) -> Option<Arc<Variables>> {
        self.variables.clone()
    }

    fn old_variables(&self, _: &Path) -> Option<Arc<Variables>> {
        self.old.clone()
    }

    fn is_built(&self, _: &Path, _: usize, _: Option<usize>) -> bool {
        false
    }

    fn are_written_together(&self, one: Span, other: Span) -> bool {
        let Some((projection, sources)) = self.written else {
            return true;
        };
        let document = |span| Some(projection.origin(span, sources)?.0.document);
        document(one) == document(other)
    }
}
