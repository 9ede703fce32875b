//! The CRDs of a git revision that would be replaced by the manifests of open source files. They are read in the background.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crd_analyzer_io::{git, go::GoSources};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::Comparison,
    index::Files,
    sources::{
        earlier::Earlier,
        earlier_crds::{EarlierCrds, EarlierFiles},
        manifest::Manifest,
    },
};

use crate::{
    documents::Snapshot,
    made::lock,
    revisions::{FRESH, FRESH_WITHOUT, MAX_BYTES, MAX_KNOWN},
};

/// A cache of the CRDs in git revisions, by the path of the manifest and the name of the revision.
#[derive(Debug, Default)]
pub(crate) struct EarlierOfSession {
    known: Mutex<HashMap<(PathBuf, String), Known>>,
    /// The CRDs generated from the source files of the last commit that was read.
    made: Mutex<Option<(String, EarlierCrds)>>,
    /// How often any CRD has changed.
    changed: AtomicU64,
}

/// A CRD in a git revision.
#[derive(Clone, Debug)]
struct Known {
    looked: Instant,
    /// The commit. `None` if the revision does not exist.
    commit: Option<String>,
    /// The CRD. `None` if the revision does not contain it.
    crd: Option<Arc<Revision>>,
}

/// The CRDs for the manifests of one file. Collects the manifests whose CRDs must be read again.
pub(crate) struct EarlierOfFile<'s> {
    known: &'s EarlierOfSession,
    snapshot: &'s Snapshot,
    revision: String,
    /// The policy for hints about changes.
    pub(crate) comparison: Option<Comparison>,
    due: Mutex<Vec<Arc<Manifest>>>,
}

impl<'s> EarlierOfFile<'s> {
    pub(crate) fn new(
        known: &'s EarlierOfSession,
        snapshot: &'s Snapshot,
        revision: String,
        comparison: Option<Comparison>,
    ) -> Self {
        Self {
            known,
            snapshot,
            revision,
            comparison,
            due: Mutex::default(),
        }
    }

    /// The name of the revision, and the manifests whose CRDs must be read again.
    pub(crate) fn due(self) -> (String, Vec<Arc<Manifest>>) {
        (
            self.revision,
            self.due.into_inner().unwrap_or_else(PoisonError::into_inner),
        )
    }
}

impl Earlier for EarlierOfFile<'_> {
    fn of(&self, manifest: &Arc<Manifest>) -> Option<Arc<Revision>> {
        let (crd, is_due) = self.known.get(&manifest.path, &self.revision);
        let mut due = lock(&self.due);
        if is_due && !due.iter().any(|it| it.path == manifest.path) {
            due.push(manifest.clone());
        }
        crd
    }

    fn goes_on(&self) -> bool {
        !self.snapshot.is_stale()
    }
}

impl EarlierOfSession {
    /// How often any CRD has changed. A check that began before the last change may have missed it.
    pub(crate) fn changed(&self) -> u64 {
        self.changed.load(Ordering::SeqCst)
    }

    /// A CRD, and whether it must be read again.
    fn get(&self, path: &Path, revision: &str) -> (Option<Arc<Revision>>, bool) {
        match self.lock().get(&(path.to_owned(), revision.to_owned())) {
            Some(known) => {
                let fresh = if known.commit.is_some() { FRESH } else { FRESH_WITHOUT };
                (known.crd.clone(), known.looked.elapsed() > fresh)
            }
            None => (None, true),
        }
    }

    /// Reads CRDs with git, which must be installed outside the workspace folders. This may take long. Returns whether any CRD has changed.
    pub(crate) fn look(
        &self,
        manifests: &[Arc<Manifest>],
        revision: &str,
        folders: Vec<PathBuf>,
        go: &GoSources,
    ) -> bool {
        let repositories = Arc::new(git::Revision::new(revision).in_workspace(folders));
        let files = OfGit(repositories.clone());
        let go = go.elsewhere(repositories.clone());
        let of = EarlierFiles {
            name: revision,
            most_bytes: MAX_BYTES,
            files: &files,
            go: &go,
        };
        let mut is_other = false;
        // Another request may already have read some of the CRDs.
        for manifest in manifests.iter().filter(|it| self.get(&it.path, revision).1) {
            let key = (manifest.path.to_path_buf(), revision.to_owned());
            let known = self.lock().get(&key).cloned();
            let commit = repositories.commit(&manifest.path).ok();
            let crd = match (&known, &commit) {
                (Some(known), Some(_)) if known.commit == commit => known.crd.clone(),
                (_, Some(commit)) => {
                    let mut made = lock(&self.made);
                    let made = match &mut *made {
                        Some(made) if made.0 == *commit => made,
                        made => made.insert((commit.clone(), EarlierCrds::default())),
                    };
                    made.1.find(manifest, &of)
                }
                (_, None) => None,
            };
            let before = known.and_then(|it| it.crd);
            is_other |= before.as_deref().map(Revision::text) != crd.as_deref().map(Revision::text);
            let mut all = self.lock();
            if all.len() >= MAX_KNOWN {
                all.clear();
            }
            let looked = Instant::now();
            all.insert(key, Known { looked, commit, crd });
        }
        if is_other {
            self.changed.fetch_add(1, Ordering::SeqCst);
        }
        is_other
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(PathBuf, String), Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files of a git revision.
struct OfGit(Arc<git::Revision>);

impl Files for OfGit {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.0.read(path).ok().flatten()
    }
}
