//! Cost estimates of rules in generated manifests, shown in the source file.

use std::{collections::HashSet, path::Path};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::made::Manifests;

use crate::lens::{self, Cost};

/// The costs of the rules and schemas that are written in a source file, in the order of its text.
pub fn costs(manifests: &Manifests, path: &Path, version: KubernetesVersion) -> Vec<Cost> {
    let mut found = Vec::new();
    for (manifest, costs) in manifests.costs(path, version) {
        let moved = lens::costs(&costs).into_iter().filter_map(|it| {
            let place = manifest.origin(it.span).filter(|it| *it.file.path == *path)?;
            Some(Cost { span: place.span, ..it })
        });
        found.extend(moved);
    }
    found.sort_by_key(|it| it.span.start);
    // One type may be part of several CRDs and versions, so show each cost once.
    let mut seen = HashSet::new();
    found.retain(|it| seen.insert((it.span, it.title.clone())));
    found
}

/// The spans of the rules in a source file, in document order.
pub fn rules(manifests: &Manifests, path: &Path, version: KubernetesVersion) -> Vec<Span> {
    let mut found = Vec::new();
    for (manifest, costs) in manifests.costs(path, version) {
        let origins = lens::rules(&costs).into_iter().filter_map(|it| manifest.origin(it));
        found.extend(origins.filter(|it| *it.file.path == *path).map(|it| it.span));
    }
    found.sort_by_key(|it| (it.start, it.end));
    found.dedup();
    found
}
