//! Finds out from Go tests on disk what they expect of manifests.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::GoTest;

use crate::{
    above,
    read::{self, Access, SETTINGS_BYTES},
};

/// The maximum number of folders between a file and a test that names it.
const MOST_FOLDERS: usize = 4;

/// The maximum number of such folders for tests that use a cluster. These tests have a separate folder of manifests for each subject.
const MOST_FOLDERS_OF_CLUSTERS: usize = 6;

/// A cache of the tests that were read, by folder.
#[derive(Default, Debug)]
pub struct GoTests {
    tests: Mutex<HashMap<PathBuf, Arc<Vec<GoTest>>>>,
    /// The contents of the other Go files in each folder. `None` if one of them cannot be read.
    others: Mutex<HashMap<PathBuf, Option<Arc<Vec<String>>>>>,
    /// Whether Go's tools have filled each folder `vendor`.
    vendored: Mutex<HashMap<PathBuf, bool>>,
}

impl GoTests {
    /// Whether a Go test near this file expects the API server to reject its resources. `path` is absolute.
    pub fn expect_error(&self, path: &Path, access: &Access) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS);
        let rejects = folders.any(|it| self.of(it, access).iter().any(|test| test.rejects(path)));
        let mut folders = above::folders(path, access, MOST_FOLDERS_OF_CLUSTERS);
        rejects || folders.any(|it| self.of(it, access).iter().any(|test| test.expects_failure(path)))
    }

    /// Whether a Go test near this file may send resources to an API server. `path` is absolute.
    pub fn apply(&self, path: &Path, access: &Access) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS);
        folders.any(|folder| {
            let below = path.strip_prefix(folder).unwrap_or(path);
            GoTest::apply(&self.of(folder, access), below)
        })
    }

    /// Whether this file is used only by Go tests in its own folder that send nothing to an API server. `path` is absolute.
    pub fn only_read(&self, path: &Path, access: &Access) -> bool {
        let Some(folder) = path.parent() else { return false };
        if !self.of(folder, access).iter().any(|it| it.names(path)) || self.apply(path, access) {
            return false;
        }
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        // A file that cannot be read may contain the name.
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

    /// Whether Go tests use the resources in this file only to look at those in a cluster, and do not create them. `path` is absolute.
    pub fn only_look_at(&self, path: &Path, access: &Access) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS_OF_CLUSTERS);
        folders.any(|it| self.of(it, access).iter().any(|test| test.only_looks_at(path)))
    }

    /// Whether Go's tools have copied this file from another project. `path` is absolute.
    pub fn is_vendored(&self, path: &Path, access: &Access) -> bool {
        let vendor = path
            .ancestors()
            .filter(|it| it.file_name().is_some_and(|it| it == "vendor"));
        vendor.into_iter().any(|it| self.has_modules(it, access))
    }

    /// Whether a folder contains the list of modules that Go's tools have copied into it.
    fn has_modules(&self, folder: &Path, access: &Access) -> bool {
        let mut known = self.vendored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder) {
            return *known;
        }
        let has = read::kind(&folder.join("modules.txt"), access).is_ok_and(|it| it.0 == read::Kind::File);
        known.insert(folder.to_owned(), has);
        has
    }

    /// Clears the cache because a file may have changed. Returns whether the cache had any content.
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
        let tests = Arc::new(GoTest::of_package(&texts.collect::<Vec<_>>()));
        known.insert(folder.to_owned(), tests.clone());
        tests
    }
}

fn is_test(file: &Path) -> bool {
    file.file_name()
        .and_then(|it| it.to_str())
        .is_some_and(|it| it.ends_with("_test.go"))
}
