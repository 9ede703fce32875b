//! Repositories in memory, for targets that build kustomizations.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::builds::overlay::Files;

/// The files of a repository, by absolute path.
#[derive(Clone)]
pub(crate) struct InMemory(pub(crate) Arc<BTreeMap<PathBuf, Arc<str>>>);

impl Files for InMemory {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.keys().any(|it| it != path && it.starts_with(path))
    }
}
