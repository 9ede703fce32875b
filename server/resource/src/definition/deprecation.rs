//! The API server's warning for deprecated versions (`defaultDeprecationWarning`).

use std::fmt::Write as _;

use crd_analyzer_apiextensions::types::{Spec, compare_version_names};

/// The warning for the version at `index`, if it is deprecated.
pub(super) fn warning(spec: &Spec, index: usize) -> Option<String> {
    let version = &spec.versions[index];
    if !version.deprecated {
        return None;
    }
    if let Some(text) = &version.deprecation_warning {
        return Some(text.clone());
    }
    let (group, kind) = (&spec.group, &spec.names.kind);
    let mut text = format!("{group}/{} {kind} is deprecated", version.name);
    let newer = spec
        .versions
        .iter()
        .filter(|it| it.served && !it.deprecated && compare_version_names(&version.name, &it.name).is_lt())
        .max_by(|a, b| compare_version_names(&a.name, &b.name));
    if let Some(newer) = newer {
        let _ = write!(text, "; use {group}/{} {kind}", newer.name);
    }
    Some(text)
}
