//! The folders that Kustomizations of Flux build with changes of their own, and those that they apply as they are.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::{Build, Files, FluxKustomization};

use super::{
    NodesLeft,
    graph::{has_kustomization, is_kustomization},
};
use crate::flux::{Flux, Patching};

/// The Kustomizations of Flux that change what they build, and the files of the folders.
pub struct FluxFolders<'f> {
    kustomizations: Vec<(Patching<'f>, FluxKustomization, &'f dyn Files)>,
    /// The folders whose kustomizations others apply as they are.
    pub(super) applied: BTreeSet<PathBuf>,
}

/// What one of them builds.
pub(super) struct BuiltByFlux {
    pub(super) folder: PathBuf,
    /// Its file and its name.
    pub(super) by: (PathBuf, String),
    pub(super) kustomization: FluxKustomization,
    pub(super) build: Build,
}

impl<'f> FluxFolders<'f> {
    /// The Kustomizations for which `files` has the files that they may name, as far as they build something of these manifests, whose paths
    /// are absolute.
    pub fn new<'m>(
        flux: &'f Flux,
        manifests: &[&'m Path],
        files: impl Fn(&Patching<'_>) -> Option<&'f dyn Files>,
    ) -> Self {
        let kustomizations = flux.patching().filter_map(|it| {
            let files = files(&it)?;
            let has_own = has_kustomization(files, it.folder);
            let resources = if has_own {
                Vec::new()
            } else {
                resources(it.folder, manifests)
            };
            let kustomization = FluxKustomization {
                file: it.file.to_owned(),
                document: it.document,
                item: it.item,
                resources,
            };
            (has_own || !kustomization.resources.is_empty()).then_some((it, kustomization, files))
        });
        let with_own: BTreeSet<&Path> = kustomization_folders(manifests).collect();
        let mut applied = BTreeSet::new();
        for folder in flux.applied() {
            if with_own.contains(folder) {
                applied.insert(folder.to_owned());
            } else {
                let named = resources(folder, manifests).into_iter().map(|it| folder.join(it));
                applied.extend(named.filter(|it| with_own.contains(it.as_path())));
            }
        }
        Self {
            kustomizations: kustomizations.collect(),
            applied,
        }
    }

    pub(super) fn build(&self, left: &mut NodesLeft) -> Vec<BuiltByFlux> {
        let built = self
            .kustomizations
            .iter()
            .map(|(it, kustomization, files)| BuiltByFlux {
                folder: it.folder.to_owned(),
                by: (it.file.to_owned(), it.name.to_owned()),
                kustomization: kustomization.clone(),
                build: left.build(*files, it.folder, Some(kustomization)),
            });
        built.collect()
    }
}

/// What Flux takes from a folder without a kustomization: its manifests, and the outermost folders below with a kustomization (`scanManifests` of
/// github.com/fluxcd/pkg/kustomize). Relative to the folder.
fn resources(folder: &Path, manifests: &[&Path]) -> Vec<String> {
    let is_yaml = |it: &&&Path| it.extension().is_some_and(|it| it == "yaml" || it == "yml");
    let below = || manifests.iter().filter(|it| it.starts_with(folder));
    let named = kustomization_folders(manifests).filter(|it| it.starts_with(folder));
    let inner: BTreeSet<&Path> = named.filter(|it| *it != folder).collect();
    let is_outermost = |it: &&&Path| !it.ancestors().skip(1).any(|above| inner.contains(above));
    let outermost = inner.iter().filter(is_outermost).copied();
    let files = below().filter(is_yaml).filter(is_outermost).copied();
    let all: BTreeSet<&Path> = files.chain(outermost).collect();
    let relative = all.into_iter().filter_map(|it| it.strip_prefix(folder).ok()?.to_str());
    relative.map(str::to_owned).collect()
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
        let found = resources(Path::new("/r/apps"), &manifests);
        assert_eq!(found, ["a.yaml", "b.yml", "d/e.yaml", "k"]);
    }
}
