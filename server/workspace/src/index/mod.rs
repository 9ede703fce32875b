//! An index of the files of a workspace. It has the CRDs by the kind that they define, and the files with objects by kind.

mod best;
mod catalog;
mod choice;
pub mod cluster;
pub mod collect;
pub mod crd_text;
mod decides;
pub mod files;
mod fingerprint;
pub(crate) mod groups;
pub mod lock;
pub mod native;
pub mod objects;
mod served;
mod signs;
#[cfg(test)]
mod tests;
mod webhooks;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_apiextensions::kind::CRD;
use crd_text::{DefiningFile, Loaded};

use crate::{
    builds::overlay::ChangedCrd,
    documents::source::{BuiltFrom, BuiltPlace},
    roles::{Place, Repository, Standing, TestData},
    words::meant::is_slip,
};

pub use catalog::{Catalog, Definitions};
pub use choice::{Chosen, Found};
pub(crate) use crd_text::WrongPart;
pub use crd_text::{CrdText, KnownCrd, Origin, Served, Unserved};
pub use files::{Files, MemoryFiles};
pub use fingerprint::Fingerprint;
pub use objects::{GroupKind, Inside, Lacks, Object, group_kind, objects, objects_of};
pub use signs::{may_decide, names_crds};
use webhooks::Webhooks;
pub use webhooks::{MutatingWebhook, Resource};

/// The role of a document.
#[derive(Clone, Debug)]
pub enum Thing {
    /// A CRD of any version.
    Definition,
    /// A custom resource whose CRD is known.
    Resource(Found),
    /// An object of a kind of Kubernetes itself or of its clients. crd-analyzer does not check it.
    Native,
    /// A custom resource of an unknown kind, or a document that is not an object.
    Unknown,
}

type ByPath = BTreeMap<Arc<Path>, Vec<Arc<KnownCrd>>>;

/// The CRDs and objects found in each file.
#[derive(Default)]
pub struct Index {
    files: HashMap<Arc<Path>, Entry>,
    definitions: HashMap<GroupKind, BTreeMap<Origin, ByPath>>,
    resources: HashMap<GroupKind, BTreeSet<Arc<Path>>>,
    /// The files with complete CRDs, by the name of the CRD.
    whole: HashMap<String, BTreeSet<Arc<Path>>>,
    /// The paths under which CRDs built by kustomizations are indexed. No files exist there.
    built: BTreeSet<Arc<Path>>,
    /// The repositories. A file's role depends only on the folders below the root of its repository.
    repositories: Vec<Repository>,
    served: served::Memo,
    /// The mutating webhooks that the files configure.
    webhooks: Webhooks,
}

struct Entry {
    definitions: Vec<Arc<KnownCrd>>,
    resources: BTreeSet<GroupKind>,
}

/// A file to add to an index.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// The absolute path of the file.
    pub path: &'a Path,
    /// The origin of the file's CRDs.
    pub origin: Origin,
    /// The text of the file, from which `objects` were parsed.
    pub text: &'a Arc<str>,
    /// The objects in the file.
    pub objects: &'a [Object],
    /// Whether the text can be kept and need not be read later. True for files that are open in an editor, because they are added again after each
    /// change.
    pub keep_text: bool,
}

