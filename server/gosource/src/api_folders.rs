//! The folders of a repository that may have API types, judging by their names.

use std::path::Path;

/// Whether a folder below the root of a project may declare the project's kinds, judging by its name.
pub fn may_have_kinds(folder: &Path, root: &Path) -> bool {
    let parts = folder.strip_prefix(root).unwrap_or(folder).iter();
    let parts: Vec<&str> = parts.filter_map(|it| it.to_str()).collect();
    let is_of_tests = |it: &&str| ["test", "tests", "testing", "e2e", "fixtures", "internal"].contains(it);
    if parts.iter().any(is_of_tests) {
        return false;
    }
    let is_version = parts.last().is_some_and(|it| {
        let number = it.strip_prefix('v').unwrap_or_default();
        number.starts_with(|it: char| it.is_ascii_digit())
    });
    is_version || parts.iter().any(|it| it.starts_with("api"))
}
