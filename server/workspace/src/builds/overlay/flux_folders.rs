//! The folders that Flux Kustomizations build with their own changes, and those that they apply unchanged.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::{Files, FluxKustomization, Sources};

use super::{
    graph::{has_kustomization, is_kustomization},
    run::{BuiltFolder, Run},
};
use crate::builds::flux::{Flux, Patching, Paths};

/// The Flux Kustomizations that change what they build, and the files of their folders.
pub struct FluxFolders<'f> {
    kustomizations: Vec<(Patching<'f>, FluxKustomization, &'f dyn Files)>,
    /// The folders whose kustomizations Flux applies unchanged.
    pub(super) applied: BTreeSet<PathBuf>,
    /// Whether some of them substitute variables.
    pub(super) substitutes: bool,
    /// What is certain of their paths.
    pub(super) paths: Paths,
}

/// The result of one Flux Kustomization's build.
pub(super) struct BuiltByFlux {
    pub(super) folder: PathBuf,
    /// The Kustomization's file and name.
    pub(super) by: (PathBuf, String),
    pub(super) kustomization: FluxKustomization,
    pub(super) built: BuiltFolder,
}

impl<'f> FluxFolders<'f> {
    /// The Kustomizations for which `files` has the files that they may name, as far as they build something of these manifests, whose paths
    /// are absolute. `around`: the files around that of a Kustomization, if it is asked where its path leads.
    pub fn new<'m>(
        flux: &'f Flux,
        manifests: &[&'m Path],
        files: impl Fn(&Patching<'_>) -> Option<&'f dyn Files>,
        around: impl Fn(&Path) -> Option<&'f dyn Files>,
    ) -> Self {
        let manifests = Manifests::new(manifests);
        // Many Kustomizations may build the same folder.
        let mut found: HashMap<&Path, Arc<[String]>> = HashMap::new();
        let kustomizations = flux.patching().filter_map(|it| {
            let files = files(&it)?;
            let has_own = has_kustomization(files, it.folder);
            let resources = if has_own {
                Arc::default()
            } else {
                let named = found.entry(it.folder);
                named.or_insert_with(|| manifests.resources(it.folder).into()).clone()
            };
            let kustomization = FluxKustomization {
                file: it.file.to_owned(),
                document: it.document,
                item: it.item,
                resources,
            };
            (has_own || !kustomization.resources.is_empty()).then_some((it, kustomization, files))
        });
        let kustomizations = kustomizations.collect();
        let mut applied = BTreeSet::new();
        let folders: BTreeSet<&Path> = flux.applied().collect();
        for folder in folders {
            if manifests.with_own.contains(folder) {
                applied.insert(folder.to_owned());
            } else {
                applied.extend(manifests.outermost(folder).map(Path::to_path_buf));
            }
        }
        Self {
            kustomizations,
            applied,
            substitutes: !flux.is_empty(),
            paths: flux.paths(&around),
        }
    }

    /// Whether Flux builds a folder from the repository as it is, beyond doubt.
    pub(super) fn is_certain(&self, folder: &Path) -> bool {
        folder.ancestors().any(|it| self.paths.certain.contains(it))
    }

    pub(super) fn build(&self, run: &mut Run, sources: &mut Sources) -> Vec<BuiltByFlux> {
        let built = self
            .kustomizations
            .iter()
            .map(|(it, kustomization, files)| BuiltByFlux {
                folder: it.folder.to_owned(),
                by: (it.file.to_owned(), it.name.to_owned()),
                kustomization: kustomization.clone(),
                built: run.build(*files, it.folder, (sources, Some(kustomization))),
            });
        built.collect()
    }
}

/// The manifests of a run.
struct Manifests<'m> {
    /// Sorted, so that the files of a folder are adjacent.
    files: Vec<&'m Path>,
    /// The folders with a kustomization.
    with_own: BTreeSet<&'m Path>,
}

impl<'m> Manifests<'m> {
    fn new(manifests: &[&'m Path]) -> Self {
        let mut files = manifests.to_vec();
        files.sort_unstable();
        Self {
            files,
            with_own: kustomization_folders(manifests).collect(),
        }
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

    /// The outermost folders with a kustomization below a folder.
    fn outermost(&self, folder: &Path) -> impl Iterator<Item = &'m Path> {
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

/// The folders with a kustomization among these manifests.
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
