//! What kustomizations build: objects are judged as they are built, and each diagnostic is told where its cause is written.
//!
//! The kustomizations that no other one of the checked files names are built ([`Overlays::new`]). An object that all of them change is judged as they
//! build it, and no more as it is written. What one of them takes as it is, is judged as it is, too. An object whose CRD a kustomization changes is
//! judged by the CRD as it is built there.

mod as_built;
mod built_crds;
mod earlier;
mod flux_folders;
mod graph;
mod objects;
mod projection;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

pub use as_built::AsBuilt;
use built_crds::{BuiltCrds, CrdsOfBuild};
pub use crd_analyzer_kustomize::Files;
use crd_analyzer_kustomize::{Build, Built, FluxKustomization, MOST_NODES, Node, Place, Unread, build_with};
use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_syntax::tree::Span;
use earlier::Earlier;
pub use flux_folders::FluxFolders;
pub use graph::{Graph, is_kustomization};
use objects::{Key, is_as_written, is_judged, key, merge, relative, told, told_unread};
use projection::Projection;

use crate::{
    analysis::{BuiltDocuments, Old, Question, analyze},
    deferred_search,
    finding::{Class, Finding, Severity},
    flux::Flux,
    report::{DocumentReport, DocumentVerdict, FileReport},
    source::SourceText,
    spans,
    variables::Variables,
};

/// One object of one build.
struct Object {
    /// Which build.
    build: usize,
    node: Node,
    /// Where it was written as a whole.
    origin: Key,
    origin_place: Place,
    /// The files and documents that decided something of it, the origin left out.
    others: Vec<Key>,
    /// It is built as it is written there, and its CRD is not.
    is_as_written: bool,
    /// What it replaces, if that was asked.
    old: Option<Arc<str>>,
    /// The report on it, made when it is first wanted.
    judged: OnceLock<Judged>,
}

struct Judged {
    projection: Projection,
    report: FileReport,
}

/// The kustomizations of some files.
#[derive(Default)]
pub struct Overlays {
    builds: Vec<Build>,
    /// The folder of each.
    folders: Vec<PathBuf>,
    /// The Kustomization of Flux that has each built with changes of its own: its file and its name.
    patching: Vec<Option<((PathBuf, String), FluxKustomization)>>,
    /// The CRDs that each builds otherwise than they are written.
    crds: Vec<BuiltCrds>,
    objects: Vec<Object>,
    /// The objects that have something to do with a file.
    by_file: HashMap<PathBuf, Vec<usize>>,
    /// The documents that are judged only as they are built, those that are not built included.
    built: HashSet<Key>,
    /// The files all of whose documents are patches of known objects.
    patches: HashSet<PathBuf>,
    /// The files of objects that may be completed by what could not be built.
    open: HashSet<PathBuf>,
    /// The diagnostics of kustomizations themselves, by their files.
    findings: BTreeMap<PathBuf, Vec<Finding>>,
    /// The folders whose kustomizations take a file, also those that others take.
    takers: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// What Flux substitutes in what is built.
    flux: Arc<Flux>,
    /// What Flux substituted in what is replaced.
    old_flux: Flux,
    /// The folders whose kustomizations could not be built from the earlier files.
    failed_before: BTreeSet<PathBuf>,
}

/// What the builds that were added so far say.
#[derive(Default)]
struct Adding {
    /// What some of them take as it is written.
    unchanged: HashSet<Key>,
    /// What some of them take and do not build, because a patch deletes it.
    dropped: HashSet<Key>,
    /// The files of those that failed.
    unknown: HashSet<PathBuf>,
    /// The remote bases that were told.
    remote: HashSet<String>,
}

/// The nodes that all builds together may still make.
struct NodesLeft(usize);

impl Default for NodesLeft {
    /// A few seconds.
    fn default() -> Self {
        Self(1_500_000)
    }
}

impl NodesLeft {
    /// Builds a folder with what a Kustomization of Flux adds.
    fn build(&mut self, files: &dyn Files, folder: &Path, flux: Option<&FluxKustomization>) -> Build {
        let room = self.0.min(MOST_NODES);
        let built = build_with(files, folder, room, flux);
        self.0 -= room.saturating_sub(built.sources.left());
        built
    }
}

