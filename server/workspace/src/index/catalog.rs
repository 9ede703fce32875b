//! An index that several threads share, and the interface through which checks of objects use it.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use crd_analyzer_apiextensions::decode::WrittenType;

use super::{CrdText, Files, Found, GroupKind, Index, KnownCrd, Resource, Thing, definitions_in, group_kind, native};

/// A source of CRDs for checks of objects.
pub trait Definitions: Sync {
    /// The CRD that applies to objects of this kind in the file at `near`.
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found>;

    /// The known kind that the author of an unknown kind probably meant: a similar name in the same group, or the same name in a similar group.
    fn meant(&self, kind: &GroupKind) -> Option<GroupKind>;

    /// The only known kind with the same name. `None` if a CRD has the group.
    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind>;

    /// The best complete CRD with this name in a file other than the one at `path`.
    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>>;

    /// The name of a mutating webhook that the API server calls when it creates objects of a resource.
    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>>;

    /// The source of the CRDs' texts.
    fn files(&self) -> &dyn Files;

    /// The same CRD in the old revision. `None` without an old revision, or if it does not have the CRD.
    fn previous(&self, definition: &KnownCrd) -> Option<Arc<KnownCrd>>;
}

/// The CRDs of a file in the old revision, which is read once.
type OldFile = Arc<OnceLock<Vec<Arc<KnownCrd>>>>;

/// An index that several threads share, and the source of its files.
pub struct Catalog {
    index: RwLock<Index>,
    files: Box<dyn Files>,
    /// The files of the old revision, and the CRDs read from them so far.
    old_files: Option<Box<dyn Files>>,
    old: Mutex<HashMap<Arc<Path>, OldFile>>,
}

impl Definitions for Catalog {
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        self.with(|index| index.find(kind, near))
    }

    fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.with(|index| index.meant(kind))
    }

    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.with(|index| index.elsewhere(kind))
    }

    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        self.with(|index| index.whole(name, path))
    }

    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        self.with(|index| index.webhook(resource))
    }

    fn files(&self) -> &dyn Files {
        &*self.files
    }

    fn previous(&self, definition: &KnownCrd) -> Option<Arc<KnownCrd>> {
        let files = self.old_files.as_deref()?;
        let path = &definition.path;
        let cell = {
            let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
            old.entry(path.clone()).or_default().clone()
        };
        let definitions = cell.get_or_init(|| {
            let Some(bytes) = files.read(path) else {
                return Vec::new();
            };
            // Parse these bytes here, because the index has the CRDs of another revision.
            definitions_in(bytes, path, definition.origin)
        });
        definitions
            .iter()
            .rev()
            .find(|it| it.defines == definition.defines)
            .cloned()
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Catalog")
    }
}

impl Catalog {
    /// Creates an empty catalog.
    pub fn new(files: impl Files + 'static) -> Self {
        Self {
            index: RwLock::default(),
            files: Box::new(files),
            old_files: None,
            old: Mutex::default(),
        }
    }

    /// Sets the files of the old revision.
    #[must_use]
    pub fn compared_with(mut self, old: impl Files + 'static) -> Self {
        self.old_files = Some(Box::new(old));
        self
    }

    /// If the cached texts of CRDs have more than `most` bytes, drops some, see [`Index::release`].
    pub fn release(&self, most: u64) {
        if self.change(|index| index.release(most)) {
            self.old.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Calls a function with the index. The function must not call this or [`Self::change`].
    pub fn with<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        look(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls a function that changes the index. The function must not call this or [`Self::with`].
    pub fn change<T>(&self, change: impl FnOnce(&mut Index) -> T) -> T {
        change(&mut self.index.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The role of an object in the file at `near`.
    pub fn thing(&self, written: &WrittenType, near: &Path) -> Thing {
        if written.is_crd() {
            return Thing::Definition;
        }
        let Some(kind) = group_kind(written) else {
            return Thing::Unknown;
        };
        match self.find(&kind, near) {
            Some(found) => Thing::Resource(found),
            None if native::is_native(&kind.group) => Thing::Native,
            None => Thing::Unknown,
        }
    }

    /// The text of a CRD; `None` if it no longer exists.
    pub fn text(&self, definition: &KnownCrd) -> Option<Arc<CrdText>> {
        definition.text(&*self.files)
    }
}
