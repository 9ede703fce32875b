//! Caches which constraints of open CRDs the objects in each file fail.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crd_analyzer_io::read::Stamp;
use crd_analyzer_workspace::constraints::ObjectVerdict;
use lsp_types::Location;

use crate::pause::Pause;

/// The cached results for files whose objects were checked against open CRDs.
#[derive(Debug, Default)]
pub(crate) struct CheckedFiles {
    pub(crate) pause: Pause,
    /// The number of events so far that may change a result.
    changes: AtomicU64,
    /// The results, by file and by the CRD that checked it.
    files: Mutex<HashMap<FileAndCrd, CheckedFile>>,
}

/// The path of a file, and the path and name of the CRD that its objects are checked against.
pub(crate) type FileAndCrd = (Arc<Path>, Arc<Path>, String);

/// A file whose objects were checked.
#[derive(Clone, Debug)]
pub(crate) struct CheckedFile {
    pub(crate) of: Version,
    pub(crate) objects: Arc<[CheckedObject]>,
}

/// The state of a file and of its dependencies when it was checked.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Version {
    pub(crate) text: TextVersion,
    /// See [`crate::overlays::Overlays::epoch`].
    pub(crate) epoch: u64,
}

/// The text of a file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum TextVersion {
    /// The edition of an open document.
    Open(u64),
    /// The stamp of a file on disk.
    OnDisk(Stamp),
}

/// A checked object in a file.
#[derive(Clone, Debug)]
pub(crate) struct CheckedObject {
    pub(crate) verdict: ObjectVerdict,
    /// The location of each failure, in the order of `verdict.failures`.
    pub(crate) locations: Vec<Location>,
}

impl CheckedFiles {
    /// Records an event that may change a result.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of recorded events.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// The cached result for a file, if the file and its dependencies have not changed.
    pub(crate) fn get(&self, file: &FileAndCrd, of: &Version) -> Option<Arc<[CheckedObject]>> {
        let files = self.lock();
        files.get(file).filter(|it| it.of == *of).map(|it| it.objects.clone())
    }

    /// Caches the result for a file.
    pub(crate) fn put(&self, file: FileAndCrd, checked: CheckedFile) {
        self.lock().insert(file, checked);
    }

    /// Drops the results of all other files.
    pub(crate) fn retain(&self, files: &HashSet<FileAndCrd>) {
        self.lock().retain(|file, _| files.contains(file));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<FileAndCrd, CheckedFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
