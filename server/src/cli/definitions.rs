//! The CRDs of a run: from the command line, the checked files, the configuration, locks, and a cluster.

mod collected;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use crd_analyzer_cluster::Prompts;
use crd_analyzer_io::{
    absolute::absolute,
    git, kustomize,
    read::{self, Access},
    repository,
    roots::{self, Roots},
};
use crd_analyzer_workspace::{
    builds::flux::FluxFiles,
    builds::overlay::{Overlays, is_kustomization},
    config::Config,
    index::cluster,
    index::{
        Catalog, Definitions, Files, Found, GroupKind, Index, KnownCrd, MemoryFiles, MutatingWebhook, NewFile, Object,
        Origin, Resource, may_decide, native, objects, objects_of,
    },
    roles::Repository,
    sources,
};

use self::collected::Collected;
use super::{
    manifests::{Configs, STACK_BYTES},
    neighbours::{Named, Neighbours, builders},
};
use crate::input::{self, Input, Source, expand};

/// The files on disk: the files of the run and, once they are known, the files of the surrounding repositories.
struct Disk {
    files: Arc<Named>,
    around: Arc<OnceLock<Named>>,
}

impl Files for Disk {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let around = || self.around.get()?.get(path);
        let (_, access) = self.files.get(path).or_else(around)?;
        read::bytes(path, access, access.manifest_bytes()).ok()
    }
}

/// The files of a git revision.
pub(super) struct Git {
    pub(super) revision: Arc<git::Revision>,
}

impl Files for Git {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let source = Source::Git {
            path: path.to_owned(),
            revision: self.revision.clone(),
        };
        input::read(&source).ok().flatten()
    }
}

/// The files in a folder of old manifests.
struct Below {
    /// The folders that are checked.
    folders: Vec<PathBuf>,
    old: PathBuf,
    access: Access,
}

impl Files for Below {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let below = self.folders.iter().find_map(|it| path.strip_prefix(it).ok())?;
        read::bytes(&self.old.join(below), &self.access, self.access.manifest_bytes()).ok()
    }
}

/// The old manifests to compare with.
pub(super) enum Compared {
    Nothing,
    Revision(Arc<git::Revision>),
    Folder {
        folders: Vec<PathBuf>,
        old: PathBuf,
        access: Access,
    },
}

/// The CRDs of a run. The search starts with the first custom resource.
pub(super) struct RunCrds {
    files: Arc<Named>,
    /// The CRDs that locks list.
    collected: Collected,
    /// The YAML of the CRDs of a cluster, by the path that is shown for each CRD.
    cluster: BTreeMap<PathBuf, Arc<str>>,
    compared: Compared,
    catalog: OnceLock<Catalog>,
    /// The other files of the surrounding repositories, where CRDs are searched.
    neighbours: Option<Neighbours>,
    /// The files in the surrounding repositories that define CRDs or webhooks, after the search.
    around: Arc<OnceLock<Named>>,
    /// The CRDs that came with a request, by path or text.
    paired: Mutex<HashMap<String, Arc<Catalog>>>,
    /// The files of the run that may matter to Flux, collected during the search.
    flux_files: FluxFiles,
    /// A description of each surrounding repository, created once.
    repositories: Mutex<BTreeMap<PathBuf, Repository>>,
}

/// The maximum size of the CRD files whose trees and schemas stay in memory, in bytes. Trees and schemas take several times as much.
const MOST_READ: u64 = 12 << 20;

/// The maximum number of CRDs from requests to keep.
const MOST_PAIRED: usize = 64;

