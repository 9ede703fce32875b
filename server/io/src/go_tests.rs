//! Go tests on disk, and what they say of files.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::GoTest;

use crate::read::{self, Access, SETTINGS_BYTES};

/// How many folders above a file a test may lie in that names it.
const MOST_FOLDERS: usize = 4;

/// The same for tests that use a cluster: their manifests lie in folders by subject.
const MOST_FOLDERS_OF_CLUSTERS: usize = 6;

/// What the tests that were read say, by their folders.
#[derive(Default, Debug)]
pub struct GoTests {
    tests: Mutex<HashMap<PathBuf, Arc<Vec<GoTest>>>>,
    /// The texts of the other Go files of a folder; `None`: one of them cannot be read.
    others: Mutex<HashMap<PathBuf, Option<Arc<Vec<String>>>>>,
    /// The folders `vendor`: whether Go's tools filled them.
    vendored: Mutex<HashMap<PathBuf, bool>>,
}

impl GoTests {
    /// Whether a Go test near the file of this absolute path says that what is in it is rejected.
    pub fn expect_error(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        let rejects = folders.any(|it| self.of(it, access).iter().any(|test| test.rejects(path)));
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS_OF_CLUSTERS);
        rejects || folders.any(|it| self.of(it, access).iter().any(|test| test.expects_failure(path)))
    }

    /// Whether a Go test near the file of this absolute path may give objects to an API server.
    pub fn apply(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        folders.any(|it| self.of(it, access).iter().any(GoTest::applies))
    }

    /// Whether only Go tests of its own folder name the file of this absolute path, and they give nothing to an API server.
    pub fn only_read(&self, path: &Path, access: &Access) -> bool {
        let Some(folder) = path.parent() else { return false };
        if !self.of(folder, access).iter().any(|it| it.names(path)) || self.apply(path, access) {
            return false;
        }
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        // What cannot be read may name it.
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

    /// Whether Go tests only look at what a cluster has of the objects in the file of this absolute path, and give them to no API server.
    pub fn only_look_at(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS_OF_CLUSTERS);
        folders.any(|it| self.of(it, access).iter().any(|test| test.only_looks_at(path)))
    }

    /// Whether Go's tools copied the file of this absolute path from another project.
    pub fn is_vendored(&self, path: &Path, access: &Access) -> bool {
        let vendor = path
            .ancestors()
            .filter(|it| it.file_name().is_some_and(|it| it == "vendor"));
        vendor.into_iter().any(|it| self.has_modules(it, access))
    }

    /// Whether a folder has the list of what Go's tools copied into it.
    fn has_modules(&self, folder: &Path, access: &Access) -> bool {
        let mut known = self.vendored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder) {
            return *known;
        }
        let has = read::kind(&folder.join("modules.txt"), access).is_ok_and(|it| it.0 == read::Kind::File);
        known.insert(folder.to_owned(), has);
        has
    }

    /// Forgets what was read, because a file may have changed. Whether something was.
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
