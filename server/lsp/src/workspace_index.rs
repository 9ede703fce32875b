//! The index of the objects in all manifests of the workspace folders, with open documents in their current state.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crd_analyzer_ide::{completion, file::File};
use crd_analyzer_io::{
    collected,
    read::{self, Access, Kind, Stamp},
    repository::describe,
    roots::{Roots, repository},
};
use crd_analyzer_workspace::{
    builds::flux::FluxFiles,
    config::crd_paths::CrdPath,
    index::{
        Catalog, CrdText, Definitions, Files, Found, GroupKind, KnownCrd, NewFile, Origin, Resource,
        lock::{self, Locked},
        objects, objects_of,
    },
    sources,
};

use crate::{
    documents::Documents, overlays::Found as Kustomizations, scan, session::Session, settings::Settings, side_by_side,
};

/// The files on disk.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        read::found(path).ok()
    }
}

/// The index of the workspace.
pub(crate) struct Workspace {
    pub(crate) catalog: Catalog,
    /// The files that may matter to Flux.
    pub(crate) flux_files: FluxFiles,
    /// Locked while changed documents are indexed.
    looking: Mutex<()>,
    /// The indexed files on disk.
    on_disk: Mutex<BTreeMap<PathBuf, (Stamp, Origin)>>,
    /// The parsed CRD files that features used most recently.
    files: Mutex<Vec<(Arc<CrdText>, Arc<File>)>>,
}

/// The roots of the repositories that contain the folders.
fn roots(folders: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    folders.iter().map(|it| repository(it).unwrap_or_else(|| it.clone()))
}

/// The maximum number of parsed CRD files to keep.
const KEPT: usize = 4;

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            catalog: Catalog::new(Disk),
            flux_files: FluxFiles::default(),
            looking: Mutex::default(),
            on_disk: Mutex::default(),
            files: Mutex::default(),
        }
    }
}

impl Workspace {
    /// The parsed file of a CRD.
    pub(crate) fn file_of(&self, definition: &Arc<CrdText>) -> Arc<File> {
        let kept = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().iter().find(|it| Arc::ptr_eq(&it.0, definition)) {
            return known.1.clone();
        }
        let file = Arc::new(File::new(definition.source.text.clone(), Arc::default()));
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((definition.clone(), file.clone()));
        file
    }

    /// Indexes changed open documents and closed files. Returns the kinds whose CRDs have changed.
    pub(crate) fn sync(&self, documents: &Documents) -> BTreeSet<GroupKind> {
        // A second caller waits until the first one is done.
        let _only = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = BTreeSet::new();
        for place in documents.take_changed() {
            if sources::of(&place).is_some() {
                continue;
            }
            let Some(snapshot) = documents.at(&place) else {
                changed.append(&mut self.look_at_file(&place));
                continue;
            };
            snapshot.refresh_tree();
            let text = snapshot.content();
            let found = objects_of(&text);
            let file = NewFile {
                path: &place,
                origin: self.origin_of(&place),
                text: &text,
                objects: &found,
                keep_text: true,
            };
            changed.append(&mut self.catalog.change(|index| index.set(&file)));
        }
        changed
    }

    /// The indexed manifests on disk.
    pub(crate) fn manifests(&self) -> Vec<PathBuf> {
        let on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        on_disk.keys().cloned().collect()
    }

    /// Up to `most` of the indexed manifests on disk that follow `after`, as they were indexed.
    pub(crate) fn stamps(&self, after: Option<&Path>, most: usize) -> Vec<(PathBuf, Stamp)> {
        let on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rest = on_disk.range::<Path, _>((start, Bound::Unbounded));
        rest.take(most).map(|(path, it)| (path.clone(), it.0)).collect()
    }

    /// Whether a file on disk is indexed.
    pub(crate) fn is_indexed(&self, path: &Path) -> bool {
        let on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        on_disk.contains_key(path)
    }

    fn origin_of(&self, path: &Path) -> Origin {
        let on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        // A new file in this folder is a collected CRD, and a changed lock will announce it.
        let is_collected = || path.iter().any(|it| it == lock::FOLDER);
        let new = || {
            if is_collected() {
                Origin::Collected
            } else {
                Origin::Workspace
            }
        };
        on_disk.get(path).map_or_else(new, |it| it.1)
    }

    /// Indexes a file that is not open, as it is on disk.
    fn look_at_file(&self, path: &Path) -> BTreeSet<GroupKind> {
        let origin = self.origin_of(path);
        // A document that is not a file has no absolute path.
        let file = Some(path).filter(|it| it.is_absolute());
        let bytes = file
            .and_then(read::stamp)
            .and_then(|stamp| Some((stamp, read::found(path).ok()?)));
        let mut on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((stamp, bytes)) = bytes else {
            on_disk.remove(path);
            drop(on_disk);
            return self.catalog.change(|index| index.remove(path));
        };
        on_disk.insert(path.to_owned(), (stamp, origin));
        drop(on_disk);
        self.put(path, origin, bytes)
    }