impl RunCrds {
    /// Collects the CRD files. `given` contains the paths of `--crd`, and `inputs` contains the checked files with their configurations.
    pub(super) fn new(given: &[String], inputs: &[(&Input, Arc<Config>)], compared: Compared) -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        let mut seen: Vec<Arc<Config>> = Vec::new();
        let of = |input: &Input, config: &Config| match &input.source {
            Source::File(_, access @ Access::Elsewhere(_)) => access.clone(),
            Source::File(_, access) => Access::Within(Arc::new(input::roots(access).and_neighbours(&config.folder))),
            _ => Access::Within(Arc::new(Roots::default().and_neighbours(&config.folder))),
        };
        for (input, config) in inputs {
            if config.crds.is_empty() || seen.iter().any(|it| Arc::ptr_eq(it, config)) {
                continue;
            }
            let access = of(input, config);
            for written in &config.crds {
                for (path, access) in expand(written, &config.folder, "crds", &access)? {
                    files.insert(path, (Origin::Configured, access));
                }
            }
            seen.push(config.clone());
        }
        let collected = Collected::around(inputs)?;
        files.extend(collected.files());
        for (input, config) in inputs {
            if let Source::File(path, access) = &input.source {
                let path = absolute(path)?;
                if input.named || !config.excludes(&path) {
                    files.insert(path, (Origin::Workspace, access.clone()));
                }
            }
        }
        let folder = std::env::current_dir()?;
        for written in given {
            for (path, access) in expand(written, &folder, "--crd", &Access::Named)? {
                files.insert(path, (Origin::Given, access));
            }
        }
        Ok(Self {
            files: Arc::new(files),
            collected,
            cluster: BTreeMap::new(),
            compared,
            catalog: OnceLock::new(),
            neighbours: None,
            around: Arc::default(),
            paired: Mutex::default(),
            flux_files: FluxFiles::default(),
            repositories: Mutex::default(),
        })
    }

    /// Adds the repositories around the checked files.
    pub(super) fn with_neighbours(mut self, neighbours: Neighbours) -> Self {
        self.neighbours = Some(neighbours);
        self
    }

    /// Adds the CRDs of a cluster. An empty `context` means the current context.
    pub(super) fn with_cluster(mut self, context: &str, prompts: Prompts) -> anyhow::Result<Self> {
        let context = (!context.is_empty()).then_some(context);
        let workspace = std::env::current_dir().ok().and_then(|it| git::root_around(&it));
        let workspace: Vec<PathBuf> = workspace.into_iter().collect();
        let listing = crd_analyzer_cluster::list(context, prompts, &workspace)?;
        for sent in &listing.definitions {
            let (name, text) = cluster::text(sent);
            let path = cluster::path(Path::new("cluster"), &listing.context, &name);
            self.cluster.insert(path, text.into());
        }
        Ok(self)
    }

    /// Drops parsed CRDs if they use much memory. Resources of the same kind are usually checked together.
    pub(super) fn release(&self) {
        if let Some(catalog) = self.catalog.get() {
            catalog.release(MOST_READ);
        }
        if let Some(catalog) = self.neighbours.as_ref().and_then(Neighbours::known) {
            catalog.release(MOST_READ);
        }
    }

    /// Drops the CRDs, so that the next custom resource reads all files again.
    pub(super) fn forget(&mut self) {
        self.catalog = OnceLock::new();
    }

    /// The CRDs among the files of the run.
    pub(super) fn catalog(&self) -> &Catalog {
        self.catalog.get_or_init(|| {
            let mut catalog = Catalog::new(self.disk());
            catalog = match &self.compared {
                Compared::Nothing => catalog,
                Compared::Revision(revision) => catalog.compared_with(Git {
                    revision: revision.clone(),
                }),
                Compared::Folder { folders, old, access } => catalog.compared_with(Below {
                    folders: folders.clone(),
                    old: old.clone(),
                    access: access.clone(),
                }),
            };
            self.describe_repositories(&catalog, folders(&self.files));
            fill(&catalog, &self.files, &self.cluster, &self.flux_files);
            self.collected.put_into(&catalog, &self.files);
            catalog
        })
    }

    /// The files of the run that may matter to Flux.
    pub(super) fn flux_files(&self) -> &FluxFiles {
        self.catalog();
        &self.flux_files
    }

    fn disk(&self) -> Disk {
        Disk {
            files: self.files.clone(),
            around: self.around.clone(),
        }
    }

    /// The CRDs in the repositories around the checked files.
    fn neighbours(&self) -> Option<&Catalog> {
        self.neighbours.as_ref()?.catalog(|neighbours| {
            let catalog = Catalog::new(self.disk());
            self.describe_repositories(&catalog, neighbours.roots().collect());
            let LookedThrough {
                deciding,
                kustomizations,
            } = look_through(&catalog, neighbours, &self.files);
            self.describe_repositories(&catalog, folders(&deciding));
            let kustomizations = kustomizations
                .into_iter()
                .filter(|it| !neighbours.exclude(&it.0, &it.1));
            let builders = builders::of(kustomizations, &deciding);
            self.around.get_or_init(|| deciding);
            take_built(|| &catalog, &Overlays::new(&builders));
            catalog
        })
    }

    /// Adds descriptions of the repositories that contain the folders.
    fn describe_repositories(&self, catalog: &Catalog, folders: BTreeSet<&Path>) {
        let mut known = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        let described = roots(folders).into_iter().map(|root| {
            let of = known.entry(root);
            of.or_insert_with_key(|it| repository::describe(it)).clone()
        });
        let described = described.collect();
        catalog.change(|index| index.set_repositories(described));
    }

    /// Finds the CRD for a kind among the files of the run and in the surrounding repositories.
    fn nearest(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        let found = self.catalog().find(kind, near);
        // CRDs in the same repository take precedence over CRDs elsewhere.
        if found
            .as_ref()
            .is_some_and(|it| it.definition.origin <= Origin::Workspace)
        {
            return found;
        }
        self.neighbours().and_then(|it| it.find(kind, near)).or(found)
    }

    /// The CRD that came with a request, in a catalog of its own.
    pub(super) fn paired(&self, source: &Source) -> anyhow::Result<Arc<Catalog>> {
        let (key, path) = match source {
            Source::File(path, _) => (format!("file {}", path.display()), std::path::absolute(path)?),
            Source::Text(text) => (format!("text {text}"), PathBuf::from("/definition.yaml")),
            Source::Stdin(_) | Source::Git { .. } => (String::new(), PathBuf::new()),
        };
        let mut paired = self.paired.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = paired.get(&key) {
            return Ok(known.clone());
        }
        let bytes = input::read(source)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let catalog = Catalog::new(MemoryFiles([(path.clone(), text)].into()));
        if let Some(file) = Deciding::of(bytes) {
            file.put_into(&catalog, &path, Origin::Given);
        }
        let catalog = Arc::new(catalog);
        if paired.len() >= MOST_PAIRED {
            paired.clear();
        }
        paired.insert(key, catalog.clone());
        Ok(catalog)
    }
}

