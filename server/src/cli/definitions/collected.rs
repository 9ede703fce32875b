//! The CRDs that the locks around the checked files list.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{collected, print::tell, read::Access};
use crd_analyzer_workspace::{
    config::Config,
    index::{Catalog, Origin, lock::Locked},
};

use crate::{cli::neighbours::Named, input::Input};

/// A CRD that a lock lists.
struct Crd {
    name: String,
    locked: Locked,
    access: Access,
}

/// The CRDs of all locks, by file path.
pub(super) struct Collected(BTreeMap<PathBuf, Crd>);

impl Collected {
    /// Reads the locks in the folders of inputs and in their parents. Reports problems of a lock.
    pub(super) fn around(inputs: &[(&Input, Arc<Config>)]) -> anyhow::Result<Self> {
        let mut folders: BTreeMap<PathBuf, Access> = BTreeMap::new();
        for (input, _) in inputs {
            let place = input.place()?;
            let folder = place.parent().unwrap_or(&place);
            if !folders.contains_key(folder) {
                folders.insert(folder.to_owned(), input.access());
            }
        }
        let mut all = BTreeMap::new();
        for found in collected::around(folders.iter().map(|it| (it.0.as_path(), it.1))) {
            let found = match found {
                Ok(found) => found,
                Err(why) => {
                    tell(format_args!("note: the CRDs of a lock are not used: {why}"));
                    continue;
                }
            };
            found.problems().for_each(|it| tell(format_args!("note: {it}")));
            for (name, locked) in &found.lock.crds {
                let crd = Crd {
                    name: name.clone(),
                    locked: locked.clone(),
                    access: found.access.clone(),
                };
                all.insert(found.file_of(name), crd);
            }
        }
        Ok(Self(all))
    }

    /// The files of the CRDs.
    pub(super) fn files(&self) -> impl Iterator<Item = (PathBuf, (Origin, Access))> {
        let files = self.0.iter();
        files.map(|(path, it)| (path.clone(), (Origin::Collected, it.access.clone())))
    }

    /// Adds the CRDs that match their lock to the catalog. `files` contains the files of the run, because the run may check a collected CRD, too.
    pub(super) fn put_into(&self, catalog: &Catalog, files: &Named) {
        let is_used = |it: &Path| files.get(it).is_some_and(|it| it.0 == Origin::Collected);
        catalog.change(|index| {
            for (path, crd) in self.0.iter().filter(|it| is_used(it.0)) {
                index.set_locked(path, &crd.name, &crd.locked);
            }
        });
    }
}
