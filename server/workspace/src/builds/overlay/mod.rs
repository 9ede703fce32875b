//! What kustomizations build: objects are judged as they are built, and each diagnostic is told where its cause is written.
//!
//! The kustomizations that no other one of the checked files names are built ([`Overlays::new`]). An object that all of them change is judged as they
//! build it, and no more as it is written. What one of them takes as it is, is judged as it is, too. An object whose CRD a kustomization changes is
//! judged by the CRD as it is built there.

mod as_built;
mod as_written;
mod built_crds;
mod deciders;
mod earlier;
mod flux_folders;
mod graph;
mod judged;
mod merging;
mod objects;
mod projection;
mod run;
mod stored;
mod unjudged;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicU64},
};

pub use as_built::AsBuilt;
use built_crds::BuiltCrds;
pub use crd_analyzer_kustomize::Files;
pub use crd_analyzer_kustomize::references;
use crd_analyzer_kustomize::{Build, FluxKustomization, Node, Place, ProblemKind, Sources, Unread, Value};
use earlier::Earlier;
pub use flux_folders::FluxFolders;
pub use graph::{Graph, is_kustomization};
use judged::Judged;
use objects::{Key, is_judged, key, told, told_unread};
use projection::{Projection, Written, documents_of};
use run::{BuiltFolder, Run};
pub use stored::{BuildOf, Stored};

use crate::{
    builds::flux::Flux,
    documents::source::BuiltPlace,
    documents::spans,
    filled_in::variables::Variables,
    findings::finding::{Finding, Severity},
    judging::question::BuiltDocuments,
};

/// One object of one build.
struct Object {
    /// Which build.
    build: usize,
    node: Node,
    /// Where it was written as a whole.
    origin: Key,
    origin_place: Place,
    /// The files that decided something of it, the origin left out, each with the first document of it.
    others: Vec<(Arc<Path>, usize)>,
    /// It is built as it is written there, and its CRD is not.
    is_as_written: bool,
    /// What it replaces, if that was asked.
    old: Option<Arc<str>>,
    /// The report on it, kept for the next file that it has something to do with, as long as there is room.
    judged: Mutex<Option<Arc<Judged>>>,
    /// It is too much to be judged.
    is_left_out: bool,
}

/// A CRD as a kustomization builds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedCrd {
    /// The file that it is written in.
    pub path: PathBuf,
    /// The folder of the kustomization.
    pub folder: PathBuf,
    /// What is built.
    pub text: Arc<str>,
    /// Where its parts were written.
    pub places: Arc<[BuiltPlace]>,
}

