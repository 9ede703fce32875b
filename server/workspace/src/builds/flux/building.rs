//! The Kustomizations that build folders of this repository.

use std::{path::Path, sync::Arc};

use crd_analyzer_kustomize::{BuiltKustomization, FluxKustomization};

use super::{Asked, At, Kustomization};

/// A Kustomization that builds a folder of this repository.
#[derive(Clone, Copy, Debug)]
pub struct Building<'f> {
    pub(crate) number: usize,
    pub(super) kustomization: &'f Kustomization,
}

impl<'f> Building<'f> {
    /// The file that it is written in, an absolute path.
    pub fn file(&self) -> &'f Path {
        &self.kustomization.at.file
    }

    /// The folder that it builds, an absolute path.
    pub fn folder(&self) -> &'f Path {
        &self.kustomization.folder
    }

    /// Whether the Kustomization depends on a file: the file in which it is written, or one from which its parents are built.
    pub fn is_from(&self, path: &Path) -> bool {
        let mut above = self.kustomization.built.iter().flat_map(|it| &it.1);
        self.file() == path || above.any(|it| it.contains(path))
    }

    pub(crate) fn name(&self) -> &'f str {
        &self.kustomization.name
    }

    pub(crate) fn at(&self) -> &'f At {
        &self.kustomization.at
    }

    /// Whether the Kustomization changes objects in other ways than by substituting variables.
    pub(crate) fn is_patching(&self) -> bool {
        self.kustomization.is_patching
    }

    /// The version of the Kustomization that its parent builds, and the files on which that version depends.
    pub(crate) fn built(&self) -> Option<&'f (BuiltKustomization, Asked)> {
        self.kustomization.built.as_ref()
    }

    /// The input for building the folder. `resources` are the resources of a folder without a kustomization.
    pub(crate) fn with(&self, resources: Arc<[String]>) -> FluxKustomization {
        let At { file, document, item } = self.at().clone();
        FluxKustomization {
            file,
            document,
            item,
            resources,
            built: self.built().map(|it| it.0.clone()),
        }
    }
}
