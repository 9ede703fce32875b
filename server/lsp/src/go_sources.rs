//! Go repositories on disk, for definitions that are generated from them. The command line uses it, too.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_gosource::{Folders, Module, root_of};
use crd_analyzer_workspace::generated;

/// The repositories that were asked about, each read once.
#[derive(Default, Debug)]
pub struct GoSources {
    known: Mutex<Known>,
}

#[derive(Default, Debug)]
struct Known {
    /// The root around a folder, if there is one.
    roots: HashMap<PathBuf, Option<PathBuf>>,
    modules: HashMap<PathBuf, Arc<Module>>,
}

impl GoSources {
    /// Forgets what was read, because files have changed; whether anything was.
    pub(crate) fn forget(&self) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let was_used = !known.modules.is_empty();
        *known = Known::default();
        was_used
    }
}

impl generated::GoSources for GoSources {
    fn around(&self, manifest: &Path) -> Option<Arc<Module>> {
        let folder = manifest.parent()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let root = known
            .roots
            .entry(folder.to_owned())
            .or_insert_with(|| root_of(manifest, &Disk))
            .clone()?;
        let module = known
            .modules
            .entry(root.clone())
            .or_insert_with(|| Arc::new(Module::new(root, Box::new(Disk))));
        Some(module.clone())
    }
}

struct Disk;

impl Folders for Disk {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let named = entries.flatten().filter_map(|it| {
            // Of a link the type is that of the link: it is not followed, so no walk goes round.
            let is_folder = it.file_type().ok()?.is_dir();
            Some((it.file_name().into_string().ok()?, is_folder))
        });
        let mut names: Vec<_> = named.collect();
        names.sort();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        fs::read_to_string(file).ok()
    }
}
