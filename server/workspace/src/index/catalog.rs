//! An index that several threads share, and what those ask it who judge objects.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use crd_analyzer_apiextensions::decode::WrittenType;

use super::{CrdText, Files, Found, GroupKind, Index, KnownCrd, Resource, Thing, definitions_in, group_kind, native};

/// Where whoever judges an object finds CRDs.
pub trait Definitions: Sync {
    /// The CRD that counts for objects of this kind in the file at `near`.
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found>;

    /// The kind that was probably meant by one that nothing defines: of another name in its group, or of the same name in another group.
    fn meant(&self, kind: &GroupKind) -> Option<GroupKind>;

    /// The whole CRD of this name, the best one outside of the file at `path`.
    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>>;

    /// The name of a mutating webhook that the API server asks about objects of a resource that are created.
    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>>;

    /// Where their texts come from.
    fn files(&self) -> &dyn Files;

    /// The CRD as it was in the revision that is compared with; `None` if there is none, or no such CRD in it.
    fn previous(&self, definition: &KnownCrd) -> Option<Arc<KnownCrd>>;
}

/// The CRDs of a file of another revision, found once.
type OldFile = Arc<OnceLock<Vec<Arc<KnownCrd>>>>;

/// An index that several threads share, and where its files come from.
pub struct Catalog {
    index: RwLock<Index>,
    files: Box<dyn Files>,
    /// The revision that is compared with, and the CRDs of its files as far as somebody asked.
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
            // The files of the index are those of another revision.
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
    /// An empty one.
    pub fn new(files: impl Files + 'static) -> Self {
        Self {
            index: RwLock::default(),
            files: Box::new(files),
            old_files: None,
            old: Mutex::default(),
        }
    }

    /// Compares with what these files were.
    #[must_use]
    pub fn compared_with(mut self, old: impl Files + 'static) -> Self {
        self.old_files = Some(Box::new(old));
        self
    }

    /// Forgets what was read of CRDs if it is more than `most` bytes of text, see [`Index::release`].
    pub fn release(&self, most: u64) {
        if self.change(|index| index.release(most)) {
            self.old.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Looks into the index. Must not be called from within.
    pub fn with<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        look(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the index. Must not be called from within.
    pub fn change<T>(&self, change: impl FnOnce(&mut Index) -> T) -> T {
        change(&mut self.index.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// What something in the file at `near` is.
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

    /// The text of a CRD; `None` if it is not there any more.
    pub fn text(&self, definition: &KnownCrd) -> Option<Arc<CrdText>> {
        definition.text(&*self.files)
    }
}
