//! The CRDs that the Go types of repositories are made into, made once in a run.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_io::go::GoSources;
use crd_analyzer_workspace::{generated::GoSources as _, index::Definitions as _, sources::go_crds::GoCrds};

use super::definitions::RunDefinitions;

/// By the folder of a Go repository.
#[derive(Default)]
pub(super) struct GoCrdsOfRun(Mutex<HashMap<PathBuf, Arc<OnceLock<GoCrds>>>>);

impl GoCrdsOfRun {
    /// The CRDs of the repository around a Go file.
    pub(super) fn around(&self, path: &Path, go: &GoSources, known: &RunDefinitions) -> Option<Made> {
        let module = go.around(path)?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = all.entry(module.root().to_owned()).or_default().clone();
        drop(all);
        made.get_or_init(|| {
            let crds = known.own_crds();
            let of_module = crds.iter().filter(|it| it.path.starts_with(module.root()));
            GoCrds::new(of_module, known.files(), &module)
        });
        Some(Made(made))
    }
}

/// Those of one repository.
pub(super) struct Made(Arc<OnceLock<GoCrds>>);

impl std::ops::Deref for Made {
    type Target = GoCrds;

    fn deref(&self) -> &GoCrds {
        self.0.get_or_init(GoCrds::default)
    }
}
