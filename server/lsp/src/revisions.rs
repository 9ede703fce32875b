//! The versions of open files in a git revision, read in the background.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crd_analyzer_io::git;
use crd_analyzer_workspace::comparison::revision::Revision;

/// How long a result remains valid. Results expire because a commit changes what `HEAD` refers to.
pub(crate) const FRESH: Duration = Duration::from_secs(3);
/// How long a result remains valid if the repository or the git program is missing.
pub(crate) const FRESH_WITHOUT: Duration = Duration::from_mins(1);
/// The maximum number of files to remember. Beyond it, all are dropped.
pub(crate) const MAX_KNOWN: usize = 500;
/// The maximum size of a file, in bytes. Larger files are not read.
pub(crate) const MAX_BYTES: usize = 256 << 10;

/// The files in a git revision, by path and revision.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Mutex<HashMap<(PathBuf, String), CachedRevision>>);

/// A file in a git revision.
#[derive(Clone, Debug)]
struct CachedRevision {
    looked: Instant,
    /// The commit. `None` if the revision does not exist.
    commit: Option<String>,
    /// The content of the file. `None` if the revision does not have it.
    file: Option<Arc<Revision>>,
}

impl Revisions {
    /// The cached revision of a file, and whether it must be read again.
    pub(crate) fn get(&self, path: &Path, revision: &str) -> (Option<Arc<Revision>>, bool) {
        match self.lock().get(&(path.to_owned(), revision.to_owned())) {
            Some(known) => {
                let fresh = if known.commit.is_some() { FRESH } else { FRESH_WITHOUT };
                (known.file.clone(), known.looked.elapsed() > fresh)
            }
            None => (None, true),
        }
    }

    /// Reads a file with git, which must be a program outside the workspace folders. This can take long, so call it on a thread that may block.
    pub(crate) fn look(&self, path: &Path, revision: &str, folders: Vec<PathBuf>) {
        let key = (path.to_owned(), revision.to_owned());
        let known = self.lock().get(&key).cloned();
        let repositories = git::Revision::new(revision).in_workspace(folders);
        let commit = repositories.commit(path).ok();
        let file = match (&known, &commit) {
            (Some(known), Some(commit)) if known.commit.as_ref() == Some(commit) => known.file.clone(),
            (_, Some(_)) => {
                let text = repositories.read(path).ok().flatten();
                let text = text.filter(|it| it.len() <= MAX_BYTES);
                text.map(|it| Arc::new(Revision::new(revision, &it)))
            }
            (_, None) => None,
        };
        let mut all = self.lock();
        if all.len() >= MAX_KNOWN {
            all.clear();
        }
        let looked = Instant::now();
        all.insert(key, CachedRevision { looked, commit, file });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(PathBuf, String), CachedRevision>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a text may get different errors as an update of `after` than as an update of `before`.
pub(crate) fn is_other_update(before: Option<&Revision>, after: Option<&Revision>, text: &str) -> bool {
    let is_update = |it: Option<&Revision>| it.is_some_and(|it| !it.is(text));
    before.map(Revision::text) != after.map(Revision::text) && (is_update(before) || is_update(after))
}
