//! What a revision has of the files that are open, asked of git beside the reader.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crd_analyzer_io::git;
use crd_analyzer_workspace::comparison::revision::Revision;

/// What was found out counts for so long, and then is asked for again when somebody wants to know: a commit changes what `HEAD` is.
const FRESH: Duration = Duration::from_secs(3);
/// The same without a repository or without git.
const FRESH_WITHOUT: Duration = Duration::from_mins(1);
/// Files that are known; then all are forgotten.
const MAX_KNOWN: usize = 500;
/// Larger files are left alone, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The files as a revision has them.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Mutex<HashMap<(PathBuf, String), CachedRevision>>);

/// A file as a revision has it.
#[derive(Clone, Debug)]
struct CachedRevision {
    looked: Instant,
    /// `None` if the revision does not exist.
    commit: Option<String>,
    /// The file there, if it exists there.
    file: Option<Arc<Revision>>,
}

impl Revisions {
    /// What is known of a file, and whether it is time to look again.
    pub(crate) fn get(&self, path: &Path, revision: &str) -> (Option<Arc<Revision>>, bool) {
        match self.lock().get(&(path.to_owned(), revision.to_owned())) {
            Some(known) => {
                let fresh = if known.commit.is_some() { FRESH } else { FRESH_WITHOUT };
                (known.file.clone(), known.looked.elapsed() > fresh)
            }
            None => (None, true),
        }
    }

    /// Asks git, a program outside of the workspace's folders. This takes its time: ask on a thread that may be blocked.
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

/// Whether a text has another answer as an update of `after` than of `before`.
pub(crate) fn is_other_update(before: Option<&Revision>, after: Option<&Revision>, text: &str) -> bool {
    let is_update = |it: Option<&Revision>| it.is_some_and(|it| !it.is(text));
    before.map(Revision::text) != after.map(Revision::text) && (is_update(before) || is_update(after))
}