impl Index {
    /// Adds or replaces a file. Returns the kinds whose CRDs have changed.
    pub fn set(&mut self, file: &NewFile<'_>) -> BTreeSet<GroupKind> {
        let path: Arc<Path> = file.path.into();
        let old = self.take(&path);
        let old = old.map(|it| it.definitions).unwrap_or_default();
        let before = fingerprints(&old);
        let mut last: HashMap<GroupKind, Arc<KnownCrd>> = HashMap::new();
        let mut known: HashMap<(GroupKind, Fingerprint), Arc<KnownCrd>> = HashMap::new();
        for definition in old {
            known.insert((definition.defines.clone(), definition.fingerprint), definition.clone());
            last.insert(definition.defines.clone(), definition);
        }
        let mut entry = Entry {
            definitions: Vec::new(),
            resources: BTreeSet::new(),
        };
        let place = self.place(&path);
        if place.release.is_some() {
            entry.resources.insert(release_in(&place.container));
        }
        let defining = Arc::new(DefiningFile::new(path.clone(), file.keep_text.then_some(file.text)));
        for object in file.objects {
            if object.lacks.is_part() {
                entry.resources.insert(part_of(&object.written.name));
            }
            let Some(defines) = &object.defines else {
                if let Some(kind) = object.group_kind().filter(|it| !native::is_native(&it.group)) {
                    entry.resources.insert(kind);
                }
                continue;
            };
            if place.standing == Standing::Old || place.version.is_some() {
                // The errors of a part of a CRD matter only if no better CRD exists, so a change of that CRD affects the part.
                entry.resources.insert(part_of(&object.written.name));
            }
            let of_text = choice::of_text(object);
            let fingerprint = Fingerprint::of(&file.text[object.document.span.range()]);
            let unchanged = known
                .get(&(defines.clone(), fingerprint))
                .filter(|it| it.document == object.document && it.inside == object.inside && it.origin == file.origin);
            let definition = match unchanged {
                Some(known) if known.is_open == file.keep_text => known.clone(),
                _ => Arc::new(KnownCrd {
                    path: path.clone(),
                    defines: defines.clone(),
                    name: object.written.name.clone(),
                    origin: file.origin,
                    place: place.at_least(of_text),
                    of_text,
                    fingerprint,
                    document: object.document,
                    inside: object.inside.clone(),
                    file: defining.clone(),
                    is_open: file.keep_text,
                    previous: last.get(defines).and_then(KnownCrd::readable),
                    loaded: Loaded::default(),
                    served: self.served.of(fingerprint, object.item()),
                }),
            };
            entry.definitions.push(definition);
        }
        let after = fingerprints(&entry.definitions);
        let mut changed = changed_kinds(&before, &after);
        let webhooks = MutatingWebhook::all_of(file.text, file.objects);
        let is_used = place.standing <= Standing::Packaged && TestData::of(self.relative(&path)).is_none();
        changed.extend(self.set_webhooks(&path, if is_used { webhooks } else { Vec::new() }));
        self.put(path, entry);
        changed
    }

    /// Sets the mutating webhooks of a file. Returns the kinds that the old or new webhooks cover, if they have changed.
    fn set_webhooks(&mut self, path: &Arc<Path>, webhooks: Vec<MutatingWebhook>) -> BTreeSet<GroupKind> {
        let changed = self.webhooks.set(path, webhooks);
        if changed.is_empty() {
            return BTreeSet::new();
        }
        let kinds = self.definitions.keys();
        let about = kinds.filter(|kind| changed.iter().any(|it| it.covers_group(&kind.group)));
        about.cloned().collect()
    }