/// The parent folders of files.
fn folders(files: &Named) -> BTreeSet<&Path> {
    files.keys().filter_map(|it| it.parent()).collect()
}

/// The repositories that contain the folders. Folders outside any repository belong to the current folder.
fn roots(folders: BTreeSet<&Path>) -> Vec<PathBuf> {
    let current = std::env::current_dir().unwrap_or_default();
    let mut found: Vec<PathBuf> = vec![roots::repository(&current).unwrap_or(current)];
    for folder in folders {
        if !found.iter().any(|it| folder.starts_with(it)) {
            found.extend(roots::repository(folder));
        }
    }
    found
}

/// Reads the files and the CRDs of a cluster into the catalog.
fn fill(catalog: &Catalog, files: &Named, cluster: &BTreeMap<PathBuf, Arc<str>>, flux_files: &FluxFiles) {
    let files: Vec<_> = files.iter().collect();
    let next = AtomicUsize::new(0);
    let cluster: Vec<_> = cluster.iter().collect();
    let work = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if let Some((path, (origin, access))) = files.get(n) {
                if *origin == Origin::Collected {
                    continue;
                }
                let Ok(bytes) = read::bytes(path, access, access.manifest_bytes()) else {
                    continue;
                };
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    flux_files.note(path, text);
                }
                if let Some(file) = Deciding::of(bytes) {
                    file.put_into(catalog, path, *origin);
                }
            } else if let Some((path, text)) = cluster.get(n - files.len()) {
                let file = NewFile {
                    path,
                    origin: Origin::Cluster,
                    text,
                    objects: &objects_of(text),
                    // The text is kept, because it cannot be read from a file later.
                    keep_text: true,
                };
                catalog.change(|index| index.set(&file));
            } else {
                break;
            }
        }
    };
    side_by_side(files.len() + cluster.len(), work, || {});
}

