//! What a revision has of the files that are open, asked of git beside the reader.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::git::{self, Fetch};

/// What was found out counts for so long, and then is asked for again when somebody wants to know: a commit changes what `HEAD` is.
const FRESH: Duration = Duration::from_secs(3);
/// The same where there is no repository, or no git.
const FRESH_WITHOUT: Duration = Duration::from_mins(1);
/// Files that are known; then all are forgotten.
const MAX_KNOWN: usize = 500;
/// Larger files are left alone, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The files as a revision has them.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Mutex<HashMap<(PathBuf, String), Known>>);

/// A file as a revision has it.
#[derive(Clone, Debug)]
struct Known {
    looked: Instant,
    /// `None`: there is no such revision.
    commit: Option<String>,
    text: Option<Arc<[u8]>>,
}

impl Revisions {
    /// What is known of a file, and whether it is time to look again.
    pub(crate) fn get(&self, path: &Path, revision: &str) -> (Option<Arc<[u8]>>, bool) {
        match self.lock().get(&(path.to_owned(), revision.to_owned())) {
            Some(known) => {
                let fresh = if known.commit.is_some() { FRESH } else { FRESH_WITHOUT };
                (known.text.clone(), known.looked.elapsed() > fresh)
            }
            None => (None, true),
        }
    }

    /// Asks git. Returns whether what it has says something else about `now`, the file as it is, than what was known. This takes its time:
    /// ask on a thread that may be blocked.
    pub(crate) fn look(&self, path: &Path, revision: &str, now: &[u8]) -> bool {
        let key = (path.to_owned(), revision.to_owned());
        let known = self.lock().get(&key).cloned();
        let commit = git::commit(path, revision, Fetch::Never).ok();
        let text = match (&known, &commit) {
            (Some(known), Some(commit)) if known.commit.as_ref() == Some(commit) => known.text.clone(),
            (_, Some(commit)) => {
                let text = git::show(path, commit, Fetch::Never).ok().flatten();
                text.filter(|it| it.len() <= MAX_BYTES).map(Arc::from)
            }
            (_, None) => None,
        };
        let before = known.and_then(|it| it.text);
        let says_something = |text: &Option<Arc<[u8]>>| text.as_ref().is_some_and(|it| **it != *now);
        let is_other = before != text && (says_something(&before) || says_something(&text));
        let mut all = self.lock();
        if all.len() >= MAX_KNOWN {
            all.clear();
        }
        let looked = Instant::now();
        all.insert(key, Known { looked, commit, text });
        is_other
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(PathBuf, String), Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
