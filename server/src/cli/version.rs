//! The output of `--version`.

use std::sync::LazyLock;

use crd_analyzer_schema::KubernetesVersion;

/// The git commit of the program's source, if the build sets it.
pub(super) const COMMIT: Option<&str> = option_env!("CRD_ANALYZER_COMMIT");

/// The version, the commit if known, and the supported Kubernetes versions. Release builds set the commit; builds from a source archive do not.
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
