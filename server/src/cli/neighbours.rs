//! The repositories that contain the checked files, for runs that check only a part: somebody names one resource, or the folder `config/samples`, and
//! the CRD or the kustomization that completes the resource is elsewhere in the repository.

pub(super) mod builders;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use crd_analyzer_io::{
    absolute::absolute,
    read::Access,
    roots,
    walk::{self, Hidden},
};
use crd_analyzer_workspace::index::{Catalog, Origin};

use super::manifests::Configs;
use crate::input::{self, Input};

/// Files by absolute path, each with its origin and access.
pub(super) type Named = BTreeMap<PathBuf, (Origin, Access)>;

/// The repositories around the checked files. They are searched for CRDs only when one is missing.
pub(super) struct Neighbours {
    roots: Vec<(PathBuf, Access)>,
    /// The configurations, which may exclude files in the repositories.
    configs: Mutex<Configs>,
    catalog: OnceLock<Catalog>,
}

impl Neighbours {
    /// The repositories of the inputs. The folders on the command line, `walked`, were already searched and are left out.
    pub(super) fn of(inputs: &[Input], walked: &[PathBuf], configs: Configs) -> Self {
        let walked: Vec<PathBuf> = walked.iter().filter_map(|it| absolute(it).ok()).collect();
        let walked: BTreeSet<PathBuf> = walked.iter().map(|it| roots::cleaned(it)).collect();
        let is_walked = |folder: &Path| walked.iter().any(|it| folder.starts_with(it));
        let mut folders: BTreeMap<PathBuf, Access> = BTreeMap::new();
        for input in inputs {
            if let Ok(place) = input.place()
                && let Some(folder) = place.parent()
            {
                // A walked folder is inside one repository, or it contains whole repositories.
                let folder = walked.iter().find(|it| folder.starts_with(it)).map_or(folder, |it| it);
                if !folders.contains_key(folder) {
                    folders.insert(folder.to_owned(), input.access());
                }
            }
        }
        let mut roots: BTreeMap<PathBuf, Access> = BTreeMap::new();
        for (folder, access) in folders {
            if roots.keys().any(|it| folder.starts_with(it)) {
                continue;
            }
            if let Some(root) = roots::repository(&folder).filter(|it| !is_walked(it)) {
                let access = match access {
                    Access::Named => input::found_in(&root),
                    Access::Within(_) | Access::Elsewhere(_) => access,
                };
                roots.insert(root, access);
            }
        }
        Self {
            roots: roots.into_iter().collect(),
            configs: Mutex::new(configs),
            catalog: OnceLock::new(),
        }
    }

    /// The CRDs of the repositories. On the first call, `catalog` finds them.
    pub(super) fn catalog(&self, catalog: impl FnOnce(&Self) -> Catalog) -> Option<&Catalog> {
        if self.roots.is_empty() {
            return None;
        }
        Some(self.catalog.get_or_init(|| catalog(self)))
    }

    /// The CRDs, if they have already been searched.
    pub(super) fn known(&self) -> Option<&Catalog> {
        self.catalog.get()
    }

    /// The root folders of the repositories.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|it| it.0.as_path())
    }

    /// Passes on each file of the repositories that may be a manifest, as soon as it is found.
    pub(super) fn each(&self, take: &mut dyn FnMut(PathBuf, Access)) {
        for (root, access) in &self.roots {
            // An unreadable folder is not an error of the checked file.
            let _walked = input::walk_each(root, access, Hidden::Tracked, &walk::is_manifest, &mut |it| {
                take(it, access.clone());
            });
        }
    }

    /// Whether a configuration excludes a file. A configuration that cannot be read also excludes the file.
    pub(super) fn exclude(&self, path: &Path, access: &Access) -> bool {
        let input = Input::found(path.to_owned(), access.clone());
        let mut configs = self.configs.lock().unwrap_or_else(PoisonError::into_inner);
        configs.excludes(&input).unwrap_or(true)
    }
}
