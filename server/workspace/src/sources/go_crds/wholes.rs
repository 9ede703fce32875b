//! The generators of complete CRDs of a repository. They are created on first use, because they read all packages that declare kinds.

use std::{path::Path, sync::Arc};

use crd_analyzer_generator::Reach;

use super::whole::Whole;
use crate::{index::GroupKind, sources::go_types::Types};

/// The generators of complete CRDs, one for each Go module that declares kinds.
pub(in crate::sources) struct Wholes<'t> {
    types: &'t Types<'t>,
    all: Option<Vec<Whole<'t>>>,
}

impl<'t> Wholes<'t> {
    /// The generators for the modules of a repository.
    pub(in crate::sources) fn new(types: &'t Types<'t>) -> Self {
        Self { types, all: None }
    }

    /// All generators.
    pub(in crate::sources) fn all(&mut self) -> &mut [Whole<'t>] {
        let types = self.types;
        self.all.get_or_insert_with(|| {
            let modules = types.modules().iter();
            modules
                .map(|it| Whole::new(&it.0, &it.1, types.module(), false))
                .collect()
        })
    }

    /// The kinds of each module, sorted. Each has the folder of its module.
    pub(in crate::sources) fn kinds(&mut self) -> Vec<(Arc<Path>, GroupKind)> {
        let mut kinds = Vec::new();
        for whole in self.all() {
            let root: Arc<Path> = whole.root().into();
            kinds.extend(whole.kinds().iter().map(|it| (root.clone(), it.clone())));
        }
        kinds
    }

    /// The generator of the module in a folder.
    pub(in crate::sources) fn of(&mut self, module: &Path) -> Option<&mut Whole<'t>> {
        self.all().iter_mut().find(|it| it.root() == module)
    }

    /// The types on which the CRD of a kind may depend. `module` is the folder of the module that declares the kind.
    pub(in crate::sources) fn reach(&mut self, module: &Path, of: &GroupKind) -> Reach {
        self.of(module).map(|it| it.reach(of)).unwrap_or_default()
    }
}
