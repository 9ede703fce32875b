//! The folders that Flux Kustomizations build with changes of their own, and the folders that they apply unchanged.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::{Files, FluxKustomization, Place, Sources};

use super::{
    flux_children::{self, Children},
    flux_manifests::{Around, Manifests},
    run::{BuiltFolder, Run},
    takers::Takers,
};
use crate::builds::flux::{Building, Flux, Paths};

/// Returns access to the files that a Kustomization may name. `None` if the Kustomization need not be built.
type FilesOf<'f> = Box<dyn Fn(&Building<'_>) -> Option<&'f dyn Files> + 'f>;

/// The Flux Kustomizations of a repository, with access to the files of their folders.
pub struct FluxFolders<'f> {
    flux: &'f Flux,
    manifests: Manifests<'f>,
    files: FilesOf<'f>,
    around: Around<'f>,
}

/// The results of building what Flux builds.
#[derive(Default)]
pub(super) struct ByFlux {
    /// The Kustomizations as Flux applies them, which includes the changes by their parents.
    pub(super) flux: Flux,
    /// The builds of the Kustomizations that change objects.
    pub(super) builds: Vec<BuiltByFlux>,
    /// The files that the builds of parents tried to read.
    pub(super) asked: BTreeSet<Arc<Path>>,
    /// The Kustomizations that are built as they are written, because the budget of the run is too small for the changes by their parents.
    pub(super) unfinished: BTreeSet<Place>,
    /// The folders whose kustomizations Flux applies without further changes.
    pub(super) applied: BTreeSet<PathBuf>,
    /// Whether Kustomizations of the folders in `applied` substitute variables.
    pub(super) substitutes: bool,
    /// The folders that the paths of the Kustomizations refer to.
    pub(super) paths: Paths,
    pub(super) takers: Takers,
}

/// A Flux Kustomization that builds objects.
#[derive(Clone, Debug)]
pub(super) struct By {
    /// The file that it is written in.
    pub(super) file: PathBuf,
    pub(super) name: String,
    /// The index of the Kustomization, see [`Flux::variables_of`].
    pub(super) number: usize,
    pub(super) kustomization: FluxKustomization,
}

/// The result of a build by one Flux Kustomization.
pub(super) struct BuiltByFlux {
    pub(super) folder: PathBuf,
    pub(super) by: By,
    pub(super) built: BuiltFolder,
}

impl<'f> FluxFolders<'f> {
    /// Selects the Kustomizations that `files` gives access for and that build any of these manifests. The paths of the manifests are absolute.
    /// `around` gives access to the files near the file of a Kustomization.
    pub fn new(
        flux: &'f Flux,
        manifests: &[&'f Path],
        files: impl Fn(&Building<'_>) -> Option<&'f dyn Files> + 'f,
        around: impl Fn(&Path) -> Option<&'f dyn Files> + 'f,
    ) -> Self {
        Self {
            flux,
            manifests: Manifests::new(manifests),
            files: Box::new(files),
            around: Box::new(around),
        }
    }

    pub(super) fn build(&self, run: &mut Run, sources: &mut Sources) -> ByFlux {
        let (children, flux) = Children::of(self.flux, (&self.manifests, &self.around), (run, sources));
        let Children {
            asked,
            unfinished,
            mut builds,
            ..
        } = children;
        let mut built = Vec::new();
        for it in flux.building().filter(Building::is_patching) {
            let Some(files) = (self.files)(&it) else { continue };
            let Some(kustomization) = self.manifests.kustomization(&it, files) else {
                continue;
            };
            let known = builds.remove(&flux_children::key(&it));
            let folder = known.unwrap_or_else(|| run.build(files, it.folder(), (sources, Some(&kustomization))));
            built.push(BuiltByFlux {
                folder: it.folder().to_owned(),
                by: By {
                    file: it.file().to_owned(),
                    name: it.name().to_owned(),
                    number: it.number,
                    kustomization,
                },
                built: folder,
            });
        }
        for it in builds.values() {
            run.forget(it);
        }
        drop(builds);
        let mut applied = BTreeSet::new();
        let folders: BTreeSet<&Path> = flux.applied().collect();
        for folder in folders {
            if self.manifests.with_own.contains(folder) {
                applied.insert(folder.to_owned());
            } else {
                applied.extend(self.manifests.outermost(folder).map(Path::to_path_buf));
            }
        }
        let paths = flux.paths(&self.around);
        ByFlux {
            takers: Takers::of_flux(&flux, &paths, &self.manifests),
            builds: built,
            asked,
            unfinished,
            applied,
            substitutes: !flux.is_empty(),
            paths,
            flux,
        }
    }
}

impl ByFlux {
    /// Whether Flux certainly builds a folder, unchanged, from this repository.
    pub(super) fn is_certain(&self, folder: &Path) -> bool {
        folder.ancestors().any(|it| self.paths.certain.contains(it))
    }
}
