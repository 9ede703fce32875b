//! The last results of the test files that test open CRDs.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_suite::{definition::Found, run::Outcome};
use crd_analyzer_workspace::config::versions::VersionSet;

/// The last results of the test files that test open CRDs, by path.
#[derive(Debug, Default)]
pub(crate) struct TestedFiles(Mutex<HashMap<PathBuf, Arc<Tested>>>);

/// A test file that has run.
#[derive(Debug)]
pub(crate) struct Tested {
    pub(crate) text: Arc<str>,
    pub(crate) versions: VersionSet,
    pub(crate) runs: Vec<(Vec<Found>, Vec<Outcome>)>,
}

impl TestedFiles {
    /// The last results of a file.
    pub(crate) fn get(&self, path: &Path) -> Option<Arc<Tested>> {
        self.lock().get(path).cloned()
    }

    /// Replaces all results.
    pub(crate) fn put(&self, tested: HashMap<PathBuf, Arc<Tested>>) {
        *self.lock() = tested;
    }

    /// Whether a file tests a CRD of the file with this label.
    pub(crate) fn have_tests_of(&self, label: &str) -> bool {
        let tested = self.lock();
        let mut all = tested.values().flat_map(|it| &it.runs).flat_map(|it| &it.0);
        all.any(|it| it.label == label)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Tested>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
