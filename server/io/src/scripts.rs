//! Finds shell scripts on disk that change manifests before they send them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::roles::SetByScripts;

use crate::{
    above,
    read::{self, Access, SETTINGS_BYTES},
};

/// The maximum number of folders between a manifest and a script that changes it.
const MOST_FOLDERS: usize = 4;

/// The folders with scripts for the manifests of a whole repository. Such a script names the manifests that it changes.
const BESIDE: [&str; 2] = ["hack", "scripts"];

/// The maximum number of files in a folder to read as possible scripts.
const MOST_SCRIPTS: usize = 100;

/// A cache of the scripts that were read: what those of a folder set, by the path of the folder.
#[derive(Default, Debug)]
pub struct Scripts(Mutex<HashMap<PathBuf, Arc<SetByScripts>>>);

impl Scripts {
    /// What the scripts near this file set in it. `path` is absolute.
    pub fn near(&self, path: &Path, access: &Access) -> SetByScripts {
        let mut near = SetByScripts::default();
        for folder in above::folders(path, access, MOST_FOLDERS) {
            near.extend(&self.of(folder, access));
            for beside in BESIDE {
                near.extend_substituted(&self.of(&folder.join(beside), access));
            }
        }
        near.in_file(path)
    }

    /// Clears the cache because a file may have changed.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<SetByScripts> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = known.get(folder) {
            return set.clone();
        }
        let files = read::files_of(folder, access, &may_be_script);
        let scripts = files.iter().filter(|it| may_be_script(it)).take(MOST_SCRIPTS);
        let texts = scripts.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
        let mut set = SetByScripts::default();
        texts.for_each(|it| set.add(&it));
        let set = Arc::new(set);
        known.insert(folder.to_owned(), set.clone());
        set
    }
}

/// Whether a file may be a script, judging by a name such as `functions`, `run` or `deploy.sh`.
fn may_be_script(file: &Path) -> bool {
    file.extension().is_none_or(|it| it == "sh" || it == "bash")
}