    /// See [`Definitions::webhook`].
    pub fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        self.webhooks.about(resource)
    }

    /// Removes a file. Returns the kinds that it defined.
    pub fn remove(&mut self, path: &Path) -> BTreeSet<GroupKind> {
        let old = self.take(path);
        let definitions = old.map(|it| it.definitions).unwrap_or_default();
        let mut changed = self.set_webhooks(&path.into(), Vec::new());
        changed.extend(fingerprints(&definitions).into_keys());
        changed
    }

    fn put(&mut self, path: Arc<Path>, entry: Entry) {
        for definition in &entry.definitions {
            let by_origin = self.definitions.entry(definition.defines.clone()).or_default();
            let by_path = by_origin.entry(definition.origin).or_default();
            by_path.entry(path.clone()).or_default().push(definition.clone());
            if definition.is_whole() {
                let named = self.whole.entry(definition.name.clone()).or_default();
                named.insert(path.clone());
            }
        }
        for kind in &entry.resources {
            self.resources.entry(kind.clone()).or_default().insert(path.clone());
        }
        self.files.insert(path, entry);
    }

    fn take(&mut self, path: &Path) -> Option<Entry> {
        let entry = self.files.remove(path)?;
        for definition in &entry.definitions {
            let Some(by_origin) = self.definitions.get_mut(&definition.defines) else {
                continue;
            };
            if let Some(by_path) = by_origin.get_mut(&definition.origin) {
                by_path.remove(path);
                if by_path.is_empty() {
                    by_origin.remove(&definition.origin);
                }
            }
            if by_origin.is_empty() {
                self.definitions.remove(&definition.defines);
            }
            if let Some(paths) = self.whole.get_mut(&definition.name) {
                paths.remove(path);
                if paths.is_empty() {
                    self.whole.remove(&definition.name);
                }
            }
        }
        for kind in &entry.resources {
            if let Some(paths) = self.resources.get_mut(kind) {
                paths.remove(path);
                if paths.is_empty() {
                    self.resources.remove(kind);
                }
            }
        }
        Some(entry)
    }

    /// Drops cached texts of CRDs if they have more than `most` bytes in total. They are read again when they are needed. Texts of open files are
    /// kept, and so are texts that several resources used, if these have at most half of `most` bytes. Returns whether anything was dropped.
    pub fn release(&mut self, most: u64) -> bool {
        let is_read = |it: &&Arc<KnownCrd>| !it.is_open && matches!(it.loaded.get(), Some(Some(_)));
        let (mut bytes, mut bytes_used) = (0, 0);
        let mut read: Vec<(Arc<Path>, bool)> = Vec::new();
        for (path, entry) in &self.files {
            let mut of_file = entry.definitions.iter().filter(is_read).peekable();
            if of_file.peek().is_none() {
                continue;
            }
            let (mut bytes_of_file, mut is_used) = (0, false);
            for it in of_file {
                bytes_of_file += it.document.span.range().len() as u64;
                is_used |= it.loaded.is_used();
            }
            bytes += bytes_of_file;
            bytes_used += if is_used { bytes_of_file } else { 0 };
            read.push((path.clone(), is_used));
        }
        if bytes <= most {
            return false;
        }
        for (path, is_used) in read {
            if is_used && bytes_used <= most / 2 {
                let of_file = self.files.get(&path).into_iter().flat_map(|it| &it.definitions);
                of_file.for_each(|it| it.loaded.forget_use());
                continue;
            }
            let Some(mut entry) = self.take(&path) else { continue };
            let file = Arc::new(DefiningFile::new(path.clone(), None));
            for definition in &mut entry.definitions {
                if !definition.is_open {
                    *definition = Arc::new(definition.unread(file.clone()));
                }
            }
            self.put(path, entry);
        }
        true
    }

    /// Sets the roots of the repositories, and keeps what is known about repositories that stay. Returns the kinds for which another CRD may now be
    /// chosen.
    pub fn set_roots(&mut self, roots: Vec<PathBuf>) -> BTreeSet<GroupKind> {
        let described = |root: PathBuf| {
            let known = self.repositories.iter().find(|it| it.root == root).cloned();
            known.unwrap_or_else(|| Repository {
                root,
                ..Repository::default()
            })
        };
        let repositories = roots.into_iter().map(described).collect();
        self.set_repositories(repositories)
    }

    /// Sets the repositories and the folders of their generators. Returns the kinds for which another CRD may now be chosen.
    pub fn set_repositories(&mut self, repositories: Vec<Repository>) -> BTreeSet<GroupKind> {
        if self.repositories == repositories {
            return BTreeSet::new();
        }
        self.repositories = repositories;
        self.take_built();
        let paths: Vec<Arc<Path>> = self.files.keys().cloned().collect();
        for path in paths {
            let Some(mut entry) = self.take(&path) else { continue };
            let place = self.place(&path);
            for definition in &mut entry.definitions {
                let file = definition.file.clone();
                *definition = Arc::new(KnownCrd {
                    place: place.at_least(definition.of_text),
                    served: definition.served.clone(),
                    ..definition.unread(file)
                });
            }
            self.put(path, entry);
        }
        let wholes = self.whole.keys().map(|it| part_of(it));
        let all = self.definitions().filter(|it| it.place.version.is_some());
        let releases = all.map(|it| release_in(&it.place.container));
        self.definitions.keys().cloned().chain(wholes).chain(releases).collect()
    }

    /// Replaces the CRDs that kustomizations build. They take precedence over the CRDs in files, unless the kustomization or the file has another
    /// purpose. Returns the kinds whose CRDs have changed.
    pub fn set_built(&mut self, crds: &[ChangedCrd]) -> BTreeSet<GroupKind> {
        let before = self.take_built();
        let before = built_texts(before.iter().flat_map(|it| &it.definitions));
        let mut made: BTreeMap<PathBuf, Vec<Arc<KnownCrd>>> = BTreeMap::new();
        for crd in crds {
            let place = self.place(&crd.path);
            let of_build = self.place(&crd.folder.join("kustomization.yaml"));
            if place.standing.max(of_build.standing) > Standing::Plain {
                continue;
            }
            // A path at which no file can exist, because its parent is a file.
            let path = crd.path.join("as built");
            let folder = self.relative(&crd.folder).display().to_string();
            let from = BuiltFrom {
                path: crd.path.as_path().into(),
                folder: if folder.is_empty() { ".".to_owned() } else { folder },
                places: crd.places.clone(),
            };
            let file = Arc::new(DefiningFile::built(path.as_path().into(), &crd.text, Arc::new(from)));
            for definition in definitions_in(crd.text.as_bytes().to_vec(), &path, Origin::Workspace) {
                let place = Arc::new(Place {
                    standing: Standing::Built.max(definition.of_text),
                    ..place.clone()
                });
                let served = self
                    .served
                    .of(definition.fingerprint, definition.inside.as_ref().map(|it| it.item));
                let built = KnownCrd {
                    place,
                    served,
                    loaded: Loaded::default(),
                    ..definition.unread(file.clone())
                };
                made.entry(path.clone()).or_default().push(Arc::new(built));
            }
        }
        let after = built_texts(made.values().flatten());
        for (path, definitions) in made {
            let path: Arc<Path> = path.into();
            let resources = BTreeSet::new();
            self.built.insert(path.clone());
            self.put(path, Entry { definitions, resources });
        }
        changed_kinds(&before, &after)
    }

    /// Removes the CRDs that kustomizations build.
    fn take_built(&mut self) -> Vec<Entry> {
        let paths = std::mem::take(&mut self.built);
        paths.iter().filter_map(|it| self.take(it)).collect()
    }

    /// The files with CRDs that people or generators write. They take precedence over CRDs in packages.
    pub fn edited_crds(&self) -> BTreeSet<Arc<Path>> {
        let is_edited = |it: &&Arc<KnownCrd>| {
            it.origin == Origin::Workspace && it.place.standing <= Standing::Plain && !self.built.contains(&it.path)
        };
        self.definitions().filter(is_edited).map(|it| it.path.clone()).collect()
    }

    /// The role of a file according to its path below the root of the outermost repository that contains it.
    pub(crate) fn place(&self, path: &Path) -> Place {
        let relative = self.relative(path);
        let place = Place::of(relative).below(path, relative);
        if self.repositories.iter().any(|it| it.vendored.covers(path)) {
            return place.vendored();
        }
        match self.generated_into(path) {
            Some(by) => place.generated(by),
            None => place,
        }
    }

    /// The file that configures a generator to write into the folder of a file.
    fn generated_into(&self, path: &Path) -> Option<&str> {
        let mut all = self.repositories.iter().flat_map(|it| &it.generated);
        let folder = path.parent()?;
        all.find(|it| it.folder == folder).map(|it| it.by.as_str())
    }

    /// The path of a file relative to the outermost repository that contains it.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        let below = self
            .repositories
            .iter()
            .filter_map(|it| path.strip_prefix(&it.root).ok());
        below.max_by_key(|it| it.as_os_str().len()).unwrap_or(path)
    }

    /// The CRD that applies to an object of this kind in the file at `near`, see `index::choice`. None applies to built-in kinds.
    pub fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        if native::is_native(&kind.group) {
            return None;
        }
        let by_origin = self.definitions.get(kind)?;
        choice::choose(by_origin, &choice::Near::new(near, self.place(near)))
    }

    /// See [`Definitions::whole`].
    pub fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        let others = self.whole.get(name)?.iter().filter(|it| ***it != *path);
        let files = others.filter_map(|it| self.files.get(it));
        let wholes = files.flat_map(|it| &it.definitions);
        let named = wholes.filter(|it| it.is_whole() && it.name == name);
        named.min_by_key(|it| (it.origin, it.place.standing)).cloned()
    }

    /// The files in which every CRD has a better version in another file.
    pub fn only_copies(&self) -> HashSet<&Path> {
        let rank = |it: &KnownCrd| (it.origin, it.place.standing);
        let mut best = HashMap::new();
        for it in self.definitions().filter(|it| it.is_whole()) {
            let best = best.entry(it.name.as_str()).or_insert(rank(it));
            *best = rank(it).min(*best);
        }
        let is_copy = |it: &Arc<KnownCrd>| best.get(it.name.as_str()).is_some_and(|best| *best < rank(it));
        let of_copies = self.files.iter().filter(|(_, entry)| {
            let own = &entry.definitions;
            !own.is_empty() && own.iter().all(is_copy)
        });
        of_copies.map(|it| &**it.0).collect()
    }

    /// The files with objects of a kind.
    pub fn files_with(&self, kind: &GroupKind) -> impl Iterator<Item = &Arc<Path>> {
        self.resources.get(kind).into_iter().flatten()
    }

    /// The CRDs in a file.
    pub fn definitions_in(&self, path: &Path) -> &[Arc<KnownCrd>] {
        self.files.get(path).map_or(&[], |it| &it.definitions)
    }

    /// Whether the file has an object whose kind a known CRD defines.
    pub fn has_known_resources(&self, path: &Path) -> bool {
        let kinds = self.files.get(path).map(|it| &it.resources);
        kinds.into_iter().flatten().any(|it| self.definitions.contains_key(it))
    }

    /// All CRDs in arbitrary order.
    pub fn definitions(&self) -> impl Iterator<Item = &Arc<KnownCrd>> {
        self.files.values().flat_map(|it| &it.definitions)
    }

    /// Whether the index contains the file.
    pub fn contains(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// See [`Definitions::meant`].
    pub fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        let of_group = self.definitions.keys().filter(|it| it.group == kind.group);
        let of_kind = self.definitions.keys().filter(|it| it.kind == kind.kind);
        let mut near = of_group.filter(|it| is_slip(&it.kind, &kind.kind)).collect::<Vec<_>>();
        let is_near = |group: &str| kind.group.is_empty() || groups::is_misspelt(&kind.group, group);
        near.extend(of_kind.filter(|it| is_near(&it.group)));
        // If several kinds are similar, none is chosen.
        near.dedup();
        if let [only] = near.as_slice() {
            Some((*only).clone())
        } else {
            None
        }
    }

    /// See [`Definitions::elsewhere`].
    pub fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        let mut known = self.definitions.keys();
        if known.any(|it| it.group == kind.group) {
            return None;
        }
        let mut of_kind = self.definitions.keys().filter(|it| it.kind == kind.kind);
        let only = of_kind.next()?;
        of_kind.next().is_none().then(|| only.clone())
    }

    /// The files of the index in arbitrary order.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.files.keys()
    }
}

