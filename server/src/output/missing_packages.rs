//! Go packages that are not on this machine, and the command that fetches them.

use crd_analyzer_workspace::sources::MissingPackages;

use super::{label_of_path, listed};

/// The command that fetches the packages of a module, in the module's folder.
pub(crate) const FETCH: &str = "go mod download";

/// The maximum number of packages to list. The rest are counted.
const MOST_NAMED: usize = 5;

/// Says which packages of a module are missing, and how to fetch them.
pub(crate) fn words(missing: &MissingPackages) -> String {
    let packages = listed(missing.packages.iter().map(String::as_str), MOST_NAMED, "package");
    let folder = label_of_path(&missing.module);
    let place = if folder.is_empty() {
        String::new()
    } else {
        format!(" in {folder}")
    };
    format!("Go types of packages that are not on this machine ({packages}; `{FETCH}`{place} fetches them)")
}
