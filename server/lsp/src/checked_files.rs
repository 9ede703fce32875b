//! The files with objects of open CRDs, and which constraints the objects fail.

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

/// What is known of the files with objects of open CRDs.
#[derive(Debug, Default)]
pub(crate) struct CheckedFiles {
    pub(crate) pause: Pause,
    /// Counts what may change an answer.
    changes: AtomicU64,
    /// By the file, and the CRD that its objects were checked by.
    files: Mutex<HashMap<FileAndCrd, CheckedFile>>,
}

/// A file, and the CRD that its objects are checked by: its file and its name.
pub(crate) type FileAndCrd = (Arc<Path>, Arc<Path>, String);

/// A file whose objects were checked.
#[derive(Clone, Debug)]
pub(crate) struct CheckedFile {
    pub(crate) of: Version,
    pub(crate) objects: Arc<[CheckedObject]>,
}

/// What a file was, and what its answer depended on.
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
    /// As it is on disk.
    OnDisk(Stamp),
}

/// An object of a file.
#[derive(Clone, Debug)]
pub(crate) struct CheckedObject {
    pub(crate) verdict: ObjectVerdict,
    /// Where each of its failures is.
    pub(crate) locations: Vec<Location>,
}

impl CheckedFiles {
    /// Takes note of something that may change an answer.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// How often that was so.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// What is known of a file, if it and what its answer depends on are the same.
    pub(crate) fn get(&self, file: &FileAndCrd, of: &Version) -> Option<Arc<[CheckedObject]>> {
        let files = self.lock();
        files.get(file).filter(|it| it.of == *of).map(|it| it.objects.clone())
    }

    /// Keeps what was found of a file.
    pub(crate) fn put(&self, file: FileAndCrd, checked: CheckedFile) {
        self.lock().insert(file, checked);
    }

    /// Forgets other files.
    pub(crate) fn retain(&self, files: &HashSet<FileAndCrd>) {
        self.lock().retain(|file, _| files.contains(file));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<FileAndCrd, CheckedFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
