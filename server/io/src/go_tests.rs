//! Reads Go tests on disk for what they expect of manifests.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::GoTest;

use crate::read::{self, Access, SETTINGS_BYTES};

/// The maximum number of folders between a file and a test that names it.
const MOST_FOLDERS: usize = 4;

/// The same for tests that use a cluster: their manifests are in one folder per subject.
const MOST_FOLDERS_OF_CLUSTERS: usize = 6;

/// The tests read so far, by folder.
#[derive(Default, Debug)]
pub struct GoTests {
    tests: Mutex<HashMap<PathBuf, Arc<Vec<GoTest>>>>,
    /// The contents of a folder's other Go files; `None` if one of them cannot be read.
    others: Mutex<HashMap<PathBuf, Option<Arc<Vec<String>>>>>,
    /// For each folder `vendor`: whether Go's tools filled it.
    vendored: Mutex<HashMap<PathBuf, bool>>,
}

impl GoTests {
    /// Whether a Go test near this file expects the API server to reject its resources. `path` is absolute.
    pub fn expect_error(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        let rejects = folders.any(|it| self.of(it, access).iter().any(|test| test.rejects(path)));
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS_OF_CLUSTERS);
        rejects || folders.any(|it| self.of(it, access).iter().any(|test| test.expects_failure(path)))
    }

    /// Whether a Go test near this file may send resources to an API server. `path` is absolute.
    pub fn apply(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        folders.any(|it| self.of(it, access).iter().any(GoTest::applies))
    }

    /// Whether only Go tests in the file's own folder use this file, and they send nothing to an API server. `path` is absolute.
    pub fn only_read(&self, path: &Path, access: &Access) -> bool {
        let Some(folder) = path.parent() else { return false };
        if !self.of(folder, access).iter().any(|it| it.names(path)) || self.apply(path, access) {
            return false;
        }
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        // A Go file that cannot be read may name it.
        let others = self.others(folder, access);
        others.is_some_and(|it| it.iter().all(|it| !it.contains(name)))
    }

    fn others(&self, folder: &Path, access: &Access) -> Option<Arc<Vec<String>>> {
        let mut known = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(texts) = known.get(folder) {
            return texts.clone();
        }
        let is_other = |it: &Path| it.extension().is_some_and(|it| it == "go") && !is_test(it);
        let files = read::files_of(folder, access, &is_other);
        let files = files.iter().filter(|it| is_other(it));
        let texts: Result<Vec<_>, _> = files.map(|it| read::text(it, access, SETTINGS_BYTES)).collect();
        let texts = texts.ok().map(Arc::new);
        known.insert(folder.to_owned(), texts.clone());
        texts
    }

    /// Whether Go tests only compare the resources in this file with those in a cluster, and do not create them. `path` is absolute.
    pub fn only_look_at(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS_OF_CLUSTERS);
        folders.any(|it| self.of(it, access).iter().any(|test| test.only_looks_at(path)))
    }

    /// Whether Go's tools copied this file from another project. `path` is absolute.
    pub fn is_vendored(&self, path: &Path, access: &Access) -> bool {
        let vendor = path
            .ancestors()
            .filter(|it| it.file_name().is_some_and(|it| it == "vendor"));
        vendor.into_iter().any(|it| self.has_modules(it, access))
    }

    /// Whether a folder has the list of modules that Go's tools copied into it.
    fn has_modules(&self, folder: &Path, access: &Access) -> bool {
        let mut known = self.vendored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder) {
            return *known;
        }
        let has = read::kind(&folder.join("modules.txt"), access).is_ok_and(|it| it.0 == read::Kind::File);
        known.insert(folder.to_owned(), has);
        has
    }

    /// Clears the cache because a file may have changed. Returns whether there was anything in it.
    pub fn forget(&self) -> bool {
        let known = std::mem::take(&mut *self.tests.lock().unwrap_or_else(PoisonError::into_inner));
        self.others.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.vendored.lock().unwrap_or_else(PoisonError::into_inner).clear();
        !known.is_empty()
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<Vec<GoTest>> {
        let mut known = self.tests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tests) = known.get(folder) {
            return tests.clone();
        }
        let files = read::files_of(folder, access, &is_test);
        let tests = files.iter().filter(|it| is_test(it));
        let texts = tests.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
        let tests = Arc::new(texts.map(|it| GoTest::of(&it)).collect::<Vec<_>>());
        known.insert(folder.to_owned(), tests.clone());
        tests
    }
}

fn is_test(file: &Path) -> bool {
    file.file_name()
        .and_then(|it| it.to_str())
        .is_some_and(|it| it.ends_with("_test.go"))
}
