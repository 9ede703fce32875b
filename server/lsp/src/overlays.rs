//! The state of the workspace's kustomizations and Flux Kustomizations.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crd_analyzer_io::{
    kustomize::Disk,
    read::{self, Access, FOUND_BYTES},
    roots::{self, Roots},
};
use crd_analyzer_workspace::{
    builds::flux::{Building, Flux, FluxFiles, MayHold},
    builds::kustomize::FILE_NAMES,
    builds::overlay::{AsBuilt, Files, Graph, is_kustomization},
    index::Fingerprint,
};

use crate::{documents::Documents, pause::Pause};

/// The maximum number of kustomizations of a workspace to build. Others are ignored.
const MOST_FOLDERS: usize = 5_000;

/// The state of the workspace's kustomizations.
#[derive(Debug, Default)]
pub(crate) struct Overlays {
    known: Mutex<Known>,
    /// The files that have changed since the last call of `take_changed`.
    changed: Mutex<BTreeSet<PathBuf>>,
    pub(crate) pause: Pause,
    /// The number of changes to CRDs and settings, on which all results depend.
    epoch: AtomicU64,
    /// Locked while objects are built, so that only one file is built at a time.
    pub(crate) building: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    /// Whether the workspace has been scanned.
    is_ready: bool,
    graph: Graph,
    /// The Flux objects in each file.
    flux_files: BTreeMap<PathBuf, Flux>,
    flux: Arc<Flux>,
    /// The built objects of open files, by path.
    built: HashMap<PathBuf, Entry>,
    crds: BuiltFrom,
}

/// The files that went into the last build of the CRDs that kustomizations change.
#[derive(Debug, Default)]
struct BuiltFrom {
    /// The folders of the kustomizations.
    folders: BTreeSet<PathBuf>,
    /// The files that the kustomizations tried to read, with fingerprints of their text. `None` for missing files.
    files: HashMap<Arc<Path>, Option<Fingerprint>>,
}

#[derive(Debug)]
struct Entry {
    built: Arc<AsBuilt>,
    edition: u64,
    epoch: u64,
}

/// The kustomizations and Flux objects that may change a file's objects.
pub(crate) struct Builders {
    /// The kustomizations that may read the file.
    pub(crate) folders: BTreeSet<PathBuf>,
    pub(crate) flux: Arc<Flux>,
}

impl Builders {
    /// Whether a Flux Kustomization may build objects from one of the files, or one of the files decides what the Kustomization changes.
    pub(crate) fn has(&self, by: &Building<'_>, paths: &[&Path]) -> bool {
        let is_of = |it: &Path| it.starts_with(by.folder());
        let mut folders = self.folders.iter();
        paths.iter().any(|it| by.is_from(it) || is_of(it)) || folders.any(|it| is_of(it))
    }
}

/// What is known about the build of an open file.
pub(crate) enum State {
    /// Nothing builds the file, or the workspace has not been scanned yet.
    Unknown,
    /// The last build. `is_due` means that something has changed since then.
    Known { built: Arc<AsBuilt>, is_due: bool },
    /// The file must be built for the first time.
    Due(Builders),
}

