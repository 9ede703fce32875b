//! Which files may say something to Flux, so that no others are read for it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Flux, TEXT_BYTES};

/// What a file may hold.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MayHold {
    /// Kustomizations of Flux.
    pub kustomizations: bool,
    /// ConfigMaps, which count where there are Kustomizations.
    pub config_maps: bool,
}

/// The files that may say something to Flux.
#[derive(Debug, Default)]
pub struct FluxFiles(Mutex<BTreeMap<PathBuf, MayHold>>);

impl FluxFiles {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, MayHold>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of the text of a file.
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

    /// What a file may hold.
    pub fn of(&self, path: &Path) -> MayHold {
        self.lock().get(path).copied().unwrap_or_default()
    }

    /// Whether one of them may hold Kustomizations.
    pub fn has_kustomizations(&self) -> bool {
        self.lock().values().any(|it| it.kustomizations)
    }

    /// The files that may hold Kustomizations, and those that may hold only ConfigMaps.
    pub fn all(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let found = self.lock();
        let (kustomizations, config_maps): (Vec<_>, Vec<_>) = found.iter().partition(|it| it.1.kustomizations);
        let paths = |it: Vec<(&PathBuf, &MayHold)>| it.into_iter().map(|it| it.0.clone()).collect();
        (paths(kustomizations), paths(config_maps))
    }
}