    fn put(&self, path: &Path, origin: Origin, bytes: Vec<u8>) -> BTreeSet<GroupKind> {
        let (text, found) = objects(bytes);
        self.flux_files.note(path, &text);
        let file = NewFile {
            path,
            origin,
            text: &text,
            objects: &found,
            keep_text: false,
        };
        self.catalog.change(|index| index.set(&file))
    }

    /// Indexes files that changed on disk, except open ones.
    pub(crate) fn files_changed(&self, paths: &[PathBuf], documents: &Documents) -> BTreeSet<GroupKind> {
        let closed = paths.iter().filter(|it| !documents.is_open_at(it));
        closed.flat_map(|it| self.look_at_file(it)).collect()
    }

    /// Sets the repositories of these folders. Returns the kinds for which another CRD may now be chosen.
    pub(crate) fn set_folders(&self, folders: &[PathBuf]) -> BTreeSet<GroupKind> {
        let roots = roots(folders).collect();
        self.catalog.change(|index| index.set_roots(roots))
    }

    /// Reads the descriptions of these folders' repositories. Returns the kinds for which another CRD may now be chosen.
    pub(crate) fn describe_folders(&self, folders: &[PathBuf]) -> BTreeSet<GroupKind> {
        let repositories = roots(folders).map(|it| describe(&it)).collect();
        self.catalog.change(|index| index.set_repositories(repositories))
    }

    /// The number of manifests that must be read to update the index.
    pub(crate) fn unread(&self, manifests: &Manifests) -> usize {
        let on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |path: &PathBuf| on_disk.get(path).is_some_and(|it| Some(it.0) == read::stamp(path));
        let files = manifests.files.keys().filter(|it| !manifests.locked.contains_key(*it));
        files.filter(|it| !is_known(it)).count()
    }