impl Overlays {
    /// Builds the kustomizations of these folders, as far as no other one of them names them. Each folder comes with the files that its
    /// kustomization may name.
    pub fn new<F: Files>(folders: &[(PathBuf, F)]) -> Self {
        Self::since(folders, None, None)
    }

    /// The same for the question of an update: `earlier` are the files as they were. An object replaces the one that the same kustomization
    /// built from these. If the folder had no kustomization, the object replaces the one in the earlier file.
    /// `patching`: what the Kustomizations of Flux build.
    pub fn since<F: Files>(
        folders: &[(PathBuf, F)],
        patching: Option<&FluxFolders<'_>>,
        earlier: Option<&dyn Files>,
    ) -> Self {
        let mut earlier = earlier.map(Earlier::new);
        let mut left = NodesLeft::default();
        let builds = folders.iter().map(|(folder, files)| left.build(files, folder, None));
        let builds: Vec<Build> = builds.collect();
        let mut takers: HashMap<PathBuf, BTreeSet<PathBuf>> = HashMap::new();
        for ((folder, _), build) in folders.iter().zip(&builds) {
            for file in &build.resources {
                takers.entry(file.clone()).or_default().insert(folder.clone());
            }
        }
        let by_flux = patching.map(|it| it.build(&mut left)).unwrap_or_default();
        let of_flux = by_flux.iter().flat_map(|it| &it.build.folders);
        let inner = builds.iter().flat_map(|it| it.folders.iter().skip(1));
        let inner: HashSet<&PathBuf> = inner.chain(of_flux).collect();
        // What Flux applies as it is counts, whoever else builds on it.
        let is_applied = |it: &PathBuf| patching.is_some_and(|by| by.applied.contains(it));
        let is_root = |it: &PathBuf| !inner.contains(it) || is_applied(it);
        let is_root: Vec<bool> = folders.iter().map(|it| is_root(&it.0)).collect();
        let roots = folders.iter().zip(builds).zip(is_root);
        let mut overlays = Self {
            takers,
            ..Self::default()
        };
        for (((folder, _), build), is_root) in roots {
            if is_root && !build.is_component {
                overlays.folders.push(folder.clone());
                overlays.builds.push(build);
                overlays.patching.push(None);
            }
        }
        for it in by_flux {
            for file in &it.build.resources {
                overlays
                    .takers
                    .entry(file.clone())
                    .or_default()
                    .insert(it.folder.clone());
            }
            overlays.folders.push(it.folder);
            overlays.builds.push(it.build);
            overlays.patching.push(Some((it.by, it.kustomization)));
        }
        overlays.crds.resize_with(overlays.builds.len(), BuiltCrds::default);
        let mut state = Adding::default();
        for n in 0..overlays.builds.len() {
            overlays.add(n, &mut state, earlier.as_mut());
            // What is judged was taken over.
            overlays.builds[n].objects = Ok(Vec::new());
        }
        let is_dropped = |it: &Key| !state.unknown.contains(&it.0);
        overlays.built.extend(state.dropped.into_iter().filter(is_dropped));
        overlays.built.retain(|it| !state.unchanged.contains(it));
        overlays.failed_before = earlier.map(|it| it.failed).unwrap_or_default();
        overlays
    }

    /// The folders whose kustomizations could not be built from the earlier files: objects are compared with those that were written.
    pub fn failed_before(&self) -> impl Iterator<Item = &Path> {
        self.failed_before.iter().map(PathBuf::as_path)
    }

    /// The files with documents that are judged only as they are built, and those that hold patches.
    pub fn changed_files(&self) -> BTreeSet<&Path> {
        let built = self.built.iter().map(|it| it.0.as_path());
        built.chain(self.patches.iter().map(PathBuf::as_path)).collect()
    }

    /// With what Flux substituted in the earlier files.
    #[must_use]
    pub fn with_old_flux(mut self, flux: Flux) -> Self {
        self.old_flux = flux;
        self
    }

    /// With what Flux substitutes after it has built folders.
    #[must_use]
    pub fn with_flux(mut self, flux: Arc<Flux>) -> Self {
        self.flux = flux;
        self
    }

