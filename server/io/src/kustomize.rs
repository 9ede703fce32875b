//! Reads kustomizations on disk, and finds out which files contain only parts of resources.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_kustomize::{Files, joined};
use crd_analyzer_workspace::{
    builds::kustomize::{FILE_NAMES, data, patches},
    roles::{Use, Uses},
};

use crate::{
    above,
    made::MadeFiles,
    read::{self, Access, Kind, SETTINGS_BYTES, Unread},
    test_steps::TestFolders,
};

pub use crate::test_steps::may_be_test;

/// The maximum number of folders between a file and a kustomization that names it.
const MOST_FOLDERS: usize = 4;

/// The files on disk that kustomizations name. Links and paths are followed as far as `access` allows.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The access with which to read files.
    pub access: Access,
    made: Arc<MadeFiles>,
}

impl Disk {
    /// Creates access to the files that `access` allows.
    pub fn new(access: Access) -> Self {
        Self {
            access,
            made: Arc::default(),
        }
    }

    /// Access to the files that another `access` allows. Both share what is known about files that programs may create.
    #[must_use]
    pub fn with(&self, access: Access) -> Self {
        Self {
            access,
            made: self.made.clone(),
        }
    }
}

impl Files for Disk {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        let (kind, real) = read::kind(path, &self.access).ok()?;
        if kind != Kind::File {
            return None;
        }
        let text = read::text(&real, &self.access, self.access.manifest_bytes()).ok()?;
        Some(text.into())
    }

    fn is_folder(&self, path: &Path) -> bool {
        read::kind(path, &self.access).is_ok_and(|it| it.0 == Kind::Folder)
    }

    fn exists(&self, path: &Path) -> bool {
        read::kind(path, &self.access).is_ok()
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let found = read::files_of(folder, &self.access, &|_| true).into_iter();
        let names = found.filter_map(|it| Some(it.file_name()?.to_str()?.to_owned()));
        names.collect()
    }

    fn identity(&self) -> Option<usize> {
        match &self.access {
            Access::Named => None,
            Access::Within(roots) => Some(Arc::as_ptr(roots).addr()),
            Access::Elsewhere(files) => Some(Arc::as_ptr(files).addr()),
        }
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        match read::kind(path, &self.access) {
            Err(Unread::Outside { .. }) => Some("it is not in the repository".to_owned()),
            Err(Unread::OfGit(_)) => Some("it belongs to git".to_owned()),
            Err(why) => (!why.is_missing()).then(|| why.to_string()),
            Ok((Kind::Folder, _)) => None,
            Ok((Kind::File, real)) => {
                let why = read::text(&real, &self.access, self.access.manifest_bytes()).err()?;
                Some(why.to_string())
            }
        }
    }

    fn is_made(&self, path: &Path) -> bool {
        path.ends_with(BY_FLUX) || self.made.holds(path, &self.access)
    }
}

/// The folder that `flux bootstrap` creates in the repository.
const BY_FLUX: &str = "flux-system";

/// A cache of the kustomizations that were read.
#[derive(Default, Debug)]
pub struct Kustomizations {
    /// The files that the kustomization of each folder names.
    named: Mutex<HashMap<PathBuf, Arc<Named>>>,
    tests: TestFolders,
}

/// The files that a kustomization names, except its resources.
#[derive(Default, Debug)]
struct Named {
    /// The patches.
    patches: HashSet<PathBuf>,
    /// The files that become data of ConfigMaps and Secrets.
    data: HashSet<PathBuf>,
}

impl Kustomizations {
    /// What kustomizations and tests do with this file. `path` is absolute. `access` is the access with which to read files.
    pub fn uses(&self, path: &Path, access: &Access) -> Uses<'static> {
        Uses::COMPLETED
            .with_if(Use::Part, self.is_part(path, access))
            .with_if(Use::Data, self.is_data(path, access))
            .with_if(Use::Expressions, self.is_of_chainsaw(path, access))
    }

    /// Whether this file contains only parts of resources, because a kustomization names it as a patch, or a kuttl or chainsaw test uses it in that
    /// way.
    fn is_part(&self, path: &Path, access: &Access) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS);
        folders.any(|it| self.of(it, access).patches.contains(path)) || self.tests.is_part(path, access)
    }

    /// Whether a kustomization puts this file into a ConfigMap or Secret, from which programs read it.
    fn is_data(&self, path: &Path, access: &Access) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS);
        folders.any(|it| self.of(it, access).data.contains(path))
    }

    /// Whether a chainsaw test uses this file. If so, its values may be chainsaw expressions. `path` is absolute.
    pub(crate) fn is_of_chainsaw(&self, path: &Path, access: &Access) -> bool {
        self.tests.is_of_chainsaw(path, access)
    }

    /// Whether a test of kyverno's command line program reads this file. `path` is absolute.
    pub fn is_of_kyverno(&self, path: &Path, access: &Access) -> bool {
        self.tests.is_of_kyverno(path, access)
    }

    /// Whether a test expects the API server to reject the resources in this file. `path` is absolute.
    pub fn is_rejected(&self, path: &Path, access: &Access) -> bool {
        self.tests.is_rejected(path, access)
    }

    /// Whether a test expects the API server's validation to reject the resources in this file. `path` is absolute.
    pub fn is_invalid(&self, path: &Path, access: &Access) -> bool {
        self.tests.is_invalid(path, access)
    }

    /// Clears the cache because a file may have changed.
    pub fn forget(&self) {
        self.tests.forget();
        self.named.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<Named> {
        let mut known = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = known.get(folder) {
            return named.clone();
        }
        let mut files = FILE_NAMES.iter().map(|it| folder.join(it));
        let text = files
            .find_map(|it| read::text(&it, access, SETTINGS_BYTES).ok())
            .unwrap_or_default();
        let named = Arc::new(Named {
            patches: patches(&text).map(|it| joined(folder, it)).collect(),
            data: data(&text).map(|it| joined(folder, it)).collect(),
        });
        known.insert(folder.to_owned(), named.clone());
        named
    }
}
