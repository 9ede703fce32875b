//! Globs that are matched against many paths.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use globset::GlobSet;

/// Globs of files and folders. Each path is matched only once, even if a folder contains many files or a path is looked up often.
#[derive(Default, Debug)]
pub struct Covering {
    globs: GlobSet,
    known: Mutex<HashMap<PathBuf, bool>>,
}

/// The maximum number of cached answers.
const MOST_KNOWN: usize = 200_000;

impl Covering {
    pub(crate) fn new(globs: GlobSet) -> Self {
        Self {
            globs,
            known: Mutex::default(),
        }
    }

    /// Whether a glob matches a path or one of its parent folders.
    pub fn covers(&self, path: &Path) -> bool {
        if self.globs.is_empty() || path.as_os_str().is_empty() {
            return false;
        }
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(path) {
            return *known;
        }
        // Cache the answer for each folder, because several files look up the same folder.
        let is_covered = path.parent().is_some_and(|it| self.covers(it)) || self.globs.is_match(path);
        let mut known = lock();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(path.to_owned(), is_covered);
        is_covered
    }

    /// Whether a glob matches the path itself.
    pub(crate) fn is_match(&self, path: &Path) -> bool {
        self.globs.is_match(path)
    }
}

impl Clone for Covering {
    fn clone(&self) -> Self {
        Self::new(self.globs.clone())
    }
}
