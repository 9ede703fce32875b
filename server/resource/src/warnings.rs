//! The API server's warnings.

use crd_analyzer_schema::field::{Cause, Path};
use crd_analyzer_schema::metadata::names::qualified_name;
use crd_analyzer_schema::{KubernetesVersion, go};
use serde_json::Value;

use crate::definition::ServedVersion;
use crate::verdict::{Decider, Warning};
use crate::{codes, prepare};

/// The first Kubernetes version that suggests a path in its warning about a finalizer that is only a domain.
const ASKS_FOR_PATH_SINCE: KubernetesVersion = KubernetesVersion::minor(32);

/// The API server's own finalizers.
const STANDARD_FINALIZERS: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// The warning about a deprecated version. Every answer contains this warning.
pub(crate) fn of_version(version: ServedVersion<'_>) -> Option<Warning> {
    Some(Warning {
        text: version.deprecation()?.to_owned(),
        code: codes::DEPRECATED_VERSION,
        path: Path::of(["apiVersion"]),
        cause: Some(Cause::Allowed(version.definition().current_versions())),
        decider: Some(Decider {
            path: version.path().child("deprecated"),
            rule: None,
        }),
    })
}

/// The warnings about new finalizers (`generateWarningsFromObj`).
pub(crate) fn of_finalizers(version: ServedVersion<'_>, new: &Value, old: Option<&Value>) -> Vec<Warning> {
    let of = |value: &Value| value.as_object().map(prepare::metadata).unwrap_or_default().finalizers;
    let finalizers = of(new);
    if finalizers.is_empty() {
        return Vec::new();
    }
    let old = old.map(of).unwrap_or_default();
    let mut added: Vec<(usize, &String)> = finalizers
        .iter()
        .enumerate()
        .filter(|(_, it)| !old.contains(it))
        .collect();
    added.sort_by_key(|(_, it)| *it);
    added.dedup_by_key(|(_, it)| *it);
    let mut warnings = Vec::new();
    for (n, finalizer) in added {
        let mut warn = |words: &str| {
            warnings.push(Warning {
                text: format!("metadata.finalizers: {}: {words}", go::quote(finalizer)),
                code: codes::UNQUALIFIED_FINALIZER,
                path: Path::of(["metadata", "finalizers"]).index(n),
                cause: Some(Cause::Entry {
                    key: finalizer.clone(),
                    is_value: false,
                }),
                decider: None,
            });
        };
        for words in qualified_name(finalizer, version.kubernetes()) {
            warn(&words);
        }
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            let path = if finalizer.contains('.') && version.kubernetes() >= ASKS_FOR_PATH_SINCE {
                " including a path (/)"
            } else {
                ""
            };
            warn(&format!(
                "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
            ));
        }
    }
    warnings
}