impl Overlays {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_changed(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the results of a scan of the workspace: the folders with kustomizations, and the files that may matter to Flux.
    pub(crate) fn start(&self, found: &Found, flux_files: &FluxFiles, files: &SessionFiles<'_>) {
        let mut graph = Graph::default();
        let folders: BTreeSet<&PathBuf> = found.kustomizations.iter().collect();
        if folders.len() > MOST_FOLDERS {
            tracing::warn!("only {MOST_FOLDERS} of {} kustomizations are built", folders.len());
        }
        for folder in folders.into_iter().take(MOST_FOLDERS) {
            graph.read(folder, files);
        }
        let mut by_file = BTreeMap::new();
        let (kustomizations, config_maps) = flux_files.all();
        if !kustomizations.is_empty() {
            for path in kustomizations.into_iter().chain(config_maps) {
                let flux = files.flux(&path);
                by_file.insert(path, flux);
            }
        }
        let mut known = self.lock();
        known.flux = joined(&by_file);
        known.flux_files = by_file;
        known.graph = graph;
        known.is_ready = true;
        drop(known);
        self.forget();
    }

    /// Makes all results outdated, because CRDs or settings have changed.
    pub(crate) fn forget(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of changes of CRDs and settings so far.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// The state of a file.
    pub(crate) fn of(&self, path: &Path, edition: u64) -> State {
        let known = self.lock();
        if let Some(entry) = known.built.get(path) {
            let is_due = entry.edition != edition || entry.epoch != self.epoch();
            let built = entry.built.clone();
            return State::Known { built, is_due };
        }
        known.builders(path).map_or(State::Unknown, State::Due)
    }

    /// The kustomizations and Flux objects that may change the objects of a file. `None` if nothing builds them.
    pub(crate) fn builders(&self, path: &Path) -> Option<Builders> {
        self.lock().builders(path)
    }

    /// The kustomizations and Flux objects that build CRDs. `None` if nothing builds CRDs, or if the last build is up to date. `changed` has the
    /// changed files, or `None` if they are unknown.
    pub(crate) fn builders_of_crds(
        &self,
        crds: &[&Path],
        changed: Option<&HashSet<PathBuf>>,
        files: &SessionFiles<'_>,
    ) -> Option<Builders> {
        let known = self.lock();
        let of_files = crds.iter().filter_map(|it| known.builders(it));
        let folders: BTreeSet<PathBuf> = of_files.flat_map(|it| it.folders).collect();
        let is_other = folders != known.crds.folders;
        // Opening a file does not change its text, so compare the texts.
        let is_other_text = |it: &PathBuf| {
            let before = known.crds.files.get(it.as_path());
            before.is_some_and(|before| *before != files.fingerprint(it))
        };
        let is_changed = changed.is_none_or(|it| it.iter().any(is_other_text));
        let had_some = !known.crds.folders.is_empty();
        let flux = known.flux.clone();
        let builders = Builders { folders, flux };
        let has_some = !builders.folders.is_empty() || builders.flux.building().any(|it| builders.has(&it, crds));
        ((has_some || had_some) && (is_other || is_changed)).then_some(builders)
    }

    /// Records the files that CRDs were built from.
    pub(crate) fn keep_crds(&self, folders: BTreeSet<PathBuf>, asked: HashSet<Arc<Path>>, files: &SessionFiles<'_>) {
        let files = asked.into_iter().map(|it| {
            let fingerprint = files.fingerprint(&it);
            (it, fingerprint)
        });
        let files = files.collect();
        self.lock().crds = BuiltFrom { folders, files };
    }

    /// Whether a file must be built again after some files have changed. `is_other` means that references between files have changed.
    pub(crate) fn is_due(&self, path: &Path, edition: u64, (changed, is_other): (&HashSet<PathBuf>, bool)) -> bool {
        let known = self.lock();
        match known.built.get(path) {
            Some(entry) => {
                let is_older = entry.edition != edition || entry.epoch != self.epoch();
                is_other || is_older || entry.built.depends_on(changed)
            }
            None => known.builders(path).is_some(),
        }
    }

    /// Stores the build of a file. Returns whether its diagnostics differ from the previous ones.
    pub(crate) fn keep(&self, path: &Path, built: Option<Arc<AsBuilt>>, (edition, epoch): (u64, u64)) -> bool {
        let mut known = self.lock();
        let Some(built) = built else {
            return known.built.remove(path).is_some();
        };
        let entry = Entry {
            built: built.clone(),
            edition,
            epoch,
        };
        let before = known.built.insert(path.to_owned(), entry);
        drop(known);
        before.is_none_or(|it| !built.is_said_by(&it.built))
    }

    /// The files whose builds may depend on some changed files.
    pub(crate) fn related(&self, paths: &HashSet<PathBuf>) -> Vec<Arc<Path>> {
        let known = self.lock();
        let folders = paths.iter().flat_map(|it| known.graph.builders(it)).collect();
        let named = known.graph.named(&folders);
        named.into_iter().map(Arc::from).collect()
    }

    /// Drops the builds of closed files.
    pub(crate) fn retain(&self, is_open: impl Fn(&Path) -> bool) {
        self.lock().built.retain(|path, _| is_open(path));
    }

    /// Records changed files. Returns `true` if the caller must start the task that waits for a pause.
    pub(crate) fn note(&self, paths: impl IntoIterator<Item = PathBuf>) -> bool {
        if !self.lock().is_ready {
            return false;
        }
        self.lock_changed().extend(paths);
        self.pause.note()
    }

    /// The files that have changed since the last call.
    pub(crate) fn take_changed(&self) -> HashSet<PathBuf> {
        std::mem::take(&mut *self.lock_changed()).into_iter().collect()
    }

    /// Reads the references in changed files. Returns whether references between files have changed.
    pub(crate) fn read(&self, paths: &HashSet<PathBuf>, flux_files: &FluxFiles, files: &SessionFiles<'_>) -> bool {
        let mut is_other = false;
        let mut has_flux = false;
        for path in paths {
            if is_kustomization(path)
                && let Some(folder) = path.parent()
            {
                is_other |= self.lock().graph.read(folder, files);
            }
            let text = files.read(path);
            flux_files.note(path, text.as_deref().unwrap_or_default());
            has_flux |= self.read_flux(path, flux_files, files);
        }
        if has_flux {
            let mut known = self.lock();
            known.flux = joined(&known.flux_files);
        }
        is_other || has_flux
    }

    /// Reads the Flux objects of a file. Returns whether they have changed.
    fn read_flux(&self, path: &Path, flux_files: &FluxFiles, files: &SessionFiles<'_>) -> bool {
        let may_hold = flux_files.of(path);
        let has_kustomizations = flux_files.has_kustomizations();
        let was_empty = self.lock().flux_files.is_empty();
        if was_empty && has_kustomizations {
            // As soon as there is a Kustomization, ConfigMaps matter, too.
            let (kustomizations, config_maps) = flux_files.all();
            let all = kustomizations.into_iter().chain(config_maps);
            let all: BTreeMap<PathBuf, Flux> = all.map(|it| (it.clone(), files.flux(&it))).collect();
            self.lock().flux_files = all;
            return true;
        }
        let now = (has_kustomizations && may_hold != MayHold::default()).then(|| files.flux(path));
        let mut known = self.lock();
        let before = match now.clone() {
            Some(now) => known.flux_files.insert(path.to_owned(), now),
            None => known.flux_files.remove(path),
        };
        before != now
    }
}

impl Known {
    fn builders(&self, path: &Path) -> Option<Builders> {
        let folders = self.graph.builders(path);
        let flux = self.flux.clone();
        // If the kustomization of another folder uses an object, it gets the substitutions for that folder.
        let has_values = flux.is_of(path) || folders.iter().any(|it| flux.is_of(it));
        let has_own = || flux.files().any(|it| it == path);
        (has_values || !folders.is_empty() || has_own()).then_some(Builders { folders, flux })
    }
}

fn joined(files: &BTreeMap<PathBuf, Flux>) -> Arc<Flux> {
    let mut flux = Flux::default();
    for of_file in files.values() {
        flux.join(of_file);
    }
    Arc::new(flux)
}

/// The kustomizations found by a scan of the workspace folders.
#[derive(Debug, Default)]
pub(crate) struct Found {
    kustomizations: Vec<PathBuf>,
}

impl Found {
    /// Finds the folders that have a kustomization, among the folders of these manifests.
    pub(crate) fn new(manifests: &[PathBuf], access: &Access) -> Self {
        let folders: BTreeSet<&Path> = manifests.iter().filter_map(|it| it.parent()).collect();
        let named = manifests.iter().filter(|it| is_kustomization(it));
        let mut kustomizations: Vec<PathBuf> = named.filter_map(|it| Some(it.parent()?.to_owned())).collect();
        // The file walk skips files without an extension, so look for `kustomization` separately.
        let is_there = |it: &&&Path| {
            let file = read::kind(&it.join(FILE_NAMES[2]), access);
            file.is_ok_and(|it| it.0 == read::Kind::File)
        };
        kustomizations.extend(folders.iter().filter(is_there).map(|it| it.to_path_buf()));
        Self { kustomizations }
    }
}

/// The files of the workspace folders: open files as they are in the editor, others as they are on disk. Each file is read once, and the total size
/// is limited to [`FOUND_BYTES`].
pub(crate) struct SessionFiles<'a> {
    documents: &'a Documents,
    folders: &'a [PathBuf],
    roots: Arc<Roots>,
    disk: Disk,
    texts: RefCell<HashMap<PathBuf, Option<Arc<str>>>>,
    left: Cell<u64>,
    is_over: Cell<bool>,
}

impl<'a> SessionFiles<'a> {
    pub(crate) fn new(documents: &'a Documents, folders: &'a [PathBuf]) -> Self {
        let roots = Arc::new(Roots::new(folders.iter().map(PathBuf::as_path)));
        Self {
            documents,
            folders,
            disk: Disk::new(Access::Within(roots.clone())),
            roots,
            texts: RefCell::default(),
            left: Cell::new(FOUND_BYTES),
            is_over: Cell::new(false),
        }
    }

