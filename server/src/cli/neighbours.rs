//! The CRDs of the repositories that files lie in which the user named. A pre-commit hook names a resource, and its CRD is in the
//! repository.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

use crd_analyzer_io::{read::Access, roots, walk::Hidden};
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

    /// The CRDs. `known`: files that were looked into already. `catalog` looks into the others.
    pub(super) fn catalog(&self, known: &Named, catalog: impl FnOnce(Named) -> Catalog) -> Option<&Catalog> {
        if self.roots.is_empty() {
            return None;
        }
        Some(self.catalog.get_or_init(|| catalog(self.files(known))))
    }

    /// The CRDs, if somebody has looked for them.
    pub(super) fn known(&self) -> Option<&Catalog> {
        self.catalog.get()
    }

    fn files(&self, known: &Named) -> Named {
        let mut inputs = Vec::new();
        for (root, access) in &self.roots {
            // What cannot be looked at is not a mistake of the file that was named.
            let walked = input::walk(root, access, Hidden::Tracked).unwrap_or_default();
            inputs.extend(walked.files.into_iter().map(|path| Input {
                label: String::new(),
                source: Source::File(path, access.clone()),
                old: None,
                definition: None,
                named: false,
            }));
        }
        let mut configs = self.configs.lock().unwrap_or_else(PoisonError::into_inner);
        if configs.leave_out(&mut inputs).is_err() {
            return Named::new();
        }
        let place = |input: Input| match input.source {
            Source::File(path, access) if !known.contains_key(&path) => Some((path, (Origin::Workspace, access))),
            _ => None,
        };
        inputs.into_iter().filter_map(place).collect()
    }
}