/// The relevant files of the surrounding repositories.
struct LookedThrough {
    /// The files that define CRDs or mutating webhooks.
    deciding: Named,
    /// The kustomization files, and the access to each.
    kustomizations: Vec<(PathBuf, Access)>,
}

/// Reads the files of the surrounding repositories while the search continues, except files in `known`.
fn look_through(catalog: &Catalog, neighbours: &Neighbours, known: &Named) -> LookedThrough {
    let (send, receive) = mpsc::channel::<Vec<(PathBuf, Access)>>();
    let receive = Mutex::new(receive);
    let deciding_files = Mutex::new(Named::new());
    let work = || {
        let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(files) = next() {
            for (path, access) in files {
                // Check the configuration only for relevant files, because there are few of them.
                let Some(file) = deciding(&path, &access).filter(|_| !neighbours.exclude(&path, &access)) else {
                    continue;
                };
                file.put_into(catalog, &path, Origin::Workspace);
                let mut all = deciding_files.lock().unwrap_or_else(PoisonError::into_inner);
                all.insert(path, (Origin::Workspace, access));
            }
        }
    };
    let mut kustomizations = Vec::new();
    let find = || {
        let send = send;
        let mut batch = Vec::with_capacity(SENT);
        neighbours.each(&mut |path, access| {
            if is_kustomization(&path) {
                kustomizations.push((path, access));
                return;
            }
            if known.contains_key(&path) {
                return;
            }
            batch.push((path, access));
            if batch.len() == SENT {
                let _sent = send.send(std::mem::replace(&mut batch, Vec::with_capacity(SENT)));
            }
        });
        let _sent = send.send(batch);
    };
    side_by_side(usize::MAX, work, find);
    LookedThrough {
        deciding: deciding_files.into_inner().unwrap_or_else(PoisonError::into_inner),
        kustomizations,
    }
}

/// Adds the CRDs that kustomizations change, in their changed form. Does not build the catalog if no CRD is changed.
fn take_built<'c>(catalog: impl FnOnce() -> &'c Catalog, overlays: &Overlays) {
    let crds = overlays.changed_crds();
    if !crds.is_empty() {
        catalog().change(|index| index.set_built(&crds));
    }
}

/// The number of files to send to another thread at once.
const SENT: usize = 32;

/// Runs `work` on several new threads while this thread runs `meanwhile`. The threads of the pool are not used, because all of them may be waiting
/// for the result.
fn side_by_side(most: usize, work: impl Fn() + Sync, meanwhile: impl FnOnce()) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(most);
    std::thread::scope(|scope| {
        let start = |_: &usize| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, &work).is_ok()
        };
        let started = (0..threads).take_while(start).count();
        meanwhile();
        // If no thread could start, this thread does all the work, with its smaller stack.
        if started == 0 {
            work();
        }
    });
}

/// A file with CRDs or mutating webhooks.
pub(super) struct Deciding {
    text: Arc<str>,
    objects: Vec<Object>,
}

impl Deciding {
    /// Parses bytes. `None` if they contain no CRDs and no mutating webhooks.
    pub(super) fn of(bytes: Vec<u8>) -> Option<Self> {
        if !may_decide(&bytes) {
            return None;
        }
        let (text, objects) = objects(bytes);
        let decides = |it: &Object| it.defines.is_some() || MutatingWebhook::is_configured_by(it);
        objects.iter().any(decides).then_some(Self { text, objects })
    }

