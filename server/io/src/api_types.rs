//! Finds out whether a folder has Go types that controller-gen makes CRDs of.

use std::{path::Path, sync::Arc};

use crd_analyzer_gosource::may_have_kinds;

use crate::{
    read::{self, Access, SETTINGS_BYTES},
    repository,
    roots::Roots,
    walk::{self, Hidden, Links},
};

/// The maximum number of Go files in which markers are searched.
const MOST_FILES: usize = 500;

/// The maximum total size of these files, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The start of each marker of controller-gen.
const MARKER: &str = "+kubebuilder:";

/// Whether a folder has Go types with markers: it is a kubebuilder project, its Makefile runs controller-gen, or a Go file in it has a marker. In a
/// large repository, a marker that is not in a usual folder of API types may not be found.
pub fn are_in(folder: &Path) -> bool {
    repository::has_api_types(folder) || has_markers(folder)
}

/// Whether a Go file in the folder or in a folder below has a marker.
fn has_markers(folder: &Path) -> bool {
    let mut files = walk::files(folder, &Links::Skip, Hidden::Tracked, is_source).files;
    // Modules in `vendor` belong to others.
    files.retain(|it| !it.strip_prefix(folder).unwrap_or(it).iter().any(|it| it == "vendor"));
    files.sort_by_key(|it| !it.parent().is_some_and(|it| may_have_kinds(it, folder)));
    let access = Access::Within(Arc::new(Roots::new([folder])));
    let mut left = MOST_BYTES;
    files.iter().take(MOST_FILES).any(|file| {
        let text = read::text(file, &access, left.min(SETTINGS_BYTES)).unwrap_or_default();
        left = left.saturating_sub(text.len() as u64);
        text.contains(MARKER)
    })
}

/// Whether a file may declare API types, judging by its name.
fn is_source(path: &Path) -> bool {
    path.file_name()
        .and_then(|it| it.to_str())
        .is_some_and(crd_analyzer_gosource::is_source)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        folder
    }

    const TYPES: &str = "package v1\n\n// +kubebuilder:object:root=true\ntype Order struct {}\n";

    #[test]
    fn a_marker_is_enough() {
        for name in ["pkg/apis/shop/v1alpha1/types.go", "types/order.go", "order.go"] {
            assert!(
                are_in(folder(&[("go.mod", "module m\n"), (name, TYPES)]).path()),
                "{name}"
            );
        }
    }

    #[test]
    fn markers_of_others_do_not_count() {
        let files = [
            ("main.go", "package main\n"),
            ("vendor/example.com/api/v1/types.go", TYPES),
            ("api/v1/types_test.go", TYPES),
        ];
        assert!(!are_in(folder(&files).path()));
    }

    #[test]
    fn usual_folders_are_read_first() {
        let files: Vec<_> = (0..MOST_FILES).map(|n| (format!("a/f{n}.go"), "package a\n")).collect();
        let mut files: Vec<_> = files.iter().map(|(name, text)| (&**name, *text)).collect();
        files.push(("pkg/apis/v1/types.go", TYPES));
        assert!(are_in(folder(&files).path()));
    }
}