    /// The same files, except that one of them has this text.
    pub(crate) fn with(self, path: &Path, text: &Arc<str>) -> Self {
        self.texts.borrow_mut().insert(path.to_owned(), Some(text.clone()));
        self
    }

    /// Whether the files exceeded the size limit.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// The fingerprint of a file's text. `None` if the file does not exist.
    fn fingerprint(&self, path: &Path) -> Option<Fingerprint> {
        self.read(path).map(|it| Fingerprint::of(&it))
    }

    /// The Flux objects in a file.
    fn flux(&self, path: &Path) -> Flux {
        let mut flux = Flux::default();
        let Some(text) = self.read(path) else { return flux };
        let folder = path.parent().unwrap_or(path);
        // The root of a Flux source is the root of its repository.
        let workspace = || self.folders.iter().find(|it| path.starts_with(it)).cloned();
        let root = roots::repository(folder).or_else(workspace);
        flux.add(path, root.as_deref().unwrap_or(folder), &text);
        flux
    }
}

impl Files for SessionFiles<'_> {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let is_input = || self.roots.hold(path) && self.disk.refusal(path).is_none();
        let open = self.documents.at(path).filter(|_| is_input());
        let text = open.map_or_else(|| self.disk.read(path), |it| Some(it.content()));
        let left = self
            .left
            .get()
            .checked_sub(text.as_ref().map_or(0, |it| it.len() as u64));
        self.left.set(left.unwrap_or(0));
        if left.is_none() {
            self.is_over.set(true);
        }
        let text = text.filter(|_| left.is_some());
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.disk.is_folder(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.disk.exists(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        self.disk.names(folder)
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        self.disk.refusal(path)
    }

    fn is_made(&self, path: &Path) -> bool {
        self.disk.is_made(path)
    }
}
