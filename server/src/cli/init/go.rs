//! The folders of a repository that have API types in Go.

use std::path::Path;

use crd_analyzer_io::read::{self, SETTINGS_BYTES};

use crate::input;

/// Where API types usually are.
const FOLDERS: [&str; 4] = ["api", "apis", "pkg/apis", "pkg/api"];

/// Files that are looked into for each.
const MOST: usize = 500;

/// What only files with API types have.
const SIGNS: [&str; 3] = ["+groupName=", "+kubebuilder:object:", "+kubebuilder:validation:"];

/// The packages with API types, as Go's own commands name them: `./api/...`.
pub(super) fn packages(folder: &Path) -> Vec<String> {
    let access = input::found_in(folder);
    let has_types = |name: &&str| {
        let files = input::go_files(&folder.join(name), &access);
        let mut texts = files
            .iter()
            .take(MOST)
            .filter_map(|it| read::text(it, &access, SETTINGS_BYTES).ok());
        texts.any(|text| SIGNS.iter().any(|it| text.contains(it)))
    };
    let found = FOLDERS.into_iter().filter(has_types);
    found.map(|it| format!("./{it}/...")).collect()
}
