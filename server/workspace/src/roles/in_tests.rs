//! Files in folders of tests that are not complete, or not for the CRDs of the repository, judging by their names.

use std::path::Path;

use super::place::is_in_tests;

/// Whether a file in a folder of tests has patches, judging by a name such as `ci-kustomization.yaml`. Tests merge them into other objects with a
/// kustomization of their own.
pub(crate) fn is_patches_of_tests(path: &Path) -> bool {
    let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    let mut words = name.split(['-', '_', '.']);
    name != "kustomization" && words.any(|it| it == "kustomization") && is_in_tests(path)
}

/// Whether a file in a folder of tests belongs to an older release of its CRDs: one of the folders has the name of the version that the CRDs no longer
/// serve.
pub(crate) fn is_of_older_release(path: &Path, api_version: &str) -> bool {
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let mut folders = path.parent().into_iter().flat_map(Path::iter);
    !version.is_empty() && folders.any(|it| it == version) && is_in_tests(path)
}
