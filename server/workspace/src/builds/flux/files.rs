//! Records which files may contain objects that matter to Flux, so that other files need not be read.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use memchr::{memmem, memrchr};

use super::{Flux, GROUP, SOURCES, TEXT_BYTES, artifacts};
use crate::documents::text::has;

/// The kinds of Flux-related objects that a file may contain.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MayHold {
    /// Whether the file may contain Flux Kustomizations.
    pub kustomizations: bool,
    /// Whether the file may contain ConfigMaps. They matter only if there are Kustomizations.
    pub config_maps: bool,
}

/// The files that may contain objects that matter to Flux.
#[derive(Debug, Default)]
pub struct FluxFiles(Mutex<BTreeMap<PathBuf, MayHold>>);

impl FluxFiles {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, MayHold>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records which objects a file with this text may contain.
    pub fn note(&self, path: &Path, text: &str) {
        let is_short = text.len() as u64 <= TEXT_BYTES;
        let found = MayHold {
            kustomizations: is_short && Flux::is_in(text),
            config_maps: is_short && Flux::may_be_config_map(text),
        };
        if found == MayHold::default() {
            self.lock().remove(path);
        } else {
            self.lock().insert(path.to_owned(), found);
        }
    }

    /// The kinds of objects that a file may contain.
    pub fn of(&self, path: &Path) -> MayHold {
        self.lock().get(path).copied().unwrap_or_default()
    }

    /// Whether any file may contain Kustomizations.
    pub fn has_kustomizations(&self) -> bool {
        self.lock().values().any(|it| it.kustomizations)
    }

    /// The files that may contain Kustomizations, and those that may contain only ConfigMaps.
    pub fn all(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let found = self.lock();
        let (kustomizations, config_maps): (Vec<_>, Vec<_>) = found.iter().partition(|it| it.1.kustomizations);
        let paths = |it: Vec<(&PathBuf, &MayHold)>| it.into_iter().map(|it| it.0.clone()).collect();
        (paths(kustomizations), paths(config_maps))
    }
}

/// The maximum distance, in bytes, between the key `kind` and its value.
const LONGEST_KEY: usize = 100;

impl Flux {
    /// Whether a file's text may contain a Flux Kustomization or one of its sources.
    pub fn is_in(text: &str) -> bool {
        has(text, GROUP) || has(text, artifacts::GROUP) || has(text, SOURCES) && has(text, "GitRepository")
    }

    /// Whether a file's text may contain a ConfigMap: the word is on a line with `kind`. CRDs often have it in descriptions.
    pub fn may_be_config_map(text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut found = memmem::find_iter(bytes, "ConfigMap");
        found.any(|at| {
            let near = &bytes[at.saturating_sub(LONGEST_KEY)..at];
            let line = memrchr(b'\n', near).map_or(near, |it| &near[it..]);
            memmem::find(line, b"kind").is_some()
        })
    }
}
