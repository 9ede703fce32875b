//! Finds markers of kinds at other types, such as the type of a spec or of a list. controller-gen ignores them there.

use super::{
    Finding, Problem,
    split::Split,
    types::{Set, Types},
};
use crate::kinds::{embeds_meta, may_be_kind};

/// The markers that change a CRD outside its schemas.
const OF_KINDS: [&str; 10] = [
    "kubebuilder:deprecatedversion",
    "kubebuilder:metadata",
    "kubebuilder:printcolumn",
    "kubebuilder:resource",
    "kubebuilder:selectablefield",
    "kubebuilder:skipversion",
    "kubebuilder:storageversion",
    "kubebuilder:subresource:scale",
    "kubebuilder:subresource:status",
    "kubebuilder:unservedversion",
];

/// Finds the markers of kinds at other types. In a file without kinds, the types may be kinds of another generator.
pub(super) fn find(types: &Types) -> Vec<Finding> {
    let kinds = types.declared.iter().filter(|it| embeds_meta(types, &it.1.shape));
    let kinds: Vec<&str> = kinds.map(|it| it.0.as_str()).collect();
    let mut found = Vec::new();
    if kinds.is_empty() {
        return found;
    }
    for (name, declared) in &types.declared {
        let is_of_kinds = |it: &&Set| OF_KINDS.contains(&it.name);
        let mut markers = declared.markers.iter().filter(is_of_kinds).peekable();
        if markers.peek().is_none() || may_be_kind(types, declared) {
            continue;
        }
        let kind = kind_of(name, &kinds);
        found.extend(markers.map(|it| {
            let start = it.span.start + 1;
            let split = Split::of(types.text.get(it.span.clone()).unwrap_or_default());
            Finding {
                span: start..start + split.whole.len(),
                problem: Problem::NoKind {
                    name: it.name.to_owned(),
                    at: name.clone(),
                    kind: kind.map(str::to_owned),
                },
            }
        }));
    }
    found
}

/// The kind to which a type belongs by its name, as `CartSpec` and `CartList` belong to `Cart`, or the only kind.
fn kind_of<'k>(name: &str, kinds: &[&'k str]) -> Option<&'k str> {
    let of_name = kinds
        .iter()
        .filter(|it| name.starts_with(**it))
        .max_by_key(|it| it.len());
    match (of_name, kinds) {
        (Some(kind), _) | (None, [kind]) => Some(kind),
        _ => None,
    }
}
