//! What is known of the CRDs that Go files are made into.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_workspace::{overlay::AsBuilt, sources::go_crds::GoCrds};

use crate::pause::Pause;

/// What is known of the CRDs that Go files are made into.
#[derive(Debug, Default)]
pub(crate) struct GoCrdsOfSession {
    pub(crate) made: Mutex<HashMap<PathBuf, MadeOf>>,
    pub(crate) found: Mutex<HashMap<PathBuf, Found>>,
    pub(crate) pause: Pause,
}

/// The CRDs of a repository, and what they were made of.
#[derive(Debug)]
pub(crate) struct MadeOf {
    pub(crate) epoch: u64,
    /// The editions of the open Go files.
    pub(crate) editions: HashMap<PathBuf, u64>,
    pub(crate) crds: Arc<GoCrds>,
}

/// What was found for a file.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) built: Arc<AsBuilt>,
    pub(crate) edition: u64,
    pub(crate) epoch: u64,
}

pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
