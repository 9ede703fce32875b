//! What `--version` prints.

use std::sync::LazyLock;

use crd_analyzer_schema::KubernetesVersion;

/// The commit that the program was built from, if its build names one.
pub(super) const COMMIT: Option<&str> = option_env!("CRD_ANALYZER_COMMIT");

/// The version, the commit if the build names it, and the Kubernetes versions whose answers are known. Builds for a release name the
/// commit; what a package manager builds from a source archive has none.
pub(super) fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let commit = COMMIT.map_or_else(String::new, |it| format!(" (commit {it})"));
        format!(
            "{}{commit}\nKubernetes {} to {}",
            env!("CARGO_PKG_VERSION"),
            KubernetesVersion::OLDEST,
            KubernetesVersion::NEWEST
        )
    });
    &LONG
}
