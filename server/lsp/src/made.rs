//! The manifests generated from open source files, and the problems found in them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crd_analyzer_workspace::{builds::overlay::AsBuilt, sources::made::Manifests};

use crate::pause::Pause;

/// The manifests generated from open source files, and the problems found in them.
#[derive(Debug, Default)]
pub(crate) struct MadeOfSession {
    /// The manifests of each unit, by language and by the folder or file of the unit.
    pub(crate) made: Mutex<HashMap<(&'static str, PathBuf), MadeOf>>,
    pub(crate) found: Mutex<HashMap<PathBuf, Found>>,
    /// The findings in open CRDs that are older than their source files.
    pub(crate) older: Mutex<HashMap<PathBuf, Found>>,
    pub(crate) pause: Pause,
}

/// The manifests of a unit, and the state of the files from which they were generated.
#[derive(Debug)]
pub(crate) struct MadeOf {
    pub(crate) epoch: u64,
    /// The editions of the open files of the unit.
    pub(crate) editions: HashMap<PathBuf, u64>,
    pub(crate) manifests: Arc<Manifests>,
}

/// The problems found in the manifests that are generated from a file.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) built: Arc<AsBuilt>,
    pub(crate) edition: u64,
    pub(crate) epoch: u64,
    /// A hash of the editions of all open source files, because other files may affect the result.
    pub(crate) editions: u64,
    /// Whether hazards of rules, and older CRDs, were not searched for yet.
    pub(crate) is_unfinished: bool,
    /// The duration of the last check after a keystroke. Zero before the first one.
    pub(crate) took: Duration,
}

pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
