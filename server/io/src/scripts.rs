//! Finds shell scripts on disk that change manifests before they send them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::VersionsReplaced;

use crate::read::{self, Access, SETTINGS_BYTES};

/// The maximum number of folders between a manifest and a script that changes it.
const MOST_FOLDERS: usize = 4;

/// The maximum number of files in a folder to read as possible scripts.
const MOST_SCRIPTS: usize = 100;

/// A cache of the scripts that were read, by folder: the API groups whose versions they replace.
#[derive(Default, Debug)]
pub struct Scripts(Mutex<HashMap<PathBuf, Arc<VersionsReplaced>>>);

impl Scripts {
    /// Whether a script near this file sets the version of the resources of an API group. `path` is absolute.
    pub fn replace_version(&self, group: &str, path: &Path, access: &Access) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
        folders.any(|it| self.of(it, access).are_of(group))
    }

    /// Clears the cache because a file may have changed.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<VersionsReplaced> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(replaced) = known.get(folder) {
            return replaced.clone();
        }
        let files = read::files_of(folder, access, &may_be_script);
        let scripts = files.iter().filter(|it| may_be_script(it)).take(MOST_SCRIPTS);
        let texts = scripts.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
        let mut replaced = VersionsReplaced::default();
        texts.for_each(|it| replaced.add(&it));
        let replaced = Arc::new(replaced);
        known.insert(folder.to_owned(), replaced.clone());
        replaced
    }
}

/// Whether a file may be a script, judging by a name such as `functions`, `run` or `deploy.sh`.
fn may_be_script(file: &Path) -> bool {
    file.extension().is_none_or(|it| it == "sh" || it == "bash")
}
