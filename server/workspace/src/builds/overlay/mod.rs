//! Kustomize builds: objects are checked as they are built, and each diagnostic is shown where its cause is written.
//!
//! [`Overlays::new`] builds the kustomizations that no other checked file names. An object that all of them change is checked only as they
//! build it, not as written. If one of them takes it unchanged, it is checked as written, too. A resource whose CRD a kustomization changes is
//! checked against the CRD as built there.

mod as_built;
mod as_written;
mod built_crds;
mod deciders;
mod earlier;
mod flux_children;
mod flux_folders;
mod flux_manifests;
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
use crd_analyzer_kustomize::{Build, Node, Place, ProblemKind, Sources, Unread, Value};
use earlier::Earlier;
pub use flux_folders::FluxFolders;
use flux_folders::{By, ByFlux};
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
    /// The index of the build.
    build: usize,
    node: Node,
    /// The document or item that has the object itself.
    origin: Key,
    origin_place: Place,
    /// The other files that decided a part of it, each with its first such document.
    others: Vec<(Arc<Path>, usize)>,
    /// Whether the object is built as written and only its CRD is changed.
    is_as_written: bool,
    /// The old text of the object, if updates are checked.
    old: Option<Arc<str>>,
    /// The report on it, kept for the next file that contributes to it, while there is room.
    judged: Mutex<Option<Arc<Judged>>>,
    /// Whether the object is skipped because it is too large to check.
    is_left_out: bool,
}

/// A CRD as a kustomization builds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedCrd {
    /// The CRD's own file.
    pub path: PathBuf,
    /// The folder of the kustomization.
    pub folder: PathBuf,
    /// The CRD as built.
    pub text: Arc<str>,
    /// The places where its parts were written.
    pub places: Arc<[BuiltPlace]>,
}

/// The builds of the kustomizations of some files.
#[derive(Default)]
pub struct Overlays {
    builds: Vec<Build>,
    /// The files that the values of all builds come from.
    sources: Sources,
    /// The folder of each build.
    folders: Vec<PathBuf>,
    /// For each build: the Flux Kustomization that adds its own changes.
    patching: Vec<Option<By>>,
    /// The files that Flux Kustomizations were built from which have others below them.
    asked: BTreeSet<Arc<Path>>,
    /// The CRDs that each build changes.
    crds: Vec<BuiltCrds>,
    objects: Vec<Object>,
    /// The indices of the objects that a file contributes to.
    by_file: HashMap<PathBuf, Vec<usize>>,
    /// The documents that are checked only as built, including those that are not built.
    built: HashSet<Key>,
    /// The files that contain only patches of known objects.
    patches: HashSet<PathBuf>,
    /// The files whose objects a failed build may complete.
    open: HashSet<PathBuf>,
    /// The folders of kustomizations that could not be read: see [`Build::misread`].
    misread: HashSet<PathBuf>,
    /// If some kustomizations could not be read: the folders of all kustomizations, and the files that they name as resources.
    read: (HashSet<PathBuf>, HashSet<PathBuf>),
    /// The diagnostics about the kustomizations themselves, by file.
    findings: BTreeMap<PathBuf, Vec<Finding>>,
    /// The folders whose kustomizations take a file, directly or through others.
    takers: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// The variables that Flux substitutes in the builds.
    flux: Arc<Flux>,
    /// The variables that Flux substituted in the old objects.
    old_flux: Flux,
    /// The folders whose kustomizations could not be built from the earlier files.
    failed_before: BTreeSet<PathBuf>,
    /// The size in bytes of the reports that are kept.
    kept: AtomicU64,
}

/// The state collected from the builds added so far.
#[derive(Default)]
struct Adding {
    /// The objects that a build takes as written.
    unchanged: HashSet<Key>,
    /// The objects that a build takes and does not build, because a patch deletes them.
    dropped: HashSet<Key>,
    /// The files of the failed builds.
    unknown: HashSet<PathBuf>,
    /// The remote bases that were reported.
    remote: HashSet<String>,
    /// The reported findings of kustomizations: the place and the headline.
    told: HashSet<(u32, u32, String)>,
    /// The objects that a build contains and that are not checked.
    left_out: HashSet<Key>,
    /// The numbers of the builds that Flux makes of the repository as it is: nothing makes files before.
    as_is: HashSet<usize>,
    run: Run,
}

impl Overlays {
    /// Builds the kustomizations of these folders that no other of these kustomizations names. Each folder comes with the files that its
    /// kustomization may name.
    pub fn new<F: Files>(folders: &[(PathBuf, F)]) -> Self {
        Self::since(folders, None, None)
    }

    /// Like [`Overlays::new`], but also checks updates from the earlier files. An object replaces the one that the same kustomization built
    /// from them, or the one in the earlier file if the folder had no kustomization.
    /// `patching`: the folders that Flux Kustomizations build.
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
        let mut by_flux = by_flux.unwrap_or_default();
        let mut inner: HashSet<PathBuf> = HashSet::new();
        for (folder, _) in by_flux.builds.iter().flat_map(|it| &it.built.build.folders) {
            inner.insert(folder.clone());
        }
        // A folder that Flux applies unchanged is always built, even if other kustomizations use it.
        let is_applied = |it: &PathBuf| by_flux.applied.contains(it);
        let substitutes = by_flux.substitutes;
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
        for it in std::mem::take(&mut by_flux.builds) {
            if substitutes {
                overlays.note_takers(&it.built.build);
            }
            overlays.folders.push(it.folder);
            overlays.builds.push(it.built.build);
            unchanged.push(it.built.unchanged);
            overlays.patching.push(Some(it.by));
        }
        overlays.crds.resize_with(overlays.builds.len(), BuiltCrds::default);
        let builds = overlays.folders.iter().zip(&overlays.patching).enumerate();
        let is_as_is =
            |folder: &PathBuf, is_by: bool| (is_by || by_flux.applied.contains(folder)) && by_flux.is_certain(folder);
        let as_is = builds.filter(|(_, (folder, by))| is_as_is(folder, by.is_some()));
        let mut state = Adding {
            run,
            as_is: as_is.map(|it| it.0).collect(),
            ..Adding::default()
        };
        let ByFlux {
            flux,
            asked,
            paths,
            unfinished,
            ..
        } = by_flux;
        for place in unfinished {
            overlays.tell(&mut state, (place, unjudged::told_of_flux()));
        }
        for (file, finding) in paths.nowhere {
            overlays.findings.entry(file).or_default().push(finding);
        }
        overlays.flux = Arc::new(flux);
        overlays.asked = asked;
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