    fn add(&mut self, number: usize, state: &mut Adding, mut earlier: Option<&mut Earlier<'_>>) {
        let build = &self.builds[number];
        let mut findings = Vec::new();
        for (unread, place) in &build.unread {
            let is_new = match unread {
                Unread::Remote(url) => state.remote.insert(url.clone()),
                Unread::Missing(_) | Unread::Refused(..) | Unread::Made(_) => true,
            };
            if is_new {
                findings.push((*place, told_unread(unread)));
            }
        }
        let is_known = build.unread.is_empty();
        match &build.objects {
            Err(problem) => {
                if let Some((place, mut finding)) = told(problem) {
                    // What has only patches is not meant to be built alone.
                    if build.taken.is_empty() && build.folders.len() == 1 {
                        finding.severity = Severity::Information;
                    }
                    findings.push((place, finding));
                }
                if build.is_changing || self.patching[number].is_some() {
                    self.open.extend(build.resources.iter().cloned());
                }
                state.unknown.extend(build.resources.iter().cloned());
            }
            Ok(objects) => {
                if is_known {
                    self.patches.extend(build.patches.iter().cloned());
                }
                let mut dropped: HashSet<Key> = build.taken.iter().filter_map(|it| key(build, *it)).collect();
                let mut made = Vec::new();
                let mut crds = BuiltCrds::new(build, objects);
                for built in objects {
                    let Some(origin) = key(build, built.origin) else {
                        continue;
                    };
                    dropped.remove(&origin);
                    if !is_judged(&built.node) {
                        continue;
                    }
                    let folder = &self.folders[number];
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    let earlier = earlier.as_deref_mut();
                    let is_as_written = is_as_written(build, built);
                    if is_as_written && !crds.has_that_of(&built.node) {
                        let was_changed = earlier.is_some_and(|it| it.was_changed((folder, by_flux), &built.node));
                        if !was_changed {
                            state.unchanged.insert(origin);
                            continue;
                        }
                    }
                    made.push((built.clone(), origin, is_as_written));
                }
                state.dropped.extend(dropped);
                if let Some(earlier) = earlier.as_deref_mut() {
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    crds.replace(|crd, origin| earlier.text((&self.folders[number], by_flux), crd, origin));
                }
                self.crds[number] = crds;
                for (built, origin, is_as_written) in made {
                    let folder = &self.folders[number];
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    let old = earlier.as_deref_mut();
                    let old = old.and_then(|it| it.text((folder, by_flux), &built.node, &origin.0));
                    self.insert(number, (built, is_as_written), origin, old);
                }
            }
        }
        let build = &self.builds[number];
        for (place, mut finding) in findings {
            finding.span = spans::first_line(build.sources.text_of(place), build.sources.span(place));
            let (path, _) = build.sources.document(place);
            let known = self.findings.entry(path.to_path_buf()).or_default();
            if !known.contains(&finding) {
                known.push(finding);
            }
        }
    }

    fn insert(&mut self, number: usize, (built, is_as_written): (Built, bool), origin: Key, old: Option<Arc<str>>) {
        let build = &self.builds[number];
        let projection = Projection::new(&built.node, &build.sources);
        let mut others: Vec<Key> = Vec::new();
        let mut seen = HashSet::new();
        for place in projection.places() {
            if place.document == built.origin.document || !seen.insert(place.document) {
                continue;
            }
            let (path, index) = build.sources.document(place);
            let other = (path.to_path_buf(), index as usize, None);
            if other.0 != origin.0 && !others.contains(&other) {
                others.push(other);
            }
        }
        let n = self.objects.len();
        self.built.insert(origin.clone());
        self.by_file.entry(origin.0.clone()).or_default().push(n);
        for (path, ..) in &others {
            let of_file = self.by_file.entry(path.clone()).or_default();
            if !of_file.contains(&n) {
                of_file.push(n);
            }
        }
        self.objects.push(Object {
            build: number,
            node: built.node,
            origin,
            origin_place: built.origin,
            others,
            is_as_written,
            old,
            judged: OnceLock::new(),
        });
    }

