//! Go tests on disk, and the files that they expect to be rejected.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::expects_error;

use crate::{
    read::{self, Access, SETTINGS_BYTES},
    roots::Roots,
};

/// How many folders above a file a test may lie in that names it.
const MOST_FOLDERS: usize = 4;

/// The tests that were read, by their folders.
#[derive(Default, Debug)]
pub struct GoTests(Mutex<HashMap<PathBuf, Arc<Vec<String>>>>);

impl GoTests {
    /// Whether a Go test near the file of this absolute path says that what is in it is rejected.
    pub fn expect_error(&self, path: &Path, access: &Access) -> bool {
        let Some(name) = path.file_name().and_then(|it| it.to_str()) else {
            return false;
        };
        // Tables often leave out the ending.
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or(name);
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        folders.any(|it| {
            let tests = self.of(it, access);
            tests
                .iter()
                .any(|it| expects_error(it, name) || expects_error(it, &format!("\"{stem}")))
        })
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<Vec<String>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tests) = known.get(folder) {
            return tests.clone();
        }
        let files = match access {
            Access::Named => read::files_in(folder, &Roots::new([folder])),
            Access::Within(roots) => read::files_in(folder, roots),
            Access::Elsewhere(files) => {
                let is_wanted = |it: &Path| it.parent() == Some(folder) && is_test(it);
                files.files(folder, &is_wanted).unwrap_or_default().files
            }
        };
        let tests = files.iter().filter(|it| is_test(it));
        let texts = tests.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
        let texts = Arc::new(texts.collect::<Vec<_>>());
        known.insert(folder.to_owned(), texts.clone());
        texts
    }
}

fn is_test(file: &Path) -> bool {
    file.file_name()
        .and_then(|it| it.to_str())
        .is_some_and(|it| it.ends_with("_test.go"))
}
