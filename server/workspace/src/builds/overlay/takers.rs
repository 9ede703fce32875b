//! The folders from which Flux takes the files of a repository, because variables are defined for a folder.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::Sources;

use super::{flux_manifests::Manifests, run::BuiltFolder};
use crate::builds::flux::{Flux, Paths};

/// Which folders use the files of a repository.
#[derive(Default)]
pub(super) struct Takers {
    /// The folders whose kustomizations use a file, directly or through other kustomizations, by file.
    folders: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// The folders with a kustomization in whose build Flux certainly substitutes variables, and the files and folders that it takes from a folder
    /// without one.
    substituted: HashSet<PathBuf>,
    /// The indices of the documents in which a label or annotation turns substitution off, whatever file sets it, by file.
    switched_off: HashMap<PathBuf, BTreeSet<usize>>,
}

impl Takers {
    /// Takers with what Flux takes from folders of this repository to substitute variables.
    pub(super) fn of_flux(flux: &Flux, paths: &Paths, manifests: &Manifests<'_>) -> Self {
        let mut takers = Self::default();
        let folders: BTreeSet<&Path> = flux
            .substituting()
            .map(|it| it.1)
            .filter(|it| paths.certain.contains(*it))
            .collect();
        for folder in folders {
            if manifests.with_own.contains(folder) {
                takers.substituted.insert(folder.to_owned());
            } else {
                let resources = manifests.resources_of(folder);
                takers.substituted.extend(resources.iter().map(|it| folder.join(it)));
            }
        }
        takers
    }

    /// Notes which kustomizations of a build use which files.
    pub(super) fn note(&mut self, built: &BuiltFolder, sources: &Sources) {
        let build = &built.build;
        let mut insert = |file: &PathBuf, folder: &PathBuf| {
            let takers = self.folders.entry(file.clone()).or_default();
            if !takers.contains(folder) {
                takers.insert(folder.clone());
            }
        };
        for (folder, taken) in &build.folders {
            for file in build.resources.get(taken.clone()).unwrap_or_default() {
                insert(file, folder);
            }
        }
        if let Some((folder, _)) = build.folders.first() {
            build.patches.iter().for_each(|it| insert(it, folder));
        }
        for place in &built.switched_off {
            let (file, index) = sources.document(*place);
            self.switched_off
                .entry(file.to_path_buf())
                .or_default()
                .insert(index as usize);
        }
    }

    /// The paths whose variables apply to a file: the file itself, and the folders whose kustomizations use it.
    pub(super) fn places_of<'p>(&'p self, path: &'p Path) -> Vec<&'p Path> {
        let takers = self.folders.get(path).into_iter().flatten();
        [path].into_iter().chain(takers.map(PathBuf::as_path)).collect()
    }

    /// Whether Flux certainly builds a folder with its own kustomization, and substitutes variables.
    pub(super) fn is_certain(&self, folder: &Path) -> bool {
        self.substituted.contains(folder)
    }

    /// Whether Flux certainly builds a file, and substitutes variables in the objects that do not turn this off.
    pub(super) fn is_substituted(&self, path: &Path) -> bool {
        self.places_of(path).iter().any(|it| self.substituted.contains(*it))
    }

    /// Whether substitution is turned off in a document of a file.
    pub(super) fn is_off(&self, path: &Path, index: usize) -> bool {
        self.switched_off(path).is_some_and(|it| it.contains(&index))
    }

    /// The indices of the documents of a file in which substitution is turned off.
    pub(super) fn switched_off(&self, path: &Path) -> Option<&BTreeSet<usize>> {
        self.switched_off.get(path)
    }
}