    /// The files that the kustomizations have asked for, whether they are there or not.
    fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.builds.iter().flat_map(|it| it.sources.files())
    }

    /// Whether what Flux builds from a folder has to do with a file.
    fn is_of(&self, path: &Path, folder: &Path) -> bool {
        let takers = self.takers.get(path);
        path.starts_with(folder) || takers.is_some_and(|it| it.iter().any(|it| it.starts_with(folder)))
    }

    /// Whether something that could not be built may complete the objects of a file.
    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains(path)
    }

    /// Adds the reports on the objects that a file has a part in.
    pub fn complete(&self, path: &Path, report: &mut FileReport, question: &Question<'_>) {
        if let Some(findings) = self.findings.get(path) {
            report.findings.extend(findings.iter().cloned());
        }
        let Some(objects) = self.by_file.get(path) else { return };
        let mut reports: BTreeMap<(usize, Option<usize>, String), DocumentReport> = BTreeMap::new();
        for object in objects.iter().map(|it| &self.objects[*it]) {
            self.add_report(object, path, question, &mut reports);
        }
        report.documents.extend(reports.into_values());
        report.documents.sort_by_key(|it| (it.index, it.item));
    }

    fn judged<'o>(&self, object: &'o Object, question: &Question<'_>) -> &'o Judged {
        object.judged.get_or_init(|| {
            let projection = Projection::new(&object.node, &self.builds[object.build].sources);
            let folder = &self.folders[object.build];
            let of_build = OfBuild {
                variables: self
                    .flux
                    .variables_of(self.patching[object.build].as_ref().map(|it| &it.0), |it| {
                        folder.starts_with(it)
                    }),
                old: self.old_flux.variables(|it| folder.starts_with(it)),
            };
            let crds = question.definitions.map(|others| CrdsOfBuild {
                crds: &self.crds[object.build],
                sources: &self.builds[object.build].sources,
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
                overlays: Some(&of_build),
                ..*question
            };
            let report = analyze(projection.text.clone().into_bytes(), &question);
            Judged { projection, report }
        })
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
        path: &Path,
        question: &Question<'_>,
        reports: &mut BTreeMap<(usize, Option<usize>, String), DocumentReport>,
    ) {
        let judged = self.judged(object, question);
        let sources = &self.builds[object.build].sources;
        let is_origin = object.origin.0 == path;
        let crds = &self.crds[object.build];
        for document in &judged.report.documents {
            let moved = |finding: &Finding| {
                let (place, span) = judged.projection.origin(finding.span, sources)?;
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
                finding.notes.extend(self.by(object.build, path, is_of_crd));
                Some((index as usize, finding))
            };
            let home = if is_origin {
                (object.origin.1, object.origin.2)
            } else {
                let other = object.others.iter().find(|it| it.0 == path);
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
            match reports.get_mut(&key) {
                None => {
                    reports.insert(key, fresh);
                }
                Some(known) => merge(known, fresh),
            }
        }
        if is_origin && sources.tree(object.origin_place).0.comments().is_empty() {
            return;
        }
        if is_origin && let Some(report) = reports.get_mut(&(object.origin.1, object.origin.2, String::new())) {
            let (tree, _) = sources.tree(object.origin_place);
            deferred_search::suppress(tree, report);
        }
    }
}

/// A built object on its own.
struct OfBuild {
    variables: Option<Variables>,
    old: Option<Variables>,
}

impl BuiltDocuments for OfBuild {
    fn variables(&self, _: &Path) -> Option<Variables> {
        self.variables.clone()
    }

    fn old_variables(&self, _: &Path) -> Option<Variables> {
        self.old.clone()
    }

    fn is_built(&self, _: &Path, _: usize, _: Option<usize>) -> bool {
        false
    }
}

impl BuiltDocuments for Overlays {
    fn variables(&self, path: &Path) -> Option<Variables> {
        self.flux.variables(|it| self.is_of(path, it))
    }

    fn old_variables(&self, path: &Path) -> Option<Variables> {
        self.old_flux.variables(|it| self.is_of(path, it))
    }

    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool {
        self.built.contains(&(path.to_owned(), index, item)) || item.is_none() && self.patches.contains(path)
    }
}