    pub(super) fn put_into(&self, catalog: &Catalog, path: &Path, origin: Origin) {
        let file = NewFile {
            path,
            origin,
            text: &self.text,
            objects: &self.objects,
            keep_text: false,
        };
        catalog.change(|index| index.set(&file));
    }
}

/// Reads a file. `None` if it contains no CRDs and no mutating webhooks.
fn deciding(path: &Path, access: &Access) -> Option<Deciding> {
    // Source files of other languages are not manifests, even if they contain YAML.
    if sources::of(path).is_some() {
        return None;
    }
    Deciding::of(read::bytes(path, access, access.manifest_bytes()).ok()?)
}

impl RunCrds {
    /// Adds the CRDs that kustomizations change, in their changed form.
    pub(super) fn add_built(&self, overlays: &Overlays) {
        take_built(|| self.catalog(), overlays);
    }

    /// Calls a function with the index of CRDs.
    pub(super) fn with_index<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        self.catalog().with(look)
    }

    /// The folders of the kustomizations in the surrounding repositories that use one of the inputs.
    pub(super) fn builders(&self, inputs: &[Input]) -> Vec<(PathBuf, kustomize::Disk)> {
        let neighbours = self.neighbours.as_ref();
        neighbours.map(|it| it.builders(inputs)).unwrap_or_default()
    }

    /// Moves the files that contain only copies of better CRDs to the end.
    pub(super) fn copies_last(&self, inputs: &mut [Input]) {
        self.catalog().with(|index| {
            let copies = index.only_copies();
            let is_copy = |it: &Input| it.place().is_ok_and(|it| copies.contains(it.as_path()));
            inputs.sort_by_cached_key(is_copy);
        });
    }

    /// The CRDs in the inputs and in the files that their configurations name.
    pub(super) fn of_inputs(inputs: &[Input], configs: &mut Configs) -> anyhow::Result<Self> {
        let configured = inputs.iter().map(|it| Ok((it, configs.of(it)?)));
        let configured = configured.collect::<anyhow::Result<Vec<_>>>()?;
        Self::new(&[], &configured, Compared::Nothing)
    }

    /// The best CRD for each name in the checked repositories and in the surrounding ones.
    pub(super) fn own_crds(&self) -> Vec<Arc<KnownCrd>> {
        let mut crds = self.catalog().with(Index::own_crds);
        let of_repositories = self.neighbours().map(|it| it.with(Index::own_crds));
        for crd in of_repositories.into_iter().flatten() {
            if crds.iter().all(|it| it.name != crd.name) {
                crds.push(crd);
            }
        }
        crds
    }

    /// Whether a file is checked in the run.
    pub(super) fn is_checked(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|it| it.0 == Origin::Workspace)
    }

    /// All CRDs, by path and position in the file.
    pub(super) fn all(&self) -> Vec<Arc<KnownCrd>> {
        let mut all: Vec<_> = self.catalog().with(|index| index.definitions().cloned().collect());
        all.sort_by(|one, other| (&one.path, &one.defines).cmp(&(&other.path, &other.defines)));
        all
    }
}

impl Definitions for RunCrds {
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        // The API server's built-in kinds have no CRDs, and searching for them takes time.
        if native::is_native(&kind.group) {
            return self.catalog().find(kind, near);
        }
        self.nearest(kind, near)
    }

    fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        let of_repository = || self.neighbours()?.meant(kind);
        let meant = self.catalog().meant(kind);
        if native::is_native(&kind.group) {
            meant
        } else {
            meant.or_else(of_repository)
        }
    }

    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        let of_repository = || self.neighbours()?.elsewhere(kind);
        self.catalog().elsewhere(kind).or_else(of_repository)
    }

    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        self.catalog().whole(name, path)
    }

    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        let own = self.catalog().webhook(resource);
        own.or_else(|| self.neighbours()?.webhook(resource))
    }

    fn files(&self) -> &dyn Files {
        self.catalog().files()
    }

    fn previous(&self, definition: &KnownCrd) -> Option<Arc<KnownCrd>> {
        self.catalog().previous(definition)
    }
}
