//! The manifests that Flux finds in folders without a kustomization.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::{Files, FluxKustomization};

use super::graph::{has_kustomization, is_kustomization};
use crate::builds::flux::Building;

/// Returns access to the files near the file of a Kustomization, if they are known.
pub(super) type Around<'f> = Box<dyn Fn(&Path) -> Option<&'f dyn Files> + 'f>;

/// The manifests of a run.
pub(super) struct Manifests<'m> {
    /// Sorted, so that the files of a folder are adjacent.
    files: Vec<&'m Path>,
    /// The folders with a kustomization.
    pub(super) with_own: BTreeSet<&'m Path>,
    /// A cache of the resources of folders without a kustomization, because many Kustomizations may build the same folder.
    found: RefCell<HashMap<PathBuf, Arc<[String]>>>,
}

impl<'m> Manifests<'m> {
    pub(super) fn new(manifests: &[&'m Path]) -> Self {
        let mut files = manifests.to_vec();
        files.sort_unstable();
        Self {
            files,
            with_own: kustomization_folders(manifests).collect(),
            found: RefCell::default(),
        }
    }

    /// The input for building a Kustomization. `None` if its folder contains nothing to build.
    pub(super) fn kustomization(&self, it: &Building<'_>, files: &dyn Files) -> Option<FluxKustomization> {
        if has_kustomization(files, it.folder()) {
            return Some(it.with(Arc::default()));
        }
        let resources = self.resources_of(it.folder());
        (!resources.is_empty()).then(|| it.with(resources))
    }

    /// The resources of a folder without a kustomization, from the cache.
    pub(super) fn resources_of(&self, folder: &Path) -> Arc<[String]> {
        if let Some(known) = self.found.borrow().get(folder) {
            return known.clone();
        }
        let resources: Arc<[String]> = self.resources(folder).into();
        self.found.borrow_mut().insert(folder.to_owned(), resources.clone());
        resources
    }

    /// The resources that Flux takes from a folder without a kustomization, relative to the folder: its manifests, and the outermost folders
    /// below it with a kustomization (`scanManifests` of github.com/fluxcd/pkg/kustomize).
    fn resources(&self, folder: &Path) -> Vec<String> {
        let is_yaml = |it: &&Path| it.extension().is_some_and(|it| it == "yaml" || it == "yml");
        let start = self.files.partition_point(|it| *it < folder);
        let below = self.files[start..].iter().take_while(|it| it.starts_with(folder));
        let files = below
            .copied()
            .filter(is_yaml)
            .filter(|it| self.is_outermost(it, folder));
        let all: BTreeSet<&Path> = files.chain(self.outermost(folder)).collect();
        let relative = all.into_iter().filter_map(|it| it.strip_prefix(folder).ok()?.to_str());
        relative.map(str::to_owned).collect()
    }

    /// The folders below a folder that have a kustomization and are not below another such folder.
    pub(super) fn outermost(&self, folder: &Path) -> impl Iterator<Item = &'m Path> {
        let below = self
            .with_own
            .range::<Path, _>((Bound::Included(folder), Bound::Unbounded))
            .copied();
        let below = below.take_while(move |it| it.starts_with(folder));
        below.filter(move |it| *it != folder && self.is_outermost(it, folder))
    }

    /// Whether no folder between `folder` and `path` has a kustomization.
    fn is_outermost(&self, path: &Path, folder: &Path) -> bool {
        let above = path.ancestors().skip(1);
        let mut between = above.take_while(|it| *it != folder && it.starts_with(folder));
        !between.any(|it| self.with_own.contains(it))
    }
}

/// The folders of the kustomizations among these manifests.
fn kustomization_folders<'m>(manifests: &[&'m Path]) -> impl Iterator<Item = &'m Path> {
    let named = manifests.iter().filter(|it| is_kustomization(it));
    named.filter_map(|it| it.parent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_folder_without_a_kustomization() {
        let manifests = [
            "/r/apps/a.yaml",
            "/r/apps/b.yml",
            "/r/apps/c.json",
            "/r/apps/d/e.yaml",
            "/r/apps/k/kustomization.yaml",
            "/r/apps/k/f.yaml",
            "/r/apps/k/l/kustomization.yaml",
            "/r/other/g.yaml",
        ];
        let manifests: Vec<&Path> = manifests.iter().map(Path::new).collect();
        let found = Manifests::new(&manifests).resources(Path::new("/r/apps"));
        assert_eq!(found, ["a.yaml", "b.yml", "d/e.yaml", "k"]);
    }
}
