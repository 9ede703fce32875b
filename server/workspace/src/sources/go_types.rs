//! The types of a Go repository, with the texts of the files that are open in an editor.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_generator::Modules;
use crd_analyzer_gosource::Module;

use super::{World, go_file};

/// The maximum number of packages to search for kinds. The API of a project has fewer.
const MAX_PACKAGES: usize = 200;

/// The types of a Go repository, and the CRDs that were generated from them earlier.
pub(super) struct Types<'w> {
    pub(super) root: PathBuf,
    on_disk: Arc<Module>,
    /// The files that are open in the editor.
    open: OnceCell<Vec<(PathBuf, Arc<str>)>>,
    /// The module with the texts of the open files. It is read when a CRD is generated.
    edited: OnceCell<Arc<Module>>,
    /// The Go modules of the repository that declare kinds, each with the packages that declare them.
    modules: OnceCell<Vec<(Arc<Modules>, Vec<String>)>>,
    pub(super) world: &'w dyn World,
}

impl<'w> Types<'w> {
    /// The types of the repository that contains the file at a path.
    pub(super) fn of(path: &Path, world: &'w dyn World) -> Option<Self> {
        let on_disk = world.go()?.around(path)?;
        Some(Self {
            root: on_disk.root().to_owned(),
            on_disk,
            open: OnceCell::new(),
            edited: OnceCell::new(),
            modules: OnceCell::new(),
            world,
        })
    }

    fn open(&self) -> &[(PathBuf, Arc<str>)] {
        self.open.get_or_init(|| {
            let mut open = self.world.open(&self.root);
            open.retain(|it| go_file::is_go(&it.0));
            open
        })
    }

    /// The repository with the texts of the open files.
    pub(super) fn module(&self) -> &Arc<Module> {
        self.edited.get_or_init(|| {
            // If no files are open, use the module from the disk, because it is cached.
            if self.open().is_empty() {
                return self.on_disk.clone();
            }
            Arc::new(self.on_disk.with(self.open().iter().map(|it| (it.0.as_path(), &it.1))))
        })
    }

    /// The Go modules of the repository that declare kinds, each with the packages that declare them.
    pub(super) fn modules(&self) -> &[(Arc<Modules>, Vec<String>)] {
        self.modules.get_or_init(|| {
            let mut all: Vec<(Arc<Modules>, Vec<String>)> = Vec::new();
            for folder in self.module().packages_with_kinds(MAX_PACKAGES) {
                let found = self.world.go().and_then(|it| it.modules(&folder.join("types.go")));
                let Some((modules, path)) = found.and_then(|it| Some((it.clone(), it.path_of(&folder)?))) else {
                    continue;
                };
                match all.iter_mut().find(|it| it.0.root() == modules.root()) {
                    Some((_, packages)) => packages.push(path),
                    None => all.push((modules, vec![path])),
                }
            }
            for (modules, _) in &mut all {
                *modules = Arc::new(modules.with(self.module().clone()));
            }
            all
        })
    }
}
