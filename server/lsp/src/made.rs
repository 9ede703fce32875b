//! What is known of the manifests that open source files are made into.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crd_analyzer_workspace::{builds::overlay::AsBuilt, sources::made::Manifests};

use crate::pause::Pause;

/// What is known of the manifests that open source files are made into.
#[derive(Debug, Default)]
pub(crate) struct MadeOfSession {
    /// By the language, and the folder or file that the unit is known by.
    pub(crate) made: Mutex<HashMap<(&'static str, PathBuf), MadeOf>>,
    pub(crate) found: Mutex<HashMap<PathBuf, Found>>,
    pub(crate) pause: Pause,
}

/// The manifests of a unit, and what they were made of.
#[derive(Debug)]
pub(crate) struct MadeOf {
    pub(crate) epoch: u64,
    /// The editions of the open files.
    pub(crate) editions: HashMap<PathBuf, u64>,
    pub(crate) manifests: Arc<Manifests>,
}

/// What was found for a file.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) built: Arc<AsBuilt>,
    pub(crate) edition: u64,
    pub(crate) epoch: u64,
    /// Those of all open files: others may decide it, too.
    pub(crate) editions: u64,
    /// Hazards were not looked for.
    pub(crate) is_unfinished: bool,
    /// How long it took.
    pub(crate) took: Duration,
}

pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
