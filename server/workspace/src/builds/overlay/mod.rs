//! Checks objects as kustomizations build them, and shows each diagnostic where its cause is written.
//!
//! [`Overlays::new`] builds the kustomizations that no other kustomization names. If all of them change an object, the object is checked only as
//! built. If one of them uses the object unchanged, it is checked as written, too. A resource whose CRD a kustomization changes is checked against
//! the built CRD.

mod adding;
mod as_built;
mod as_written;
mod built_crds;
mod changed_values;
mod deciders;
mod earlier;
mod flux_children;
mod flux_folders;
mod flux_manifests;
mod graph;
mod judged;
mod merging;
mod objects;
mod outside;
mod own_errors;
mod projection;
mod run;
mod stored;
mod takers;
mod targets;
mod unjudged;
mod unreadable;
mod without_value;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use adding::Adding;
pub use as_built::AsBuilt;
use built_crds::BuiltCrds;
pub use changed_values::{Becomes, ChangedValue};
pub use crd_analyzer_kustomize::Files;
pub use crd_analyzer_kustomize::references;
use crd_analyzer_kustomize::{Build, Node, Place, ProblemKind, Sources, Unread, Value};
use crd_analyzer_syntax::tree::Span;
use earlier::Earlier;
pub use flux_folders::FluxFolders;
use flux_folders::{By, ByFlux};
use graph::outermost_first;
pub use graph::{Graph, is_kustomization};
use judged::Judged;
use objects::{Key, changed_files, is_judged, key, told, told_unread};
use outside::OutsideOfRun;
use projection::{Projection, Written, documents_of};
use run::{BuiltFolder, Run};
pub use stored::{BuildOf, Stored};
use takers::Takers;
use unreadable::UnreadableFiles;

use crate::{
    builds::flux::Flux,
    documents::source::BuiltPlace,
    documents::spans,
    filled_in::variables::Variables,
    findings::finding::{Finding, Severity},
    judging::question::BuiltDocuments,
};

/// An object in one of the builds.
struct Object {
    /// The index of the build.
    build: usize,
    node: Node,
    /// The document or item that contains the object itself.
    origin: Key,
    origin_place: Place,
    /// The other files that set a part of the object, each with the first document that does so.
    others: Vec<(Arc<Path>, usize)>,
    /// Whether only the object's CRD is changed, and the object itself is built as written.
    is_as_written: bool,
    /// The old text of the object, if updates are checked.
    old: Option<Arc<str>>,
    /// The report on the object. It is kept for the next file that contributes to the object, within a size limit.
    judged: Mutex<Option<Arc<Judged>>>,
    /// Whether the object is too large to be checked.
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
    /// The places where the parts of the CRD are written.
    pub places: Arc<[BuiltPlace]>,
}

/// The builds by the kustomizations of some folders.
#[derive(Default)]
pub struct Overlays {
    builds: Vec<Build>,
    /// The files from which the values of all builds come.
    sources: Sources,
    /// The folder of each build.
    folders: Vec<PathBuf>,
    /// The Flux Kustomization of each build, if it changes objects.
    patching: Vec<Option<By>>,
    /// The files that the builds of Flux Kustomizations with children tried to read.
    asked: BTreeSet<Arc<Path>>,
    /// The CRDs that each build changes.
    crds: Vec<BuiltCrds>,
    objects: Vec<Object>,
    /// The indices of the objects that a file contributes to.
    by_file: HashMap<PathBuf, Vec<usize>>,
    /// The documents that are not checked as written. Some of them are not part of any built object.
    built: HashSet<Key>,
    /// The files that contain only patches of known objects.
    patches: HashSet<PathBuf>,
    /// The files whose objects may be incomplete, because a failed build may complete them.
    open: HashSet<PathBuf>,
    /// The folders of kustomizations that could not be read: see [`Build::misread`].
    misread: HashSet<PathBuf>,
    /// If some kustomizations could not be read: the folders of all kustomizations, and the files that these name as resources.
    read: (HashSet<PathBuf>, HashSet<PathBuf>),
    /// The diagnostics about the kustomizations themselves, by file.
    findings: BTreeMap<PathBuf, Vec<Finding>>,
    /// The diagnostics about files that builds cannot read.
    unreadable: UnreadableFiles,
    takers: Takers,
    /// The variables that Flux substitutes in the builds.
    flux: Arc<Flux>,
    /// The variables that Flux substituted in the old objects.
    old_flux: Flux,
    /// The folders whose kustomizations could not be built from the earlier files.
    failed_before: BTreeSet<PathBuf>,
    /// The folder from which notes name the folders of builds. `None` means the folder of the file that has the note.
    named_from: Option<PathBuf>,
    /// The total size of the cached reports, in bytes.
    kept: AtomicU64,
}

impl Overlays {
    /// Builds the kustomizations of these folders, except those that another one of them names. Each folder comes with the files that its
    /// kustomization may read.
    pub fn new<F: Files>(folders: &[(PathBuf, F)]) -> Self {
        Self::since(folders, None, None, None)
    }