    /// Records which kustomizations of a build take which files.
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

    /// The folders whose kustomizations could not be built from the earlier files. Their objects are compared with the written ones.
    pub fn failed_before(&self) -> impl Iterator<Item = &Path> {
        self.failed_before.iter().map(PathBuf::as_path)
    }

    /// The files with documents that are checked only as built, and the files with patches.
    pub fn changed_files(&self) -> BTreeSet<&Path> {
        let built = self.built.iter().map(|it| it.0.as_path());
        built.chain(self.patches.iter().map(PathBuf::as_path)).collect()
    }

    /// Sets the variables that Flux substituted in the earlier files.
    #[must_use]
    pub fn with_old_flux(mut self, flux: Flux) -> Self {
        self.old_flux = flux;
        self
    }

    /// Adds the objects of a build. `unchanged`: the objects taken out of the build because it does not change them, if it was searched for
    /// such objects.
    fn add(
        &mut self,
        (number, unchanged): (usize, Option<Vec<Key>>),
        state: &mut Adding,
        mut earlier: Option<&mut Earlier<'_>>,
    ) {
        // Only objects that are checked are kept.
        let objects = std::mem::replace(&mut self.builds[number].objects, Ok(Vec::new()));
        let build = &self.builds[number];
        let sources = &self.sources;
        let mut findings = Vec::new();
        let is_as_is = state.as_is.contains(&number);
        for (unread, place) in &build.unread {
            let is_new = match unread {
                Unread::Remote(url) => state.remote.insert(url.clone()),
                Unread::Missing(_) | Unread::Awaited(_) | Unread::Refused(..) | Unread::Made(..) => true,
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
                    // A folder with only patches is not meant to be built alone. One that cannot be read is never built.
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
                    let by_flux = self.patching[number].as_ref().map(|it| &it.kustomization);
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
                    let by_flux = self.patching[number].as_ref().map(|it| &it.kustomization);
                    crds.replace(|crd, origin| earlier.text((&self.folders[number], by_flux), crd, origin));
                }
                self.crds[number] = crds;
                for (built, origin, (is_as_written, is_left_out)) in made {
                    // Report only one of several skipped objects with the same origin.
                    if is_left_out && !state.left_out.insert(origin.clone()) {
                        continue;
                    }
                    let folder = &self.folders[number];
                    let by_flux = self.patching[number].as_ref().map(|it| &it.kustomization);
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
        for finding in findings {
            self.tell(state, finding);
        }
    }

    /// Adds a finding at a place, unless another build has added it.
    fn tell(&mut self, state: &mut Adding, (place, mut finding): (Place, Finding)) {
        finding.span = spans::first_line(self.sources.text_of(place), self.sources.span(place));
        let at = (place.document, finding.span.start, finding.headline.clone());
        if state.told.insert(at) {
            let (path, _) = self.sources.document(place);
            self.findings.entry(path.to_path_buf()).or_default().push(finding);
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
            // The report only names the object, so its values are not needed.
            object.node.value = Value::Null { is_written: false };
        }
        self.objects.push(object);
    }

    /// The CRDs that kustomizations change with an effect on resources, if all kustomizations that include a CRD change it in the same way.
    pub fn changed_crds(&self) -> Vec<ChangedCrd> {
        // A CRD that one of them takes unchanged is checked as written, too.
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

    /// The files that the kustomizations tried to read, whether they exist or not.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.builds.iter().flat_map(|it| &it.files).chain(&self.asked)
    }

    /// All files that a build tried to read, for each build that tried to read one of these files or one of their folders.
    pub fn beside(&self, files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let folders: HashSet<&Path> = files.iter().filter_map(|it| it.parent()).collect();
        let is_asked = |it: &Arc<Path>| files.contains(&**it) || folders.contains(&**it);
        let builds = self.builds.iter().filter(|it| it.files.iter().any(is_asked));
        let beside = builds.flat_map(|it| &it.files);
        beside.map(|it| it.to_path_buf()).collect()
    }

    /// The paths whose variables apply to a file: the file itself, and the folders whose kustomizations take it.
    fn places_of<'p>(&'p self, path: &'p Path) -> Vec<&'p Path> {
        let takers = self.takers.get(path).into_iter().flatten();
        [path].into_iter().chain(takers.map(PathBuf::as_path)).collect()
    }

    /// Whether a failed build may complete the objects of a file.
    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains(path) || self.may_be_patch(path)
    }

    /// Whether a kustomization that could not be read may name the file as a patch: the nearest one, unless another names it as a resource.
    fn may_be_patch(&self, path: &Path) -> bool {
        let (folders, resources) = &self.read;
        let nearest = || path.ancestors().skip(1).find(|it| folders.contains(*it));
        !self.misread.is_empty() && !resources.contains(path) && nearest().is_some_and(|it| self.misread.contains(it))
    }
}

/// The indices of the folders, first those whose kustomizations no other one names.
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