    /// Indexes the files that have changed since they were last indexed, and removes files that are not listed. `done` counts them.
    pub(crate) fn look_at(
        &self,
        manifests: &Manifests,
        documents: &Documents,
        done: &AtomicUsize,
    ) -> BTreeSet<GroupKind> {
        let Manifests { files, locked, .. } = manifests;
        let mut changed = BTreeSet::new();
        {
            let mut on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
            let gone: Vec<_> = on_disk.keys().filter(|it| !files.contains_key(*it)).cloned().collect();
            for path in gone {
                on_disk.remove(&path);
                self.flux_files.note(&path, "");
                if !documents.is_open_at(&path) {
                    changed.append(&mut self.catalog.change(|index| index.remove(&path)));
                }
            }
        }
        let work: Vec<_> = files.iter().collect();
        let all = Mutex::new(changed);
        side_by_side::for_each(&work, |(path, origin)| {
            done.fetch_add(1, Ordering::Relaxed);
            let Some(stamp) = read::stamp(path) else { return };
            let known = {
                let mut on_disk = self.on_disk.lock().unwrap_or_else(PoisonError::into_inner);
                on_disk.insert((*path).clone(), (stamp, **origin))
            };
            if known == Some((stamp, **origin)) || documents.is_open_at(path) {
                return;
            }
            let changed = match locked.get(*path) {
                Some((name, locked)) => Some(self.catalog.change(|index| index.set_locked(path, name, locked))),
                None => read::found(path).ok().map(|it| self.put(path, **origin, it)),
            };
            if let Some(mut changed) = changed {
                all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut changed);
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The manifests of a workspace.
pub(crate) struct Manifests {
    /// The manifests in the workspace folders and at the paths in settings and configuration files, and the collected CRDs.
    pub(crate) files: BTreeMap<PathBuf, Origin>,
    /// The lock entries of collected CRDs: the name, and the rest of the entry.
    locked: BTreeMap<PathBuf, (String, Locked)>,
    pub(crate) kustomizations: Kustomizations,
    /// The problems to report to the user, such as unreadable files.
    pub(crate) problems: Vec<String>,
}

/// Finds the manifests of a workspace. `is_trusted` means that the settings come from the user and not from the workspace.
pub(crate) fn files_of(settings: &Settings, folders: &[PathBuf], is_trusted: bool) -> Manifests {
    let mut files = BTreeMap::new();
    let (manifests, mut problems) = scan::manifests(folders);
    let access = Access::Within(Arc::new(Roots::new(folders.iter().map(PathBuf::as_path))));
    let is_excluded = |it: &PathBuf| settings.for_file(Some(it), folders).is_excluded;
    let own: Vec<PathBuf> = manifests.iter().filter(|it| !is_excluded(it)).cloned().collect();
    let kustomizations = Kustomizations::new(&own, &access);
    let mut told = Vec::new();
    for (mut path, access) in crd_paths(settings, folders, &manifests, is_trusted) {
        match read::kind(&path.base, &access) {
            Ok((Kind::File, file)) => {
                files.insert(read::real(file), Origin::Configured);
            }
            Ok((Kind::Folder, folder)) => {
                let (below, more) = scan::manifests(std::slice::from_ref(&folder));
                problems.extend(more);
                path.base = folder;
                let meant = below.into_iter().filter(|it| path.holds(it));
                files.extend(meant.map(|it| (it, Origin::Configured)));
            }
            // The file may be created later.
            Err(why) if why.is_missing() => {}
            Err(why) => told.push(format!("the CRDs in `{}` are not used: {why}", path.base.display())),
        }
    }
    let mut locked = BTreeMap::new();
    let around = places(folders, &manifests).into_iter().map(|it| (it, &access));
    for found in collected::around(around) {
        match found {
            Ok(found) => {
                told.extend(found.problems());
                for (name, it) in &found.lock.crds {
                    let path = found.file_of(name);
                    files.insert(path.clone(), Origin::Collected);
                    locked.insert(path, (name.clone(), it.clone()));
                }
            }
            Err(why) => told.push(format!("the definitions of a lock are not used: {why}")),
        }
    }
    for it in own {
        locked.remove(&it);
        files.insert(it, Origin::Workspace);
    }
    told.extend(
        problems
            .into_iter()
            .map(|it| format!("{}: {}", it.path.display(), it.why)),
    );
    Manifests {
        files,
        locked,
        kustomizations,
        problems: told,
    }
}

/// Folders with files that affect the workspace: the folders of manifests, and the workspace folders with their parents.
fn places<'a>(folders: &'a [PathBuf], manifests: &'a [PathBuf]) -> BTreeSet<&'a Path> {
    let with_manifests = manifests.iter().filter_map(|it| it.parent());
    let around = folders.iter().flat_map(|it| it.ancestors());
    with_manifests.chain(around).collect()
}

/// The paths of CRDs in the settings, each with the access that is allowed there.
fn crd_paths(
    settings: &Settings,
    folders: &[PathBuf],
    manifests: &[PathBuf],
    is_trusted: bool,
) -> Vec<(CrdPath, Access)> {
    let roots = || Roots::new(folders.iter().map(PathBuf::as_path));
    let mut paths = Vec::new();
    let mut add = |crds: &[String], folder: &Path, access: &Access| {
        let read = crds.iter().filter_map(|it| CrdPath::parse(it, folder).ok());
        paths.extend(read.map(|it| (it, access.clone())));
    };
    for folder in folders {
        let access = if is_trusted {
            Access::Named
        } else {
            Access::Within(Arc::new(roots().and_around(folder)))
        };
        add(settings.crds(), folder, &access);
    }
    for folder in places(folders, manifests) {
        let found = settings.configs.of(folder, &roots);
        if let Some(Ok(config)) = found.as_ref().map(|it| &it.config)
            && !config.crds.is_empty()
        {
            let access = Access::Within(Arc::new(roots().and_around(folder)));
            add(&config.crds, folder, &access);
        }
    }
    paths
}

/// The CRDs of the workspace for an analysis. Indexes changed open documents before each query.
pub(crate) struct SyncedIndex<'a>(pub(crate) &'a Arc<Session>);

impl Definitions for SyncedIndex<'_> {
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        self.0.sync();
        self.0.workspace.catalog.find(kind, near)
    }

    fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.0.workspace.catalog.meant(kind)
    }

    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.0.workspace.catalog.elsewhere(kind)
    }

    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        self.0.workspace.catalog.whole(name, path)
    }

    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        self.0.workspace.catalog.webhook(resource)
    }

    fn files(&self) -> &dyn Files {
        &Disk
    }

    fn previous(&self, _: &KnownCrd) -> Option<Arc<KnownCrd>> {
        None
    }
}

/// The index as seen from a file.
pub(crate) struct NearbyIndex<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) near: Option<PathBuf>,
}

impl completion::Definitions for NearbyIndex<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let near = self.near.as_deref().unwrap_or(Path::new("/"));
        let found = SyncedIndex(self.session).find(kind, near)?;
        found.definition.text(&Disk)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.session.sync();
        let catalog = &self.session.workspace.catalog;
        let mut kinds: Vec<_> = catalog.with(|index| index.definitions().map(|it| it.defines.clone()).collect());
        kinds.sort();
        kinds.dedup();
        kinds
    }
}
