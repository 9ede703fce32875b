//! What is known of the CRDs that Go files are made into.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crd_analyzer_workspace::{overlay::AsBuilt, sources::go_crds::GoCrds};

/// How long after the last edit CRDs are made: typing goes on, mostly.
const PAUSE: Duration = Duration::from_millis(150);

/// What is known of the CRDs that Go files are made into.
#[derive(Debug, Default)]
pub(crate) struct GoCrdsOfSession {
    pub(crate) made: Mutex<HashMap<PathBuf, MadeOf>>,
    pub(crate) found: Mutex<HashMap<PathBuf, Found>>,
    waiting: Mutex<Waiting>,
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

#[derive(Debug, Default)]
struct Waiting {
    last: Option<Instant>,
    is_begun: bool,
}

pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GoCrdsOfSession {
    /// True if the caller has to start the task that waits for a pause.
    pub(crate) fn note(&self) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.last = Some(Instant::now());
        !std::mem::replace(&mut waiting.is_begun, true)
    }

    /// How long to wait for a pause. `None`: now is one.
    pub(crate) fn until_pause(&self) -> Option<Duration> {
        let mut waiting = lock(&self.waiting);
        let rest = waiting.last.and_then(|it| PAUSE.checked_sub(it.elapsed()));
        let rest = rest.filter(|it| !it.is_zero());
        waiting.is_begun = rest.is_some();
        rest
    }
}