/// The kustomizations of some files.
#[derive(Default)]
pub struct Overlays {
    builds: Vec<Build>,
    /// Where the values of all of them come from.
    sources: Sources,
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
    /// The folders of kustomizations that could not be read: see [`Build::misread`].
    misread: HashSet<PathBuf>,
    /// The folders of all kustomizations, and the files that they name as resources, if some could not be read.
    read: (HashSet<PathBuf>, HashSet<PathBuf>),
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
    /// The bytes of the reports that are kept.
    kept: AtomicU64,
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
    /// What was told of kustomizations: where, and the headline.
    told: HashSet<(u32, u32, String)>,
    /// What some of them build and is not judged.
    left_out: HashSet<Key>,
    /// The numbers of the builds that Flux makes of the repository as it is: nothing makes files before.
    as_is: HashSet<usize>,
    run: Run,
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
        let mut run = if earlier.is_some() {
            Run::default()
        } else {
            Run::of_changes()
        };
        let mut overlays = Self::default();
        let by_flux = patching.map(|it| it.build(&mut run, &mut overlays.sources));
        let by_flux = by_flux.unwrap_or_default();
        let mut inner: HashSet<PathBuf> = HashSet::new();
        for (folder, _) in by_flux.iter().flat_map(|it| &it.built.build.folders) {
            inner.insert(folder.clone());
        }
        // What Flux applies as it is counts, whoever else builds on it.
        let is_applied = |it: &PathBuf| patching.is_some_and(|by| by.applied.contains(it));
        let substitutes = patching.is_some_and(|it| it.substitutes);
        let mut roots: Vec<Option<BuiltFolder>> = Vec::new();
        roots.resize_with(folders.len(), || None);
        for n in outermost_first(folders) {
            let (folder, files) = &folders[n];
            if inner.contains(folder) && !is_applied(folder) {
                continue;
            }
            let built = run.build(files, folder, (&mut overlays.sources, None));
            inner.extend(built.build.folders.iter().skip(1).map(|it| it.0.clone()));
            roots[n] = Some(built);
        }
        let mut unchanged = Vec::new();
        for ((folder, _), built) in folders.iter().zip(roots) {
            let Some(built) = built else { continue };
            if substitutes {
                overlays.note_takers(&built.build);
            }
            if !built.build.is_component && (!inner.contains(folder) || is_applied(folder)) {
                overlays.folders.push(folder.clone());
                overlays.builds.push(built.build);
                unchanged.push(built.unchanged);
                overlays.patching.push(None);
            }
        }
        for it in by_flux {
            if substitutes {
                overlays.note_takers(&it.built.build);
            }
            overlays.folders.push(it.folder);
            overlays.builds.push(it.built.build);
            unchanged.push(it.built.unchanged);
            overlays.patching.push(Some((it.by, it.kustomization)));
        }
        overlays.crds.resize_with(overlays.builds.len(), BuiltCrds::default);
        let builds = overlays.folders.iter().zip(&overlays.patching).enumerate();
        let is_as_is = |it: &&FluxFolders<'_>, (folder, by): (&PathBuf, bool)| {
            (by || it.applied.contains(folder)) && it.is_certain(folder)
        };
        let as_is =
            builds.filter(|(_, (folder, by))| patching.is_some_and(|it| is_as_is(&it, (*folder, by.is_some()))));
        let mut state = Adding {
            run,
            as_is: as_is.map(|it| it.0).collect(),
            ..Adding::default()
        };
        for (file, finding) in patching.iter().flat_map(|it| &it.paths.nowhere) {
            overlays.findings.entry(file.clone()).or_default().push(finding.clone());
        }
        for (n, unchanged) in unchanged.into_iter().enumerate() {
            overlays.add((n, unchanged), &mut state, earlier.as_mut());
        }
        if !overlays.misread.is_empty() {
            let resources = overlays.builds.iter().flat_map(|it| &it.resources);
            overlays.read.1 = resources.cloned().collect();
            overlays.read.0 = folders.iter().map(|it| it.0.clone()).collect();
        }
        let is_dropped = |it: &Key| !state.unknown.contains(&it.0);
        overlays.built.extend(state.dropped.into_iter().filter(is_dropped));
        overlays.built.retain(|it| !state.unchanged.contains(it));
        overlays.failed_before = earlier.map(|it| it.failed).unwrap_or_default();
        overlays
    }

    /// Notes which kustomizations of a build take which files.
    fn note_takers(&mut self, build: &Build) {
        for (folder, taken) in &build.folders {
            for file in build.resources.get(taken.clone()).unwrap_or_default() {
                let takers = self.takers.entry(file.clone()).or_default();
                if !takers.contains(folder) {
                    takers.insert(folder.clone());
                }
            }
        }
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

    /// Takes over what a build has made. `unchanged`: the objects that were taken out of it, if some were looked for: the others are changed.
    fn add(
        &mut self,
        (number, unchanged): (usize, Option<Vec<Key>>),
        state: &mut Adding,
        mut earlier: Option<&mut Earlier<'_>>,
    ) {
        // What is judged is taken over.
        let objects = std::mem::replace(&mut self.builds[number].objects, Ok(Vec::new()));
        let build = &self.builds[number];
        let sources = &self.sources;
        let mut findings = Vec::new();
        let is_as_is = state.as_is.contains(&number);
        for (unread, place) in &build.unread {
            let is_new = match unread {
                Unread::Remote(url) => state.remote.insert(url.clone()),
                Unread::Missing(_) | Unread::Refused(..) | Unread::Made(..) => true,
            };
            if is_new {
                findings.push((*place, told_unread(unread, is_as_is)));
            }
        }
        let is_known = build.unread.is_empty();
        match objects {
            Err(problem) => {
                if problem.kind == ProblemKind::TooLarge {
                    findings.extend(unjudged::told(&problem, build, sources));
                } else if let Some((place, mut finding)) = told(&problem, is_as_is) {
                    // What has only patches is not meant to be built alone. What cannot be read is never built.
                    if build.folders.len() == 1 && !build.names_objects && build.misread.is_empty() {
                        finding.severity = Severity::Information;
                    }
                    if !build.misread.is_empty() {
                        let note = "files beside the kustomization may be its patches: they are checked in part";
                        finding.notes.push(note.to_owned());
                    }
                    findings.push((place, finding));
                }
                self.misread.extend(build.misread.iter().cloned());
                self.open.extend(build.patches.iter().cloned());
                if build.is_changing || self.patching[number].is_some() {
                    self.open.extend(build.resources.iter().cloned());
                }
                state.unknown.extend(build.resources.iter().cloned());
            }
            Ok(objects) => {
                if is_known {
                    self.patches.extend(build.patches.iter().cloned());
                }
                let mut dropped: HashSet<Key> = build.taken.iter().filter_map(|it| key(sources, *it)).collect();
                let are_changed = unchanged.is_some();
                for key in unchanged.into_iter().flatten() {
                    dropped.remove(&key);
                    state.unchanged.insert(key);
                }
                let mut made = Vec::new();
                let written = |it: Place| sources.tree(it).0.document_span().range().len();
                let (objects, left_out): (Vec<_>, Vec<_>) = objects
                    .into_iter()
                    .partition(|it| state.run.compares(it, written(it.origin)));
                let mut crds = BuiltCrds::new(sources, &objects);
                for built in objects {
                    let Some(origin) = key(sources, built.origin) else {
                        continue;
                    };
                    dropped.remove(&origin);
                    if !is_judged(&built.node) {
                        continue;
                    }
                    let folder = &self.folders[number];
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    let earlier = earlier.as_deref_mut();
                    let is_as_written = !are_changed && state.run.is_as_written(sources, &built);
                    if is_as_written && !crds.has_that_of(&built.node) {
                        let was_changed = earlier.is_some_and(|it| it.was_changed((folder, by_flux), &built.node));
                        if !was_changed {
                            state.unchanged.insert(origin);
                            continue;
                        }
                    }
                    let is_left_out = !state.run.judges(&built);
                    made.push((built, origin, (is_as_written, is_left_out)));
                }
                for built in left_out {
                    if let Some(origin) = key(sources, built.origin) {
                        dropped.remove(&origin);
                        if is_judged(&built.node) {
                            made.push((built, origin, (false, true)));
                        }
                    }
                }
                state.dropped.extend(dropped);
                if let Some(earlier) = earlier.as_deref_mut() {
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    crds.replace(|crd, origin| earlier.text((&self.folders[number], by_flux), crd, origin));
                }
                self.crds[number] = crds;
                for (built, origin, (is_as_written, is_left_out)) in made {
                    // One of them stands for all.
                    if is_left_out && !state.left_out.insert(origin.clone()) {
                        continue;
                    }
                    let folder = &self.folders[number];
                    let by_flux = self.patching[number].as_ref().map(|it| &it.1);
                    let old = earlier.as_deref_mut();
                    let old = old.and_then(|it| it.text((folder, by_flux), &built.node, &origin.0));
                    self.insert(Object {
                        build: number,
                        node: built.node,
                        origin,
                        origin_place: built.origin,
                        others: Vec::new(),
                        is_as_written,
                        old,
                        judged: Mutex::default(),
                        is_left_out,
                    });
                }
            }
        }
        for (place, mut finding) in findings {
            finding.span = spans::first_line(self.sources.text_of(place), self.sources.span(place));
            let at = (place.document, finding.span.start, finding.headline.clone());
            if state.told.insert(at) {
                let (path, _) = self.sources.document(place);
                self.findings.entry(path.to_path_buf()).or_default().push(finding);
            }
        }
    }

    fn insert(&mut self, mut object: Object) {
        let mut others: BTreeMap<&Arc<Path>, u32> = BTreeMap::new();
        for document in documents_of(&object.node) {
            let (path, index) = self.sources.path_of(document);
            if document != object.origin_place.document && **path != object.origin.0 {
                others.entry(path).or_insert(index);
            }
        }
        let n = self.objects.len();
        self.built.insert(object.origin.clone());
        self.by_file.entry(object.origin.0.clone()).or_default().push(n);
        for (path, index) in others {
            self.by_file.entry(path.to_path_buf()).or_default().push(n);
            object.others.push((path.clone(), index as usize));
        }
        if object.is_left_out {
            // It is named, and nobody asks for its values.
            object.node.value = Value::Null { is_written: false };
        }
        self.objects.push(object);
    }

    /// The CRDs that all kustomizations that take them build in one way, and otherwise than they are written, in what resources are checked by.
    pub fn changed_crds(&self) -> Vec<ChangedCrd> {
        // What one of them takes as it is written is judged as it is written, too.
        let is_crd = |it: &&Object| built_crds::defined(&it.node).is_some() && self.built.contains(&it.origin);
        let mut by_origin: BTreeMap<&Key, Vec<&Object>> = BTreeMap::new();
        for object in self.objects.iter().filter(is_crd) {
            by_origin.entry(&object.origin).or_default().push(object);
        }
        let mut files = Written::new();
        let changed = by_origin.into_iter().filter_map(|(origin, objects)| {
            let first = objects.first()?;
            let spec = built_crds::spec(first.node.to_json());
            let is_same = |it: &&Object| built_crds::spec(it.node.to_json()) == spec;
            let is_changed = built_crds::written_spec(&self.sources, first.origin_place)? != spec;
            let counts = is_changed && objects[1..].iter().all(is_same);
            counts.then(|| {
                let projection = Projection::new(&first.node, &self.sources);
                ChangedCrd {
                    path: origin.0.clone(),
                    folder: self.folders[first.build].clone(),
                    places: projection.places(&self.sources, &mut files),
                    text: projection.text.into(),
                }
            })
        });
        changed.collect()
    }

    /// The files that the kustomizations have asked for, whether they are there or not.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.builds.iter().flat_map(|it| &it.files)
    }

    /// The files that the builds have asked for which have asked for one of these files, or for a folder around one.
    pub fn beside(&self, files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let folders: HashSet<&Path> = files.iter().filter_map(|it| it.parent()).collect();
        let is_asked = |it: &Arc<Path>| files.contains(&**it) || folders.contains(&**it);
        let builds = self.builds.iter().filter(|it| it.files.iter().any(is_asked));
        let beside = builds.flat_map(|it| &it.files);
        beside.map(|it| it.to_path_buf()).collect()
    }

    /// What Flux builds from a folder has to do with a file if one of these is in the folder: the file, and the folders whose kustomizations
    /// take it.
    fn places_of<'p>(&'p self, path: &'p Path) -> Vec<&'p Path> {
        let takers = self.takers.get(path).into_iter().flatten();
        [path].into_iter().chain(takers.map(PathBuf::as_path)).collect()
    }

    /// Whether something that could not be built may complete the objects of a file.
    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains(path) || self.may_be_patch(path)
    }

    /// Whether a kustomization that could not be read may name the file as a patch: the nearest one, where no other one names it as a resource.
    fn may_be_patch(&self, path: &Path) -> bool {
        let (folders, resources) = &self.read;
        let nearest = || path.ancestors().skip(1).find(|it| folders.contains(*it));
        !self.misread.is_empty() && !resources.contains(path) && nearest().is_some_and(|it| self.misread.contains(it))
    }
}

/// The positions of the folders, those first whose kustomizations no other one names.
fn outermost_first<F: Files>(folders: &[(PathBuf, F)]) -> Vec<usize> {
    let mut named: HashSet<PathBuf> = HashSet::new();
    let known: HashSet<&Path> = folders.iter().map(|it| it.0.as_path()).collect();
    for (folder, files) in folders {
        let names = references(files, folder).unwrap_or_default();
        named.extend(
            names
                .into_iter()
                .filter(|it| it != folder && known.contains(it.as_path())),
        );
    }
    let (inner, outer): (Vec<usize>, Vec<usize>) = (0..folders.len()).partition(|it| named.contains(&folders[*it].0));
    outer.into_iter().chain(inner).collect()
}

impl BuiltDocuments for Overlays {
    fn variables(&self, path: &Path) -> Option<Arc<Variables>> {
        self.flux.variables(&self.places_of(path))
    }

    fn old_variables(&self, path: &Path) -> Option<Arc<Variables>> {
        self.old_flux.variables(&self.places_of(path))
    }

    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool {
        self.built.contains(&(path.to_owned(), index, item)) || item.is_none() && self.patches.contains(path)
    }
}
