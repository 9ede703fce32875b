//! Finds the folders of a repository that contain Go API types.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crd_analyzer_io::read;

use crate::input;

/// The usual folders of API types.
const FOLDERS: [&str; 4] = ["api", "apis", "pkg/apis", "pkg/api"];

/// The maximum number of files to search in each folder.
const MOST: usize = 500;

/// The folders of the modules, relative to the folder, to which packages belong and whose dependencies are not in a `vendor` folder. `packages` are
/// patterns as from [`packages()`].
pub(super) fn modules(folder: &Path, packages: &[String]) -> BTreeSet<PathBuf> {
    let module_of = |pattern: &String| {
        let path = Path::new(pattern.trim_start_matches("./").trim_end_matches("/..."));
        let found = path
            .ancestors()
            .find(|it| read::exists(&folder.join(it).join("go.mod")))?;
        let is_vendored = read::is_folder(&folder.join(found).join("vendor"));
        (!is_vendored).then(|| found.to_owned())
    };
    packages.iter().filter_map(module_of).collect()
}

/// The packages with API types, as Go package patterns: `./api/...`.
pub(super) fn packages(folder: &Path) -> Vec<String> {
    let access = input::found_in(folder);
    let has_types = |name: &&str| {
        let files = input::go_files(&folder.join(name), &access);
        files.iter().take(MOST).any(|it| input::has_markers(it, &access))
    };
    let found = FOLDERS.into_iter().filter(has_types);
    found.map(|it| format!("./{it}/...")).collect()
}
