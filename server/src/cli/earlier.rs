//! Finds the CRDs that the manifests of source files would replace, for `--old-ref`.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_io::{git, go::GoSources, read::FOUND_BYTES};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    sources::{
        earlier::Earlier,
        earlier_crds::{EarlierCrds, EarlierFiles},
        manifest::Manifest,
    },
};

use super::definitions::Git;

/// A cache of the CRDs of a git revision. Each is read once in a run.
pub(super) struct EarlierOfRun {
    name: String,
    files: Git,
    go: GoSources,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    crds: EarlierCrds,
    /// The CRDs, by the path of the manifest.
    found: HashMap<PathBuf, Option<Arc<Revision>>>,
}

impl EarlierOfRun {
    /// Creates an empty cache for a revision. `go` is the cache of the Go types on disk.
    pub(super) fn new(revision: &Arc<git::Revision>, go: &GoSources) -> Self {
        Self {
            name: revision.shown_name(),
            files: Git {
                revision: revision.clone(),
            },
            go: go.elsewhere(revision.clone()),
            known: Mutex::default(),
        }
    }
}

impl Earlier for EarlierOfRun {
    fn of(&self, manifest: &Arc<Manifest>) -> Option<Arc<Revision>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { crds, found } = &mut *known;
        let files = EarlierFiles {
            name: &self.name,
            most_bytes: FOUND_BYTES as usize,
            files: &self.files,
            go: &self.go,
        };
        let found = found.entry(manifest.path.to_path_buf());
        found.or_insert_with(|| crds.find(manifest, &files)).clone()
    }
}