/// The CRDs in a text that is not in an index, as if it were the file at `path`.
pub(crate) fn definitions_in(bytes: Vec<u8>, path: &Path, origin: Origin) -> Vec<Arc<KnownCrd>> {
    let (text, objects) = objects(bytes);
    let mut index = Index::default();
    index.set(&NewFile {
        path,
        origin,
        text: &text,
        objects: &objects,
        keep_text: true,
    });
    index.definitions().cloned().collect()
}

/// A key, used like a kind, for objects that are parts of the CRD with this name. Their role depends on whether that CRD exists elsewhere.
fn part_of(name: &str) -> GroupKind {
    GroupKind {
        group: name.to_owned(),
        kind: CRD.name.to_owned(),
    }
}

/// A key, used like a kind, for all releases in a folder. A release is checked only if the folder has no newer one.
fn release_in(folder: &Path) -> GroupKind {
    GroupKind {
        group: folder.display().to_string(),
        kind: "releases".to_owned(),
    }
}

/// The kinds for which `before` and `after` differ.
fn changed_kinds<T: PartialEq>(before: &ByKind<T>, after: &ByKind<T>) -> BTreeSet<GroupKind> {
    let mut changed: BTreeSet<GroupKind> = before.keys().chain(after.keys()).cloned().collect();
    changed.retain(|kind| before.get(kind) != after.get(kind));
    changed
}