    /// Like [`Overlays::new`], but also checks updates from the earlier files. An object replaces the object that the same kustomization built from
    /// the earlier files. If the folder had no kustomization, it replaces the object in the earlier file. `patching` has the folders that Flux
    /// Kustomizations build. `is_checked` tells the files that show their own errors, which are then not repeated where a build fails because of them.
    pub fn since<F: Files>(
        folders: &[(PathBuf, F)],
        patching: Option<&FluxFolders<'_>>,
        earlier: Option<&dyn Files>,
        is_checked: Option<&dyn Fn(&Path) -> bool>,
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
        overlays.takers = std::mem::take(&mut by_flux.takers);
        let mut inner: HashSet<PathBuf> = HashSet::new();
        for (folder, _) in by_flux.builds.iter().flat_map(|it| &it.built.build.folders) {
            inner.insert(folder.clone());
        }
        // If Flux applies a folder unchanged, the folder is built even if other kustomizations use it.
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
                overlays.takers.note(&built, &overlays.sources);
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
                overlays.takers.note(&it.built, &overlays.sources);
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
        let is_by_flux = |(_, (folder, by)): &(usize, (&PathBuf, &Option<By>))| by.is_some() || is_applied(folder);
        let outside = OutsideOfRun::of(builds.clone().filter(is_by_flux).map(|it| it.0));
        let as_is = builds.filter(|(_, (folder, by))| is_as_is(folder, by.is_some()));
        let mut state = Adding {
            run,
            as_is: as_is.map(|it| it.0).collect(),
            outside,
            is_checked,
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
        for finding in std::mem::take(&mut state.targets).findings() {
            overlays.tell(&mut state, finding);
        }
        for (file, finding) in without_value::findings(&overlays) {
            overlays.findings.entry(file).or_default().push(finding);
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

    /// The folders whose kustomizations could not be built from the earlier files. Their objects are compared with the objects as written.
    pub fn failed_before(&self) -> impl Iterator<Item = &Path> {
        self.failed_before.iter().map(PathBuf::as_path)
    }

    /// The files with documents that are not checked as written, and the files with patches.
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

    /// Sets the folder from which notes name the folders of builds, such as the working directory.
    #[must_use]
    pub fn named_from(mut self, folder: PathBuf) -> Self {
        self.named_from = Some(folder);
        self
    }

    /// Adds the objects of a build. `unchanged` has the objects that were removed from the build because it does not change them. It is `None` if the
    /// build was not searched for them.
    fn add(
        &mut self,
        (number, unchanged): (usize, Option<Vec<Key>>),
        state: &mut Adding<'_>,
        mut earlier: Option<&mut Earlier<'_>>,
    ) {
        // Take the objects out of the build, so that those that are not checked are freed.
        let objects = std::mem::replace(&mut self.builds[number].objects, Ok(Vec::new()));
        let targets = std::mem::take(&mut self.builds[number].targets);
        // A kustomization that contains only patches is not meant to be built by itself.
        let is_whole = objects.is_ok() && self.builds[number].names_objects;
        state.targets.add(targets, is_whole);
        let build = &self.builds[number];
        let sources = &self.sources;
        let mut findings = Vec::new();
        let is_as_is = state.as_is.contains(&number);
        for (unread, place) in &build.unread {
            let is_new = match unread {
                Unread::Remote(url) | Unread::RemoteFile(url) => state.remote.insert(url.clone()),
                Unread::Missing(..) | Unread::Awaited(_) | Unread::Refused(..) | Unread::Made(..) => true,
            };
            if is_new {
                findings.push((*place, told_unread(unread, is_as_is)));
            }
        }
        findings.extend(state.outside.findings(number, build));
        let is_known = build.unread.is_empty();
        match objects {
            Err(problem) => {
                // What a patch means is known only in the objects that it changes. An author mends the kustomization first.
                let is_failure = problem.kind == ProblemKind::Fails && build.names_objects && build.misread.is_empty();
                let leaves_patches = is_failure && !build.patches.is_empty();
                if problem.kind == ProblemKind::TooLarge {
                    findings.extend(unjudged::told(&problem, build, sources));
                } else if let Some((place, mut finding)) = told(&problem, sources, is_as_is) {
                    // A folder that contains only patches is not meant to be built by itself, so the finding is only information. If the
                    // kustomization cannot be read, it can never be built.
                    if build.folders.len() == 1 && !build.names_objects && build.misread.is_empty() {
                        finding.severity = Severity::Information;
                    }
                    if !build.misread.is_empty() {
                        let note = "files beside the kustomization may be its patches: they are checked in part";
                        finding.notes.push(note.to_owned());
                    }
                    if leaves_patches {
                        let note = "the patches of the kustomization are checked as soon as it can be built";
                        finding.notes.push(note.to_owned());
                    }
                    match state.unreadable(&problem) {
                        Some(file) => self.unreadable.add(file, &finding),
                        None => findings.push((place, finding)),
                    }
                }
                self.misread.extend(build.misread.iter().cloned());
                let of_patches = if leaves_patches {
                    &mut self.patches
                } else {
                    &mut self.open
                };
                of_patches.extend(build.patches.iter().cloned());
                if self.patching[number].is_some() {
                    self.open.extend(build.resources.iter().cloned());
                } else if !build.changes.is_empty() {
                    self.open.extend(changed_files(build, sources));
                }
                state.unknown.extend(build.resources.iter().cloned());
            }
            Ok(objects) => {
                // A patch may be for an object that could not be read.
                let of_patches = if is_known { &mut self.patches } else { &mut self.open };
                of_patches.extend(build.patches.iter().cloned());
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
                    // If several skipped objects have the same origin, report only one.
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

    /// Adds a finding at a place, unless another build has already added it.
    fn tell(&mut self, state: &mut Adding<'_>, (place, mut finding): (Place, Finding)) {
        let span = Some(finding.span).filter(|it| *it != Span::default());
        let span = span.unwrap_or_else(|| self.sources.span(place));
        finding.span = spans::first_line(self.sources.text_of(place), span);
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
            // The report on a skipped object only names it, so free its values.
            object.node.value = Value::Null { is_written: false };
        }
        self.objects.push(object);
    }

    /// The CRDs that kustomizations change in a way that affects resources. A CRD is included only if all kustomizations that contain it change it in
    /// the same way.
    pub fn changed_crds(&self) -> Vec<ChangedCrd> {
        // A CRD that one kustomization uses unchanged is checked as written, and is not in `built`.
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

    /// For each kustomization that was built, but not by Flux: its folder, the folders of the kustomizations that it names, and the files with
    /// resources and patches that go into the build.
    pub fn kustomized(
        &self,
    ) -> impl Iterator<Item = (&Path, impl Iterator<Item = &Path>, impl Iterator<Item = &Path>)> {
        let builds = self.builds.iter().zip(&self.folders).zip(&self.patching);
        builds.filter(|it| it.1.is_none()).map(|((build, folder), _)| {
            let inner = build.folders.iter().skip(1).map(|it| it.0.as_path());
            let files = build.resources.iter().chain(&build.patches).map(PathBuf::as_path);
            (folder.as_path(), inner, files)
        })
    }

    /// The objects that a file contributes to.
    fn objects_of(&self, path: &Path) -> impl Iterator<Item = &Object> {
        let numbers = self.by_file.get(path).into_iter().flatten();
        numbers.map(|it| &self.objects[*it])
    }

    /// The files that the kustomizations read or tried to read.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.builds.iter().flat_map(|it| &it.files).chain(&self.asked)
    }

    /// For each build that tried to read one of these files or a folder that contains one: all files that the build tried to read, and the file of the
    /// Flux Kustomization that changes its objects.
    pub fn beside(&self, files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let folders: HashSet<&Path> = files.iter().filter_map(|it| it.parent()).collect();
        let is_asked = |it: &Arc<Path>| files.contains(&**it) || folders.contains(&**it);
        let mut beside = BTreeSet::new();
        for ((build, folder), by) in self.builds.iter().zip(&self.folders).zip(&self.patching) {
            // Flux takes all files of a folder without a kustomization, so a deleted file changes the build, too.
            let is_in = || files.iter().any(|it| it.starts_with(folder));
            if build.files.iter().any(is_asked) || by.is_some() && is_in() {
                beside.extend(build.files.iter().map(|it| it.to_path_buf()));
                beside.extend(by.iter().map(|it| it.file.clone()));
            }
        }
        beside
    }

    /// Whether a file contains only patches of known objects.
    pub fn is_patch(&self, path: &Path) -> bool {
        self.patches.contains(path)
    }

    /// Whether the objects of a file may be incomplete, because a failed build may complete them.
    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains(path) || self.may_be_patch(path)
    }

    /// Whether a file may be a patch of a kustomization that could not be read. This is so if the nearest kustomization could not be read, and no
    /// other names the file as a resource.
    fn may_be_patch(&self, path: &Path) -> bool {
        let (folders, resources) = &self.read;
        let nearest = || path.ancestors().skip(1).find(|it| folders.contains(*it));
        !self.misread.is_empty() && !resources.contains(path) && nearest().is_some_and(|it| self.misread.contains(it))
    }
}

impl BuiltDocuments for Overlays {
    fn variables(&self, path: &Path) -> Option<Arc<Variables>> {
        self.flux.variables(&self.takers.places_of(path))
    }

    fn old_variables(&self, path: &Path) -> Option<Arc<Variables>> {
        self.old_flux.variables(&self.takers.places_of(path))
    }

    fn substituted(&self, path: &Path, index: usize) -> Option<Arc<Variables>> {
        let is_certain = !self.takers.is_off(path, index) && self.takers.is_substituted(path);
        is_certain.then(|| self.variables(path)).flatten()
    }

    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool {
        self.built.contains(&(path.to_owned(), index, item)) || item.is_none() && self.patches.contains(path)
    }
}
