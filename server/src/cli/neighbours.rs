//! The CRDs of the repositories that files lie in which the user named. A pre-commit hook names a resource, and its CRD is in the
//! repository.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use crd_analyzer_io::{
    read::Access,
    roots,
    walk::{self, Hidden},
};
use crd_analyzer_workspace::index::{Catalog, Origin};

use super::manifests::Configs;
use crate::input::{self, Input, Source};

/// Files, by their absolute paths: how they came to be known, and how they are read.
pub(super) type Named = BTreeMap<PathBuf, (Origin, Access)>;

/// The repositories around named files, looked through when a CRD is missing.
pub(super) struct Neighbours {
    roots: Vec<(PathBuf, Access)>,
    /// What is excluded in the repositories.
    configs: Mutex<Configs>,
    catalog: OnceLock<Catalog>,
}

impl Neighbours {
    /// The repositories of the inputs that the user named.
    pub(super) fn of(inputs: &[Input], configs: Configs) -> Self {
        let mut folders = BTreeMap::new();
        for input in inputs.iter().filter(|it| it.named) {
            if let (Source::File(_, access), Ok(place)) = (&input.source, input.place())
                && let Some(folder) = place.parent()
            {
                folders.insert(folder.to_owned(), access.clone());
            }
        }
        let mut roots = BTreeMap::new();
        for (folder, access) in folders {
            if let Some(root) = roots::repository(&folder) {
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

    /// The CRDs, which `catalog` looks for once.
    pub(super) fn catalog(&self, catalog: impl FnOnce(&Self) -> Catalog) -> Option<&Catalog> {
        if self.roots.is_empty() {
            return None;
        }
        Some(self.catalog.get_or_init(|| catalog(self)))
    }

    /// The CRDs, if somebody has looked for them.
    pub(super) fn known(&self) -> Option<&Catalog> {
        self.catalog.get()
    }

    /// The repositories.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|it| it.0.as_path())
    }

    /// Hands over the files of the repositories that may hold manifests, as they are found.
    pub(super) fn each(&self, take: &mut dyn FnMut(PathBuf, Access)) {
        for (root, access) in &self.roots {
            // What cannot be looked at is not a mistake of the file that was named.
            let _walked = input::walk_each(root, access, Hidden::Tracked, &walk::is_manifest, &mut |it| {
                take(it, access.clone());
            });
        }
    }

    /// Whether a configuration excludes a file, or cannot be read.
    pub(super) fn exclude(&self, path: &Path, access: &Access) -> bool {
        let input = Input::found(path.to_owned(), access.clone());
        let mut configs = self.configs.lock().unwrap_or_else(PoisonError::into_inner);
        configs.excludes(&input).unwrap_or(true)
    }
}