/// A property of each CRD by kind, in the order of the file.
type ByKind<T> = BTreeMap<GroupKind, Vec<T>>;

/// The fingerprints of the CRDs of each kind, and of the complete CRDs with each name.
fn fingerprints<'a>(definitions: impl IntoIterator<Item = &'a Arc<KnownCrd>>) -> ByKind<Fingerprint> {
    by_kind(definitions, |it| it.fingerprint)
}

/// Like [`fingerprints`], for built CRDs. Includes where their parts are written, because an edit may change that without changing the built text.
fn built_texts<'a>(
    definitions: impl IntoIterator<Item = &'a Arc<KnownCrd>>,
) -> ByKind<(Fingerprint, Option<Arc<[BuiltPlace]>>)> {
    by_kind(definitions, |it| {
        (it.fingerprint, it.built_from().map(|it| it.places.clone()))
    })
}

fn by_kind<'a, T>(
    definitions: impl IntoIterator<Item = &'a Arc<KnownCrd>>,
    known: impl Fn(&KnownCrd) -> T,
) -> ByKind<T> {
    let mut found = ByKind::new();
    for it in definitions {
        if it.is_whole() {
            found.entry(part_of(&it.name)).or_default();
        }
        if it.place.version.is_some() {
            found.entry(release_in(&it.place.container)).or_default();
        }
        found.entry(it.defines.clone()).or_default().push(known(it));
    }
    found
}
