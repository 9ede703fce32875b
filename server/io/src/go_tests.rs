//! Go tests on disk, and the files that they expect to be rejected.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::Rejected;

use crate::read::{self, Access, SETTINGS_BYTES};

/// How many folders above a file a test may lie in that names it.
const MOST_FOLDERS: usize = 4;

/// What the tests that were read say, by their folders.
#[derive(Default, Debug)]
pub struct GoTests(Mutex<HashMap<PathBuf, Arc<Vec<Rejected>>>>);

impl GoTests {
    /// Whether a Go test near the file of this absolute path says that what is in it is rejected.
    pub fn expect_error(&self, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        folders.any(|it| self.of(it, access).iter().any(|test| test.names(path)))
    }

    /// Forgets what was read, because a file may have changed. Whether something was.
    pub fn forget(&self) -> bool {
        let known = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !known.is_empty()
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<Vec<Rejected>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tests) = known.get(folder) {
            return tests.clone();
        }
        let files = read::files_of(folder, access, &is_test);
        let tests = files.iter().filter(|it| is_test(it));
        let texts = tests.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
        let tests = Arc::new(texts.map(|it| Rejected::of(&it)).collect::<Vec<_>>());
        known.insert(folder.to_owned(), tests.clone());
        tests
    }
}

fn is_test(file: &Path) -> bool {
    file.file_name()
        .and_then(|it| it.to_str())
        .is_some_and(|it| it.ends_with("_test.go"))
}
